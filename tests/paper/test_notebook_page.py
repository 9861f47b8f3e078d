"""An executed notebook becomes one page that is whole and harmless."""

import re
from pathlib import Path
from typing import Any

import pytest

from ssdlab.model.errors import NotebookFileError
from ssdlab.paper.cells import clean_html
from ssdlab.paper.notebook_page import render_notebook_page, write_notebook_page
from tests.browser import visit
from tests.paper.made_notebook import (
    code_cell,
    figure,
    shown,
    text_cell,
    write_notebook,
)
from tests.rendered import words
from tests.report.test_safety import HOSTILE, tags_of

BOX = '<div class="scroll" tabindex="0">'
TABLE = "<style>.dataframe {color: red}</style><table><tr><td>1.5</td></tr></table>"


@pytest.fixture
def render(tmp_path: Path) -> Any:
    def make(*cells: dict[str, Any]) -> str:
        notebook = write_notebook(tmp_path / "n.ipynb", *cells)
        return render_notebook_page(notebook)

    return make


def test_page_has_text_tables_and_figures_and_folds_code(render: Any) -> None:
    page = render(
        text_cell("# Top\n\nSome *words*.\n\n| a | b |\n|---|---|\n| 1 | 2 |"),
        code_cell("runs: str = 'x'", tag="parameters"),
        code_cell("runs = 'mine'", tag="injected-parameters"),
        text_cell("## First\n\nmore\n\n## Second"),
        code_cell("run.show()", shown(text__html=TABLE), figure()),
        code_cell("1 + 1", shown(text__plain=["\x1b[31m2\x1b[0m"])),
        code_cell("print(3)", {"output_type": "stream", "name": "stdout", "text": "3"}),
    )
    said = words(page)
    assert "Some words ." in said
    assert "Parameters of this execution Parameter Value runs mine" in said
    assert page.count("<details") == 2  # the contents, and all code at the end
    assert page.index("run.show()") > page.index("Second")
    assert page.count('class="plot"') == 1
    assert page.count('<div class="scroll" tabindex="0"><table') == 3
    assert re.findall(r"<h2>(.*?)</h2>", page) == ["First", "Second"]
    assert '<pre class="value">2</pre>' in page
    assert '<pre class="stdout">3</pre>' in page
    assert "<b>no</b>" not in page


def test_parameters_name_runs_and_no_folders(render: Any) -> None:
    source = "# Parameters\nruns = '/home/me/a\\n/srv/b'\nwatts = -1.5\nbroken ="
    page = render(code_cell("1"), code_cell(source, tag="injected-parameters"))
    assert "/srv" not in page
    whole = source.removesuffix("\nbroken =")
    page = render(code_cell("1"), code_cell(whole, tag="injected-parameters"))
    assert "runs a, b watts -1.5" in words(page)
    assert "/home" not in page


def test_heading_that_a_cell_shows_begins_a_section(render: Any) -> None:
    page = render(code_cell("1", shown(text__markdown="## IOPS", text__plain="IOPS")))
    assert re.findall(r"<h2>(.*?)</h2>", page) == ["IOPS"]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_a_cell_shows_can_run(render: Any, text: str) -> None:
    stream = {"output_type": "stream", "name": "stdout", "text": text}
    error = {"output_type": "error", "ename": text, "evalue": text, "traceback": []}
    page = render(
        text_cell(f"# {text}\n\n{text} [{text}](javascript:alert(1))\n\n## {text}"),
        code_cell(text, stream, error, shown(text__plain=text)),
        code_cell("x", shown(text__html=f"<p onclick='x()'>{text}</p>")),
        code_cell("x", shown(text__html="<meta http-equiv=refresh content=0><form>")),
    )
    tags = tags_of(page)
    names = [tag for tag, _ in tags]
    assert names.count("script") == 5
    assert not {"form", "iframe", "object"} & set(names)
    assert names.count("meta") == 5
    attributes = [pair for _, attrs in tags for pair in attrs.items()]
    assert not [name for name, _ in attributes if name.startswith("on")]
    assert not [text for _, text in attributes if "javascript:" in (text or "")]
    sources = [attrs.get("src") for tag, attrs in tags if tag == "img"]
    assert set(sources) <= {None}


