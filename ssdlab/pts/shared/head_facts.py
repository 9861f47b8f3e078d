"""What was set up for a test and what it looped over: the head of its pages."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from ssdlab.model.spec import ActiveRange, Histogram, Rounds
from ssdlab.model.units import (
    block_size_label,
    capacity_label,
    duration_label,
    mix_label,
)
from ssdlab.paper.context import Context
from ssdlab.pts.shared.own_windows import count_text
from ssdlab.pts.shared.verdict import NOT_ASKED
from ssdlab.stats.judged import by_phase
from ssdlab.stats.phases import is_cell_by_cell
from ssdlab.text.numbers import NOT_RECORDED, workers_text
from ssdlab.text.quantities import is_missing

Facts = list[tuple[str, str]]

_BEFORE = {"purge": "purge", "precondition": "WIPC"}

_BEFORE = {"purge": "purge", "precondition": "WIPC"}


def common_facts(context: Context, test: str) -> Facts:
    """Return the data pattern and the active range, as both columns begin."""
    loops = _active_ranges(context, test)
    percent = context.record.asked.active_range_percent
    whole = NOT_RECORDED if percent is None else f"{percent} % of user capacity"
    return [
        ("Data pattern", NOT_RECORDED if context.is_imported else "RND"),
        ("Active range", ", ".join(active.name for active in loops) or whole),
        *if_said("AR amount", _amounts(context, test)),
    ]


def if_said(name: str, words: str) -> Facts:
    """Return a fact, or nothing if there are no words."""
    return [(name, words)] if words else []


def _active_ranges(context: Context, test: str) -> tuple[ActiveRange, ...]:
    """Return the active ranges that a test goes over: PTS-C 1.x."""
    return tuple(
        dict.fromkeys(
            phase.active_range
            for phase in context.test(test).phases
            if isinstance(phase, Rounds | Histogram) and phase.active_range
        )
    )


def _amounts(context: Context, test: str) -> str:
    """Return how much was accessed, and in how many segments: sequential IO in one."""
    steps = context.steps_of(test)
    measured = steps[~steps["kind"].isin(["precondition", "purge"])]
    counts = {
        active.amount_bytes: active.segments
        for active in _active_ranges(context, test)
        if (measured["access"] == "rnd").any()
    }
    return ", ".join(
        f"{capacity_label(int(span))} in {_pieces(counts.get(int(span), 1))}"
        for span in sorted(measured["range_bytes"].dropna().unique())
    )


def _pieces(count: int) -> str:
    return "one segment" if count == 1 else f"{count} segments at random positions"


def rounds_set_up(context: Context, test: str) -> Facts:
    """Return what filled the device, and the rounds of each steady state."""
    return [
        *common_facts(context, test),
        *fill_facts(context, test),
        *_steady_facts(context, test),
    ]


def fill_facts(context: Context, test: str) -> Facts:
    """Return the workload-independent preconditioning of a test."""
    steps = context.steps_of(test)
    fills = steps[steps["kind"] == "precondition"]
    capacity = context.record.target.capacity_bytes
    facts: Facts = []
    for _, row in fills.iterrows():
        written = row["written_bytes"]
        amount = capacity_label(written) if pd.notna(written) else NOT_RECORDED
        if capacity:
            amount = f"{written / capacity:.3g}X user capacity"
        words = f"{_workload_text(row)}; {amount}"
        facts.append((_named("Pre-condition 1", row["phase"]), words))
    if fills.empty:
        none = NOT_RECORDED if context.is_imported else "none"
        facts.append(("Pre-condition 1", none))
    return list(dict.fromkeys(facts))


def _named(name: str, phase: object) -> str:
    """Return the name of a fact with the block size of its phase, if it has one."""
    return f"{name} {str(phase).partition('-')[2]}".strip()


def _steady_facts(context: Context, test: str) -> Facts:
    is_asked = context.asks_steady_state(test)
    if not is_asked and not context.is_imported:
        return [("Steady state", NOT_ASKED)]
    finals = context.final_windows(test)
    if is_cell_by_cell(test, (one.phase for one in finals)):
        return [
            ("SS rounds", "last rounds of each cell"),
            ("SS achieved", count_text(finals)),
        ]
    facts: Facts = []
    for phase, judged in by_phase(finals):
        facts.append((_named("SS rounds", phase), judged[0].rounds_text))
        if not all(one.is_round_steady for one in judged):
            facts.append(("Note", "SS NOT ACHIEVED"))
    if not finals:
        words = "SS NOT ACHIEVED" if is_asked else "not judged"
        facts.append(("Note", f"{words}: no full window"))
    return list(dict.fromkeys([*facts, *_extensions(context, test)]))


def _extensions(context: Context, test: str) -> Iterator[tuple[str, str]]:
    """Yield the rounds that the operator added, as PTS 2.0.2, 3.1, permits."""
    tests = context.record.tests
    for one in context.run.state.extensions:
        if one.test in tests and test in tests[tests.index(one.test) :]:
            words = f"up to {one.more_rounds} more, requested at {one.asked_at}"
            yield "Rounds", f"{words}, from {one.phase} of {one.test.upper()} on"


def rounds_stimulus(context: Context, test: str) -> Facts:
    """Return what the measured rounds looped over, and the long runs after them."""
    steps = context.steps_of(test)
    cells = measured_cells(steps)
    facts = common_facts(context, test)
    facts += [] if cells.empty else loop_facts(cells, steps)
    return [*facts, *sequence_facts(cells), *long_run_facts(steps)]


def measured_cells(steps: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of a test, in the order of a round."""
    kinds = steps["kind"].isin(["cell", "mean"])
    return steps[kinds].sort_values("cell", kind="stable")


