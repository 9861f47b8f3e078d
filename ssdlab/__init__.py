"""ssdlab: SNIA SSS PTS measurements of solid state drives with fio.

The names in ``__init__.pyi`` are all that users and notebooks need; each is loaded when
it is first used, so that importing ssdlab costs next to nothing.
"""

import lazy_loader

from ssdlab.model.version import VERSION

__version__ = VERSION

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
