"""What is compared with what: which runs are repetitions of one drive.

Runs of one drive under the same conditions are one side. Runs of the same drive under
other conditions are another side, and if there is only one side, its runs are compared
with each other.
"""

import re
from collections.abc import Mapping, Sequence
from textwrap import shorten

import pandas as pd

from ssdlab.model.records import RunRecord
from ssdlab.model.units import capacity_label

_MODELS = frozenset({"virtual", "file"})
# Timeout and seed of a virtual SSD: not properties of the drive.
_NO_PROPERTIES = frozenset({"linger_s", "seed"})
_GIVEN_ID = re.compile(r"\d{8}-\d{6}-.+-[0-9a-f]{4}")
_TAIL = 4
_LABEL_CHARACTERS = 24
_OURS = "ssdlab "  # before the name of the virtual SSD


def tabulate_sides(
    records: Sequence[RunRecord], conditions: Mapping[str, tuple[str, ...]]
) -> pd.DataFrame:
    """Group runs by drive, and name each side.

    Notes
    -----
    The serial number of a virtual SSD is that of its process, unless it was given one:
    it is the same drive when its parameters are the same, whatever its seed. Each
    import without model and serial number counts as a drive of its own.
    """
    drives = {record.run_id: _drive(record) for record in records}
    keys = {name: (drive, conditions.get(name, ())) for name, drive in drives.items()}
    if len(set(keys.values())) == 1:
        keys = {name: (drive, (name,)) for name, drive in drives.items()}
    order = list(dict.fromkeys(keys.values()))
    named = _side_names([_first(records, keys, key) for key in order])
    names = dict(zip(order, named, strict=True))
    rows = [
        {
            "run_id": record.run_id,
            "side": names[keys[record.run_id]],
            "drive": drives[record.run_id],
            "kind": _kind(record),
            "is_model": record.target.kind in _MODELS,
        }
        for key in order
        for record in records
        if keys[record.run_id] == key
    ]
    return pd.DataFrame(rows)


def _drive(record: RunRecord) -> str:
    target = record.target
    if target.kind == "virtual" and target.options:
        options = {k: v for k, v in target.options.items() if k not in _NO_PROPERTIES}
        text = " ".join(f"{name}={options[name]}" for name in sorted(options))
        return f"{target.model} {text}"
    if target.kind == "imported" and not (target.model and target.serial):
        return f"{target.model} {record.run_id}".strip()
    return f"{target.model} {target.serial}".strip()


def _kind(record: RunRecord) -> str:
    return "drive" if record.target.kind == "block" else record.target.kind


def _first(
    records: Sequence[RunRecord],
    keys: Mapping[str, tuple[str, tuple[str, ...]]],
    key: tuple[str, tuple[str, ...]],
) -> RunRecord:
    return next(record for record in records if keys[record.run_id] == key)


def _side_names(firsts: Sequence[RunRecord]) -> list[str]:
    """Return a name for each side, as short as is unique."""
    names = [_bare_name(record) for record in firsts]
    for add in (_size_tail, _serial_tail, _label_tail):
        tails: dict[str, set[str]] = {}
        for name, record in zip(names, firsts, strict=True):
            tails.setdefault(name, set()).add(add(record))
        names = [
            f"{name} {add(record)}".strip() if len(tails[name]) > 1 else name
            for name, record in zip(names, firsts, strict=True)
        ]
    names = [
        with_run_word(name, record.run_id) if names.count(name) > 1 else name
        for name, record in zip(names, firsts, strict=True)
    ]
    if len(set(names)) < len(names):
        names = [f"{place}. {name}" for place, name in enumerate(names, start=1)]
    kinds = [record.target.kind for record in firsts]
    return [
        name if kind == "block" or kind in name.lower() else f"{name} ({kind})"
        for name, kind in zip(names, kinds, strict=True)
    ]


def _bare_name(record: RunRecord) -> str:
    texts = (record.target.model, record.label, record.run_id)
    return next(text.strip() for text in texts if text.strip()).removeprefix(_OURS)


def _size_tail(record: RunRecord) -> str:
    size = record.target.capacity_bytes
    return capacity_label(size) if size else ""


def _serial_tail(record: RunRecord) -> str:
    target = record.target
    is_process = target.kind == "virtual" and "serial" not in target.options
    return "" if is_process else target.serial.strip()[-_TAIL:]


def _label_tail(record: RunRecord) -> str:
    return shorten(record.label, _LABEL_CHARACTERS, placeholder="…")


def with_run_word(name: str, run_id: str) -> str:
    """Return a name that identifies the run: with the end of its id, or the id itself.

    >>> with_run_word("Model", "20261122-120000-demo-09ff")
    'Model 09ff'
    >>> with_run_word("virtual SSD", "virtual-a-again")
    'virtual-a-again'
    """
    if _GIVEN_ID.fullmatch(run_id):
        return f"{name} {run_id[-_TAIL:]}"
    return run_id
