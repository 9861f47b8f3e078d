"""What ends the processes of a fio job when nothing else does any more.

A fio whose jobs are threads ends as a whole. One whose jobs are processes, as some
published jobs ask for, leaves them behind when it is killed: each is the leader of a
session of its own and goes on with its IO, or waits for its start for ever. So a shell
waits for the end of a pipe, and then kills every fio that works in the step's folder,
which no other fio does. Only this process has the writing end, so the pipe
ends at the latest when this process dies, whatever it dies of.
"""

import subprocess  # noqa: TID251 - the shell outlives this process by a moment
from dataclasses import dataclass
from pathlib import Path

# Three passes: what is being made during the first is found by the next.
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
    """Keeps fio in a folder from outliving whoever holds this."""

    popen: "subprocess.Popen[bytes]"

    def end(self) -> None:
        """Kill whatever is left in the folder; done twice, it does nothing more."""
        if self.popen.stdin is not None:
            self.popen.stdin.close()
        self.popen.wait()


def start_keeper(folder: Path) -> Keeper:
    """Start the shell that kills every fio in a folder when it is held no more."""
    return Keeper(
        subprocess.Popen(  # noqa: S603 - argument list, no text of others
            ["/bin/sh", "-c", _SCRIPT, "keeper", str(folder.absolute())],
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is not for it
        )
    )
