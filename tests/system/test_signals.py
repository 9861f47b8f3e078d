"""Signals that ask to stop: those that arrive together are one request."""

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from ssdlab.system.signals import interrupt, stopped_by

STOPS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def tell(*numbers: signal.Signals) -> None:
    for number in numbers:
        os.kill(os.getpid(), number)


@pytest.fixture(autouse=True)
def known_handlers() -> Iterator[None]:
    """Survive a signal that the code under test fails to handle."""
    before = [signal.signal(one, signal.default_int_handler) for one in STOPS]
    yield
    for one, handler in zip(STOPS, before, strict=True):
        signal.signal(one, handler)


@pytest.mark.parametrize("number", STOPS)
def test_each_signal_interrupts(number: signal.Signals) -> None:
    with pytest.raises(KeyboardInterrupt), stopped_by(interrupt):
        tell(number)


def test_signals_that_arrive_together_are_one_request() -> None:
    asked: list[int] = []
    with stopped_by(lambda: asked.append(1)):
        tell(*STOPS, *STOPS)
        assert asked == [1]


def test_clean_up_is_not_interrupted_by_the_same_request() -> None:
    ended = []

    def clean_up() -> None:
        tell(signal.SIGTERM)
        ended.append(1)

    with stopped_by(interrupt):
        try:
            tell(signal.SIGINT)
        except KeyboardInterrupt:
            clean_up()
    assert ended == [1]


def test_later_signal_is_another_request(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = [100.0]
    monkeypatch.setattr("ssdlab.system.signals.time.monotonic", lambda: now_s[0])
    asked: list[float] = []
    with stopped_by(lambda: asked.append(now_s[0])):
        for now_s[0] in (100.0, 101.0, 104.9, 105.1, 106.0):
            tell(signal.SIGINT)
    assert asked == [100.0, 105.1]


def test_handlers_are_as_before_and_what_is_ignored_stays_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with stopped_by(interrupt):
        tell(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def test_thread_changes_nothing() -> None:
    done = []

    def measure() -> None:
        with stopped_by(interrupt):
            done.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=measure)
    thread.start()
    thread.join()
    assert done == [signal.default_int_handler]
