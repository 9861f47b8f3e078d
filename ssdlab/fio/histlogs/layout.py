"""The columns of a histogram log, and the fio bins that each of them counts.

fio 2.99 and later has 1856 bins in ns, fio before that 1216 in us; the arithmetic of
both is that of `ssdlab.fio.bins`. ``log_hist_coarseness=c`` adds up 2^c neighbours.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ssdlab.fio.bins import NS_PER_US, bin_count, bin_edges, bin_value

COARSENESSES: Final = range(7)


@dataclass(frozen=True, kw_only=True, slots=True)
class HistogramLayout:
    """The meaning of the columns: all ``bin_count`` bins, 2^coarseness per column."""

    bin_count: int
    coarseness: int
    unit_ns: int

    @property
    def column_count(self) -> int:
        """The number of counts of each record."""
        return self.bin_count >> self.coarseness

    @property
    def words(self) -> str:
        """The layout in words."""
        unit, version = ("ns", "2.99 and later")
        if self.unit_ns == NS_PER_US:
            unit, version = ("us", "before 2.99")
        return (
            f"{self.column_count} columns: the {self.bin_count} bins in {unit} of fio "
            f"{version}, coarseness {self.coarseness}"
        )

    def edges(self, columns: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the edges of columns: included, excluded [ns]."""
        first = np.asarray(columns, np.int64) << self.coarseness
        last = first + (1 << self.coarseness) - 1
        lower = bin_edges(bin_value(first, self.unit_ns), self.unit_ns)[0]
        upper = bin_edges(bin_value(last, self.unit_ns), self.unit_ns)[1]
        return lower, upper

    def values(self, columns: ArrayLike) -> NDArray[np.int64]:
        """Return the names of columns [ns]: the middle, as fio names a bin."""
        lower, upper = self.edges(columns)
        halves = (upper - lower) // self.unit_ns >> 1
        return lower + halves * self.unit_ns

    def is_last(self, columns: ArrayLike) -> NDArray[np.bool_]:
        """Tell which columns hold fio's last bin, which has no upper end."""
        return np.asarray(np.asarray(columns) == self.column_count - 1)


LAYOUTS: Final[Mapping[int, HistogramLayout]] = {
    layout.column_count: layout
    for unit_ns in (1, NS_PER_US)
    for layout in (
        HistogramLayout(
            bin_count=bin_count(unit_ns), coarseness=coarseness, unit_ns=unit_ns
        )
        for coarseness in COARSENESSES
    )
}
