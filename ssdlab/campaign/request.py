"""A request for a run, found to be in order before anything is touched."""

from collections.abc import Mapping
from dataclasses import dataclass

from ssdlab.campaign.profiles import open_profile
from ssdlab.fio.runner import require_fio
from ssdlab.model.errors import UserError
from ssdlab.pts.fitting import fit_suite
from ssdlab.pts.profiles import Profile
from ssdlab.pts.suite import choose_tests
from ssdlab.targets.opening import read_shape, require_room

_LONGEST_TEXT = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What to measure, and by which profile."""

    target: str
    profile: Profile
    tests: tuple[str, ...]


def check_request(
    target: str, profile: str, tests: str, *, texts: Mapping[str, str]
) -> Request:
    """Return the request, or raise the `UserError` that says what is wrong with it.

    ``texts`` are the other words of the user's, by name.
    """
    for name, text in {"target": target, "profile": profile, **texts}.items():
        _require_plain(name, text)
    chosen, shape = open_profile(profile), read_shape(target)
    asked = Request(target=target, profile=chosen, tests=choose_tests(chosen, tests))
    require_room(target, shape.capacity_bytes)
    fit_suite(
        chosen,
        asked.tests,
        capacity_bytes=shape.capacity_bytes,
        sector_bytes=shape.sector_bytes,
    )
    require_fio()
    return asked


def _require_plain(name: str, text: str) -> None:
    """Require text that JSON, a terminal and a report can show as it is.

    Raises
    ------
    UserError
        If it has control characters, broken UTF-8 or no end.
    """
    if text.isprintable() and len(text) <= _LONGEST_TEXT:
        return
    shown = repr(text if len(text) <= 80 else f"{text[:80]}…")
    msg = (
        f"The {name} {shown} cannot be recorded. Use at most {_LONGEST_TEXT} printable "
        "characters."
    )
    raise UserError(msg)
