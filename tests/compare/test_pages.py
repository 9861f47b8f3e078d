"""Several runs side by side: conditions, sides, verdicts, pages."""

import json
import math
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from ssdlab.compare.as_json import comparison_as_dict
from ssdlab.compare.comparison import Comparison
from ssdlab.compare.missing import missing_cells, missing_notes
from ssdlab.compare.pages import TOPICS, comparison_page
from ssdlab.compare.runs import compare_runs
from ssdlab.compare.terminal import comparison_lines
from ssdlab.compare.verdicts import (
    MISSING,
    NO_DIFFERENCE,
    NOT_COMPARABLE,
    OTHER_CONDITIONS,
    TOO_SMALL,
)
from ssdlab.model.errors import (
    ParameterError,
    RepeatedNameError,
    RunFolderError,
    SeriesError,
    UnknownNameError,
)
from ssdlab.model.finding import make_finding
from ssdlab.model.schema import TABLES
from ssdlab.paper.blocks import Note, Page, Plot
from ssdlab.paper.context import read_context
from ssdlab.pts.suite import CATALOG
from ssdlab.report.findings import box_answers
from ssdlab.store.tables import write_table
from ssdlab.telemetry.amplification import summarise_amplification
from ssdlab.text.table import Table
from tests.made_compared import FEW_CELLS, Twin, make_twin
from tests.made_run import Recipe
from tests.paths import ROOT

ALPHA = Recipe(
    kind="block",
    model="Alpha <i>1</i>",
    serial="AAA",
    label="",
    tests=("iops", "lat"),
    profile=FEW_CELLS,
)
BETA = replace(ALPHA, model="Beta", serial="BBB")
GAMMA = replace(ALPHA, model="Gamma", serial="CCC", tests=("lat",))
MODEL = replace(BETA, kind="virtual", model="Model", serial="V")
Compared = Callable[..., Comparison]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("compared")
    twins = [
        Twin(number=1, recipe=ALPHA, speed=1.3),
        Twin(number=2, recipe=BETA),
        Twin(number=3, recipe=GAMMA),
        Twin(number=4, recipe=MODEL, speed=0.5),
        Twin(number=5, recipe=BETA, kernel="6.12.0"),
        Twin(number=6, recipe=BETA, speed=1.001),
    ]
    for twin in twins:
        make_twin(place, twin)
    return place


def runs(folder: Path, *numbers: int) -> list[Path]:
    return [folder / f"run{number}" for number in numbers]


@pytest.fixture(scope="module")
def compared(folder: Path) -> Compared:
    """Return what compares runs by their numbers: frozen, so each is made once."""

    @cache
    def compare(*numbers: int, **options: str) -> Comparison:
        return compare_runs(runs(folder, *numbers), **options)  # type: ignore[arg-type] # texts

    return compare


@pytest.fixture(scope="module")
def pair(compared: Compared) -> Comparison:
    return compared(1, 2)


def tables_of(page: Page) -> list[Table]:
    return [block for block in page.blocks if isinstance(block, Table)]


def notes_of(page: Page) -> str:
    return " ".join(block.text for block in page.blocks if isinstance(block, Note))


def test_faster_drive_beats_the_other_in_every_cell_by_the_true_difference(
    pair: Comparison,
) -> None:
    table = pair.differences
    assert set(table["better"]) == {"Alpha <i>1</i>"}
    rates = table[table["metric"] == "iops"]
    assert rates["ratio"].median() == pytest.approx(1.3, rel=0.01)
    assert rates["percent"].median() == pytest.approx(30, abs=1)
    times = table[table["metric"] == "lat_mean_ns"]
    assert times["percent"].median() == pytest.approx(100 * (1 - 1 / 1.3), abs=1)
    assert (
        rates["verdict"]
        .str.match(
            r"Alpha <i>1</i> ahead of Beta in these runs by [\d.]+ % "
            r"\([\d.]+ to [\d.]+ %\)"
        )
        .all()
    )
    assert (rates["low"] <= 1.3).mean() > 0.9
    assert (rates["high"] >= 1.3).mean() > 0.9


