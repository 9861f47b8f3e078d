# ruff: noqa: F401, I001 - what is imported here is the catalog, in its order
"""The tests of the suite, a line each, in the order of the standard."""

from ssdlab.pts.iops.spec import IOPS
from ssdlab.pts.tp.spec import TP
from ssdlab.pts.lat.spec import LAT
from ssdlab.pts.wsat.spec import WSAT
from ssdlab.pts.hir.spec import HIR
from ssdlab.pts.xsr.spec import XSR
from ssdlab.pts.demand.spec import CBW, DIRTH
from ssdlab.pts.wsat.spec import WSAT_OLTP, WSAT_VOD, WSAT_METADATA, WSAT_COMPOSITE
