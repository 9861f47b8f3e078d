"""The pages of a comparison, by topic."""

from collections.abc import Callable, Sequence

import pandas as pd

from ssdlab.analysis.comparison.pairs import OTHER_CONDITIONS
from ssdlab.figures.classes.latency import plot_class_latency
from ssdlab.figures.classes.levels import plot_class_iops, plot_class_throughput
from ssdlab.figures.classes.values import plot_class_saturation, plot_class_written
from ssdlab.figures.comparison.curves import plot_score
from ssdlab.figures.comparison.tables import (
    plot_compared_cells,
    plot_differences,
    plot_iops_heat_maps,
    plot_ratio_heat_maps,
)
from ssdlab.model.errors import UnknownNameError
from ssdlab.report.blocks import Block, Note, Page, Plot
from ssdlab.report.comparison.curves import (
    confidence_page,
    recovery_page,
    response_page,
)
from ssdlab.report.comparison.extremes import latency_extremes_table, saturation_table
from ssdlab.report.comparison.missing import missing_notes, without_missing_tests
from ssdlab.report.comparison.read import Comparison
from ssdlab.report.comparison.tables import (
    conditions_table,
    outliers_table,
    score_table,
    sides_table,
    values_table,
    variance_table,
    verdict_table,
)
from ssdlab.report.text import TEST_TITLES

_BACKDROP = (
    "Behind the runs stand nine single devices of 2014 (Calypso, Performance "
    "Comparison by Storage Class), measured by PTS-E 1.1 at other TC/QD: a backdrop, "
    "no ranking."
)
_BY_ROUNDS = (
    "No drive was measured twice under the same conditions. The unit is the round of "
    "one run, and the verdicts are of these runs alone: how a drive differs from one "
    "run to the next, or one sample of a model from another, is not in the intervals."
)
_ENOUGH_RUNS = 4
_BY_RUNS = (
    "Where a drive was measured several times the unit is the run: the intervals hold "
    "what measuring again would change. A drive with a single run borrows the scatter "
    "of the others."
)


def comparison_page(comparison: Comparison, topic: str) -> Page:
    """Return one page of a comparison.

    Parameters
    ----------
    comparison : Comparison
        What `compare_runs` returned.
    topic : str
        Its topic: one of `TOPICS`.

    Returns
    -------
    Page
        Notes, tables and figures. What nothing measured is said to be missing.

    Raises
    ------
    UnknownNameError
        If there is no such topic.
    """
    if topic not in TOPICS:
        raise UnknownNameError(kind="topic", name=topic, known=tuple(TOPICS))
    return TOPICS[topic](comparison)


def _conditions(comparison: Comparison) -> Page:
    table = comparison.conditions
    accepted = set(comparison.rules.accepted)
    differing = dict.fromkeys(table[~table["is_same"]]["condition"])
    barring = dict.fromkeys(table[~table["is_same"] & table["is_barring"]]["condition"])
    blocks: list[Block] = []
    open_names = [name for name in barring if name not in accepted]
    taken = [name for name in barring if name in accepted]
    if open_names:
        words = (
            f"Not the same conditions: {', '.join(open_names)}. Runs that differ in "
            "them are shown beside each other, and get no verdict. What is no matter "
            "can be accepted by its name."
        )
        blocks.append(Note(text=words, tone="warning"))
    if taken:
        words = f"Accepted as equal, though they differ: {', '.join(taken)}."
        blocks.append(Note(text=words, tone="warning"))
    if not barring:
        words = "The same conditions in all runs, as far as they are recorded."
        blocks.append(Note(text=words, tone="good"))
    if comparison.left_out:
        words = f"Left out, as they have no tables: {', '.join(comparison.left_out)}."
        blocks.append(Note(text=f"{words} ssdlab ingest makes them.", tone="warning"))
    models = comparison.sides[comparison.sides["is_model"].astype(bool)]["side"]
    if len(models):
        blocks.append(_models_note(list(dict.fromkeys(models)), comparison))
    blocks.append(sides_table(comparison))
    if differing:
        blocks.append(conditions_table(comparison, differing=True))
    blocks.append(conditions_table(comparison, differing=False))
    return Page(title="Conditions", blocks=tuple(blocks))


def _models_note(names: Sequence[str], comparison: Comparison) -> Note:
    end = "they take no part in any ranking"
    if comparison.include_virtual:
        end = "they are ranked because that was asked for"
    return Note(text=f"No drive: {', '.join(names)}; {end}.", tone="warning")


