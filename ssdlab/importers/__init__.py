"""Import results of other tools as runs."""

from ssdlab.importers.record import ImportRecord, read_import
from ssdlab.importers.run import import_run

__all__ = ["ImportRecord", "import_run", "read_import"]
