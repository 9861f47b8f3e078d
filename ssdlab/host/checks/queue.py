"""Checks of the block layer's settings for the drive."""

import math

from ssdlab.host.checks.check import (
    Check,
    Finding,
    Setting,
    good,
    missing,
    unknown,
    warn,
    write_by_hand,
)
from ssdlab.host.checks.scene import Scene
from ssdlab.host.notation import chosen

_MOST_OUTSTANDING = 1024  # 32 threads of queue depth 32, PTS 2.0.2, section 13
_LEAST_REQUESTS = 32
_HARDWARE_DEPTHS = ("mq/0/nr_tags", "device/queue_depth")


def _check_scheduler(scene: Scene) -> Finding:
    path = f"{scene.queue}/scheduler"
    name = chosen(scene.text(path))
    if not name:
        return missing(path)
    read = f"{name} ({path})"
    if name == "none":
        return good(read)
    return warn(read, write_by_hand("none", path))


def _scheduler_to_set(scene: Scene) -> tuple[Setting, ...]:
    path = f"{scene.queue}/scheduler"
    text = scene.text(path)
    if "none" not in text.split():  # in brackets if it is already chosen
        return ()
    # The kernel resets the number of requests with each scheduler.
    requests = Setting(path=f"{scene.queue}/nr_requests", value=None)
    return (requests, Setting(path=path, value="none"))


def _check_requests(scene: Scene) -> Finding:
    path = f"{scene.queue}/nr_requests"
    requests = scene.number(path)
    if requests is None:
        return missing(path)
    queues, needed = _queues(scene), _requests_needed(scene)
    each = f"each of {queues} queues" if queues > 1 else "its queue"
    read = f"{requests} requests in {each} ({path}); {needed} are needed"
    if requests >= needed:
        return good(read)
    return warn(read, write_by_hand(needed, path))


def _requests_to_set(scene: Scene) -> tuple[Setting, ...]:
    path = f"{scene.queue}/nr_requests"
    return (Setting(path=path, value=str(_requests_needed(scene))),)


def _check_write_cache(scene: Scene) -> Finding:
    path = f"{scene.queue}/write_cache"
    state = scene.text(path)
    if not state:
        return missing(path)
    read = f"{state} ({path})"
    if state == "write back":
        return good(f"{read}; whether it survives a power cut is not reported")
    bus = scene.drive.bus if scene.drive else "other"
    if bus in {"ata", "scsi"}:
        device = scene.drive.path if scene.drive else ""
        return warn(
            f"{read}: its write cache is off",
            f"Turn it on: sudo hdparm -W1 {device} (ATA), "
            f"sudo sdparm --set=WCE {device} (SCSI)",
        )
    return unknown(f"{read}: either it is off, or the drive has no volatile one")


def _check_completion(scene: Scene) -> Finding:
    path = f"{scene.queue}/rq_affinity"
    value = scene.text(path)
    words = {
        "0": "completed on any CPU",
        "1": "completed near the CPU that asked",
        "2": "completed on the same CPU that asked",
    }
    if value not in words:
        return missing(path)
    read = f"{value}: {words[value]} ({path})"
    return warn(read, write_by_hand(2, path)) if value == "0" else good(read)


def _completion_to_set(scene: Scene) -> tuple[Setting, ...]:
    return (Setting(path=f"{scene.queue}/rq_affinity", value="2"),)


def _check_merges(scene: Scene) -> Finding:
    path = f"{scene.queue}/nomerges"
    value = scene.text(path)
    if value not in {"0", "1", "2"}:
        return missing(path)
    scheduler = chosen(scene.text(f"{scene.queue}/scheduler"))
    read = f"{value} with scheduler {scheduler or 'unknown'} ({path})"
    if value == "2":
        return good(f"{read}: nothing is merged")
    if scheduler == "none":
        return good(f"{read}: IOs issued one by one are not merged")
    return warn(
        f"{read}: adjacent IOs may be merged",
        f"Use the scheduler none, or: {write_by_hand(2, path)}",
    )


