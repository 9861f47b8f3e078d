"""The fields that users fill in for the report of a run, now or later."""

from collections.abc import Mapping
from pathlib import Path

from ssdlab.model.errors import UserError
from ssdlab.model.report_fields import ReportFields
from ssdlab.store.records import read_record
from ssdlab.store.report_fields import add_given

_LONGEST = 200


def add_report_fields(
    run: str | Path, given: Mapping[str, str], *, source: str = ""
) -> None:
    """Store the fields for the report of a run; do nothing if none are given."""
    for name, text in given.items():
        if not text.isprintable() or len(text) > _LONGEST:
            msg = (
                f"The {name.replace('_', ' ')} {text[:40]!r} cannot be shown. Use at "
                f"most {_LONGEST} printable characters."
            )
            raise UserError(msg)
    fields = _of_file(source).with_given(ReportFields(**given))
    if fields != ReportFields():
        read_record(Path(run))
        add_given(Path(run), fields)


def _of_file(source: str) -> ReportFields:
    if not source:
        return ReportFields()
    if not source.lower().endswith(".toml"):
        msg = f"{source} is not a TOML file. Name one with a table [report]: FILE.toml."
        raise UserError(msg)
    from ssdlab.engine.profiles import open_report_fields  # noqa: PLC0415 - seldom

    return open_report_fields(source)