def test_equal_drives_differ_in_no_cell(folder: Path) -> None:
    table = compare_runs(runs(folder, 2, 6)).differences
    assert set(table["better"]) == {""}
    assert set(table["verdict"]) <= {NO_DIFFERENCE, "the same within 3 % in these runs"}
    assert set(table["unit"]) == {"rounds"}


def test_runs_of_one_drive_are_repetitions_once_there_is_another_drive(
    folder: Path,
) -> None:
    found = compare_runs(runs(folder, 1, 2, 6))
    assert found.side_names == ["Alpha <i>1</i>", "Beta"]
    table = found.differences
    assert set(table["unit"]) == {"runs"}
    assert set(zip(table["n_a"], table["n_b"], strict=True)) == {(1, 2)}
    row = found.variance.iloc[0]
    assert (row["n_sides"], row["n_runs"]) == (2, 3)
    assert found.variance["within_percent"].median() < 1.5


def test_test_that_one_run_lacks_is_missing_and_never_zero(compared: Compared) -> None:
    found = compared(1, 3)
    iops = found.differences[found.differences["test"] == "iops"]
    assert set(iops["verdict"]) == {MISSING}
    assert iops["value_b"].isna().all()
    assert iops["ratio"].isna().all()
    assert set(iops["reason"]) == {"not measured: Gamma"}
    page = comparison_page(found, "iops")
    assert "IOPS: not measured by Gamma." in notes_of(page)
    assert {row[2] for row in tables_of(page)[0].rows} == {"-"}
    assert (found.differences[found.differences["test"] == "lat"]["ratio"] > 0).all()


def test_tests_that_no_run_has_are_not_missing(compared: Compared) -> None:
    found = compared(1, 3)
    notes = missing_notes(found, "xsr", "hir", "lat")
    assert notes == []
    (note,) = missing_notes(found, "xsr", "hir", "iops")
    assert isinstance(note, Note)
    assert note.text == f"{CATALOG['iops'].title}: not measured by Gamma."


def test_other_kernel_bars_the_verdict_and_leaves_the_numbers(
    compared: Compared,
) -> None:
    found = compared(1, 5)
    assert set(found.differences["verdict"]) == {OTHER_CONDITIONS}
    assert set(found.differences["reason"]) == {"kernel"}
    rates = found.differences[found.differences["metric"] == "iops"]
    assert (rates["ratio"] > 1.1).all()
    page = comparison_page(found, "conditions")
    assert "Conditions that differ: kernel." in notes_of(page)
    rows = {row[0]: row[1:] for row in tables_of(page)[2].rows}
    assert rows["kernel"] == ("no", "6.1.0-28-amd64", "6.12.0")


def test_other_kernel_is_compared_when_it_is_accepted(folder: Path) -> None:
    found = compare_runs(runs(folder, 1, 5), accept="kernel")
    assert set(found.differences["better"]) == {"Alpha <i>1</i>"}
    page = comparison_page(found, "conditions")
    assert "Accepted as equal, though they differ: kernel." in notes_of(page)


def test_same_drive_under_other_conditions_is_no_repetition(folder: Path) -> None:
    found = compare_runs(runs(folder, 2, 5))
    assert found.side_names == ["Beta 0002", "Beta 0005"]
    assert set(found.differences["verdict"]) == {OTHER_CONDITIONS}


def test_model_is_marked_and_left_out_of_the_score_unless_asked(
    folder: Path,
) -> None:
    words = "iops 4 KiB 0/100: 2, lat mean: 1"
    options = {"accept": "target kind", "score": words}
    left_out = compare_runs(runs(folder, 1, 2, 4), **options)  # type: ignore[arg-type] # texts
    assert left_out.side_names[2] == "Model (virtual)"
    assert set(left_out.scores["side"]) == {"Alpha <i>1</i>", "Beta"}
    assert "because they are not drives: Model (virtual)" in notes_of(
        comparison_page(left_out, "score")
    )
    page = comparison_page(left_out, "conditions")
    assert "Simulated: Model (virtual); excluded from the score" in notes_of(page)
    assert tables_of(page)[0].rows[2][2] == "a model, no drive"
    ranked = compare_runs(runs(folder, 1, 2, 4), include_virtual=True, **options)  # type: ignore[arg-type] # texts
    totals = ranked.scores[ranked.scores["term"] == ""]
    best = totals.sort_values("ratio", ascending=False)["side"].tolist()
    assert best == ["Alpha <i>1</i>", "Beta", "Model (virtual)"]


