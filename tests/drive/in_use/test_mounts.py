"""What is mounted, where and in which namespace."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.drive.in_use.mounts import Mount, parse_mountinfo, read_mounts, read_swaps
from tests.made_machine import MadeMachine

ROOT_LINE = b"27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n"
# man 5 proc_pid_mountinfo; a bind mount of one folder, with two optional fields
BOUND = b"36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 shared:7 - ext3 /dev/root rw\n"


def test_every_field_is_found_with_optional_fields_or_without() -> None:
    plain, bound = parse_mountinfo(ROOT_LINE + BOUND)
    assert plain == Mount(
        number="254:0",
        place="/",
        kind="ext4",
        source="/dev/vda",
        options="rw,discard",
    )
    assert (bound.number, bound.folder, bound.place) == ("98:0", "/mnt1", "/mnt2")
    assert (bound.kind, bound.source) == ("ext3", "/dev/root")


def test_lines_of_another_form_are_passed_over() -> None:
    broken = b"27 1 254:0\n\n - \nno dash at all in it, however long it is\n"
    assert parse_mountinfo(broken + ROOT_LINE) == parse_mountinfo(ROOT_LINE)


def test_read_only_is_told_by_the_file_system_not_by_a_name_with_ro_in_it() -> None:
    line = b"1 1 8:1 / /a rw - xfs /dev/sda1 rw,error=ro,pro\n"
    assert not parse_mountinfo(line)[0].is_read_only
    assert parse_mountinfo(line.replace(b" rw,error", b" ro,error"))[0].is_read_only


def test_sources_are_all_devices_that_a_mount_names() -> None:
    line = b"1 1 0:44 / /a rw - xfs /dev/sda:/dev/sdb rw,logdev=/dev/sdc,x=1\n"
    assert parse_mountinfo(line)[0].sources == ("/dev/sda", "/dev/sdb", "/dev/sdc")
    assert parse_mountinfo(b"1 1 0:5 / /a rw - tmpfs  rw\n")[0].sources == ()


def as_the_kernel(field: bytes) -> bytes:
    """Write a field as fs/proc_namespace.c does: what would part fields is octal."""
    return b"".join(
        b"\\%03o" % sign if sign in b" \t\n\\#" else bytes([sign]) for sign in field
    )


FIELDS = st.binary(min_size=1, max_size=40).filter(lambda field: b"\0" not in field)
OPTIONAL = st.lists(
    st.sampled_from([b"shared:1", b"master:22", b"propagate_from:3", b"unbindable"]),
    max_size=4,
)


@given(folder=FIELDS, place=FIELDS, source=st.binary(max_size=40), optional=OPTIONAL)
def test_any_name_is_found_as_it_is(
    folder: bytes, place: bytes, source: bytes, optional: list[bytes]
) -> None:
    words = (b"1 2 259:7", as_the_kernel(folder), as_the_kernel(place), b"rw")
    line = b" ".join((*words, *optional, b"-", b"ext4", as_the_kernel(source), b"rw"))
    (mount,) = parse_mountinfo(line + b"\n")
    for found, meant in (
        (mount.folder, folder),
        (mount.place, place),
        (mount.source, source),
    ):
        assert found == meant.decode("utf-8", "backslashreplace")
    assert (mount.number, mount.kind, mount.options) == ("259:7", "ext4", "rw")


@given(st.binary(max_size=300))
def test_no_content_is_too_odd(content: bytes) -> None:
    for mount in parse_mountinfo(content):
        assert mount.sources is not None
        mount.place.encode("utf-8")  # it can be printed


# --- Namespaces ---------------------------------------------------------------


@pytest.fixture
def made(tmp_path: Path) -> MadeMachine:
    return MadeMachine(tmp_path)


def add_process(
    made: MadeMachine, pid: int, *, space: str, lines: bytes, root: str = "/"
) -> None:
    folder = f"/proc/{pid}"
    made.write(f"{folder}/comm", f"program-{pid}")
    made.write(f"{folder}/mountinfo", lines)
    for place, to in (("ns/mnt", space), ("root", root)):
        made.at(f"{folder}/{place}").parent.mkdir(parents=True, exist_ok=True)
        made.at(f"{folder}/{place}").symlink_to(to)


def live_in(made: MadeMachine, space: str) -> None:
    made.at("/proc/self/ns").mkdir(parents=True)
    made.at("/proc/self/ns/mnt").symlink_to(space)
    made.at("/proc/self/root").symlink_to("/")


def test_own_mounts_come_first_and_others_name_a_process(made: MadeMachine) -> None:
    live_in(made, "mnt:[1]")
    made.mount_line(ROOT_LINE.decode().strip())
    add_process(made, 5, space="mnt:[2]", lines=BOUND)
    add_process(made, 7, space="mnt:[1]", lines=ROOT_LINE)
    own, other = read_mounts(made.root)
    assert (own.place, own.process) == ("/", "")
    assert (other.place, other.process) == ("/mnt2", "program-5 (process 5)")
    assert other.pid == 5


def test_namespace_is_read_once_but_for_processes_with_another_root(
    made: MadeMachine,
) -> None:
    live_in(made, "mnt:[1]")
    for pid in (5, 6):
        add_process(made, pid, space="mnt:[2]", lines=BOUND)
    add_process(made, 8, space="mnt:[2]", lines=ROOT_LINE, root="/jail")
    assert [mount.pid for mount in read_mounts(made.root)] == [5, 8]


def test_namespace_of_a_thread_is_read_too(made: MadeMachine) -> None:
    live_in(made, "mnt:[1]")
    add_process(made, 5, space="mnt:[1]", lines=ROOT_LINE)
    thread = "/proc/5/task/6"
    made.write(f"{thread}/mountinfo", BOUND)
    for place, to in (("ns/mnt", "mnt:[9]"), ("root", "/")):
        made.at(f"{thread}/{place}").parent.mkdir(parents=True, exist_ok=True)
        made.at(f"{thread}/{place}").symlink_to(to)
    (mount,) = read_mounts(made.root)
    assert (mount.place, mount.process) == ("/mnt2", "program-5 (process 5)")


def test_process_that_ended_or_hides_its_mounts_is_passed_over(
    made: MadeMachine,
) -> None:
    live_in(made, "mnt:[1]")
    made.write("/proc/4/comm", "gone")
    add_process(made, 5, space="mnt:[2]", lines=b"")
    add_process(made, 6, space="mnt:[2]", lines=BOUND)
    assert [mount.pid for mount in read_mounts(made.root)] == [6]


@pytest.fixture
def private_mount(tmp_path: Path) -> Iterator[Path]:
    """A mount of memory that exists in the namespace of one process only."""
    place = tmp_path / "a place"
    place.mkdir()
    script = 'mount -t tmpfs memory "$0" && echo mounted && exec sleep 60'
    process = subprocess.Popen(
        ["unshare", "--mount", "sh", "-c", script, str(place)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    try:
        if process.stdout.readline() != "mounted\n":
            pytest.skip("this user may make no mount namespace")
        time.sleep(0.05)  # until the shell has become sleep
        yield place
    finally:
        process.kill()
        process.communicate()


def test_mount_in_a_real_namespace_of_another_process_is_seen(
    private_mount: Path,
) -> None:
    assert not any(
        place.endswith(b"a\\040place")
        for line in Path("/proc/self/mountinfo").read_bytes().split(b"\n")
        for place in line.split(b" ")[4:5]
    )
    (found,) = (mount for mount in read_mounts() if mount.place == str(private_mount))
    assert found.kind == "tmpfs"
    assert found.process.startswith("sleep (process ")


# --- Swap ---------------------------------------------------------------------


def test_swap_devices_and_files_are_told_apart(made: MadeMachine) -> None:
    made.write(
        "/proc/swaps",
        "Filename\tType\tSize\tUsed\tPriority\n"
        "/dev/dm-1                               partition\t1\t0\t-2\n"
        "/a\\040b                                 file\t\t1\t0\t-3",
    )
    assert [(swap.path, swap.is_file) for swap in read_swaps(made.root)] == [
        ("/dev/dm-1", False),
        ("/a b", True),
    ]


def test_machine_without_swap_has_none(made: MadeMachine, tmp_path: Path) -> None:
    assert read_swaps(made.root) == ()
    assert read_swaps(tmp_path / "nowhere") == ()
