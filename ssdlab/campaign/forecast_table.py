"""What tests cost, as a table for people."""

from collections.abc import Sequence
from typing import Any

from ssdlab.model.units import capacity_label, duration_label

_HEADING = ("test", "steps", "rounds", "time", "written", "drive fills")


def cost_table(tests: Sequence[dict[str, Any]]) -> list[str]:
    """Return a heading and one line a test."""
    return set_table([_HEADING, *(_row(test) for test in tests)])


def set_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Set rows under each other, two blanks between the widest cells."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def span_words(cost: dict[str, Any]) -> str:
    """Say how long something takes, at least and at most if that differs."""
    least, most = (
        duration_label(cost["seconds_min"]),
        duration_label(cost["seconds_max"]),
    )
    return _one_or_both(least, most, between=" to ")


def _one_or_both(least: str, most: str, *, between: str) -> str:
    return least if least == most else f"{least}{between}{most}"


def _row(test: dict[str, Any]) -> tuple[str, ...]:
    written = (capacity_label(test[f"written_bytes_{end}"]) for end in ("min", "max"))
    fills = (f"{test[f'drive_fills_{end}']:.1f}" for end in ("min", "max"))
    steps, rounds = (
        _one_or_both(str(test[f"{name}_min"]), str(test[f"{name}_max"]), between="-")
        for name in ("steps", "rounds")
    )
    return (
        test["test"],
        steps,
        rounds,
        span_words(test),
        _one_or_both(*written, between=" to "),
        _one_or_both(*fills, between=" to "),
    )