def test_virtual_and_real_drives_are_other_conditions(folder: Path) -> None:
    table = compare_runs(runs(folder, 2, 4)).differences
    assert set(table["verdict"]) == {OTHER_CONDITIONS}
    assert table["reason"].str.contains("target kind").all()


def test_score_stands_with_its_parts_and_equals_the_hand_computed_mean(
    folder: Path,
) -> None:
    words = "iops 4 KiB 0/100: 2, lat mean 4 KiB 0/100: 1"
    found = compare_runs(runs(folder, 1, 2), score=words)
    values = found.summary.set_index(["metric", "cell", "side"])["value"]
    cell = "RND 4 KiB 0/100"
    rate = values["iops", cell, "Alpha <i>1</i>"] / values["iops", cell, "Beta"]
    time = values["lat_mean_ns", cell, "Alpha <i>1</i>"]
    time /= values["lat_mean_ns", cell, "Beta"]
    lead = math.exp((2 * math.log(rate) - math.log(time)) / 3 / 2)
    scores = found.scores.set_index(["side", "term"])["ratio"]
    assert scores["Alpha <i>1</i>", ""] == pytest.approx(lead)
    assert scores["Beta", ""] == pytest.approx(1 / lead)
    page = comparison_page(found, "score")
    assert tables_of(page)[0].head[1] == "Score"
    assert len(tables_of(page)[0].head) == 4


def test_side_without_a_term_has_no_score(folder: Path) -> None:
    found = compare_runs(runs(folder, 1, 3), score="iops: 1, lat mean: 1")
    assert found.scores[found.scores["term"] == ""]["ratio"].isna().all()


@pytest.mark.parametrize(
    ("words", "match"),
    [
        ("speed: 1", "does not name a metric; known: iops, wsat"),
        ("iops: none", "is not a number above zero"),
        ("iops: -1", "is not a number above zero"),
        ("iops 4 KiB", "does not name a metric"),
    ],
)
def test_score_that_cannot_be_read_says_how_to_write_it(
    folder: Path, words: str, match: str
) -> None:
    with pytest.raises(SeriesError, match=match):
        compare_runs(runs(folder, 1, 2), score=words)


def test_difference_below_what_matters_is_no_win(folder: Path) -> None:
    table = compare_runs(runs(folder, 1, 2), least_percent=40).differences
    assert set(table["verdict"]) <= {TOO_SMALL, NO_DIFFERENCE}
    assert TOO_SMALL in set(table["verdict"])
    with pytest.raises(ParameterError, match="must be 0 or more"):
        compare_runs(runs(folder, 1, 2), least_percent=-1)


def test_findings_are_counted_as_the_report_of_the_run_counts_them(
    tmp_path: Path,
) -> None:
    """One of two tests is one."""
    twice = tuple(make_finding("throttled", "hot", test=t) for t in ("iops", "lat"))
    make_twin(tmp_path, Twin(number=1, recipe=ALPHA))
    run = make_twin(tmp_path, Twin(number=2, recipe=replace(BETA, findings=twice)))
    _, said, *_ = tables_of(comparison_page(compare_runs(tmp_path), "conditions"))
    answers = [row[1:] for row in said.rows]
    assert [(procedure, doubts) for procedure, _, doubts in answers] == [
        ("departs from PTS 2.0.2 in 3 points (3 major)", "none"),
        ("conforms to PTS 2.0.2", "1 (1 critical)"),
    ]
    shown = [box.words for box in box_answers(read_context(run))]
    assert list(answers[1]) == shown


def test_grave_finding_bars_the_cells_of_its_test_alone(tmp_path: Path) -> None:
    grave = replace(BETA, findings=(make_finding("throttled", "hot", test="iops"),))
    make_twin(tmp_path, Twin(number=1, recipe=ALPHA))
    make_twin(tmp_path, Twin(number=2, recipe=grave))
    table = compare_runs(tmp_path).differences
    iops = table[table["test"] == "iops"]
    assert set(iops["verdict"]) == {NOT_COMPARABLE}
    assert set(iops["reason"]) == {"critical findings: Beta"}
    assert NOT_COMPARABLE not in set(table[table["test"] == "lat"]["verdict"])


