"""What fio's own steady-state rule (``ss``) found, in its JSON."""

from collections.abc import Mapping

from ssdlab.fio.document import FioSteadyState
from ssdlab.fio.from_json.values import (
    Place,
    take_amount,
    take_count,
    take_list,
    take_number,
    take_object,
    take_text,
)

_KEY = "steadystate"


def read_steady_state(
    entry: Mapping[str, object], place: Place
) -> FioSteadyState | None:
    """Return what a job entry says of fio's rule, or ``None`` if it had none.

    Samples are in time order. fio prints zeros for those that it had not yet taken
    when the run ended, and divides its means by all of them; both are left out then.
    """
    if _KEY not in entry:
        return None
    table = take_object(entry, _KEY, place)
    at = place.below(_KEY)
    attained = None if table is None else take_count(table, "attained", at)
    if table is None or attained is None:
        return None
    data = take_object(table, "data", at) if "data" in table else None
    below = at.below("data")
    iops = () if data is None else _samples(data, "iops", below)
    bw = () if data is None else _samples(data, "bw", below)
    lat = (
        () if data is None or "lat_ns" not in data else _samples(data, "lat_ns", below)
    )
    size = max(len(iops), len(bw), len(lat))
    taken = _taken(iops, bw, lat)
    is_full = taken == size
    if not is_full:
        _note_unfilled(below, taken, size)
    return FioSteadyState(
        criterion=take_text(table, "ss", at),
        duration_s=take_amount(table, "duration", at),
        is_attained=bool(attained),
        found=take_text(table, "criterion", at),
        max_deviation=take_number(table, "max_deviation", at),
        slope=take_number(table, "slope", at),
        bw_mean_bytes_per_s=_mean(data, "bw_mean", below) if is_full else None,
        iops_mean=_mean(data, "iops_mean", below) if is_full else None,
        iops=iops[:taken],
        bw_bytes_per_s=bw[:taken],
        lat_mean_ns=_mean(data, "lat_mean", below) if lat and is_full else None,
        lat_ns=lat[:taken],
    )


def _samples(data: Mapping[str, object], key: str, place: Place) -> tuple[float, ...]:
    printed = take_list(data, key, place)
    at = place.below(key)
    found = [
        take_amount({str(number): value}, str(number), at)
        for number, value in enumerate(printed or ())
    ]
    return tuple(found)


def _taken(*kinds: tuple[float, ...]) -> int:
    """Return how many samples there are before the zeros at the end."""
    return max(
        (
            number + 1
            for samples in kinds
            for number, value in enumerate(samples)
            if value != 0
        ),
        default=0,
    )


def _note_unfilled(place: Place, taken: int, size: int) -> None:
    meaning = (
        f"the last {size - taken} of {size} samples are 0: fio had not taken them, or "
        "did no IO; they and the means are left out"
    )
    place.note("window-not-full", meaning)


def _mean(data: Mapping[str, object] | None, key: str, place: Place) -> float | None:
    return None if data is None else take_amount(data, key, place)