def test_text_that_is_folded_in_a_notebook_is_folded_in_its_page(render: Any) -> None:
    folded = "<details><summary>More</summary>\n\nSome `code`.\n\n</details>"
    page = render(text_cell(f"# A\n\n{folded}"))
    assert "<details><summary>More</summary>" in page
    assert "&lt;details" not in page


def test_heading_inside_code_begins_no_section(render: Any) -> None:
    page = render(text_cell("a\n\n## B\n\nc\n\n```\n## d\n```"))
    assert re.findall(r"<h2>(.*?)</h2>", page) == ["B"]
    assert "## d" in page


@pytest.mark.parametrize(
    ("html", "clean"),
    [
        ("<p>a<p>b</div>", "<p>a</p><p>b</p>"),
        ("<b>a<i>b</b>c", "<b>a<i>b</i></b><i>c</i>"),
        ("<svg><script>x</script></svg>y", "y"),
        ("<img src='https://x/y.png' alt='a'>", '<img alt="a">'),
        ("<a href=' javascript:x'>a</a>", "<a>a</a>"),
        (
            "<div class='plot wide' id='packed-figures'>a</div>",
            '<div class="wide">a</div>',
        ),
        ("<p style='background: url(//x)'>a</p>", "<p>a</p>"),
        ("<style>p { background: url(//x) }</style>", ""),
        ("<style>#T_1 {color: red}</style>", "<style>#T_1 {color: red}</style>"),
        (
            "<style type='text/css'>#T_1 td:nth-child(2) {color: rgb(1 2 3)}</style>",
            "<style>#T_1 td:nth-child(2) {color: rgb(1 2 3)}</style>",
        ),
        ("<style>p { background: image-set('https://x/y' 1x) }</style>", ""),
        ("<p style='background: IMAGE-SET(\"//x\" 1x)'>a</p>", "<p>a</p>"),
        ("<p style='list-style: image(\"//x\")'>a</p>", "<p>a</p>"),
        ("<p style='position:/**/fixed'>a</p>", "<p>a</p>"),
        (
            "<p style='width: calc((1px + 2px) * 3)'>a</p>",
            '<p style="width: calc((1px + 2px) * 3)">a</p>',
        ),
        ("<style>@import '//x';</style>b", "b"),
        ("<style><b>a</style>b", "b"),
        (
            "<table><tr><td>1<table><tr><td>2</table>",
            (
                f"{BOX}<table><tbody><tr><td>1<table><tbody><tr><td>2</td></tr></tbody>"
                "</table></td></tr></tbody></table></div>"
            ),
        ),
        ("<b title='\"><script>'>a</b>", '<b title="&quot;&gt;&lt;script&gt;">a</b>'),
        ("<template><p>a</template>b", "b"),
        ("<script>a", ""),
    ],
)
def test_html_of_others_keeps_only_what_is_known_to_be_plain(
    html: str, clean: str
) -> None:
    assert clean_html(html) == clean


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"cells": [{}]}', b"\xff"])
def test_file_that_is_no_notebook_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "no.ipynb"
    path.write_bytes(content)
    with pytest.raises(NotebookFileError, match=r"no\.ipynb cannot be read as a page"):
        render_notebook_page(path)
    with pytest.raises(NotebookFileError, match="No such file"):
        render_notebook_page(tmp_path / "missing.ipynb")


@pytest.mark.browser
def test_figures_are_drawn_from_disk_and_a_foreign_script_does_not_run(
    tmp_path: Path,
) -> None:
    notebook = write_notebook(
        tmp_path / "n.ipynb", text_cell("# T"), *(code_cell("f", figure()),) * 3
    )
    page = write_notebook_page(notebook, tmp_path / "page.html")
    found = visit(page, profile=tmp_path / "profile")
    assert found.value("data-plots") == "3"
    assert found.dom.count('data-drawn="yes"') == 3
    assert found.console == ()
    broken = page.read_text("utf-8").replace(
        "<main", "<script>document.title='run'</script><main"
    )
    page.write_text(broken, "utf-8")
    found = visit(page, profile=tmp_path / "profile2")
    assert "<title>T</title>" in found.dom
    assert found.value("data-plots") == "3"
    assert "Content Security Policy" in found.console[0]
