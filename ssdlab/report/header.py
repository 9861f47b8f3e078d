"""The four columns at the head of each PTS page (PTS 2.0.2, section 5)."""

from collections.abc import Iterator
from typing import Any, assert_never

import pandas as pd

from ssdlab.analysis.phases import is_cell_by_cell
from ssdlab.model.records import RunRecord
from ssdlab.model.spec import ActiveRange
from ssdlab.model.units import (
    capacity_label,
    mix_label,
)
from ssdlab.pts.shared import Ranges
from ssdlab.pts.suite import LOOPED_TESTS
from ssdlab.report.blocks import HeaderColumn
from ssdlab.report.context import Context
from ssdlab.report.demand_facts import DEMAND_TESTS, set_up_facts, stimulus_facts
from ssdlab.report.loop_facts import (
    Facts,
    loop_facts,
    seconds_text,
    sequence_facts,
    size_text,
    toio_text,
)
from ssdlab.report.own_windows import count_text
from ssdlab.report.procedure_facts import procedure_set_up, procedure_stimulus
from ssdlab.report.stream_facts import is_of_streams, stream_set_up, stream_stimulus
from ssdlab.report.text import (
    NOT_RECORDED,
    capacity_text,
    memory_text,
    or_unknown,
)
from ssdlab.report.verdict import NOT_ASKED, WDPC


def test_columns(context: Context, test: str) -> tuple[HeaderColumn, ...]:
    """Return Test Platform, Device Under Test, Set Up and Test Parameters."""
    return (
        HeaderColumn(title="Test Platform", facts=tuple(platform_facts(context))),
        HeaderColumn(title="Device Under Test", facts=tuple(device_facts(context))),
        HeaderColumn(title="Set Up Parameters", facts=tuple(_set_up(context, test))),
        HeaderColumn(title="Test Parameters", facts=tuple(_stimulus(context, test))),
    )


def platform_facts(context: Context) -> Facts:
    """Return what is known of the host and its software."""
    host, said = context.record.host, context.run.report_fields
    return [
        ("Platform", or_unknown(host.platform)),
        ("Motherboard", or_unknown(said.motherboard)),
        ("CPU", or_unknown(host.cpu)),
        ("Memory", memory_text(host.dram_bytes)),
        ("HBA or slot", or_unknown(said.hba)),
        ("Boot storage", or_unknown(said.boot_storage)),
        *_if_said("Peripherals", said.peripherals),
        ("Operating system", or_unknown(host.operating_system)),
        ("Kernel", or_unknown(host.kernel)),
        ("Driver", or_unknown(said.driver)),
        *_if_said("File system", said.file_system),
        ("Test software", or_unknown(host.fio_version)),
        (
            "Imported by" if context.is_imported else "Driven by",
            f"ssdlab {host.ssdlab_version}, Python {host.python_version}",
        ),
        ("Test ID", or_unknown(context.record.run_id)),
    ]


def device_facts(context: Context) -> Facts:
    """Return what is known of the device, and how it was set."""
    target, said = context.record.target, context.run.report_fields
    sector = f"{target.sector_bytes:,} B" if target.sector_bytes else NOT_RECORDED
    return [
        ("Kind", _kind(context.record)),
        ("Manufacturer", or_unknown(said.manufacturer)),
        ("Called" if context.is_imported else "Model", or_unknown(target.model)),
        ("Serial number", or_unknown(target.serial)),
        ("Firmware", or_unknown(target.firmware)),
        ("User capacity", capacity_text(target.capacity_bytes)),
        ("Logical sector", sector),
        ("Interface", or_unknown(target.interface)),
        ("Form factor", or_unknown(said.form_factor)),
        ("Media type", or_unknown(said.media)),
        *_if_said("Other features", said.features),
        ("Purge method", or_unknown(context.record.purge_method)),
        ("Write cache", write_cache_text(context)),
    ]


