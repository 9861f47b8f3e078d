"""Frames and arrays in, verdicts and frames out: everything a report is made of.

The names stand in ``__init__.pyi``. Each is imported from its module when it is first
used: judging a series takes numpy alone and does not wait for pandas.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
