"""Where it stands how the tests of each procedure are shown."""

from ssdlab.procedures.hotcold.spec import HOT_COLD
from ssdlab.procedures.jobs.spec import JOBS
from ssdlab.procedures.peak.spec import PEAK
from ssdlab.procedures.quick.spec import QUICK
from ssdlab.procedures.saturate.spec import SATURATE
from ssdlab.procedures.sequence.spec import SEQUENCE

PROCEDURE_VIEWS = {
    SATURATE: "ssdlab.procedures.saturate.pages:VIEW",
    SEQUENCE: "ssdlab.procedures.sequence.pages:VIEW",
    HOT_COLD: "ssdlab.procedures.hotcold.pages:VIEW",
    QUICK: "ssdlab.procedures.quick.pages:VIEW",
    JOBS: "ssdlab.procedures.jobs.pages:VIEW",
    PEAK: "ssdlab.procedures.peak.pages:VIEW",
    "rwsw-wsat": "ssdlab.procedures.rwsw.pages:SATURATION",
    "rwsw-streams": "ssdlab.procedures.rwsw.pages:STREAMS",
    "rwsw-replay": "ssdlab.procedures.rwsw.pages:REPLAY",
    "rwsw-sweep": "ssdlab.procedures.rwsw.pages:SWEEP",
}
