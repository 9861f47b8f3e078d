"""Frames to plotly figures: they draw and compute nothing, save and show nothing.

The names in ``figures.pyi`` are those that users call; each is loaded when it is first
used. Reports, documents and the explorer take theirs from their modules.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub("ssdlab", __file__)
