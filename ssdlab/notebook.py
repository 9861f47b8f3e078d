"""Execute a notebook; an unknown parameter is an error."""

import ast
import json
import logging
import math
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NoReturn

from ssdlab.model import errors
from ssdlab.model.errors import (
    ExportError,
    MissingToolError,
    ParameterError,
    SsdlabError,
    UnknownNameError,
)
from ssdlab.model.shortages import no_memory, shortage_of
from ssdlab.system.durable import write_whole
from ssdlab.system.folders import LOG_BYTES, Folder
from ssdlab.system.private import private_folder

RUN_PTS = "01_run_pts.ipynb"
_PARAMETERS_TAG = "parameters"
_SAMPLES = Path("data/samples")

_KINDS: Mapping[str, tuple[tuple[type, ...], str]] = {
    "str": ((str,), "a string (use papermill -r for one that looks like a number)"),
    "int": ((int,), "an integer"),
    "float": ((int, float), "a number"),
    "bool": ((bool,), "True or False"),
}

_ERROR_NUMBER = re.compile(r"\[Errno (\d{1,4})\]")  # as Python prints an OSError

CopyState = Literal["new", "unchanged", "kept"]

Parameters = Mapping[str, str | int | float | bool]


class NotebookFailedError(SsdlabError):
    """A notebook that stopped at an error that ssdlab did not raise."""

    def __init__(self, *, notebook: str, error: str) -> None:
        self.notebook, self.error = notebook, error
        super().__init__(f"The notebook stopped: {error}. See its cells in {notebook}.")


class KernelKilledError(NotebookFailedError):
    """A notebook whose kernel was killed: nothing failed, and it may be resumed."""

    exit_code = 75  # EX_TEMPFAIL of sysexits.h: try again

    def __init__(self, *, notebook: str) -> None:
        error = "its kernel (the process that measures) was killed"
        super().__init__(notebook=notebook, error=error)


class ReportedError(SsdlabError):
    """An ``SsdlabError`` raised in the notebook: its text and its exit code."""

    def __init__(self, message: str, *, exit_code: int) -> None:
        self.exit_code = exit_code
        super().__init__(message)


def find_notebook(name: str = RUN_PTS) -> Path:
    """Return the path of a notebook of ssdlab, in the checkout or as installed."""
    checkout = Path(__file__).resolve().parents[1] / "notebooks" / name
    if checkout.is_file():
        return checkout
    try:
        installed = resources.files("ssdlab.installed_notebooks") / name
        if installed.is_file():
            return Path(str(installed))
    except ModuleNotFoundError:
        pass
    raise MissingToolError(
        tool=name, needed_for="the run", remedy="Reinstall ssdlab: pip install ."
    )


def copy_notebooks(folder: Path) -> dict[str, CopyState]:
    """Copy all notebooks of ssdlab into a folder, with sample runs to open."""
    states: dict[str, CopyState] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for source in sorted(find_notebook().parent.glob("[0-9][0-9]_*.ipynb")):
            states[source.name] = _copy_new(source, folder / source.name)
        if _copy_samples(folder):
            states[str(_SAMPLES)] = "new"
    except OSError as error:
        raise ExportError(
            place=str(folder),
            reason=f"notebooks cannot be written there ({error.strerror})",
            remedy="Name another folder.",
        ) from None
    return states


def _copy_new(source: Path, place: Path) -> CopyState:
    if not place.exists():
        write_whole(place, source.read_bytes())
        return "new"
    return "unchanged" if place.read_bytes() == source.read_bytes() else "kept"


def _copy_samples(folder: Path) -> bool:
    """Copy the samples to where the notebooks look for them, unless they find some."""
    above = (place / _SAMPLES for place in folder.resolve().parents)
    found = (folder / _SAMPLES, *above)
    source = next(filter(Path.is_dir, _sample_homes()), None)
    if source is None or any(map(Path.is_dir, found)):
        return False
    shutil.copytree(source, folder / _SAMPLES)
    return True


def _sample_homes() -> Iterator[Path]:
    """Yield the possible folders of the samples: in the checkout, or as installed."""
    yield Path(__file__).resolve().parents[1] / _SAMPLES
    with suppress(ModuleNotFoundError):
        # Each sample is a subfolder; a file of the package reveals its path.
        paper = resources.files("ssdlab.installed_samples") / "README.md"
        yield Path(str(paper)).parent


def read_parameters(notebook: Path) -> tuple[str, ...]:
    """Return the names that a notebook's parameters cell declares."""
    cells = json.loads(notebook.read_bytes())["cells"]
    for cell in cells:
        if _PARAMETERS_TAG in cell["metadata"].get("tags", []):
            return tuple(_assigned("".join(cell["source"])))
    return ()


