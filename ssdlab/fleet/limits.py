"""The limits of a gate: how much of each cell and metric may be lost, as TOML."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from ssdlab.fleet.contrast import METRICS, FleetMetric
from ssdlab.model.errors import UserFileError
from ssdlab.model.spec import DIRECTIONS
from ssdlab.stats.cells import squeeze
from ssdlab.system.toml_files import parse_toml, read_text

_WHOLE = 100.0


@dataclass(frozen=True, kw_only=True, slots=True)
class CellLimit:
    """Which cells and what of them a limit, ``[[limit]]``, is for.

    ``test`` and ``cell`` are patterns, and a cell may be the first words of a workload.
    """

    metric: str
    test: str = "*"
    cell: str = "*"
    direction: str = "total"

    def require_names(self) -> None:
        """Refuse patterns that match nothing, and a direction that there is not."""
        if self.direction not in DIRECTIONS:
            msg = f"direction {self.direction!r} is none of {', '.join(DIRECTIONS)}"
            raise ValueError(msg)
        if not (self.test.strip() and self.cell.strip()):
            msg = "test and cell must not be empty; leave them out, or write '*'"
            raise ValueError(msg)

    def matches_test(self, test: str) -> bool:
        """Return whether it is for a test."""
        return fnmatchcase(test.casefold(), self.test.casefold())

    def matches(self, names: Mapping[str, str]) -> bool:
        """Return whether it is for a cell, by its names."""
        workload = squeeze(names["workload"])
        return (
            names["direction"] == self.direction
            and self.matches_test(names["test"])
            and fnmatchcase(workload, f"{squeeze(self.cell)}*")
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class LossLimit(CellLimit):
    """At most so much may be lost, in the cells that it names.

    ``loss_percent`` is how much lower a rate, or how much longer a latency may be.
    """

    loss_percent: float

    def __post_init__(self) -> None:
        """Refuse what cannot be a limit."""
        if self.metric not in METRICS:
            msg = f"metric {self.metric!r} is none of {', '.join(METRICS)}"
            raise ValueError(msg)
        self.require_names()
        most = _WHOLE if METRICS[self.metric].is_more_better else float("inf")
        if not 0 < self.loss_percent < most:
            msg = f"loss_percent is {self.loss_percent:g} but must be more than 0"
            if most == _WHOLE:
                msg += f" and less than 100, as {self.metric} is a rate"
            raise ValueError(msg)

    @property
    def of(self) -> FleetMetric:
        """The metric that it limits."""
        return METRICS[self.metric]

    @property
    def worst_ratio(self) -> float:
        """The ratio of candidate to baseline that is just within the limit.

        >>> LossLimit(metric="iops", loss_percent=5).worst_ratio
        0.95
        >>> LossLimit(metric="p99", loss_percent=5).worst_ratio
        1.05
        """
        lost = self.loss_percent / _WHOLE
        return 1 - lost if self.of.is_more_better else 1 + lost


@dataclass(frozen=True, kw_only=True, slots=True)
class _LimitsFile:
    limit: tuple[LossLimit, ...] = ()


def read_limits(path: Path) -> tuple[LossLimit, ...]:
    """Return the limits of a file that the user named.

    Raises
    ------
    UserFileError
        If it cannot be read, or something in it is wrong, which the message names.
    """
    return parse_limits(read_text(path), source=str(path))


def parse_limits(text: str, *, source: str) -> tuple[LossLimit, ...]:
    """Return the limits of a text."""
    limits = parse_toml(text, _LimitsFile, source=source).limit
    if not limits:
        raise UserFileError(
            source=source,
            reason="there is no limit in it",
            remedy='Write one: [[limit]], metric = "iops", loss_percent = 5',
        )
    return limits


def limit_of(
    limits: Sequence[LossLimit], names: Mapping[str, str], metric: str
) -> LossLimit | None:
    """Return the limit of a cell and metric: the last one that matches, if any does."""
    matching = (one for one in limits if one.metric == metric and one.matches(names))
    return next(reversed(list(matching)), None)
