"""What was measured, in one sentence for the top of figures and tables."""

from ssdlab.model.records import RunRecord

_KINDS = {
    "virtual": "a model, no drive",
    "file": "a file, no drive",
    "imported": "others' results, imported",
}
_NO_DRIVE = {
    "virtual": "Simulated drive; not representative of any product.",
    "file": "A file, not a drive: the numbers include the file system and its cache.",
    "imported": "Others' results, imported.",
}


def run_text(record: RunRecord) -> str:
    """Return which run and target numbers are from, and whether it is a drive."""
    target, host = record.target, record.host
    model = target.model or "unknown device"
    label = f" ({record.label})" if record.label else ""
    words = f"{model}{label}, run {record.run_id}, {host.fio_version or 'unknown fio'}."
    return " ".join(filter(None, (words, _NO_DRIVE.get(target.kind))))


def kind_text(kind: str) -> str:
    """Return the kind of target in a few words, and whether it is a drive.

    >>> kind_text("file"), kind_text("drive")
    ('a file, no drive', 'drive')
    """
    return _KINDS.get(kind, kind)
