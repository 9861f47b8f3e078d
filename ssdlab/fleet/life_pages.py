"""The pages of a fleet over time: firmware, ageing, history, and merged latencies."""

import math
from collections.abc import Iterator
from typing import Any, Final

import pandas as pd

from ssdlab.fleet.ageing import READINGS, repeated_runs
from ssdlab.fleet.curves import merge_groups, merged_percentiles
from ssdlab.fleet.figures import group_looks
from ssdlab.fleet.fleet import Fleet
from ssdlab.fleet.history import FEWEST_RUNS, series_of
from ssdlab.fleet.life_figures import (
    plot_ageing,
    plot_firmwares,
    plot_history,
    unit_text,
)
from ssdlab.fleet.tables import LEVELS
from ssdlab.fleet.texts import counted, signed_text, workload_text
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.qos.spread_figures import plot_exceedance
from ssdlab.text.numbers import NOT_MEASURED
from ssdlab.text.table import Table, column, explain_marks, percentile, tabulate

_MOST_CURVES: Final = 7  # as many as can be told apart
_MOST_SERIES: Final = 8  # figures of history; all changes are in the table


def firmware_page(fleet: Fleet) -> Page:
    """Return how later firmwares of each model differ from its first."""
    contrasts = fleet.firmwares
    if contrasts.empty:
        return Page(title="Firmware", blocks=())
    title = f"Firmware: {workload_text(fleet.choice)}"
    return Page(
        title="Firmware",
        blocks=(
            *(Note(text=text) for text in firmware_texts(fleet)),
            Plot(figure=plot_firmwares(contrasts, title=title)),
            firmware_table(contrasts),
        ),
    )


def firmware_texts(fleet: Fleet) -> Iterator[str]:
    """Yield what is shown of each firmware in a sentence."""
    is_more_better = fleet.choice.metric.is_more_better
    for row in fleet.firmwares.to_dict("records"):
        names = f"{row['model']}: firmware {row['candidate_firmware']}"
        other = row["baseline_firmware"]
        if row["is_shown"]:
            better = (row["ratio"] > 1) == is_more_better
            word = "faster" if better else "slower"
            yield (
                f"{names} is {word} than {other}: {signed_text(row['ratio'])} "
                f"({_interval_text(row)})."
            )
        else:
            yield f"{names} is not shown to differ from {other}{_needed_text(row)}."


def _interval_text(row: Any) -> str:
    """Return the interval of a ratio in percent; why there is none."""
    if math.isnan(row["low"]) or math.isnan(row["high"]):
        return str(row["reason"] or "no interval")
    return f"{signed_text(row['low'])} to {signed_text(row['high'])}"


def _needed_text(row: Any) -> str:
    reason = f" ({row['reason']})" if row["reason"] else ""
    needed = row["drives_needed"]
    if pd.isna(needed) or not needed:
        return reason
    return f"{reason}; to find 5 % takes {counted(int(needed), 'more drive')}"


def firmware_table(contrasts: pd.DataFrame) -> Table:
    """Return the contrast of each firmware with the first of its model."""

    def needed(row: Any) -> str:
        known = row["drives_needed"]
        return "not known" if pd.isna(known) else f"{known:.0f}"

    return tabulate(
        contrasts,
        (
            column("Model", "model", is_words=True),
            column("Firmware", "candidate_firmware", is_words=True),
            column("First", "baseline_firmware", is_words=True),
            column("Differs by", "ratio", signed_text),
            column("95 %", _interval_text, is_words=True),
            column("Shown", lambda row: "yes" if row["is_shown"] else "no"),
            column("Drives", _drives_text, is_words=True),
            column("Runs", lambda r: f"{r['baseline_runs']}, {r['candidate_runs']}"),
            column("Drives needed", needed),
        ),
        caption="Firmware against the first of its model",
        note="Drives are the sample; the runs of a drive are its repeats. Where most "
        "drives had both, each is compared with itself (Student's t), and otherwise "
        "those that had one alone (Welch). Shown: adjusted p-value below 0.05, so one "
        "error in 20 such tables (Holm). Not shown is not evidence of equality. Drives "
        "needed: how many more, of both sides or of pairs, it takes to find 5 % in "
        "four of five such comparisons.",
    )


def _drives_text(row: Any) -> str:
    if row["is_paired"]:
        return f"{row['baseline_drives']} with both"
    return f"{row['baseline_drives']} and {row['candidate_drives']}"


def ageing_page(fleet: Fleet) -> Page:
    """Return how the metric changes with what was written and with power-on hours."""
    metric = fleet.choice.metric.column
    blocks: list[Block] = []
    if len(fleet.ageing):
        blocks.append(ageing_table(fleet.ageing))
    for reading in READINGS:
        runs = repeated_runs(fleet.kept, reading)
        if len(runs):
            figure = plot_ageing(runs, fleet.ageing, reading=reading, metric=metric)
            blocks.append(Plot(figure=figure))
    return Page(title="Ageing", blocks=tuple(blocks))


