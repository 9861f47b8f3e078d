"""What the guide asks of the jobs, which ssdlab does by itself or not."""

from ssdlab.host.checks.check import Check, Finding, bad, good, guide, unknown, warn
from ssdlab.host.checks.scene import Scene

_ASYNCHRONOUS = ("libaio", "io_uring", "io_uring_cmd", "nbd", "posixaio")
_NOT_TOLD = "not told: no tests and no target were named"


def _look_at_engine(scene: Scene) -> Finding:
    engines = scene.habits.engines
    if not engines:
        return unknown(_NOT_TOLD)
    read = f"ssdlab's job files have ioengine={' or '.join(engines)} on this target"
    if set(engines) <= set(_ASYNCHRONOUS):
        return good(read)
    return bad(
        f"{read}, which ignores a queue depth", "Use a target reached by libaio."
    )


def _look_at_direct(scene: Scene) -> Finding:
    buffered = scene.habits.buffered
    if buffered is None:
        return unknown(_NOT_TOLD)
    if not buffered:
        return good("every job file that ssdlab writes for these tests has direct=1")
    return bad(
        f"there is no direct=1 in {', '.join(buffered)}",
        "Take no number from them, or measure by a profile: ssdlab profiles",
    )


def _look_at_order(scene: Scene) -> Finding:
    jobs = scene.habits.peak_jobs
    if not jobs:
        return unknown(_NOT_TOLD)
    read = f"ssdlab peak runs {', '.join(jobs)}"
    if list(jobs) == sorted(jobs):
        return good(read)
    return bad(read, "Run them in the order of their numbers.")


def _look_at_purges(scene: Scene) -> Finding:
    unpurged = scene.habits.unpurged
    if scene.target_kind == "file":
        return warn(
            "ssdlab purges before a test writes, but a file cannot be purged",
            "Measure a drive: ssdlab devices",
        )
    if unpurged is None:
        return unknown(_NOT_TOLD)
    if not unpurged:
        return good(
            "each test begins with a purge, and so does each peak job that writes"
        )
    return bad(
        f"no purge before {', '.join(unpurged)}", "Purge by hand first: ssdlab purge"
    )


def _look_at_fills(scene: Scene) -> Finding:
    unwritten = scene.habits.unwritten
    if unwritten is None:
        return unknown(_NOT_TOLD)
    if not unwritten:
        return good("each test that reads is preconditioned by writes before")
    return warn(
        f"reads begin right after the purge in {', '.join(unwritten)}",
        "The procedure has it so; take no number from before the drive is full.",
    )


ENGINE = Check(
    check_id="async_io",
    title="Asynchronous IO",
    why="A synchronous engine ignores the queue depth.",
    source=guide("2.6"),
    look=_look_at_engine,
)
DIRECT = Check(
    check_id="direct_io",
    title="Direct IO",
    why="Through the page cache the memory of the host is measured.",
    source=guide("2.7"),
    look=_look_at_direct,
)
ORDER = Check(
    check_id="job_order",
    title="Order of the jobs",
    why="What a job writes is what the next one meets.",
    source=guide("4"),
    look=_look_at_order,
)
PURGES = Check(
    check_id="format_before_write",
    title="Format before writes",
    why="A drive that was written before is slower than a fresh one, for a while.",
    source=guide("4"),
    look=_look_at_purges,
)
FILLS = Check(
    check_id="precondition_before_read",
    title="Writes before reads",
    why="What was never written is answered without touching the flash.",
    source=guide("4, 6"),
    look=_look_at_fills,
)