def execute_notebook(
    notebook: Path, output: Path, parameters: Parameters, *, keeps_saving: bool = True
) -> None:
    """Execute a notebook with papermill."""
    known = read_parameters(notebook)
    for name in parameters:
        if name not in known:
            raise UnknownNameError(kind="parameter", name=name, known=known)
    os.environ.setdefault("JUPYTER_PREFER_ENV_PATH", "1")
    for name in ("asyncio", "papermill"):  # they log interrupts; errors are raised
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # Loads 35 grammars, which takes half of papermill's start-up and is not needed.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    import papermill  # noqa: PLC0415 - takes a second
    from nbclient.exceptions import DeadKernelError  # noqa: PLC0415
    from papermill.exceptions import PapermillExecutionError  # noqa: PLC0415
    from papermill.iorw import papermill_io  # noqa: PLC0415
    from traitlets.config import Config  # noqa: PLC0415

    papermill_io.register(str(output), _WholeNotebook(output))
    try:
        with private_folder("ssdlab-kernel-") as folder:
            connection = {"connection_file": str(folder / "kernel.json")}
            papermill.execute_notebook(
                str(notebook),
                str(output),
                parameters=dict(parameters),
                kernel_name="python3",
                progress_bar=False,
                request_save_on_cell_execute=keeps_saving,
                autosave_cell_every=30 if keeps_saving else 0,
                cwd=str(Path.cwd()),
                # Errors of cells are in the notebook; those of a kernel that is
                # stopped in the middle of a reply are noise.
                extra_arguments=["--IPKernelApp.log_level=50"],
                config=Config(KernelManager=connection),
            )
    except PapermillExecutionError as error:
        if error.ename == "KeyboardInterrupt":
            raise KeyboardInterrupt from None
        _raise_translated(error, output)
    except (DeadKernelError, RuntimeError):  # RuntimeError: it died before it answered
        raise KernelKilledError(notebook=str(output)) from None


class _WholeNotebook:
    """How papermill saves a notebook: atomically, and never through a link."""

    def __init__(self, output: Path) -> None:
        self._output = output

    def write(self, text: str, _path: str) -> None:
        """Save the notebook."""
        Folder(self._output.parent).write(
            self._output.name, text.encode(), is_durable=False
        )

    def read(self, _path: str) -> str:
        """Return the notebook as it was saved."""
        folder = Folder(self._output.parent)
        return folder.text(self._output.name, limit=LOG_BYTES)

    def pretty_path(self, path: str) -> str:
        """Return the path as shown in papermill's messages."""
        return path


def require_known_parameters(namespace: Mapping[str, Any]) -> None:
    """Raise if papermill injected a parameter that is unknown or of the wrong type.

    Parameters
    ----------
    namespace : mapping of str to object
        The notebook's ``globals()``.

    Raises
    ------
    UnknownNameError
        If the notebook does not declare it. Without papermill nothing is injected.
    ParameterError
        If the value does not match the notebook's annotation.

    Examples
    --------
    >>> require_known_parameters({"run": "data/samples/virtual-b"})
    """
    cells = [str(source) for source in namespace.get("In", ()) if source]
    for before, source in pairwise(cells):
        known = _assigned(before) if source.startswith("# Parameters\n") else {}
        for name in _assigned(source) if known else ():
            if name not in known:
                raise UnknownNameError(kind="parameter", name=name, known=list(known))
            _require_kind(name, namespace.get(name), known[name])


def _assigned(source: str) -> dict[str, str]:
    """Return the names that a cell assigns, with their annotations, empty if none."""
    names = {}
    for statement in ast.parse(source).body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=kind):
                names[name] = ast.unparse(kind)
            case ast.Assign(targets=targets):
                names |= {one.id: "" for one in targets if isinstance(one, ast.Name)}
            case _:
                pass
    return names


def _require_kind(name: str, value: object, annotation: str) -> None:
    if annotation not in _KINDS:
        return
    kinds, words = _KINDS[annotation]
    is_of_kind = isinstance(value, kinds) and not (
        isinstance(value, bool) and bool not in kinds
    )
    if not is_of_kind or (isinstance(value, float) and not math.isfinite(value)):
        raise ParameterError(name=name, value=value, asked=words)


def _raise_translated(error: Any, output: Path) -> NoReturn:
    kind = getattr(errors, str(error.ename), None)
    if isinstance(kind, type) and issubclass(kind, SsdlabError):
        raise ReportedError(str(error.evalue), exit_code=kind.exit_code) from None
    said = f"{error.ename}: {error.evalue}"
    number = _ERROR_NUMBER.match(str(error.evalue))
    shortage = shortage_of(int(number[1])) if number else None
    if error.ename == "MemoryError":
        shortage = no_memory()
    if shortage:
        said = f"{shortage} ({said})"
    raise NotebookFailedError(notebook=str(output), error=said) from None