def long_run_facts(steps: pd.DataFrame) -> Facts:
    """Return the runs of which every response time was counted."""
    return [
        ("Test stimulus 2", f"{_workload_text(row)}, {seconds_text(row['duration_s'])}")
        for _, row in steps[steps["kind"] == "histogram"].iterrows()
    ]


def group_facts(cells: pd.DataFrame) -> Facts:
    """Say what each phase of rounds applies, and for how long: an access group."""
    facts: Facts = []
    for phase, rounds in cells.groupby("phase", sort=False):
        median = seconds_text(rounds["duration_s"].median())
        words = f"{_workload_text(rounds.iloc[0])}; {len(rounds)} rounds of {median}"
        facts.append((f"Access {str(phase).replace('-', ' ')}", words))
    return facts


def _workload_text(row: "pd.Series[Any]") -> str:
    size, mix = size_text(row["block_size_bytes"]), row["read_percent"]
    access = str(row["access"]).upper()
    return f"{access} {size} {mix_label(int(mix))}, {toio_text(row)}"


def loop_facts(cells: pd.DataFrame, steps: pd.DataFrame) -> Facts:
    """Return the loops of a test; cells of several TC/QD have no common one."""
    first = cells.iloc[0]
    workers = cells[["threads", "queue_depth"]].drop_duplicates()
    toio = toio_text(first) if len(workers) == 1 else f"{len(workers)} pairs of TC/QD"
    access = ", ".join(str(name).upper() for name in cells["access"].unique())
    return [
        ("Test stimulus 1", f"{access}, {toio}"),
        *_loops(cells, steps),
        ("Each cell, median", seconds_text(cells["duration_s"].median())),
    ]


def _loops(cells: pd.DataFrame, steps: pd.DataFrame) -> Facts:
    """Return the R/W mixes and block sizes, each named by its loop."""
    mixes = ", ".join(mix_label(int(mix)) for mix in cells["read_percent"].unique())
    is_alone = len(cells["read_percent"].unique()) == 1
    if _has_sizes_apart(cells):
        order = steps.loc[steps["phase"].isin(cells["phase"]), "block_size_bytes"]
        sizes = ", ".join(size_text(size) for size in order.dropna().unique())
        before = [
            word for kind, word in _BEFORE.items() if (steps["kind"] == kind).any()
        ]
        what = ", ".join([*before, "rounds"])
        return [
            ("Block sizes, one after the other", f"{sizes}; of each {what}"),
            ("R/W mix" if is_alone else "R/W mix (loop)", mixes),
        ]
    sizes = ", ".join(size_text(size) for size in cells["block_size_bytes"].unique())
    is_one_size = len(cells["block_size_bytes"].drop_duplicates()) == 1
    if is_alone or is_one_size:
        return [
            ("R/W mix" if is_alone else "R/W mix (loop)", mixes),
            ("Block size" if is_one_size else "Block size (loop)", sizes),
        ]
    if _changes(cells, "read_percent") <= _changes(cells, "block_size_bytes"):
        return [("R/W mix (outer loop)", mixes), ("Block size (inner loop)", sizes)]
    return [("Block size (outer loop)", sizes), ("R/W mix (inner loop)", mixes)]


def _has_sizes_apart(cells: pd.DataFrame) -> bool:
    """Tell whether each block size has phases of its own: rounds without the others."""
    each = cells.groupby("phase")["block_size_bytes"].nunique()
    return bool((each == 1).all() and len(cells["block_size_bytes"].unique()) > 1)


def _changes(cells: pd.DataFrame, column: str) -> int:
    """Return how often a column changes in the first round of the first phase."""
    own = cells[cells["phase"] == cells["phase"].iloc[0]]
    values = own[own["round"] == own["round"].min()].sort_values("cell")[column]
    return int((values != values.shift()).sum())


def sequence_facts(cells: pd.DataFrame) -> Facts:
    """Say where sequential cells begin, which the standard leaves open: decision 4.

    Nothing is said where it is not known, as of an import.
    """
    offsets = cells.loc[cells["access"] == "seq", "offset_bytes"].dropna()
    if len(offsets) < 2:
        return []
    if not (offsets > 0).any():
        return [("Sequential cells", "each begins at LBA 0")]
    words = "continue where the last one of their direction ended, wrapping around"
    return [("Sequential cells", words)]


def size_text(size: Any) -> str:
    """Return a block size; a missing one is a composite's."""
    return "composite" if is_missing(size) else block_size_label(int(size))


def toio_text(row: "pd.Series[Any]") -> str:
    """Return the outstanding IOs of a step, with threads and queue depth."""
    if is_missing(row["threads"]) or is_missing(row["queue_depth"]):
        return f"TC/QD {workers_text(row['threads'], row['queue_depth'])}"
    threads, depth = int(row["threads"]), int(row["queue_depth"])
    return f"TOIO {threads * depth} (TC {threads} / QD {depth})"


def seconds_text(seconds: Any) -> str:
    """Return a time in words."""
    if pd.isna(seconds):
        return NOT_RECORDED
    return duration_label(seconds) if seconds >= 60 else f"{seconds:.3g} s"


def write_cache_text(context: Context) -> str:
    """Return the state of the write cache, as recorded and not as requested."""
    record = context.record
    asked = record.asked.write_cache
    stood = "" if record.write_cache == "as found" else record.write_cache
    if record.is_cache_left:
        found = f"{stood}, as found" if stood else "as found"
        return f"{found} (profile: {asked})"
    return f"{stood}, as found" if stood and asked == "as found" else asked
