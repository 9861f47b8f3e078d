"""A watchdog that kills processes of a fio job that outlive ssdlab.

A fio whose jobs are threads ends as a whole. One whose jobs are processes, as in some
published jobs, leaves them behind when it is killed: each is the leader of its own
session and continues its IO, or waits for its start for ever. So a shell waits for the
end of a pipe, and then kills every fio whose working folder is that of the step. Only
this process has the writing end, so the pipe ends at the latest when this process dies.
"""

import subprocess  # noqa: TID251 - the shell outlives this process by a moment
from dataclasses import dataclass
from pathlib import Path

# Three passes: processes started during one are found by the next.
_SCRIPT = """\
read gone
for pass in 1 2 3; do
    found=
    for process in /proc/[0-9]*; do
        name= && read -r name < "$process/comm"
        [ "$name" = fio ] && [ "$process/cwd" -ef "$1" ] || continue
        kill -KILL "${process#/proc/}" && found=1
    done
    [ "$found" ] || exit 0
    sleep 0.1
done
"""


@dataclass(frozen=True, slots=True)
class Keeper:
    """Keeps fio in a folder from outliving the holder of this."""

    popen: "subprocess.Popen[bytes]"

    def end(self) -> None:
        """Kill whatever is left in the folder; a second call does nothing."""
        if self.popen.stdin is not None:
            self.popen.stdin.close()
        self.popen.wait()


def start_keeper(folder: Path) -> Keeper:
    """Start the shell that kills every fio in a folder once the keeper is released."""
    return Keeper(
        subprocess.Popen(  # noqa: S603 - argument list, no text of others
            ["/bin/sh", "-c", _SCRIPT, "keeper", str(folder.absolute())],
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # no Ctrl-C
        )
    )
