"""Frames and arrays in, verdicts and frames out: everything a report is made of.

The names stand in ``analysis.pyi``. Each is imported from its module when it is first
used: judging a series takes numpy alone and does not wait for pandas.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub("ssdlab", __file__)
