"""The house keeps what its papers promise."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ssdlab.fleet.delta import add_rows, create_tables
from ssdlab.fleet.place import place_of
from ssdlab.model.version import VERSION
from ssdlab.pts import PROFILES, SUITE
from ssdlab.pts.suite import CATALOG
from tests.fleet.made_rows import made_rows
from tests.paths import ROOT
from tools.check import LINT

HEAVY = ("pandas", "scipy", "plotly", "nbformat", "papermill", "pyarrow", "numpy")
PAGES = sorted(
    page
    for folder in (
        *("", "data", "docs"),
        *("docs/decisions", "docs/how-to", "docs/methods", "docs/reference"),
    )
    for page in (ROOT / folder).glob("*.md")
)
RECORDS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
INITS = sorted((ROOT / "ssdlab").rglob("__init__.py"))
# What an __init__ may hold: names, and where they come from; nothing is done.
PASSIVE = (
    ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign | ast.FunctionDef | ast.If
)


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


def loaded_by(code: str) -> set[str]:
    """Return which packages of ``HEAVY`` a fresh Python has loaded after the code."""
    probe = (
        "import sys\n"
        f"try:\n    {code}\n"
        "finally:\n"
        f"    print('LOADED', *(m for m in {HEAVY!r} if m in sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.rpartition("LOADED")[2].split())


def test_probe_sees_what_is_loaded() -> None:
    assert "numpy" in loaded_by("import numpy")


def test_import_of_ssdlab_loads_nothing_heavy() -> None:
    assert loaded_by("import ssdlab") == set()


def test_run_begins_without_what_only_its_end_needs() -> None:
    assert loaded_by("import ssdlab; ssdlab.run_suite") <= {"numpy", "pyarrow"}


def test_help_of_the_command_line_loads_nothing_heavy() -> None:
    call = "sys.argv = ['ssdlab', '--help']; from ssdlab.cli import main; main()"
    assert loaded_by(call) == set()


@pytest.mark.parametrize("is_store", [False, True])
def test_list_of_runs_needs_no_frames(tmp_path: Path, *, is_store: bool) -> None:
    place = "data/samples"
    if is_store:
        place = str(tmp_path / "store")
        create_tables(place_of(place, is_new=True))
        add_rows(place_of(place), made_rows(1))
    call = f"sys.argv = ['ssdlab', 'runs', {place!r}]"
    call += "; from ssdlab.cli import main; main()"
    assert loaded_by(call) == {"numpy", "pyarrow"}


def test_opening_a_finished_run_loads_nothing_that_builds_tables() -> None:
    call = "import ssdlab; ssdlab.open_run('data/samples/virtual-b')"
    assert loaded_by(f"{call}; assert 'ssdlab.ingest.ingest' not in sys.modules")


@pytest.mark.parametrize("path", INITS, ids=page_id)
def test_package_does_nothing_at_import(path: Path) -> None:
    first, *rest = ast.parse(path.read_text("utf-8")).body
    assert isinstance(first, ast.Expr), "a docstring comes first"
    assert [ast.unparse(node) for node in rest if not isinstance(node, PASSIVE)] == []


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_link_to_a_section_has_its_heading(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", page.read_text("utf-8"))
    assert [
        (path, anchor)
        for path, anchor in links
        if anchor not in anchors_of(page.parent / path if path else page)
    ] == []


def anchors_of(page: Path) -> set[str]:
    """Return the names that headings of a page have in links."""
    heads = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_file_that_a_page_names_in_full_is_there(page: Path) -> None:
    names = re.findall(
        r"`((?:ssdlab|tools|tests|docs|notebooks)/[\w./-]+)`", page.read_text("utf-8")
    )
    assert [name for name in names if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("record", RECORDS, ids=page_id)
def test_decision_record_has_number_status_and_three_parts(record: Path) -> None:
    text = record.read_text("utf-8")
    number = re.match(r"# (\d+)\. ", text)
    assert number
    assert int(number[1]) == int(record.name[:4])
    assert re.search(
        r"^Status: (accepted|replaced by \d+|changed by \d+(, \d+)*)$",
        text,
        re.MULTILINE,
    )
    parts = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert parts == ["Context", "Decision", "Consequences"]
    assert len(text.split()) <= 300, "a specification belongs to methods or reference"


@pytest.mark.parametrize("record", RECORDS, ids=page_id)
def test_record_that_replaces_or_changes_another_names_it(record: Path) -> None:
    status = record.read_text("utf-8").splitlines()[2]
    for number in re.findall(r"\d+", status):
        (later,) = record.parent.glob(f"{int(number):04}-*.md")
        assert record.name in later.read_text("utf-8")


def test_decision_numbers_are_used_once() -> None:
    numbers = [record.name[:4] for record in RECORDS]
    assert len(set(numbers)) == len(numbers)


def test_decisions_that_are_cited_are_there() -> None:
    known = {int(record.name[:4]) for record in RECORDS}
    texts = [
        path.read_text("utf-8")
        for folder in ("ssdlab", "notebooks", "tools", "docs")
        for ending in ("*.py", "*.md")
        for path in (ROOT / folder).rglob(ending)
    ]
    cited = {
        int(number)
        for text in texts
        for number in re.findall(r"[Dd]ecisions? (?:record )?(\d+)", text)
    }
    assert len(cited) > 20
    assert cited <= known


def test_layer_table_is_that_of_the_import_contract() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contract = settings["tool"]["importlinter"]["contracts"][0]
    wanted = [re.findall(r"\w+", layer) for layer in contract["layers"]]
    section = (
        (ROOT / "docs" / "architecture.md").read_text("utf-8").split("## Layers")[1]
    )
    rows = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    assert [re.findall(r"`(\w+)`", row) for row in rows] == wanted


def test_coverage_page_lists_every_test_and_profile() -> None:
    page = (ROOT / "docs" / "pts-coverage.md").read_text("utf-8")
    for test in SUITE:
        module = CATALOG[test].build.__module__.replace(".", "/")
        assert f"`{module}.py` | there" in page
    rows = re.findall(r"^\| `([\w.-]+)` \| .* \| (\w+)", page, re.MULTILINE)
    assert {name for name, status in rows if status == "there"} == set(PROFILES)


def test_table_of_places_names_what_is_there() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = page.split("## Where each change goes")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (?!To add|---)(.+?) \| (.+) \|$", table, re.MULTILINE)
    assert len(rows) > 15
    for change, words in rows:
        folders = [ROOT, ROOT / "ssdlab"]
        for place in re.findall(r"`((?:[\w<>*]+/)*[\w<>*]*(?:/|\.pyi?|\.md))`", words):
            pattern = re.sub(r"<\w+>", "*", place.removesuffix("/"))
            found = [path for folder in folders for path in folder.glob(pattern)]
            assert found, f"{change}: {place}"
            folders += [path if path.is_dir() else path.parent for path in found]


def test_page_of_profiles_lists_every_profile() -> None:
    page = (ROOT / "docs" / "how-to" / "choose-a-profile.md").read_text("utf-8")
    assert set(re.findall(r"^\| `([\w.-]+)` \|", page, re.MULTILINE)) == set(PROFILES)


def test_version_is_that_of_changelog_and_citation() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    released = re.findall(r"^## \[(\d[\d.]*)\] - ([\d-]+)$", changelog, re.MULTILINE)
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert released[0][0] == VERSION
    assert f"version: {VERSION}\n" in citation
    assert f'date-released: "{released[0][1]}"\n' in citation


def test_make_without_a_target_lists_the_targets() -> None:
    done = subprocess.run(
        ["make", "--no-print-directory"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    listed = re.findall(r"^  make (\w+) ", done.stdout, re.MULTILINE)
    assert {"help", "setup", "run", "test", "lint", "docs", "lock", "clean"} <= set(
        listed
    )


def test_hooks_are_valid_local_and_those_of_make_lint() -> None:
    config = ROOT / ".pre-commit-config.yaml"
    subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-config", config], check=True
    )
    text = config.read_text("utf-8")
    assert re.findall(r"repo: (\S+)", text) == ["local"]
    assert set(re.findall(r"language: (\S+)", text)) == {"system"}
    hooks = re.findall(r"entry: (.+)", text)
    lint = [[word for word in words if "notebooks/" not in word] for words in LINT]
    assert {_command(line) for line in hooks} == {_command(" ".join(w)) for w in lint}


def _command(line: str) -> str:
    """Return a check without what differs between a hook and `make lint`."""
    return line.replace(" --check", "")
