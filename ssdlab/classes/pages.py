"""A page of runs among nine storage classes: tables, ranks and five plots."""

from collections.abc import Mapping, Sequence

import pandas as pd

from ssdlab.classes.histograms import (
    HISTOGRAM_TESTS,
    find_histogram_differences,
    levels_table,
)
from ssdlab.classes.latency_figures import plot_class_confidence, plot_class_latency
from ssdlab.classes.level_figures import plot_class_iops, plot_class_throughput
from ssdlab.classes.runs import ClassRun
from ssdlab.classes.tables import (
    classes_table,
    devices_table,
    nearest_table,
    places_table,
    values_table,
)
from ssdlab.classes.value_figures import plot_class_saturation, plot_class_written
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.paper.document import Document
from ssdlab.plots.looks import RunLook, make_run_looks

_SOURCE = (
    "The nine classes: Calypso, Performance Comparison by Storage Class, August 2014. "
    "They are single devices of that year, measured by PTS-E 1.1: IOPS at T2/Q16 for "
    "rows 1 to 5 and at T4/Q32 for rows 6 to 9, FOB at T4/Q32, throughput at T1/Q32, "
    "latency at T1/Q1. FOB is the first minute of write saturation."
)
_UNITS = (
    "The source prints MB/s without saying whether they are decimal; elsewhere it uses "
    "that name for MiB/s. Those of the runs are decimal: a difference of up to 5 % may "
    "be due to the unit alone."
)
_MAXIMA = (
    "A maximum grows with the number of IOs: a run's is that of its measurement "
    "window, while the source seems to print that of a longer histogram run (row 5)."
)
_NOT_RANKED = (
    "{name} is not a drive: it is shown but not ranked. --rank-virtual ranks it as "
    "well."
)
_OTHER_HISTOGRAMS = (
    "These histograms were not taken under the same conditions: they differ in "
    "{names}. A level of one says little about the same level of another; the table "
    "lists the conditions."
)
_DIFFER = (
    "The conditions of the runs differ from those of the nine classes, so the drives "
    "need not be the cause of a difference. Conditions lists them for each value."
)


def storage_class_document(runs: Sequence[ClassRun], classes: pd.DataFrame) -> Document:
    """Return the page of runs among the storage classes."""
    looks = make_run_looks(
        [(run.run_id, run.name) for run in runs],
        virtual=[run.run_id for run in runs if run.is_model],
    )
    pages = [
        _classes_page(classes, runs),
        *(_places_page(run) for run in runs),
        *_saturation_pages(runs, classes, looks),
        *_level_pages(runs, classes, looks),
        *_confidence_pages(runs, looks),
        *_conditions_page(runs),
    ]
    names = ", ".join(run.name for run in runs)
    return Document(
        title="Storage classes",
        subtitle=f"Nine storage classes of 2014, and: {names}"
        if runs
        else "Nine storage classes of 2014",
        pages=tuple(pages),
        notes=tuple(_notes(runs)),
    )


def _notes(runs: Sequence[ClassRun]) -> list[Note]:
    models = [run.name for run in runs if run.is_model]
    notes = []
    if models:
        words = (
            f"Not a drive: {', '.join(models)}. The numbers show how the method works "
            "and say nothing about any product."
        )
        notes.append(Note(text=words, tone="warning"))
    if any(run.conditions or any(run.measured["conditions"]) for run in runs):
        notes.append(Note(text=_DIFFER, tone="warning"))
    return [*notes, Note(text=_SOURCE)]


def _classes_page(classes: pd.DataFrame, runs: Sequence[ClassRun]) -> Page:
    doubts = [
        Note(
            text=f"Row {row['row']}, {row['storage_class']}: {row['note']}. Neither of "
            "its latencies is ranked.",
            tone="warning",
        )
        for _, row in classes[classes["doubtful"].str.len() > 0].iterrows()
    ]
    more = (Note(text=_MAXIMA),) if runs else ()
    return Page(
        title="The nine classes" + (" and the runs" if runs else ""),
        blocks=(
            classes_table(classes, runs),
            *doubts,
            Note(text=_UNITS),
            *more,
            devices_table(classes),
        ),
    )


