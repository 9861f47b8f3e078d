"""The text by which a user names a target: ``kind:what,key=value``."""

import re
from pathlib import Path

from ssdlab.model.errors import TargetRefusedError, UnknownNameError
from ssdlab.model.units import parse_size

# fio expands $ and backquotes in job files, and ends an option at a newline, ; or #,
# so that it would write to another file. Its job files are UTF-8.
_UNSAFE = re.compile(r"[\x00-\x1f\x7f$`\\;#\ud800-\udfff]")


def split_size(text: str) -> tuple[str, int | None]:
    """Split ``PATH,size=256MiB`` into the path and the bytes, if a size is given."""
    path, found, size = text.rpartition(",size=")
    if not found:
        return text, None
    for option in size.split(",")[1:]:
        name = option.partition("=")[0].strip()
        if name != "size":
            raise UnknownNameError(
                kind="option of a file", name=name, known=("size=SIZE",)
            )
    try:
        return path, parse_size(size)
    except ValueError as error:
        raise TargetRefusedError(
            target=f"file:{text}", reason=str(error), remedy="Example: size=256MiB."
        ) from None


def expand_path(name: str) -> Path:
    """Return the full path of a file that a user named."""
    try:
        return Path(name).expanduser().absolute()
    except RuntimeError as error:
        raise TargetRefusedError(
            target=f"file:{name}", reason=str(error), remedy="Write the path in full."
        ) from None


def require_safe_path(path: str) -> str:
    """Return the path, if a fio job file can contain it."""
    if not path or _UNSAFE.search(path) or path != path.strip():
        raise TargetRefusedError(
            target=repr(path),
            reason="a fio job file cannot contain this name",
            remedy="Use a name in UTF-8 without control characters, $ ` \\ ; and #, "
            "and without a blank at either end.",
        )
    return path.replace(":", r"\:")
