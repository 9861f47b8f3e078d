"""The command line: parse, call, print."""

from ssdlab.cli import import_results, look, measure, parse, profiles
from ssdlab.cli.group import main

__all__ = ["import_results", "look", "main", "measure", "parse", "profiles"]