def _if_said(name: str, words: str) -> Facts:
    return [(name, words)] if words else []


def front_facts(context: Context) -> Facts:
    """Return the facts of the device, and in short why a drive was purged so."""
    record, choice = context.record, context.record.purge_choice
    facts = device_facts(context)
    if record.target.kind != "block" or choice is None or not choice.why.strip():
        return facts
    at = [name for name, _ in facts].index("Purge method") + 1
    short = choice.why.strip().partition(". ")[0]
    return [*facts[:at], ("Why this purge", short), *facts[at:]]


def _kind(record: RunRecord) -> str:
    match record.target.kind:
        case "virtual":
            return "virtual SSD (a model)"
        case "file":
            return "file"
        case "imported":
            return "as others measured it"
        case "block":
            bus = record.drive.bus if record.drive else record.target.interface
            return "loop device" if bus == "loop" else "drive"
        case _:
            assert_never(record.target.kind)


def write_cache_text(context: Context) -> str:
    """Return how the write cache stood; what was only asked for is not claimed."""
    record = context.record
    asked = record.asked.write_cache
    stood = "" if record.write_cache == "as found" else record.write_cache
    if record.is_cache_left:
        found = f"{stood}, as found" if stood else "as found"
        return f"{found} (the profile asks for {asked})"
    return f"{stood}, as found" if stood and asked == "as found" else asked


def _common_facts(context: Context, test: str) -> Facts:
    pattern = NOT_RECORDED if context.is_imported else "RND"
    return [
        ("Data pattern", pattern),
        ("Active range", _active_range(context, test)),
        *_if_said("AR amount", _amounts(context, test)),
    ]


def _amounts(context: Context, test: str) -> str:
    """Return how much was accessed, and in how many segments: in TP in one."""
    steps = context.steps_of(test)
    spans = steps[steps["kind"] != "precondition"]["range_bytes"].dropna().unique()
    counts = {
        active.amount_bytes: active.segments
        for active in _loops(context, test)
        if test != "tp"
    }
    return ", ".join(
        f"{capacity_label(int(span))} in {_pieces(counts.get(int(span), 1))}"
        for span in sorted(spans)
    )


def _pieces(count: int) -> str:
    return "one segment" if count == 1 else f"{count} segments at places by chance"


def _loops(context: Context, test: str) -> tuple[ActiveRange, ...]:
    if context.profile is None or test not in LOOPED_TESTS:
        return ()
    return context.profile[Ranges].active_ranges


def _set_up(context: Context, test: str) -> Facts:
    steps = context.steps_of(test)
    if is_of_streams(context):
        return stream_set_up(context, test)
    facts = [*_common_facts(context, test)]
    if context.procedure:
        return [*facts, *procedure_set_up(context, test)]
    if test in {*DEMAND_TESTS, "hir"}:
        return [*facts, *set_up_facts(context, test)]
    fills = steps[steps["kind"] == "precondition"]
    capacity = context.record.target.capacity_bytes
    for _, row in fills.iterrows():
        written = row["written_bytes"]
        amount = capacity_label(written) if pd.notna(written) else NOT_RECORDED
        if capacity:
            amount = f"{written / capacity:.3g}X user capacity"
        words = f"{_workload_text(row)}; {amount}"
        facts.append((_named("Pre-condition 1", row["phase"]), words))
    if fills.empty:
        facts.append((
            "Pre-condition 1",
            NOT_RECORDED if context.is_imported else "none",
        ))
    facts += _steady_facts(context, test)
    return list(dict.fromkeys(facts))


def _named(name: str, phase: object) -> str:
    """Return the name of a fact with the block size of its phase, if it has one."""
    return f"{name} {str(phase).partition('-')[2]}".strip()


def _active_range(context: Context, test: str) -> str:
    if loops := _loops(context, test):
        return ", ".join(active.name for active in loops)
    percent = context.record.asked.active_range_percent
    return NOT_RECORDED if percent is None else f"{percent} % of user capacity"