def test_complaint_in_one_step_bars_its_cell_alone(tmp_path: Path) -> None:
    steps = make_twin(tmp_path, Twin(number=1, recipe=ALPHA)).steps
    step = steps[(steps["test"] == "iops") & (steps["phase"] == "rounds")].iloc[-1]
    late = make_finding("doubts", "late", test="iops")
    recipe = replace(BETA, findings=(late,))
    make_twin(tmp_path, Twin(number=2, recipe=recipe, warned=step["step_id"]))
    table = compare_runs(tmp_path).differences
    barred = table[table["verdict"] == NOT_COMPARABLE]
    assert list(zip(barred["test"], barred["reason"], strict=True)) == [
        ("iops", "critical findings: Beta")
    ]


def test_cell_that_was_not_steady_is_not_compared(tmp_path: Path) -> None:
    profile = FEW_CELLS.having(max_rounds=6)
    steady = replace(ALPHA, profile=profile)
    make_twin(tmp_path, Twin(number=1, recipe=steady))
    unsteady = replace(BETA, profile=profile, steady=False)
    make_twin(tmp_path, Twin(number=2, recipe=unsteady))
    iops = compare_runs(tmp_path).differences
    iops = iops[iops["test"] == "iops"]
    assert set(iops["verdict"]) == {NOT_COMPARABLE}
    assert iops["reason"].str.contains("not steady: Beta").all()


def test_efficiency_needs_watts_and_divides_by_them(
    folder: Path, compared: Compared
) -> None:
    none = compared(1, 2)
    assert comparison_page(none, "efficiency").blocks == ()
    found = compare_runs(runs(folder, 1, 2), watts="Alpha: 10")
    page = comparison_page(found, "efficiency")
    assert "unknown: Beta" in notes_of(page)
    figure = next(block for block in page.blocks if isinstance(block, Plot)).figure
    cells = found.summary[(found.summary["test"] == "iops")]
    own = cells[cells["side"] == "Alpha <i>1</i>"]["value"]
    assert max(figure.data[0].x) == pytest.approx(own.max() / 10)


