"""The command line: parse, call, print."""

from ssdlab.cli import (
    ceiling,
    classes,
    devices,
    doctor,
    import_results,
    look,
    measure,
    micron,
    parse,
    peak,
    profiles,
    purge,
    rwsw,
)
from ssdlab.cli.group import main

__all__ = [
    "ceiling",
    "classes",
    "devices",
    "doctor",
    "import_results",
    "look",
    "main",
    "measure",
    "micron",
    "parse",
    "peak",
    "profiles",
    "purge",
    "rwsw",
]