def _workload_text(row: "pd.Series[Any]") -> str:
    size, mix = size_text(row["block_size_bytes"]), row["read_percent"]
    access = str(row["access"]).upper()
    return f"{access} {size} {mix_label(int(mix))}, {toio_text(row)}"


def _steady_facts(context: Context, test: str) -> Facts:
    if test == "xsr":
        return [("Steady state", "none by design: the groups end by time")]
    if context.asks_no_steady_state(test):
        return [("Steady state", NOT_ASKED)]
    facts: Facts = []
    finals = context.final_windows(test)
    if is_cell_by_cell(test, finals["phase"]):
        facts.append(("SS rounds", "each cell its own last rounds"))
        facts.append(("SS achieved", count_text(finals)))
        return facts
    for phase, rows in finals.groupby("phase", sort=False):
        first = rows.iloc[0]
        window = f"{first['window_first_round']} - {first['window_last_round']}"
        facts.append((_named("SS rounds", phase), window))
        if not rows["is_round_steady"].all():
            facts.append(("Note", "SS NOT ACHIEVED"))
    if finals.empty:
        words = "not judged" if test == "custom" else "SS NOT ACHIEVED"
        facts.append(("Note", f"{words}: no full window"))
    return [*facts, *_extensions(context, test)]


def _extensions(context: Context, test: str) -> Iterator[tuple[str, str]]:
    """Yield the rounds that the operator added: PTS 2.0.2, 3.1, leaves it to them."""
    tests = context.record.tests
    for one in context.run.state.extensions:
        if one.test in tests and test in tests[tests.index(one.test) :]:
            words = f"{one.more_rounds} more at most, asked for at {one.asked_at}"
            yield "Rounds", f"{words}, from {one.phase} of {one.test.upper()} on"


def _stimulus(context: Context, test: str) -> Facts:
    if is_of_streams(context):
        return stream_stimulus(context, test)
    facts = [*_common_facts(context, test)]
    if context.procedure:
        return [*facts, *procedure_stimulus(context, test)]
    if test in DEMAND_TESTS:
        return [*facts, *stimulus_facts(context, test)]
    return [*facts, *_loops_and_long_runs(context, test)]


# Implementations differ, and the text of the edition is not at hand: decision 78.
_UNSURE_THREADS = (
    "Not certain",
    "TC of access group 2 in PTS-E 1.1: implementations have 1 or 8",
)


def _loops_and_long_runs(context: Context, test: str) -> Facts:
    steps = context.steps_of(test)
    facts: Facts = []
    kinds = steps["kind"].isin(["cell", "mean"])
    cells = steps[kinds].sort_values("cell", kind="stable")
    if test == "hir":
        cells = cells[cells["phase"] != WDPC]
    if test == "xsr":
        facts += _group_facts(cells)
        facts += [_UNSURE_THREADS] if context.is_edition_1 else []
    elif not cells.empty:
        facts += loop_facts(cells, steps)
    facts += sequence_facts(cells)
    waits = cells.loc[cells["wait_s"] > 0, "wait_s"].unique()
    if len(waits):
        facts.append(("Host idle after each", ", ".join(map(seconds_text, waits))))
    for _, row in steps[steps["kind"] == "histogram"].iterrows():
        words = f"{_workload_text(row)}, {seconds_text(row['duration_s'])}"
        facts.append(("Test stimulus 2", words))
    return facts


def _group_facts(cells: pd.DataFrame) -> Facts:
    """Say what each access group of XSR writes, and for how long."""
    facts: Facts = []
    for phase, rounds in cells.groupby("phase", sort=False):
        median = seconds_text(rounds["duration_s"].median())
        words = f"{_workload_text(rounds.iloc[0])}; {len(rounds)} rounds of {median}"
        facts.append((f"Access {str(phase).replace('-', ' ')}", words))
    return facts
