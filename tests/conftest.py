"""What all tests share."""

import gc
import os
import signal
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from ssdlab.fio import process
from ssdlab.host.neighbours import LOCKS_VARIABLE
from tests.paths import MADE_RUNS
from tests.quick_fio import CLOCK
from tools.lanes import LANES, names_marker

if TYPE_CHECKING:
    from ssdlab.store.run import Run
    from tests.made_run import Recipe
    from tests.rendered import Render

# Loads 35 grammars, for a check of links that no notebook needs: see ssdlab.notebook.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

# Between two runs of the garbage collector. With the default it takes a seventh of the
# processor time: tests allocate much, and leave few cycles.
gc.set_threshold(20_000, *gc.get_threshold()[1:])

# How long an example takes says nothing on a busy machine: no test judges it.
# Every run draws others: 50 of each property add up. All these numbers are for
# properties that name none; `--hypothesis-profile=thorough` takes its time.
settings.register_profile("tests", max_examples=50, deadline=None)
settings.load_profile("tests")
settings.register_profile("quick", max_examples=10, deadline=None)  # for `make quick`
settings.register_profile("thorough", max_examples=1000, deadline=None)


def pytest_configure() -> None:
    """Let Ctrl-C reach what tests start, even where a shell began us without it.

    A process in the background of a script ignores it, and so does what it starts.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Let the garbage collector leave alone what stays until the end: all the tests."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """See that each module names the markers of its tests: lanes look for them there.

    Raises
    ------
    pytest.UsageError
        If one does not.
    """
    of_lanes = {marker for lane in LANES for marker in lane.named}
    used = {(item.path, mark.name) for item in items for mark in item.iter_markers()}
    for path, marker in sorted(used):
        if marker in of_lanes and not names_marker(path, marker):
            msg = f"{path} has tests marked {marker} and does not say mark.{marker}"
            raise pytest.UsageError(msg)


@pytest.fixture(autouse=True, scope="session")
def quick_fio() -> Iterator[None]:
    """Let no fio that ssdlab starts measure its clock first."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process, "FIO_ARGUMENTS", (CLOCK, *process.FIO_ARGUMENTS))
        yield


@pytest.fixture(autouse=True, scope="session")
def state_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what tests note about drives out of the home of who runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(autouse=True, scope="session")
def own_locks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the runs of other tests, at the same time, from being neighbours of ours."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(LOCKS_VARIABLE, str(tmp_path_factory.mktemp("locks")))
        yield


@pytest.fixture(autouse=True, scope="session")
def made_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let all workers share the runs that they make."""
    own = tmp_path_factory.getbasetemp()
    shared = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "made-runs"
    shared.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MADE_RUNS, str(shared))
        yield


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> "Run":
    """Return a made run that all figures can be drawn of."""
    from tests.made_run import Recipe, make_run  # noqa: PLC0415 - pandas is slow

    folder = tmp_path_factory.mktemp("made") / "run"
    return make_run(folder, Recipe(saturation_rounds=40, histogram_s=3.0))


@pytest.fixture(scope="session")
def render(tmp_path_factory: pytest.TempPathFactory) -> "Render":
    """Return what makes a run and renders its report."""
    from ssdlab.report import render_report  # noqa: PLC0415 - pandas is slow
    from tests.made_run import make_run  # noqa: PLC0415

    def make(recipe: "Recipe") -> str:
        folder = tmp_path_factory.mktemp("made") / "run"
        return render_report(make_run(folder, recipe))

    return make


@pytest.fixture(scope="session")
def page(render: "Render") -> str:
    """Return the report of a whole run."""
    from tests.rendered import SMALL  # noqa: PLC0415 - pandas is slow

    return render(SMALL)