def _verdicts(comparison: Comparison) -> Page:
    table = comparison.differences
    if table.empty:
        note = Note(text="No run measured a cell that can be compared.", tone="warning")
        return Page(title="Who is better", blocks=(note,))
    units = set(table["unit"].dropna())
    words = " ".join(
        text
        for unit, text in (("rounds", _BY_ROUNDS), ("runs", _BY_RUNS))
        if unit in units
    )
    blocks: list[Block] = [Note(text=summary_text(table))]
    blocks += [Note(text=words, tone="warning")] if words else []
    blocks += [Note(text=text) for text in [power_text(table)] if text]
    for pair, rows in table.groupby(["a", "b"], sort=False):
        if (rows["low"] > 0).any():
            figure = plot_differences(rows, looks=comparison.side_looks)
            blocks.append(Note(text=f"{pair[0]} v {pair[1]}"))
            blocks.append(Plot(figure=figure))
    tests = tuple(dict.fromkeys(str(name) for name in table["test"]))
    blocks += missing_notes(comparison, *tests)
    there = without_missing_tests(table)
    blocks += [
        verdict_table(rows, test=str(place[0]))
        for place, rows in there.groupby(["test", "a", "b"], sort=False)
    ]
    return Page(title="Who is better", blocks=tuple(blocks))


def power_text(table: pd.DataFrame) -> str:
    """Say how large a difference must be to be shown, where runs are few."""
    tested = table[table["p_value"].notna()]
    by_runs = tested[tested["unit"] == "runs"]
    if by_runs.empty or int(by_runs[["n_a", "n_b"]].max().max()) >= _ENOUGH_RUNS:
        return ""
    return (
        f"Two or three runs of a drive tell its scatter badly, and {len(tested)} "
        "comparisons are judged together: small p-values cannot come about, and large "
        "differences may not be shown. Look at the intervals, and measure each drive "
        f"{_ENOUGH_RUNS} times or more."
    )


def summary_text(table: pd.DataFrame) -> str:
    """Say how many cells each side leads in, and how many tell nothing."""
    lines = []
    for pair in dict.fromkeys(zip(table["a"], table["b"], strict=True)):
        rows = table[(table["a"] == pair[0]) & (table["b"] == pair[1])]
        counts = rows["better"].value_counts()
        parts = [f"{name} is better in {counts.get(name, 0)}" for name in pair]
        others = rows[rows["better"] == ""]["verdict"].value_counts()
        parts += [f"{verdict} in {count}" for verdict, count in others.items()]
        cells = f"{len(rows)} cell{'s' if len(rows) > 1 else ''}"
        lines.append(f"{pair[0]} v {pair[1]}, {cells}: {'; '.join(parts)}.")
    return "\n".join(lines)


def _saturation(comparison: Comparison) -> Page:
    blocks = missing_notes(comparison, "wsat")
    frames = [run.rounds for run in comparison.class_runs if not run.rounds.empty]
    if frames:
        rounds, looks = pd.concat(frames, ignore_index=True), comparison.run_looks
        classes = comparison.classes
        blocks += [
            Plot(figure=plot_class_saturation(rounds, classes, looks=looks)),
            Plot(figure=plot_class_written(rounds, looks=looks)),
            saturation_table(rounds, comparison),
            Note(text=_BACKDROP),
        ]
    return Page(title="Write saturation", blocks=tuple(blocks))


def _iops(comparison: Comparison) -> Page:
    blocks = missing_notes(comparison, "iops")
    own = comparison.summary[comparison.summary["test"] == "iops"]
    if not own.empty:
        looks, cells = comparison.side_looks, comparison.cells
        differences = comparison.differences
        of_test = differences[differences["test"] == "iops"]
        blocks.append(Plot(figure=plot_iops_heat_maps(own, cells, looks=looks)))
        if (of_test["ratio"] > 0).any():
            figure = plot_ratio_heat_maps(of_test, cells, looks=looks)
            blocks.append(Plot(figure=figure))
        names = comparison.side_names
        blocks.append(values_table(own, names, caption="IOPS, and how sure"))
        blocks += _class_blocks(comparison, plot_class_iops)
    return Page(title="IOPS", blocks=tuple(blocks))


def _throughput(comparison: Comparison) -> Page:
    blocks = missing_notes(comparison, "tp")
    own = comparison.summary[comparison.summary["test"] == "tp"]
    if not own.empty:
        figure = plot_compared_cells(
            own,
            metric="bw_bytes_per_s",
            looks=comparison.side_looks,
            title="Sequential throughput",
        )
        names = comparison.side_names
        blocks += [
            Plot(figure=figure),
            values_table(own, names, caption="Throughput, and how sure"),
            *_class_blocks(comparison, plot_class_throughput),
        ]
    return Page(title="Throughput", blocks=tuple(blocks))


