"""Checks of ssdlab's own jobs against the guide."""

from ssdlab.host.checks.check import Check, Finding, bad, good, guide, unknown, warn
from ssdlab.host.checks.scene import Scene

_ASYNCHRONOUS = ("libaio", "io_uring", "io_uring_cmd", "nbd", "posixaio")
_NOT_NAMED = "unknown: no tests and no target were named"


def _check_engine(scene: Scene) -> Finding:
    engines = scene.habits.engines
    if not engines:
        return unknown(_NOT_NAMED)
    read = f"ssdlab's job files have ioengine={' or '.join(engines)} on this target"
    if set(engines) <= set(_ASYNCHRONOUS):
        return good(read)
    return bad(
        f"{read}, which ignores a queue depth", "Use a target reached by libaio."
    )


def _check_direct(scene: Scene) -> Finding:
    buffered = scene.habits.buffered
    if buffered is None:
        return unknown(_NOT_NAMED)
    if not buffered:
        return good("every job file that ssdlab writes for these tests has direct=1")
    return bad(
        f"there is no direct=1 in {', '.join(buffered)}",
        "Do not use their numbers, or measure by a profile: ssdlab profiles",
    )


def _check_order(scene: Scene) -> Finding:
    jobs = scene.habits.peak_jobs
    if not jobs:
        return unknown(_NOT_NAMED)
    read = f"ssdlab peak runs {', '.join(jobs)}"
    if list(jobs) == sorted(jobs):
        return good(read)
    return bad(read, "Run them in the order of their numbers.")


def _check_purges(scene: Scene) -> Finding:
    unpurged = scene.habits.unpurged
    if scene.target_kind == "file":
        return warn(
            "ssdlab purges before a test writes, but a file cannot be purged",
            "Measure a drive: ssdlab devices",
        )
    if unpurged is None:
        return unknown(_NOT_NAMED)
    if not unpurged:
        return good(
            "each test begins with a purge, and so does each peak job that writes"
        )
    return bad(
        f"no purge before {', '.join(unpurged)}", "Purge by hand first: ssdlab purge"
    )


def _check_fills(scene: Scene) -> Finding:
    unwritten = scene.habits.unwritten
    if unwritten is None:
        return unknown(_NOT_NAMED)
    if not unwritten:
        return good("each test that reads is preconditioned by writes first")
    return warn(
        f"reads begin right after the purge in {', '.join(unwritten)}",
        "The procedure requires it; use no number from before the drive is full.",
    )


ENGINE = Check(
    check_id="async_io",
    title="Asynchronous IO",
    why="A synchronous engine ignores the queue depth.",
    source=guide("2.6"),
    look=_check_engine,
)
DIRECT = Check(
    check_id="direct_io",
    title="Direct IO",
    why="Through the page cache the host's memory is measured.",
    source=guide("2.7"),
    look=_check_direct,
)
ORDER = Check(
    check_id="job_order",
    title="Order of the jobs",
    why="What a job writes affects the next one.",
    source=guide("4"),
    look=_check_order,
)
PURGES = Check(
    check_id="format_before_write",
    title="Format before writes",
    why="A drive that was written to is slower than a fresh one, for a while.",
    source=guide("4"),
    look=_check_purges,
)
FILLS = Check(
    check_id="precondition_before_read",
    title="Writes before reads",
    why="Reads of what was never written do not touch the flash.",
    source=guide("4, 6"),
    look=_check_fills,
)
