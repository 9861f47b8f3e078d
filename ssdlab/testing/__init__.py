"""Runs without a drive, for tests of code that reads runs.

`make_run` executes the real plan on a model of a drive with known properties, and
`replay_run` replays a recorded run completely. Both give a run folder as a measurement
leaves it. The names are in ``__init__.pyi``; each is imported on first use. Nothing
else in ssdlab imports this package.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
