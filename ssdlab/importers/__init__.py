"""Foreign results, made runs like ours."""

from ssdlab.importers.run import import_run, read_left_out

__all__ = ["import_run", "read_left_out"]
