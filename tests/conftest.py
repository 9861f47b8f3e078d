"""What all tests share."""

import signal


def pytest_configure() -> None:
    """Let Ctrl-C reach what tests start, even where a shell began us without it.

    A process in the background of a script ignores it, and so does what it starts.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