def _check_polling(scene: Scene) -> Finding:
    path = f"{scene.queue}/io_poll"
    value = scene.text(path)
    if not value:
        return missing(path)
    if value == "0":
        return good(f"0: completions come by interrupts ({path})")
    return warn(
        f"{value}: some queues are reserved for polling ({path})",
        "ssdlab's jobs do not poll. Boot with nvme.poll_queues=0 to give every queue "
        "an interrupt.",
    )


def _check_throttling(scene: Scene) -> Finding:
    path = f"{scene.queue}/wbt_lat_usec"
    latency_us = scene.number(path)
    if latency_us is None:
        return unknown(f"{path} is empty: this kernel does not throttle writes")
    read = f"{latency_us} ({path})"
    if latency_us <= 0:
        return good(f"{read}: no write is throttled")
    buffered = scene.habits.buffered
    if buffered == ():
        return good(f"{read}: direct IO, as in all these tests, is not throttled")
    what = "these tests use" if buffered else "some jobs use"
    return warn(
        f"{read}: writes through the page cache, which {what}, are throttled for reads",
        write_by_hand(0, path),
    )


def _throttling_to_set(scene: Scene) -> tuple[Setting, ...]:
    return (Setting(path=f"{scene.queue}/wbt_lat_usec", value="0"),)


def _queues(scene: Scene) -> int:
    folder = f"/sys/block/{scene.drive.name if scene.drive else ''}/mq"
    return max(1, sum(name.isdecimal() for name in scene.names(folder)))


def _requests_needed(scene: Scene) -> int:
    """Return how many requests each queue needs, or its hardware limit."""
    folder = f"/sys/block/{scene.drive.name if scene.drive else ''}"
    most = scene.habits.most_outstanding or _MOST_OUTSTANDING
    needed = max(_LEAST_REQUESTS, math.ceil(most / _queues(scene)))
    depths = (scene.number(f"{folder}/{name}") for name in _HARDWARE_DEPTHS)
    return min((needed, *(depth for depth in depths if depth)))


SCHEDULER = Check(
    check_id="io_scheduler",
    title="IO scheduler",
    why="A scheduler delays, sorts and merges IOs before the drive sees them; an SSD "
    "gains nothing from it.",
    look=_check_scheduler,
    settings=_scheduler_to_set,
    needs="drive",
)
REQUESTS = Check(
    check_id="nr_requests",
    title="Requests in the queue",
    why="IOs beyond it wait in the host, which counts as the drive's latency.",
    look=_check_requests,
    settings=_requests_to_set,
    needs="drive",
)
WRITE_CACHE = Check(
    check_id="write_cache",
    title="Write cache, as the kernel sees it",
    why="Without it every write waits for the media. The PTS requires it recorded. No "
    "interface tells whether a drive protects it against a power cut; see its data "
    "sheet (power-loss protection). Micron (Rev. B 4/17) disables it where there is "
    "none.",
    look=_check_write_cache,
    needs="drive",
)
COMPLETION = Check(
    check_id="rq_affinity",
    title="Where IOs complete",
    why="A completion on a distant processor costs a transfer between caches per IO.",
    look=_check_completion,
    settings=_completion_to_set,
    needs="drive",
)
MERGES = Check(
    check_id="nomerges",
    title="Merging of adjacent IOs",
    why="Merged IOs are larger than the block size of the test.",
    look=_check_merges,
    needs="drive",
)
POLLING = Check(
    check_id="io_poll",
    title="Polling queues",
    why="Queues reserved for polling are not available to jobs that use interrupts.",
    look=_check_polling,
    needs="drive",
)
WRITE_BACK = Check(
    check_id="wbt_lat_usec",
    title="Write-back throttling",
    why="The kernel throttles writes from the page cache while reads wait longer than "
    "this: then the kernel is measured.",
    look=_check_throttling,
    settings=_throttling_to_set,
    needs="drive",
)
