"""The options in fio's JSON, each as often and in the order as fio printed it."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from ssdlab.fio.document import FioOption
from ssdlab.fio.from_json.loose_json import RepeatedKeys
from ssdlab.fio.from_json.values import Place

_HOST_KEY = "hostname"


def read_options(
    table: Mapping[str, object], key: str, place: Place
) -> tuple[FioOption, ...]:
    """Return the options under a key; none if this version of fio prints none.

    Late versions of fio print those of a client/server run as a list, host by host.
    """
    if key not in table:
        return ()
    value = table[key]
    if isinstance(value, dict):
        return _options_of(_pairs_of(value), "")
    if isinstance(value, list):
        return tuple(
            option
            for number, host in enumerate(value)
            for option in _options_of_host(host, place.below(f"{key}[{number}]"))
        )
    place.refuse_value(table, key, "which is not an object of options")
    return ()


def _options_of_host(host: object, place: Place) -> tuple[FioOption, ...]:
    if not isinstance(host, dict):
        place.refuse("is not an object of a host's options")
        return ()
    pairs = list(_pairs_of(host))
    named = next(
        (place for place, (key, _) in enumerate(pairs) if key == _HOST_KEY), -1
    )
    hostname = str(pairs.pop(named)[1]) if named >= 0 else ""
    return _options_of(pairs, hostname)


def _pairs_of(table: dict[str, object]) -> Iterable[tuple[str, object]]:
    return table.pairs if isinstance(table, RepeatedKeys) else table.items()


def _options_of(
    pairs: Iterable[tuple[str, object]], hostname: str
) -> tuple[FioOption, ...]:
    return tuple(_option(name, str(value), hostname) for name, value in pairs)


@lru_cache(maxsize=1024)
def _option(name: str, value: str, hostname: str) -> FioOption:
    """Return an option; thousands of documents of one run have the same ones."""
    return FioOption(name=name, value=value, hostname=hostname)
