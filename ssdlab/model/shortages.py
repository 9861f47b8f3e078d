"""What a machine lacks, told by the error of the system or of Python."""

import errno

from ssdlab.model.errors import DescriptorLimitError, ShortageError, SsdlabError

_FULL = frozenset((errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)))
_DESCRIPTORS = frozenset((errno.EMFILE, errno.ENFILE))


def find_shortage(error: BaseException) -> SsdlabError | None:
    """Return what an error says that is lacking, in words; ``None`` if nothing is."""
    if isinstance(error, MemoryError):
        return no_memory()
    if isinstance(error, OSError):
        return shortage_of(error.errno, str(error.filename or ""))
    return None


def shortage_of(number: int | None, place: str = "") -> SsdlabError | None:
    """Return what an error number of the system says that is lacking."""
    if number in _DESCRIPTORS:
        return DescriptorLimitError()
    if number == errno.ENOMEM:
        return no_memory()
    if number not in _FULL:
        return None
    where = f" that holds {place}" if place else ""
    return ShortageError(
        lack=f"The disk{where} is full, or a quota on it is used up",
        remedy="Make room, and try again.",
    )


def no_memory() -> ShortageError:
    """Return what is told where memory does not suffice."""
    return ShortageError(
        lack="There is too little memory for this",
        remedy="Give it less to read, or do it on a machine with more memory.",
    )
