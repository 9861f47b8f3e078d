"""Where it stands how the tests of each procedure are shown."""

from ssdlab.procedures.peak import PEAK
from ssdlab.procedures.saturation import SATURATE
from ssdlab.procedures.sequence import SEQUENCE

PROCEDURE_VIEWS = {
    SATURATE: "ssdlab.report.sections.single_stimulus:VIEW",
    SEQUENCE: "ssdlab.report.sections.sequence:VIEW",
    PEAK: "ssdlab.report.sections.peak:VIEW",
    "rwsw-wsat": "ssdlab.report.sections.rwsw:SATURATION",
    "rwsw-streams": "ssdlab.report.sections.rwsw:STREAMS",
    "rwsw-replay": "ssdlab.report.sections.rwsw:REPLAY",
    "rwsw-sweep": "ssdlab.report.sections.rwsw:SWEEP",
}
