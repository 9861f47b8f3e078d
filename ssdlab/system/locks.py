"""Advisory locks of open files, which end with the process that holds them."""

from io import FileIO

from ssdlab.system.unix import fcntl


def try_lock(file: FileIO, *, is_shared: bool = False) -> bool:
    """Lock a file until it is closed; return False if another process holds it."""
    how = fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
