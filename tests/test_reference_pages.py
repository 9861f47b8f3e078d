"""The pages of reference: whatever is declared stands in them."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

from ssdlab.host.checks import CHECKS
from ssdlab.model.finding import FINDING_KINDS, SEVERITY_NAMES
from tests.paths import ROOT
from tools import build_reference, generated

METHODS = sorted((ROOT / "docs" / "methods").glob("[!R]*.md"))
REFERENCE = sorted((ROOT / "docs" / "reference").glob("[!R]*.md"))


def test_page_of_findings_has_every_code_once_with_its_severity() -> None:
    page = build_reference.render_findings()
    rows = re.findall(
        r"^\| `([a-z-]+)` \| (\w+) \| [^|]+ \| [^|]+ \|", page, re.MULTILINE
    )
    wanted = {
        (code, SEVERITY_NAMES[kind.severity]) for code, kind in FINDING_KINDS.items()
    }
    assert len(rows) == len(wanted)
    assert set(rows) == wanted


def test_page_of_checks_has_every_check_once() -> None:
    page = build_reference.render_checks()
    rows = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert rows == [check.check_id for check in CHECKS]


def test_index_has_every_decision_with_its_status() -> None:
    folder = build_reference.DOCS / "decisions"
    page = build_reference.render_decisions(folder)
    status = r"(?:accepted|(?:replaced|changed) by \[\d+\].+)"
    row = rf"^\| \d+ \| \[[^]]+\]\((0[^)]+)\) \| {status} \| .*\|$"
    names = re.findall(row, page, re.MULTILINE)
    assert names == sorted(path.name for path in folder.glob("0*.md"))


def test_table_that_is_built_stands_between_its_marks() -> None:
    page = "before\n<!-- built: telemetry -->\nto be replaced\n<!-- end -->\nbehind\n"
    filled = build_reference.fill_blocks(page)
    assert "to be replaced" not in filled
    assert filled.startswith("before\n<!-- built: telemetry -->\n| Reading |")
    assert filled.endswith("|\n<!-- end -->\nbehind\n")


def test_pages_in_the_repository_are_up_to_date() -> None:
    assert generated.stale_files(build_reference.pages()) == []


@pytest.mark.parametrize("page", METHODS, ids=lambda page: page.stem)
def test_examples_of_a_method_give_what_the_page_says(page: Path) -> None:
    assert doctest.testfile(str(page), module_relative=False).failed == 0


@pytest.mark.parametrize("page", METHODS, ids=lambda page: page.stem)
def test_method_names_functions_that_exist_and_records_that_led_to_it(
    page: Path,
) -> None:
    text = page.read_text("utf-8")
    computed, source, decided = (
        re.findall(rf"^\| {head} \| (.+) \|$", text, re.MULTILINE)
        for head in ("Computed by", "Source", "Decided in")
    )
    assert len(computed) == len(source) == len(decided) == 1
    names = re.findall(r"`(ssdlab\.[\w.]+)`", text)
    assert names
    assert [name for name in names if not exists(name)] == []
    assert "../decisions/" in decided[0]


@pytest.mark.parametrize("pages", [METHODS, REFERENCE], ids=["methods", "reference"])
def test_index_of_a_folder_has_every_page_once(pages: list[Path]) -> None:
    index = (pages[0].parent / "README.md").read_text("utf-8")
    named = re.findall(r"\]\(([\w-]+\.md)\)", index)
    assert sorted(named) == [page.name for page in pages]


def exists(name: str) -> bool:
    """Whether a dotted name is a module, or what a module holds."""
    module, _, attribute = name.rpartition(".")
    return hasattr(importlib.import_module(module), attribute)
