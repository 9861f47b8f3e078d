"""The pages of reference: whatever is declared stands in them."""

import re

from ssdlab.analysis.findings.finding import FINDING_KINDS
from ssdlab.host.checks import CHECKS
from tools import build_reference, generated


def test_page_of_findings_has_every_code_once_with_its_severity() -> None:
    page = build_reference.render_findings()
    rows = re.findall(
        r"^\| `([a-z-]+)` \| (\w+) \| [^|]+ \| [^|]+ \|", page, re.MULTILINE
    )
    wanted = {(code, kind.severity) for code, kind in FINDING_KINDS.items()}
    assert len(rows) == len(wanted)
    assert set(rows) == wanted


def test_page_of_checks_has_every_check_once() -> None:
    page = build_reference.render_checks()
    rows = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert rows == [check.check_id for check in CHECKS]


def test_index_has_every_decision_with_its_status() -> None:
    folder = build_reference.DOCS / "decisions"
    page = build_reference.render_decisions(folder)
    row = r"^\| \d+ \| \[.+\]\((.+)\) \| (?:accepted|replaced by \d+) \|$"
    names = re.findall(row, page, re.MULTILINE)
    assert names == sorted(path.name for path in folder.glob("0*.md"))


def test_pages_in_the_repository_are_up_to_date() -> None:
    assert generated.stale_files(build_reference.pages()) == []
