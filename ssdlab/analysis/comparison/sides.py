"""Who is compared with whom: which runs are repetitions of one drive.

Runs of one drive under the same conditions are one side. Runs of the same drive under
other conditions are another side, and where there is one side only its runs are
compared with each other.
"""

from collections.abc import Mapping, Sequence

import pandas as pd

from ssdlab.model.records import RunRecord
from ssdlab.model.units import capacity_label

_MODELS = frozenset({"virtual", "file"})
_LINGER = "linger_s"  # how long an unused virtual SSD waits: no property of it
_TAIL = 4
_OURS = "ssdlab "  # before the name of the virtual SSD


def tabulate_sides(
    records: Sequence[RunRecord], conditions: Mapping[str, tuple[str, ...]]
) -> pd.DataFrame:
    """Group runs by drive, and name each side.

    Parameters
    ----------
    records : sequence of RunRecord
        What each run says of itself.
    conditions : mapping of str to tuple of str
        By run what it was measured under, as far as that must be the same.

    Returns
    -------
    pandas.DataFrame
        One row a run, sides together: ``run_id``, ``side`` (its name, short and
        unique), ``drive`` (model and serial number: one drive, one key), ``kind``
        (virtual, file, imported or drive) and ``is_model``: it is no drive.

    Notes
    -----
    The serial number of a virtual SSD is that of its process: it is the same drive
    when its parameters are the same. Of an import without model and serial number
    nothing tells which drive it was: each is one of its own.
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
        options = {k: v for k, v in target.options.items() if k != _LINGER}
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
    """Return a name for each side, as short as tells them apart."""
    names = [_bare_name(record) for record in firsts]
    for add in (_size_tail, _serial_tail, _run_tail):
        tails: dict[str, set[str]] = {}
        for name, record in zip(names, firsts, strict=True):
            tails.setdefault(name, set()).add(add(record))
        names = [
            f"{name} {add(record)}".strip() if len(tails[name]) > 1 else name
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
    is_process = record.target.kind == "virtual"
    return "" if is_process else record.target.serial.strip()[-_TAIL:]


def _run_tail(record: RunRecord) -> str:
    return record.run_id[-_TAIL:]
