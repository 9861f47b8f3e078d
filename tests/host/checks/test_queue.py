"""How the block layer treats the drive's IOs."""

from pathlib import Path

import pytest

from ssdlab.host.checks import find_settings
from ssdlab.host.checks.check import Setting
from tests.host.made_host import QUEUE, Case, make_scene, require_found

MQ = "sys/block/nvme0n1/mq"
WITH_SCHEDULER: dict[str, str | None] = {f"{QUEUE}/scheduler": "[mq-deadline] none"}
WITH_THROTTLING: dict[str, str | None] = {f"{QUEUE}/wbt_lat_usec": "2000"}


def without(check: str, name: str) -> Case:
    return Case(
        check=check,
        verdict="unknown",
        says=f"/{QUEUE}/{name} does not exist here",
        files={f"{QUEUE}/{name}": None},
    )


CASES = (
    Case(check="io_scheduler", verdict="good", says=f"none (/{QUEUE}/scheduler)"),
    Case(
        check="io_scheduler",
        verdict="warn",
        says="mq-deadline",
        files=WITH_SCHEDULER,
    ),
    without("io_scheduler", "scheduler"),
    Case(
        check="nr_requests",
        verdict="good",
        says="1023 requests in each of 2 queues",
    ),
    Case(
        check="nr_requests",
        verdict="warn",
        says="64 requests in each of 2 queues (/sys/block/nvme0n1/queue/nr_requests); "
        "512 are needed",
        files={f"{QUEUE}/nr_requests": "64"},
    ),
    Case(
        check="nr_requests",
        verdict="warn",
        says="31 requests in each of 2 queues (/sys/block/nvme0n1/queue/nr_requests); "
        "32 are needed",
        files={f"{QUEUE}/nr_requests": "31"},
        habits={"most_outstanding": 1},
    ),
    Case(
        check="nr_requests",
        verdict="good",
        says="64 requests in each of 2 queues (/sys/block/nvme0n1/queue/nr_requests); "
        "64 are needed",
        files={f"{QUEUE}/nr_requests": "64", f"{MQ}/0/nr_tags": "64"},
    ),
    without("nr_requests", "nr_requests"),
    Case(check="write_cache", verdict="good", says="write back"),
    Case(
        check="write_cache",
        verdict="warn",
        says="its write cache is off",
        files={f"{QUEUE}/write_cache": "write through"},
        drive={"bus": "ata"},
    ),
    Case(
        check="write_cache",
        verdict="unknown",
        says="the drive has no volatile one",
        files={f"{QUEUE}/write_cache": "write through"},
    ),
    without("write_cache", "write_cache"),
    Case(check="rq_affinity", verdict="good", says="near the CPU that asked"),
    Case(
        check="rq_affinity",
        verdict="good",
        says="on the same CPU",
        files={f"{QUEUE}/rq_affinity": "2"},
    ),
    Case(
        check="rq_affinity",
        verdict="warn",
        says="completed on any CPU",
        files={f"{QUEUE}/rq_affinity": "0"},
    ),
    without("rq_affinity", "rq_affinity"),
    Case(check="nomerges", verdict="good", says="0 with scheduler none"),
    Case(
        check="nomerges",
        verdict="good",
        says="nothing is merged",
        files={**WITH_SCHEDULER, f"{QUEUE}/nomerges": "2"},
    ),
    Case(
        check="nomerges",
        verdict="warn",
        says="0 with scheduler mq-deadline",
        files=WITH_SCHEDULER,
    ),
    without("nomerges", "nomerges"),
    Case(check="io_poll", verdict="good", says="completions come by interrupts"),
    Case(
        check="io_poll",
        verdict="warn",
        says="some queues are reserved for polling",
        files={f"{QUEUE}/io_poll": "1"},
    ),
    without("io_poll", "io_poll"),
    Case(check="wbt_lat_usec", verdict="good", says="0 (/sys/block/nvme0n1/queue/wbt"),
    Case(
        check="wbt_lat_usec",
        verdict="good",
        says="2000 (/sys/block/nvme0n1/queue/wbt_lat_usec): direct IO",
        files=WITH_THROTTLING,
    ),
    Case(
        check="wbt_lat_usec",
        verdict="warn",
        says="writes through the page cache, which these tests use, are throttled",
        files=WITH_THROTTLING,
        habits={"buffered": ("SEQ 1024 KiB 0/100",)},
    ),
    Case(
        check="wbt_lat_usec",
        verdict="unknown",
        says="this kernel does not throttle writes",
        files={f"{QUEUE}/wbt_lat_usec": None},
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_queue_is_judged_by_what_is_read(case: Case, host: Path) -> None:
    require_found(host, case)


def test_scheduler_is_set_with_the_requests_that_the_kernel_sets_along(
    tmp_path: Path,
) -> None:
    case = Case(check="io_scheduler", verdict="warn", says="", files=WITH_SCHEDULER)
    assert find_settings(make_scene(tmp_path, case), "io_scheduler") == (
        Setting(path=f"/{QUEUE}/nr_requests", value=None),
        Setting(path=f"/{QUEUE}/scheduler", value="none"),
    )


def test_scheduler_that_has_no_none_is_not_set(tmp_path: Path) -> None:
    case = Case(
        check="io_scheduler",
        verdict="warn",
        says="cfq",
        files={f"{QUEUE}/scheduler": "noop [cfq]"},
    )
    assert not require_found(tmp_path, case).is_appliable
