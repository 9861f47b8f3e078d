"""What a campaign needs of an engine: four verbs."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol

from ssdlab.campaign.asked import Job
from ssdlab.campaign.status import Queued


class Backend(Protocol):
    """Starts `ssdlab campaign work` for jobs, on their hosts, when it is their turn.

    It may start a job twice, or lose it: what is true stands in the campaign's files,
    and `ssdlab campaign tend` hands over again what is missing.

    Attributes
    ----------
    list_pause_s : float
        Who watches lets this pass before asking again what it has [s].
    """

    list_pause_s: ClassVar[float]

    def list(self) -> Mapping[str, Queued] | None:
        """Return the jobs that it has, by name; ``None`` if it does not answer."""
        ...

    def start(self, jobs: Sequence[Job]) -> None:
        """Take over jobs, in their order."""
        ...

    def stop(self, jobs: Sequence[Job]) -> None:
        """Drop jobs; one that runs is told to stop."""
        ...

    def hold(self, jobs: Sequence[Job]) -> None:
        """Keep jobs back until they are started again; one that runs is stopped."""
        ...
