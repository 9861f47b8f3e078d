"""What a report has to name besides its results, given then or later."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.engine.request import RunChoices, check_request
from ssdlab.model.errors import ProfileError, RunFolderError
from ssdlab.model.report_fields import NAMES, TITLES, ReportFields
from ssdlab.pts.profile_file import parse_profile, parse_report
from ssdlab.pts.shared.settings import MatrixRounds
from ssdlab.report import render_report
from ssdlab.store.records import write_record
from ssdlab.store.report_fields import add_given, read_given
from ssdlab.store.run import open_tables
from tests.cli.called import call
from tests.made_run import Recipe, make_run
from tests.rendered import words

RECIPE = Recipe(tests=("lat",), rounds=5, kind="block")
PROFILE = """\
based_on = "pts-2.0-enterprise"
cell_s = 30
[report]
operator = "A. B."
media = "TLC NAND"
"""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(tmp_path / "run", RECIPE).path


def test_every_field_has_a_title() -> None:
    assert tuple(TITLES) == tuple(asdict(ReportFields()))
    assert set(NAMES) == set(TITLES)


FIELDS = st.builds(
    ReportFields, **{name: st.sampled_from(["", "a", "b"]) for name in NAMES}
)


@given(FIELDS, FIELDS)
def test_what_is_given_goes_before_what_was_known(
    known: ReportFields, said: ReportFields
) -> None:
    both = known.with_given(said)
    for name in NAMES:
        assert getattr(both, name) == (getattr(said, name) or getattr(known, name))
    assert set(both.missing) <= set(known.missing)


def test_report_names_what_it_lacks_until_it_is_said(run: Path) -> None:
    before = words(render_report(open_tables(run)))
    lacking = "operator, motherboard, HBA or slot, boot storage, driver"
    assert f"section 5, requires: {lacking}, manufacturer, form factor" in before
    assert "Operator not recorded" in before
    done = call("report", str(run), "--operator", "A. <B>", "--media", "TLC NAND")
    assert done.returncode == 0, done.stderr
    page = (run / "report.html").read_text("utf-8")
    after = words(page)
    assert "Operator A. <B>" in after
    assert "A. <B>" not in page
    assert "Tested by A. <B>" in after
    assert "Media type TLC NAND" in after
    assert "section 5, requires: motherboard" in after


def test_what_was_said_is_kept_and_added_to(run: Path) -> None:
    add_given(run, ReportFields(operator="A. B.", media="TLC"))
    add_given(run, ReportFields(media="QLC"))
    assert read_given(run) == ReportFields(operator="A. B.", media="QLC")
    record = replace(
        open_tables(run).record, report_fields=ReportFields(driver="nvme", media="MLC")
    )
    write_record(run, record)
    fields = open_tables(run).report_fields
    assert (fields.operator, fields.driver, fields.media) == ("A. B.", "nvme", "QLC")


def test_report_that_has_it_all_lacks_nothing(run: Path) -> None:
    add_given(run, ReportFields(**dict.fromkeys(NAMES, "given")))
    assert "section 5, requires" not in words(render_report(open_tables(run)))


def test_fields_come_from_a_file(run: Path, tmp_path: Path) -> None:
    source = tmp_path / "mine.toml"
    source.write_text('[report]\noperator = "A. B."\nform_factor = "M.2 2280"\n')
    done = call("report", str(run), "--fields", str(source), "--operator", "C. D.")
    assert done.returncode == 0, done.stderr
    given_fields = read_given(run)
    assert given_fields == ReportFields(operator="C. D.", form_factor="M.2 2280")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ('[report]\noperatr = "x"', "a report has no such field"),
        ("[report]\noperator = 3", "not one line of text"),
        ('[report]\noperator = "a\\nb"', "not one line of text"),
        ("report = 3", "it is not a table"),
        (f'[report]\nmedia = "{"x" * 300}"', "more than 200"),
    ],
)
def test_file_that_says_it_wrongly_is_refused(
    run: Path, tmp_path: Path, text: str, match: str
) -> None:
    with pytest.raises(ProfileError, match=match):
        parse_report(text, source="mine.toml")
    (tmp_path / "mine.toml").write_text(text)
    done = call("report", str(run), "--fields", str(tmp_path / "mine.toml"))
    assert done.returncode == 2
    assert not (run / "report.json").exists()


@pytest.mark.parametrize(
    "arguments",
    [("--fields", "mine.txt"), ("--fields", "no.toml"), ("--operator", "a\nb")],
)
def test_misuse_ends_with_2_and_one_line(run: Path, arguments: tuple[str, str]) -> None:
    done = call("report", str(run), *arguments)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_damaged_fields_are_refused_with_the_remedy(run: Path) -> None:
    for content in ("{", json.dumps({"operator": 3}), json.dumps([])):
        (run / "report.json").write_text(content)
        with pytest.raises(RunFolderError, match=r"report\.json is damaged"):
            render_report(open_tables(run))


def test_profile_of_a_user_may_say_them(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(PROFILE)
    asked = check_request("virtual", str(path), "lat", choices=RunChoices())
    assert asked.report_fields == ReportFields(operator="A. B.", media="TLC NAND")
    assert (
        parse_profile(PROFILE, source="mine.toml", name="mine")[MatrixRounds].cell_s
        == 30
    )
    plain = check_request("virtual", "demo", "lat", choices=RunChoices())
    assert plain.report_fields == ReportFields()