def _places_page(run: ClassRun) -> Page:
    title = f"Where {run.name} falls"
    if not run.is_ranked:
        note = Note(text=_NOT_RANKED.format(name=run.name), tone="warning")
        return Page(title=title, blocks=(note,))
    if run.places.empty:
        note = Note(text="It measured no column.", tone="warning")
        return Page(title=title, blocks=(note,))
    blocks: tuple[Block, ...] = (places_table(run), nearest_table(run))
    if run.is_model:
        words = f"{run.name} is not a drive; it is ranked by request."
        blocks = (Note(text=words, tone="warning"), *blocks)
    return Page(title=title, blocks=blocks)


def _saturation_pages(
    runs: Sequence[ClassRun], classes: pd.DataFrame, looks: Sequence[RunLook]
) -> tuple[Page, ...]:
    frames = [run.rounds for run in runs if not run.rounds.empty]
    if not frames:
        return (_no_saturation_page(runs, classes),)
    rounds = pd.concat(frames, ignore_index=True)
    time = plot_class_saturation(rounds, classes, looks=looks)
    written = plot_class_written(rounds, looks=looks)
    return (
        Page(title="WSAT IOPS vs time", blocks=(Plot(figure=time),)),
        Page(title="WSAT IOPS vs TGBW and drive fills", blocks=(Plot(figure=written),)),
    )


def _no_saturation_page(runs: Sequence[ClassRun], classes: pd.DataFrame) -> Page:
    """Show the start and end of the classes alone."""
    none = pd.DataFrame(columns=["run_id", "time_s", "iops"])
    plot = Plot(figure=plot_class_saturation(none, classes, looks=()))
    words = "No run measured write saturation (WSAT) of RND 4 KiB 0/100."
    notes = (Note(text=words),) if runs else ()
    return Page(title="WSAT: FOB and steady state by class", blocks=(*notes, plot))


def _level_pages(
    runs: Sequence[ClassRun], classes: pd.DataFrame, looks: Sequence[RunLook]
) -> tuple[Page, ...]:
    values = (
        pd.concat([run.drawn for run in runs], ignore_index=True)
        if runs
        else pd.DataFrame(columns=["run_id", "metric", "value"])
    )
    figures = (
        ("IOPS and response times by class", plot_class_iops),
        ("Bandwidth and response times by class", plot_class_throughput),
        ("Average vs maximum latency", plot_class_latency),
    )
    return tuple(
        Page(title=title, blocks=(Plot(figure=plot(classes, values, looks=looks)),))
        for title, plot in figures
    )


def _confidence_pages(
    runs: Sequence[ClassRun], looks: Sequence[RunLook]
) -> tuple[Page, ...]:
    pages = []
    for test in HISTOGRAM_TESTS:
        found = {run.run_id: run for run in runs if test in run.histograms}
        if found:
            pages.append(_confidence_page(found, looks, test=test))
    if runs and not pages:
        note = Note(text="No run has a histogram of LAT or WSAT.")
        pages.append(Page(title="Confidence levels", blocks=(note,)))
    return tuple(pages)


def _confidence_page(
    runs: Mapping[str, ClassRun], looks: Sequence[RunLook], *, test: str
) -> Page:
    histograms = {run_id: run.histograms[test] for run_id, run in runs.items()}
    levels = pd.concat([
        one.levels.assign(run_id=run_id, taken_with=one.words, iops=one.iops)
        for run_id, one in histograms.items()
    ])
    title = f"Confidence levels of the {test.upper()} histogram"
    figure = plot_class_confidence(levels, looks=looks, title=title)
    named = {run.name: run.histograms[test] for run in runs.values()}
    names = " and ".join(find_histogram_differences(histograms.values()))
    warning = Note(text=_OTHER_HISTOGRAMS.format(names=names), tone="warning")
    blocks = (Plot(figure=figure), levels_table(named, test))
    return Page(title=title, blocks=(warning, *blocks) if names else blocks)


def _conditions_page(runs: Sequence[ClassRun]) -> tuple[Page, ...]:
    if not runs:
        return ()
    blocks: list[Block] = []
    for run in runs:
        if run.conditions:
            words = "; ".join(run.conditions)
            blocks.append(Note(text=f"{run.name}, all values: {words}."))
        blocks.append(values_table(run))
    return (Page(title="Conditions", blocks=tuple(blocks)),)
