# ruff: noqa: F401, I001 - what is imported here is the catalog, in its order
"""The tests of the suite, a line each, in the order of the standard."""

from ssdlab.pts.iops import IOPS
from ssdlab.pts.throughput import TP
from ssdlab.pts.latency import LAT
from ssdlab.pts.wsat import WSAT
from ssdlab.pts.hir import HIR
from ssdlab.pts.xsr import XSR
from ssdlab.pts.demand import CBW, DIRTH
from ssdlab.pts.wsat import WSAT_OLTP, WSAT_VOD, WSAT_METADATA, WSAT_COMPOSITE
