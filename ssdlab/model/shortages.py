"""Shortages of the machine, recognised by an error of the system or of Python."""

import errno

from ssdlab.model.errors import DescriptorLimitError, ShortageError, SsdlabError

_FULL = frozenset((errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)))
_DESCRIPTORS = frozenset((errno.EMFILE, errno.ENFILE))


def find_shortage(error: BaseException) -> SsdlabError | None:
    """Return the shortage that caused an error; ``None`` if none did."""
    if isinstance(error, MemoryError):
        return no_memory()
    if isinstance(error, OSError):
        return shortage_of(error.errno, str(error.filename or ""))
    return None


def shortage_of(number: int | None, place: str = "") -> SsdlabError | None:
    """Return the shortage that an error number of the system stands for."""
    if number in _DESCRIPTORS:
        return DescriptorLimitError()
    if number == errno.ENOMEM:
        return no_memory()
    if number not in _FULL:
        return None
    where = f" that holds {place}" if place else ""
    return ShortageError(
        lack=f"The disk{where} is full, or a quota on it is used up",
        remedy="Free some space, and try again.",
    )


def no_memory() -> ShortageError:
    """Return the error for too little memory."""
    return ShortageError(
        lack="Not enough memory",
        remedy="Read less data, or use a machine with more memory.",
    )
