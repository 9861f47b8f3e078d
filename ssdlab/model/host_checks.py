"""Results of the host checks: plain data."""

from dataclasses import dataclass
from typing import Literal

CheckVerdict = Literal["good", "warn", "bad", "unknown"]
NOT_APPLYING = "does not apply"  # ``read`` of a check that does not apply here


@dataclass(frozen=True, kw_only=True, slots=True)
class HostCheck:
    """One check of the host or of how the drive is attached to it.

    Attributes
    ----------
    check_id : str
        Its name, as in ``reference/hgst_wd_host_checks.csv`` where it is from there.
    title : str
        What is checked, for people.
    verdict : {"good", "warn", "bad", "unknown"}
        Unknown: it could not be read, or does not apply here.
    read : str
        What was read, and where.
    why : str
        Why it matters for a measurement.
    remedy : str
        What to do; empty if all is well.
    source : str
        The document that requires it.
    is_appliable : bool
        Whether `ssdlab doctor --apply` can set it, and undo the change.
    """

    check_id: str
    title: str
    verdict: CheckVerdict
    read: str
    why: str
    remedy: str
    source: str
    is_appliable: bool = False

    @property
    def applies(self) -> bool:
        """Whether the check applies to this host."""
        return not self.read.startswith(NOT_APPLYING)
