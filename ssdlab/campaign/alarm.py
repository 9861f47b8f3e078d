"""Stop a run whose target may not be measured any longer."""

from collections.abc import Callable
from pathlib import Path

from ssdlab.model.errors import TargetAlarmError
from ssdlab.targets.target import Target

_INTERVAL_S = 0.2


class AlarmWatch:
    """Asks a target for an alarm, at most a few times a second.

    Parameters
    ----------
    target : Target
        Whom to ask.
    run : Path
        The run folder, for what is to be done now.
    clock : callable
        Unix time [s].
    """

    def __init__(
        self, target: Target, *, run: Path, clock: Callable[[], float]
    ) -> None:
        self._target = target
        self._run = run
        self._clock = clock
        self._looked_s = 0.0

    def tick(self) -> None:
        """Look, unless that was done just now.

        Raises
        ------
        TargetAlarmError
            If there is an alarm.
        """
        if self._clock() - self._looked_s >= _INTERVAL_S:
            self.look()

    def look(self) -> None:
        """Look now.

        Raises
        ------
        TargetAlarmError
            If there is an alarm.
        """
        self._looked_s = self._clock()
        alarm = self._target.find_alarm()
        if alarm:
            raise TargetAlarmError(
                target=self._target.identity.spec,
                reason=alarm,
                remedy="What was measured is kept; when it is mended: ssdlab resume "
                f"{self._run}",
            )