def ageing_table(ageing: pd.DataFrame) -> Table:
    """Return by how much the drives of each model change with each reading."""

    def change(name: str) -> Any:
        return lambda row: signed_text(1 + row[name] / 100, decimals=2)

    def interval(row: Any) -> str:
        if math.isnan(row["low_percent"]):
            return NOT_MEASURED
        return f"{change('low_percent')(row)} to {change('high_percent')(row)}"

    def shown(row: Any) -> str:
        return "yes" if row["low_percent"] > 0 or row["high_percent"] < 0 else "no"

    return tabulate(
        ageing,
        (
            column("Model", "model", is_words=True),
            column("Per", lambda row: unit_text(row["reading"], row["unit"])),
            column("Change", change("change_percent")),
            column("95 %", interval),
            column("Shown", shown),
            column("Drives", "drives", "{:,}".format),
            column("Runs", "runs", "{:,}".format),
        ),
        caption="Change with bytes written and power-on hours",
        note="Of drives with several runs under one firmware: the slope within drives, "
        "with drives as the sample. Intervals are 95 % for each row, and shown is what "
        "does not include 0; it takes two drives. What was written, hours and the "
        "calendar rise together: which of them is the cause cannot be told.",
    )


def history_page(fleet: Fleet) -> Page:
    """Return the metric over time, and where its level changed."""
    changes = fleet.changes
    series = list(series_of(fleet.kept))
    if not series:
        return Page(title="History", blocks=())
    blocks: list[Block] = [Note(text=text) for text in change_texts(fleet)]
    if len(changes):
        blocks.append(changes_table(changes))
    else:
        blocks.append(Note(text="No change of level was found.", tone="good"))
    metric = fleet.choice.metric.column
    drawn = 0
    for of, names, runs in series:
        own = changes[
            (changes["of"] == of)
            & (changes["model"] == names["model"])
            & (changes["drive"] == names["drive"])
        ]
        if (of == "model" or len(own)) and drawn < _MOST_SERIES:
            name = names["drive"] or names["model"]
            figure = plot_history(runs, own, metric=metric, title=name)
            blocks.append(Plot(figure=figure))
            drawn += 1
    blocks.append(Note(text=_OF_HISTORY))
    return Page(title="History", blocks=tuple(blocks))


_OF_HISTORY = (
    f"Series of {FEWEST_RUNS} runs or more, of models and of drives, are split where "
    "their level changes (PELT); of 100 steady ones up to 5 are split by chance. A "
    "change of a model may also be one of the drives that were measured. Up to "
    f"{_MOST_SERIES} series are drawn: models, and drives that changed."
)


def change_texts(fleet: Fleet) -> Iterator[str]:
    """Yield the changes that coincide with another firmware, as observations."""
    is_more_better = fleet.choice.metric.is_more_better
    found = fleet.changes
    for row in found[found["is_new_firmware"].astype(bool)].to_dict("records"):
        name = row["drive"] or row["model"]
        word = "faster" if (row["ratio"] > 1) == is_more_better else "slower"
        yield (
            f"{name}: from {row['first_after']:%Y-%m-%d} on, with firmware "
            f"{row['firmware_after']} in place of {row['firmware_before']}, runs are "
            f"{word}: {signed_text(row['ratio'])} ({_interval_text(row)}). This is an "
            "observation: whatever else changed then is not told apart."
        )


def changes_table(changes: pd.DataFrame) -> Table:
    """Return every change of level."""

    def firmware(row: Any) -> str:
        sides = (row["firmware_before"], row["firmware_after"])
        return " to ".join(one or "mixed" for one in dict.fromkeys(sides))

    return tabulate(
        changes,
        (
            column("Of", lambda row: row["drive"] or row["model"], is_words=True),
            column("Since", "first_after", "{:%Y-%m-%d}".format),
            column("Changed by", "ratio", signed_text),
            column("95 %", _interval_text, is_words=True),
            column("Runs", lambda row: f"{row['runs_before']}, {row['runs_after']}"),
            column("Firmware", firmware, is_words=True),
        ),
        caption="Changes of level",
        note="The interval of a model is over its drives, that of a drive over its "
        "runs; it takes the place of the change as known.",
    )


def latency_page(fleet: Fleet) -> Page:
    """Return how many IOs of all drives of each group are slower than a time."""
    kept = fleet.kept
    curves = merge_groups(kept, fleet.histograms)
    if curves.empty:
        return Page(title="Latencies of all drives", blocks=())
    table = merged_percentiles(kept, fleet.histograms)
    most = table.nlargest(_MOST_CURVES, "drives", keep="first")["group"]
    looks = group_looks(kept["group"])
    blocks: list[Block] = [
        Plot(
            figure=plot_exceedance(
                curves[curves["load"].isin(most)],
                title="How many IOs are slower, over all drives of a group",
                colors={group: look.color for group, look in looks.items()},
            )
        ),
        latency_table(table),
    ]
    if len(table) > _MOST_CURVES:
        words = f"Drawn are the {_MOST_CURVES} groups of the most drives."
        blocks.insert(1, Note(text=words))
    return Page(title="Latencies of all drives", blocks=tuple(blocks))


def latency_table(percentiles: pd.DataFrame) -> Table:
    """Return percentiles of the merged bins of each group."""
    table = tabulate(
        percentiles,
        (
            column("Group", "group", is_words=True),
            column("Drives", "drives", "{:,}".format),
            column("Runs", "runs", "{:,}".format),
            *(
                percentile(f"lat_{name}_ns", f"{level:g} % [ms]")
                for name, level in LEVELS.items()
            ),
        ),
        caption="Percentiles over all drives of a group",
        note="The bins of all runs are added, so a run weighs by its IOs; percentiles "
        "are never averaged. Drives and runs differ, so these have no interval.",
    )
    return explain_marks(table)
