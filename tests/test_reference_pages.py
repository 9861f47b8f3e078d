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


def test_pages_in_the_repository_are_up_to_date() -> None:
    folder = build_reference.FOLDER
    pages = {
        folder / "findings.md": build_reference.render_findings(),
        folder / "host-checks.md": build_reference.render_checks(),
    }
    assert generated.stale_files(pages) == []
