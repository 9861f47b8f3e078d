"""A processor that is kept busy for a moment."""

import os
import time

import pytest

from ssdlab.host.busy import read_busy


def test_reading_is_done_on_the_processor_while_it_works() -> None:
    own = os.sched_getaffinity(0)
    cpu = max(own)
    began_s = time.thread_time()
    assert read_busy(cpu, lambda: float(os.sched_getaffinity(0) == {cpu})) == 1.0
    assert time.thread_time() - began_s > 0.001
    assert os.sched_getaffinity(0) == own


def test_processor_that_may_not_be_used_is_not_read() -> None:
    own = os.sched_getaffinity(0)
    assert read_busy(4095, lambda: 1.0) is None
    assert os.sched_getaffinity(0) == own


def test_process_goes_back_when_reading_fails() -> None:
    own = os.sched_getaffinity(0)

    def fail() -> float:
        raise FileNotFoundError(2, "gone")

    with pytest.raises(FileNotFoundError, match="gone"):
        read_busy(min(own), fail)
    assert os.sched_getaffinity(0) == own