@pytest.mark.parametrize(
    ("watts", "error", "match"),
    [
        ("Delta: 3", UnknownNameError, "Unknown drive 'Delta'"),
        ("Alpha: many", SeriesError, "not a number of watts"),
        ("a: 3", SeriesError, "'a' may name Alpha <i>1</i>, Beta"),
        ("Alpha: 3, run1: 4", RepeatedNameError, "appears twice"),
    ],
)
def test_watts_that_cannot_be_read_are_an_error(
    folder: Path, watts: str, error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        compare_runs(runs(folder, 1, 2), watts=watts)


@pytest.mark.parametrize("name", ["Beta", "BBB", "run2", "Beta 0002"])
def test_watts_name_a_drive_by_whatever_tells_it(folder: Path, name: str) -> None:
    for beside in ((1,), (1, 3), (1, 4)):
        found = compare_runs(runs(folder, 2, *beside), watts=f"{name}: 5")
        assert found.watts == {"Beta": 5.0}


def test_watts_of_a_run_hold_when_its_drive_gets_another_name(folder: Path) -> None:
    found = compare_runs(runs(folder, 1, 2, 5), watts="run2: 5")
    assert found.watts == {"Beta 0002": 5.0}
    with pytest.raises(SeriesError, match="'BBB' may name Beta 0002, Beta 0005"):
        compare_runs(runs(folder, 1, 2, 5), watts="BBB: 5")


def test_comparison_needs_two_different_runs(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="needs two or more runs; this is 1"):
        compare_runs(runs(folder, 1))
    with pytest.raises(RepeatedNameError, match="appears twice"):
        compare_runs(runs(folder, 1, 1))
    with pytest.raises(
        RunFolderError, match="it is not a run, and does not contain any"
    ):
        compare_runs(tmp_path)
    with pytest.raises(UnknownNameError, match="Unknown condition 'weather'"):
        compare_runs(runs(folder, 1, 2), accept="weather")


def test_tables_of_another_run_are_refused(folder: Path, tmp_path: Path) -> None:
    """Its steps would be taken for those of the run that they were copied from."""
    (first,) = runs(folder, 1)
    copied = Path(shutil.copytree(first, tmp_path / "copied"))
    record = json.loads((copied / "run.json").read_bytes())
    (copied / "run.json").write_text(json.dumps(record | {"run_id": "mine"}))
    with pytest.raises(RunFolderError, match=r"its tables belong to run .*'mine'"):
        compare_runs([first, copied])


def test_folder_of_runs_and_text_of_runs_stand_for_their_runs(folder: Path) -> None:
    assert len(compare_runs(folder).runs) == 6
    text = f"{folder / 'run1'}, {folder / 'run2'}"
    assert [run.path for run in compare_runs(text).runs] == runs(folder, 1, 2)


def test_run_that_cannot_be_read_is_left_out_of_a_folder_and_named_with_why(
    tmp_path: Path,
) -> None:
    for number in (1, 2, 3):
        make_twin(tmp_path, Twin(number=number, recipe=GAMMA))
    damaged = tmp_path / "run3"
    (damaged / "tables" / "measurements.parquet").write_bytes(b"PAR1")
    found = compare_runs(tmp_path)
    assert len(found.runs) == 2
    assert found.left_out[0].startswith(f"{damaged} (measurements.parquet cannot be")
    assert "run3" in notes_of(comparison_page(found, "conditions"))
    assert any("run3" in line for line in comparison_lines(found))
    with pytest.raises(RunFolderError, match=r"measurements\.parquet cannot be read"):
        compare_runs(runs(tmp_path, 1, 3))
    (tmp_path / "run2" / "run.json").write_text("{}", "utf-8")
    with pytest.raises(RunFolderError, match=r"this is 1; not readable: .*run2"):
        compare_runs(tmp_path)


_OF_OTHER_TESTS = (
    *("throughput", "saturation", "confidence", "response", "recovery"),
    "amplification",  # of drives that count it
)


@pytest.mark.parametrize("topic", TOPICS)
def test_every_page_fits_its_head_and_escapes_names_in_figures(
    compared: Compared, topic: str
) -> None:
    found = compared(1, 2, 3, score="lat mean: 1", watts="Beta: 4")
    page = comparison_page(found, topic)
    assert page.blocks or topic in _OF_OTHER_TESTS
    for table in tables_of(page):
        assert {len(row) for row in table.rows} <= {len(table.head)}
    for block in page.blocks:
        if isinstance(block, Plot):
            assert "<i>" not in block.figure.to_json()


def test_unknown_topic_is_an_error(pair: Comparison) -> None:
    with pytest.raises(UnknownNameError, match="Unknown topic 'x'"):
        comparison_page(pair, "x")


def test_test_that_was_never_judged_was_measured_nevertheless(tmp_path: Path) -> None:
    make_twin(tmp_path, Twin(number=1, recipe=ALPHA))
    second = make_twin(tmp_path, Twin(number=2, recipe=BETA))
    columns: dict[str, list[object]] = {str(name): [] for name in second.windows}
    write_table(second.folder / "tables", TABLES["windows"], columns)
    found = missing_cells(compare_runs(tmp_path))
    assert (
        "Beta",
        "IOPS, Latency",
        "measured, but no window of rounds was judged",
    ) in found


def test_plain_data_is_json_without_nan(compared: Compared) -> None:
    found = compared(1, 3)
    text = json.dumps(comparison_as_dict(found), allow_nan=False)
    plain = json.loads(text)
    assert plain["differences"][0]["value_b"] is None
    assert {"sides", "conditions", "values", "variance"} <= set(plain)


def test_lines_tell_conditions_verdicts_and_what_is_missing(compared: Compared) -> None:
    found = compared(1, 3)
    text = "\n".join(comparison_lines(found))
    assert "Alpha <i>1</i> vs. Gamma" in text
    assert "Gamma, IOPS: not measured" in text
    assert "Alpha <i>1</i> ahead in these runs" in text
    assert text.startswith("In these runs Alpha <i>1</i> responds")
    assert "Recorded conditions match" in text
    assert "for these runs only" in " ".join(text.split())


@pytest.mark.parametrize("width", [80, 120])
def test_lines_are_no_wider_than_the_terminal(compared: Compared, width: int) -> None:
    found = compared(1, 2, 3, 5, 6)
    assert max(map(len, comparison_lines(found, width=width))) <= width


def test_pairs_without_a_verdict_have_a_line_each_behind_those_with_one(
    folder: Path,
) -> None:
    found = compare_runs(runs(folder, 1, 2, 4, 5))
    page = comparison_page(found, "verdicts")
    tally, barred, *others = tables_of(page)
    assert [row[0] for row in tally.rows] == ["Alpha <i>1</i> vs. Beta 0002"]
    assert len(barred.rows) == 5
    answer = comparison_page(found, "answer")
    assert "5 of 6 pairs get no verdict: their conditions differ" in notes_of(answer)
    assert {row[2] for row in barred.rows} >= {"conditions differ: kernel"}
    folded = [table for table in others if "cell by cell" in table.caption]
    assert len(folded) == 1
    text = " ".join("\n".join(comparison_lines(found, width=200)).split())
    assert text.count("conditions differ: kernel") == 1
    judged, barred_text = text.split("Pairs without a verdict")[:2]
    barred_text = barred_text.partition("Compared")[0]
    assert "Alpha <i>1</i> vs. Beta 0002 " in judged
    assert "Alpha <i>1</i> vs. Beta 0002," not in barred_text


def test_drives_are_named_wherever_two_of_three_are_compared(folder: Path) -> None:
    found = compare_runs(runs(folder, 1, 2, 3))
    text = "\n".join(comparison_lines(found, width=120))
    page = comparison_page(found, "verdicts")
    assert not re.search(r"\b[ABC] (v|vs\.|/|beats|ahead|better) ?[ABC]?\b", text)
    for table in tables_of(page):
        heads = (table.caption, *table.head)
        assert not [one for one in heads if re.search(r"\b[ABC]\b", one)]
    folded = [table for table in tables_of(page) if "cell by cell" in table.caption]
    assert folded
    for table in folded:
        first, _, second = table.caption.removesuffix(", cell by cell").partition(
            " vs. "
        )
        assert table.head[1:4] == (first, second, f"{first} / {second} (95 %)")


def test_without_any_verdict_the_first_pairs_are_shown_nevertheless(
    compared: Compared,
) -> None:
    found = compared(1, 5)
    answer, page = (comparison_page(found, name) for name in ("answer", "verdicts"))
    assert "1 of 1 pairs get no verdict" in notes_of(answer)
    assert any(isinstance(block, Plot) for block in answer.blocks)
    assert any("cell by cell" in table.caption for table in tables_of(page))


def test_condition_that_is_not_known_is_said_to_be_and_never_the_same() -> None:
    samples = ROOT / "data" / "samples"
    names = ("tkperf-crucial-mx200", "tkperf-intel-s3510")
    found = compare_runs([samples / name for name in names])
    page = comparison_page(found, "conditions")
    unknown = "host, processor, memory, engine, data pattern"
    assert f"Not recorded: {unknown}." in notes_of(page)
    same = next(table for table in tables_of(page) if "The same" in table.caption)
    assert not set(unknown.split(", ")) & {row[0] for row in same.rows}
    said = " ".join(" ".join(comparison_lines(found)).split())
    assert f"Not recorded: {unknown}." in said


def test_write_amplification_is_that_which_each_drive_tells() -> None:
    samples = ROOT / "data" / "samples"
    names = ("virtual-a", "virtual-b", "tkperf-intel-s3510")
    found = compare_runs([samples / name for name in names])
    page = comparison_page(found, "amplification")
    (table,) = tables_of(page)
    for row, run in zip(table.rows, found.runs, strict=False):
        told = summarise_amplification(run.telemetry, run.steps)
        own = told[told["phase"] == ""].set_index("test")["amplification"]
        cells = dict(zip(table.head[1:], row[1:], strict=True))
        assert cells == {
            str(test).upper(): f"{ratio:.2f}" for test, ratio in own.items()
        }
    assert len(table.rows) == 2
    assert "not told by the drive: INTEL" in notes_of(page)
    listed = comparison_as_dict(found)["amplification"]
    assert isinstance(listed, list)
    assert {row["run_id"] for row in listed} == {
        run.record.run_id for run in found.runs[:2]
    }
