"""Tables as a notebook shows them."""

import pandas as pd

from ssdlab.figures import folded_table, plain_table
from ssdlab.report.clean_html import clean_html

FRAME = pd.DataFrame({
    "Level": ["99 %", "99.9 %"],
    "Time [ms]": ["1.5", "2.5"],
    "Note": ["", "not supported by <b>50</b> IOs: 3,688 are needed"],
    "Read": ["yes", "no"],
    "IOs": [1234567, 1],
})


def test_table_has_no_index_and_shows_no_markup_of_others() -> None:
    html = plain_table(FRAME).to_html()
    assert "1,234,567" in html
    assert "&lt;b&gt;50" in html
    assert 'class="row_heading' not in html


def test_folded_table_keeps_its_fold_in_an_exported_page() -> None:
    folded = folded_table(FRAME, "2 loads & more")
    page = clean_html(folded._repr_html_())
    assert page.startswith("<details><summary>2 loads &amp; more</summary>")
    assert page.endswith("</details>")
    assert "not supported by" in page
    assert repr(folded) == "2 loads & more"


def test_table_without_rows_is_one() -> None:
    assert "Level" in plain_table(FRAME.iloc[:0]).to_html()
