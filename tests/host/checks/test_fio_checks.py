"""What fio is, and what the kernel lets it do."""

from pathlib import Path

import pytest

from ssdlab.host.checks import find_settings
from ssdlab.host.programs import Said
from tests.host.made_host import Case, make_scene, require_found

VERSION, ENGINES = "fio --version", "fio --enghelp"
USED, MOST = "proc/sys/fs/aio-nr", "proc/sys/fs/aio-max-nr"
IO_URING = "proc/sys/kernel/io_uring_disabled"


def says(text: str, exit_code: int = 0) -> Said:
    return Said(exit_code=exit_code, text=text)


CASES = (
    Case(
        check="fio_version",
        verdict="good",
        says="fio-3.33 (fio --version); the guide requires 3.5, ssdlab needs 3.16",
    ),
    Case(
        check="fio_version",
        verdict="bad",
        says="fio-3.12 (fio --version); ssdlab needs 3.16",
        answers={VERSION: says("fio-3.12")},
    ),
    Case(
        check="fio_version",
        verdict="bad",
        says="fio-2.21-dirty (fio --version); the guide requires 3.5",
        answers={VERSION: says("fio-2.21-dirty")},
        habits={"fio_needed": ""},
    ),
    Case(
        check="fio_version",
        verdict="good",
        says="the guide requires 3.5",
        answers={VERSION: says("fio-3.5")},
        habits={"fio_needed": ""},
    ),
    Case(
        check="fio_version",
        verdict="bad",
        says="fio is not installed",
        answers={VERSION: None},
    ),
    Case(
        check="fio_version",
        verdict="unknown",
        says="libaio.so.1",
        answers={VERSION: says("cannot open libaio.so.1", exit_code=127)},
    ),
    Case(
        check="fio_engines",
        verdict="good",
        says="fio has libaio, io_uring, nbd (fio --enghelp); this target needs libaio",
    ),
    Case(
        check="fio_engines",
        verdict="bad",
        says="this target needs nbd",
        answers={ENGINES: says("Available IO engines:\n\tlibaio\n\tsync")},
        habits={"engines": ("nbd",)},
    ),
    Case(
        check="fio_engines",
        verdict="warn",
        says="fio has nbd",
        answers={ENGINES: says("Available IO engines:\n\tnbd\n\tsync")},
        habits={"engines": ("nbd",)},
    ),
    Case(
        check="fio_engines",
        verdict="unknown",
        says="does not list its engines",
        answers={ENGINES: None},
    ),
    Case(
        check="aio_max_nr",
        verdict="good",
        says="0 of 65536 in use (/proc/sys/fs/aio-nr, /proc/sys/fs/aio-max-nr); "
        "a run needs 2048",
    ),
    Case(
        check="aio_max_nr",
        verdict="bad",
        says="63489 of 65536 in use",
        files={USED: "63489"},
    ),
    Case(
        check="aio_max_nr",
        verdict="good",
        says="63488 of 65536 in use",
        files={USED: "63488"},
    ),
    Case(
        check="aio_max_nr",
        verdict="unknown",
        says="does not exist",
        files={MOST: None},
    ),
    Case(check="io_uring", verdict="good", says="io_uring is allowed for all"),
    Case(
        check="io_uring",
        verdict="good",
        says="for nobody (/proc/sys/kernel/io_uring_disabled is 2); this target",
        files={IO_URING: "2"},
    ),
    Case(
        check="io_uring",
        verdict="bad",
        says="for the members of a group",
        files={IO_URING: "1"},
        habits={"engines": ("io_uring",)},
    ),
    Case(
        check="io_uring",
        verdict="unknown",
        says="older than 6.6",
        files={IO_URING: None},
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_fio_is_judged_by_what_is_read(case: Case, host: Path) -> None:
    require_found(host, case)


@pytest.mark.parametrize(
    ("used", "wanted"), [("65000", "1048576"), ("2000000", "2002048")]
)
def test_room_for_asynchronous_io_is_made_beyond_what_is_used(
    used: str, wanted: str, tmp_path: Path
) -> None:
    case = Case(check="aio_max_nr", verdict="bad", says="", files={USED: used})
    settings = find_settings(make_scene(tmp_path, case), "aio_max_nr")
    assert [setting.value for setting in settings] == [wanted]
