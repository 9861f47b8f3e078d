"""Where a store of runs is, the packages it needs, and how its failures are told."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs as pa_fs

from ssdlab.model.errors import (
    MissingToolError,
    SsdlabError,
    StoreError,
    StoreFailedError,
)
from ssdlab.model.shortages import find_shortage
from ssdlab.store.places import find_here_or_above, is_in_s3

_S3_OPTIONS = {
    "aws_conditional_put": "etag",
    "max_retries": "4",
    "retry_timeout": "60s",
}
_FULL = "No space left"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a store is: a local folder, or a prefix in S3."""

    url: str

    @property
    def is_local(self) -> bool:
        """Whether it is a folder."""
        return "://" not in self.url

    def table(self, name: str) -> str:
        """Return where a table is."""
        return f"{self.url}/{name}"

    @property
    def options(self) -> dict[str, str] | None:
        """What delta-rs is told besides the variables ``AWS_…`` of the environment."""
        return None if self.is_local else dict(_S3_OPTIONS)

    def files_of(self, name: str) -> pa_fs.FileSystem:
        """Return a table's files."""
        if self.is_local:
            return pa_fs.SubTreeFileSystem(self.table(name), pa_fs.LocalFileSystem())
        handler = lake("fs").DeltaStorageHandler(self.table(name), self.options)
        return pa_fs.PyFileSystem(handler)


def place_of(url: str | Path, *, is_new: bool = False) -> Place:
    """Return the place that a text names; one that is not new may be above."""
    text = str(url).rstrip("/")
    if isinstance(url, Path) and is_in_s3(url):
        text = "s3://" + "/".join(url.parts[1:])
    if text.startswith("s3://"):
        return Place(text)
    if "://" in text:
        raise StoreError(
            store=text,
            reason="a store is a local folder or s3://BUCKET/PREFIX",
            remedy="Name one of these.",
        )
    found = Path(text) if is_new else find_here_or_above(text)
    place = Place(str(found.absolute()))
    if "%" in place.url:
        raise StoreError(
            store=place.url,
            reason="delta-rs reads % in the name of a folder as a code",
            remedy="Use a folder without it.",
        )
    return place


def lake(part: str = "") -> Any:
    """Return a module of deltalake."""
    try:
        return import_module(f"deltalake.{part}" if part else "deltalake")
    except ModuleNotFoundError:
        error = missing("deltalake")
        raise error from None


def missing(tool: str) -> MissingToolError:
    """Return the error for a package of the extra ``fleet`` that is not installed."""
    return MissingToolError(
        tool=tool, needed_for="a store of runs", remedy="pip install 'ssdlab[fleet]'"
    )


@contextmanager
def told(place: Place, *, but: type[Exception] | tuple[()] = ()) -> Iterator[None]:
    """Tell failures of a store in a sentence, but not those of one kind."""
    broken = lake("exceptions").DeltaError
    try:
        yield
    except but:
        raise
    except (OSError, pa.ArrowException, broken) as error:
        raise failed(place, error) from error


def failed(place: Place, error: Exception) -> SsdlabError:
    """Return what a failure of a store is told as."""
    words = " ".join(str(error).split())
    return find_shortage(error) or StoreFailedError(
        store=place.url,
        reason="the disk is full" if _FULL in words else f"it failed ({words})",
        remedy="Repeat the command: what was added stays, and is added once. If a "
        "table is damaged: ssdlab store rebuild",
    )