def _class_blocks(comparison: Comparison, plot: Callable[..., object]) -> list[Block]:
    frames = [run.measured.assign(run_id=run.run_id) for run in comparison.class_runs]
    values = pd.concat(frames, ignore_index=True)[["run_id", "metric", "value"]]
    figure = plot(comparison.classes, values, looks=comparison.run_looks)
    return [Plot(figure=figure), Note(text=_BACKDROP)]


def _latency(comparison: Comparison) -> Page:
    blocks = missing_notes(comparison, "lat")
    own = comparison.summary[comparison.summary["test"] == "lat"]
    if not own.empty:
        figure = plot_compared_cells(
            own,
            metric="lat_mean_ns",
            looks=comparison.side_looks,
            title="Mean latency at one outstanding IO",
        )
        caption = "Latency, and how sure; nines are means over rounds"
        blocks += [
            Plot(figure=figure),
            values_table(own, comparison.side_names, caption=caption),
            latency_extremes_table(comparison),
            *_class_blocks(comparison, plot_class_latency),
        ]
    return Page(title="Latency", blocks=tuple(blocks))


def _efficiency(comparison: Comparison) -> Page:
    from ssdlab.analysis.comparison.power import summarise_efficiency  # noqa: PLC0415

    watts = comparison.watts
    if not watts:
        words = (
            "The power of no drive is known: none is recorded, and none was given as a "
            "parameter, such as watts: 'Model A: 6.5, Model B: 5'."
        )
        return Page(title="Efficiency", blocks=(Note(text=words),))
    given = ", ".join(f"{name}: {value:g} W" for name, value in watts.items())
    blocks: list[Block] = [
        Note(text=f"Power: {given}. It counts as exact, and as the same in all tests.")
    ]
    absent = [name for name in comparison.side_names if name not in watts]
    if absent:
        words = f"Missing, as their power is not known: {', '.join(absent)}."
        blocks.append(Note(text=words, tone="warning"))
    table = summarise_efficiency(comparison.summary, watts)
    for test, metric in (("iops", "iops"), ("tp", "bw_bytes_per_s"), ("wsat", "iops")):
        own = table[(table["test"] == test) & (table["metric"] == metric)]
        if not own.empty:
            figure = plot_compared_cells(
                own,
                metric=metric,
                looks=comparison.side_looks,
                title=f"{TEST_TITLES[test]} by watt",
                per_watt=True,
            )
            blocks.append(Plot(figure=figure))
    return Page(title="Efficiency", blocks=tuple(blocks))


def _scatter(comparison: Comparison) -> Page:
    blocks: list[Block] = []
    variance, outliers = comparison.variance, comparison.outliers
    if variance.empty:
        words = (
            "Drive-to-drive and run-to-run cannot be told apart: that takes two "
            "drives, and one of them measured twice under the same conditions."
        )
        blocks.append(Note(text=words))
    else:
        blocks.append(variance_table(variance))
    if outliers.empty:
        words = "No run and no round stands far from the others."
        blocks.append(Note(text=words, tone="good"))
    else:
        blocks.append(outliers_table(outliers))
    return Page(title="Scatter and outliers", blocks=tuple(blocks))


def _score(comparison: Comparison) -> Page:
    if not comparison.terms:
        words = "No score was asked for: the weights are yours, such as "
        words += "score: 'iops 4 KiB 0/100: 2, lat mean: 1'."
        return Page(title="Score", blocks=(Note(text=words),))
    names = [str(name) for name in dict.fromkeys(comparison.ranked_sides["side"])]
    left_out = [name for name in comparison.side_names if name not in names]
    blocks: list[Block] = []
    if left_out:
        words = f"Left out, as models are no drives: {', '.join(left_out)}."
        blocks.append(Note(text=words, tone="warning"))
    if len(names) < 2:
        words = "Fewer than two drives are left to be ranked."
        blocks.append(Note(text=words, tone="warning"))
        return Page(title="Score", blocks=tuple(blocks))
    differences = comparison.differences
    if (differences["verdict"] == OTHER_CONDITIONS).any():
        words = "Conditions differ: the score tells the numbers, not the drives."
        blocks.append(Note(text=words, tone="warning"))
    scores = comparison.scores
    if scores["ratio"].notna().any():
        figure = plot_score(scores, looks=comparison.side_looks)
        blocks.append(Plot(figure=figure))
    blocks.append(score_table(scores, names))
    return Page(title="Score", blocks=tuple(blocks))


TOPICS: dict[str, Callable[[Comparison], Page]] = {
    "conditions": _conditions,
    "verdicts": _verdicts,
    "saturation": _saturation,
    "iops": _iops,
    "throughput": _throughput,
    "latency": _latency,
    "confidence": confidence_page,
    "response": response_page,
    "recovery": recovery_page,
    "efficiency": _efficiency,
    "scatter": _scatter,
    "score": _score,
}
