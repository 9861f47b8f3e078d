"""Runs without a drive, for tests of whatever reads them.

`make_run` carries the real plan out on a model of a drive, whose truth is known, and
`replay_run` lets a recorded run go its whole way again. Either gives a run folder as a
measurement leaves it. The names stand in ``__init__.pyi``; each is imported when it is
first used. Nothing else in ssdlab imports this package.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
