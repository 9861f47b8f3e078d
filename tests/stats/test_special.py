"""Functions of scipy are loaded without the package around them."""

import subprocess
import sys

import pytest

SAME = """
import ssdlab.stats.special as own
import scipy.special, scipy.stats
names = own._NAMES
print(all(getattr(own, name) is getattr(scipy.special, name) for name in names))
print(scipy.special._ufuncs.stdtr(3, 0.0), scipy.stats.norm.cdf(0.0))
"""


def printed_by(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_functions_are_those_of_scipy_which_can_be_imported_afterwards() -> None:
    assert printed_by(SAME) == "True\n0.5 0.5\n"


def test_functions_are_those_of_scipy_if_it_was_imported_before() -> None:
    assert printed_by(f"import scipy.special\n{SAME}") == "True\n0.5 0.5\n"


def test_package_is_imported_if_it_is_laid_out_differently() -> None:
    program = (
        "import importlib, sys\n"
        "real = importlib.import_module\n"
        "def without(name):\n"
        "    if name == 'scipy.special._ufuncs': raise ImportError(name)\n"
        "    return real(name)\n"
        "importlib.import_module = without\n"
    )

    assert printed_by(f"{program}{SAME}") == "True\n0.5 0.5\n"


@pytest.mark.parametrize("unused", ["numpy.f2py", "numpy.testing", "scipy.special"])
def test_nothing_else_of_numpy_and_scipy_is_loaded(unused: str) -> None:
    program = f"import sys, ssdlab.stats.special; print({unused!r} in sys.modules)"

    assert printed_by(program) == "False\n"
