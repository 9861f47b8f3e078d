"""ssdlab: SNIA SSS PTS measurements of solid state drives with fio.

The names below are all that users and notebooks need; each is loaded when it is
first used, so that importing ssdlab costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from ssdlab.model.version import VERSION

if TYPE_CHECKING:
    from ssdlab import analysis, figures
    from ssdlab.analysis.steady_state import assess_steady_state
    from ssdlab.campaign.display import show_progress
    from ssdlab.campaign.opening import open_run
    from ssdlab.campaign.suite import resume_run, run_suite
    from ssdlab.explorer.explore import explore
    from ssdlab.fio.histlogs.read import read_fio_histogram_log
    from ssdlab.fio.logs.read import read_fio_log
    from ssdlab.fio.read import read_fio
    from ssdlab.importers import import_run
    from ssdlab.model.errors import SsdlabError
    from ssdlab.notebook import require_known_parameters
    from ssdlab.report import render_report, write_report
    from ssdlab.report.comparison.read import compare_runs
    from ssdlab.report.display import show_comparison, show_overview, show_test
    from ssdlab.store.catalog import list_runs
    from ssdlab.store.run import Run

__version__ = VERSION

_HOMES = {
    "Run": "ssdlab.store.run",
    "SsdlabError": "ssdlab.model.errors",
    "assess_steady_state": "ssdlab.analysis.steady_state",
    "compare_runs": "ssdlab.report.comparison.read",
    "explore": "ssdlab.explorer.explore",
    "import_run": "ssdlab.importers",
    "list_runs": "ssdlab.store.catalog",
    "open_run": "ssdlab.campaign.opening",
    "read_fio": "ssdlab.fio.read",
    "read_fio_histogram_log": "ssdlab.fio.histlogs.read",
    "read_fio_log": "ssdlab.fio.logs.read",
    "render_report": "ssdlab.report",
    "require_known_parameters": "ssdlab.notebook",
    "resume_run": "ssdlab.campaign.suite",
    "run_suite": "ssdlab.campaign.suite",
    "show_comparison": "ssdlab.report.display",
    "show_progress": "ssdlab.campaign.display",
    "show_overview": "ssdlab.report.display",
    "show_test": "ssdlab.report.display",
    "write_report": "ssdlab.report",
}

_MODULES = ("analysis", "figures")

__all__ = [
    "Run",
    "SsdlabError",
    "__version__",
    "analysis",
    "assess_steady_state",
    "compare_runs",
    "explore",
    "figures",
    "import_run",
    "list_runs",
    "open_run",
    "read_fio",
    "read_fio_histogram_log",
    "read_fio_log",
    "render_report",
    "require_known_parameters",
    "resume_run",
    "run_suite",
    "show_comparison",
    "show_overview",
    "show_progress",
    "show_test",
    "write_report",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _MODULES:
        return import_module(f"ssdlab.{name}")
    msg = f"module 'ssdlab' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return __all__
