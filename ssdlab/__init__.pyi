from . import analysis as analysis
from . import figures as figures
from .campaign.display import show_progress as show_progress
from .campaign.more_rounds import ask_more_rounds as ask_more_rounds
from .campaign.suite import resume_run as resume_run
from .campaign.suite import run_suite as run_suite
from .compare.runs import compare_runs as compare_runs
from .explorer.explore import explore as explore
from .fio.histlogs.read import read_fio_histogram_log as read_fio_histogram_log
from .fio.logs.read import read_fio_log as read_fio_log
from .fio.read import read_fio as read_fio
from .importers import import_run as import_run
from .ingest.opening import open_run as open_run
from .model.errors import SsdlabError as SsdlabError
from .notebook import require_known_parameters as require_known_parameters
from .paper.notebook_page import write_notebook_page as write_notebook_page
from .report import render_report as render_report
from .report import write_report as write_report
from .report.display import show_comparison as show_comparison
from .report.display import show_overview as show_overview
from .report.display import show_tests as show_tests
from .report.images import write_image as write_image
from .stats.steady_state import assess_steady_state as assess_steady_state
from .store.catalog import list_runs as list_runs
from .store.run import Run as Run

__version__: str
