"""The four columns at the head of each PTS page (PTS 2.0.2, section 5)."""

from typing import assert_never

from ssdlab.model.io_engine import engine_of
from ssdlab.model.records import RunRecord
from ssdlab.paper.blocks import HeaderColumn
from ssdlab.paper.context import Context
from ssdlab.pts.shared.head_facts import Facts, if_said, write_cache_text
from ssdlab.report.view import view_of
from ssdlab.text.numbers import NOT_RECORDED, capacity_text, memory_text, or_unknown


def test_columns(context: Context, test: str) -> tuple[HeaderColumn, ...]:
    """Return Test Platform, Device Under Test, Set Up and Test Parameters."""
    view = view_of(context.record.asked, test)
    columns = (
        ("Test Platform", platform_facts(context)),
        ("Device Under Test", device_facts(context)),
        ("Set Up Parameters", view.set_up(context, test)),
        ("Test Parameters", view.stimulus(context, test)),
    )
    return tuple(HeaderColumn(title=title, facts=tuple(of)) for title, of in columns)


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
        *if_said("Peripherals", said.peripherals),
        ("Operating system", or_unknown(host.operating_system)),
        ("Kernel", or_unknown(host.kernel)),
        ("Driver", or_unknown(said.driver)),
        *if_said("File system", said.file_system),
        ("Test software", or_unknown(host.fio_version)),
        ("IO engine", or_unknown(engine_of(context.run.cell_options))),
        (
            "Imported by" if context.is_imported else "Driven by",
            f"ssdlab {host.ssdlab_version}, Python {host.python_version}",
        ),
        ("Test ID", or_unknown(context.record.run_id)),
    ]


def device_facts(context: Context) -> Facts:
    """Return what is known of the device, and its settings."""
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
        *if_said("Other features", said.features),
        ("Purge method", or_unknown(context.record.purge_method)),
        ("Write cache", write_cache_text(context)),
    ]


def front_facts(context: Context) -> Facts:
    """Return the facts of the device, and in short why this purge was chosen."""
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
