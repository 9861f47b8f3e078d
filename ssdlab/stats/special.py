"""The special functions of scipy, without the import of the whole of numpy.

``scipy.special`` takes ten times as long to import as the functions that it compiles:
it loads every part of numpy, its tests and its Fortran compiler too, for array types
that are not used here. So the compiled functions are loaded alone, and that package
only if it lays them out differently.
"""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import scipy

_PACKAGE = "scipy.special"
_NAMES = (
    *("bdtr", "betaincinv", "betaln", "chdtri", "fdtri", "gammaln", "kve", "ndtri"),
    *("stdtr", "stdtrit"),
)


def _functions() -> ModuleType:
    if _PACKAGE in sys.modules:
        return sys.modules[_PACKAGE]
    alone = ModuleType(_PACKAGE)
    alone.__path__ = [str(Path(scipy.__file__).parent / "special")]
    sys.modules[_PACKAGE] = alone
    try:
        compiled = import_module(f"{_PACKAGE}._ufuncs")
    except ImportError:
        compiled = alone
    finally:
        del sys.modules[_PACKAGE]
    if all(hasattr(compiled, name) for name in _NAMES):
        return compiled
    return import_module(_PACKAGE)


_FUNCTIONS: Any = _functions()
bdtr = _FUNCTIONS.bdtr
betaincinv = _FUNCTIONS.betaincinv
betaln = _FUNCTIONS.betaln
chdtri = _FUNCTIONS.chdtri
fdtri = _FUNCTIONS.fdtri
gammaln = _FUNCTIONS.gammaln
kve = _FUNCTIONS.kve
ndtri = _FUNCTIONS.ndtri
stdtr = _FUNCTIONS.stdtr
stdtrit = _FUNCTIONS.stdtrit
