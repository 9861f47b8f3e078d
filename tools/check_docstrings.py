"""Check the numpydoc sections of the public API; internal functions may be terse.


Usage: ``python -m tools.check_docstrings``
"""

import importlib
import inspect
import sys
import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path

from numpydoc.validate import validate  # type: ignore[import-untyped]  # no stubs

ROOT = Path(__file__).resolve().parents[1]
PUBLIC = (
    "ssdlab",
    "ssdlab.analysis",
    "ssdlab.engine",
    "ssdlab.figures",
    "ssdlab.report",
    "ssdlab.store",
    "ssdlab.testing",
)
SUMMARY_CHECKS = frozenset({"GL03", "SS03", "SS05"})


def wanted_checks(pyproject: Path) -> frozenset[str]:
    """Return the codes enabled in pyproject.toml."""
    settings = tomllib.loads(pyproject.read_text("utf-8"))
    return frozenset(settings["tool"]["numpydoc_validation"]["checks"])


def public_names(package: str) -> list[str]:
    """Return the full names of the functions and classes that a package lists."""
    module = importlib.import_module(package)
    return [
        f"{package}.{name}"
        for name in getattr(module, "__all__", ())
        if callable(getattr(module, name))
    ]


def check_docstring(name: str, checks: Collection[str]) -> Iterator[str]:
    """Yield what is wrong; for a class, only its summary is checked."""
    package, _, attribute = name.rpartition(".")
    is_class = inspect.isclass(getattr(importlib.import_module(package), attribute))
    for code, message in validate(name)["errors"]:
        if code in checks and (not is_class or code in SUMMARY_CHECKS):
            yield f"{name}: {code} {message}"


def main() -> int:
    """Print every finding; return 1 if there are any."""
    checks = wanted_checks(ROOT / "pyproject.toml")
    names = sorted({name for package in PUBLIC for name in public_names(package)})
    findings = [line for name in names for line in check_docstring(name, checks)]
    print(*findings, f"{len(names)} public names, {len(findings)} findings", sep="\n")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
