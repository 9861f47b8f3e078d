"""Files in TOML that a user named, as frozen data."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from ssdlab.model.errors import UserFileError
from ssdlab.model.plain import from_plain

_LARGEST_FILE_BYTES = 4_000_000
_Kind = TypeVar("_Kind")


def read_toml(path: Path, kind: type[_Kind]) -> _Kind:
    """Read a file that the user named as frozen data."""
    return parse_toml(read_text(path), kind, source=str(path))


def parse_toml(text: str, kind: type[_Kind], *, source: str) -> _Kind:
    """Return frozen data from the text of a file."""
    try:
        data: Mapping[str, Any] = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserFileError(
            source=source, reason=f"this is not TOML ({error})"
        ) from None
    try:
        return from_plain(kind, data)
    except ValueError as error:
        raise UserFileError(source=source, reason=str(error)) from None


def read_text(path: Path) -> str:
    """Return the text of a file that the user named."""
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST_FILE_BYTES + 1)
        if len(content) > _LARGEST_FILE_BYTES:
            raise UserFileError(source=str(path), reason="it is too large")
        return content.decode("utf-8")
    except OSError as error:
        reason = f"it cannot be read ({error.strerror})"
        raise UserFileError(source=str(path), reason=reason) from None
    except UnicodeDecodeError:
        raise UserFileError(source=str(path), reason="it is not text") from None
