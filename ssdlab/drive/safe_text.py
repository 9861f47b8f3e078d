"""Texts of devices, files and programs, made safe for messages."""

from ssdlab.model.drive import Drive
from ssdlab.model.units import capacity_label

_LONGEST = 300


def shown(text: str) -> str:
    r"""Return a short text that can be printed and typed.

    Unprintable characters are escaped, as in ``\x1b``.

    Examples
    --------
    >>> shown("S5H9\x1b[31m")
    'S5H9\\x1b[31m'
    """
    whole = written_out(text)
    return whole if len(whole) <= _LONGEST else f"{whole[:_LONGEST]}…"


def written_out(text: str) -> str:
    r"""Return a text that can be typed, whatever its length.

    Examples
    --------
    >>> written_out("A\u202eB")
    'A\\u202eB'
    """
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii")
        for sign in text
    )


def describe(drive: Drive) -> str:
    """Return model, serial number and capacity of a drive, for a message."""
    model = shown(drive.model) or "a drive without a model name"
    serial = f"serial {shown(drive.serial)}" if drive.serial else "no serial number"
    return f"{model}, {serial}, {capacity_label(drive.capacity_bytes)}"


def list_places(places: tuple[str, ...], most: int = 3) -> str:
    """Return the first few of several places, and how many more there are."""
    first = ", ".join(shown(place) for place in places[:most])
    more = len(places) - most
    return f"{first} and {more} more" if more > 0 else first
