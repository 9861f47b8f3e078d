"""The curve of a load, and its directions apart."""

from ssdlab.analysis import summarise_curve
from ssdlab.qos.curves import select_directions
from tests.qos.made_loads import COUNTED, MEASURED, ONE_RUN, ROUNDS


def test_curve_falls_to_nothing_and_tells_where_its_tail_is_not_supported() -> None:
    curve = summarise_curve(ROUNDS, ONE_RUN)
    last = curve.groupby("load")["exceedance_ratio"].last()
    assert last.tolist() == [0.0, 0.0]
    assert curve["is_supported"].tolist() == [True, False, False, False]


def test_directions_are_those_that_fio_told_apart() -> None:
    read, write = select_directions(ROUNDS, MEASURED, COUNTED)
    assert (read.direction, read.binned.total) == ("read", 650)
    assert (write.direction, write.binned.total) == ("write", 350)
    assert select_directions(ONE_RUN, MEASURED, COUNTED) == (ONE_RUN,)
