"""What an NVMe drive says it can do, and the commands that it gets then."""

from pathlib import Path

import pytest

from ssdlab.drive.purge.choice import choose_format
from ssdlab.drive.purge.nvme import list_nvme_options
from ssdlab.drive.purge.nvme_format import (
    format_namespace,
    parse_layout,
    parse_lba_formats,
)
from ssdlab.model.drive import PurgeMethod, PurgeOption
from ssdlab.model.errors import TargetRefusedError
from tests.drive.purge.made import (
    NO_ROOT,
    MadeWork,
    Recorded,
    id_ctrl,
    id_ns,
    list_ns,
    made_drive,
    sanitize_log,
)

DRIVE = made_drive("nvme")
DENIED = "/dev/nvme0n1: Permission denied"
Answers = dict[str, tuple[int, str, str]]


def options(**answers: tuple[int, str, str]) -> dict[str, PurgeOption]:
    recorded: Answers = {
        "nvme id-ctrl": (0, id_ctrl(), ""),
        "nvme list-ns": (0, list_ns(1), ""),
        "nvme sanitize-log": (0, sanitize_log(0), ""),
    }
    named = {f"nvme {name.replace('_', '-')}": value for name, value in answers.items()}
    found = list_nvme_options(DRIVE, Recorded(recorded | named), NO_ROOT)
    return {option.method: option for option in found}


def test_drive_that_formats_only_can_erase_user_data_and_no_more() -> None:
    found = options()
    assert [m for m, o in found.items() if o.is_possible] == ["nvme-format-user-data"]
    assert "FNA 0x0 lacks bit 2" in found["nvme-format-crypto"].reason
    assert "SANICAP 0x0 lacks bit 1" in found["nvme-sanitize-block"].reason
    assert found["nvme-format-user-data"].reason == (
        "the drive reports support: OACS 0x10a has bit 1"
    )


def test_drive_without_format_says_so_for_both_kinds() -> None:
    found = options(id_ctrl=(0, id_ctrl(oacs=0x108, fna=4), ""))
    for method in ("nvme-format-user-data", "nvme-format-crypto"):
        assert not found[method].is_possible
        assert "OACS 0x108 lacks bit 1" in found[method].reason


@pytest.mark.parametrize(
    ("sanicap", "possible"),
    [
        (0b001, {"crypto"}),
        (0b010, {"block"}),
        (0b100, {"overwrite"}),
        (0x80000003, {"crypto", "block"}),
        (0xA0000007, {"crypto", "block", "overwrite"}),
    ],
)
def test_sanitize_is_possible_by_its_bits_alone(
    sanicap: int, possible: set[str]
) -> None:
    found = options(id_ctrl=(0, id_ctrl(sanicap=sanicap), ""))
    can = {
        m.rsplit("-", 1)[1] for m, o in found.items() if o.is_possible and "san" in m
    }
    assert can == possible


def test_sanitize_tells_how_long_it_takes_where_the_drive_does() -> None:
    found = options(
        id_ctrl=(0, id_ctrl(sanicap=3), ""),
        sanitize_log=(0, sanitize_log(1, block_s=75), ""),
    )
    assert found["nvme-sanitize-block"].expected_s == 75
    assert found["nvme-sanitize-crypto"].expected_s is None


@pytest.mark.parametrize(
    ("fna", "goes_with_it"), [(0, False), (1, False), (2, True), (4, False)]
)
def test_namespace_that_nobody_can_look_at_forbids_what_erases_all(
    fna: int, *, goes_with_it: bool
) -> None:
    found = options(
        id_ctrl=(0, id_ctrl(fna=fna, sanicap=2), ""),
        list_ns=(0, list_ns(1, 3), ""),
    )
    # nvme-cli formats all namespaces where bit 0 is set, whatever it is told.
    spared = not (goes_with_it or fna == 1)
    words = "it would also erase namespace 3, which has no device here"
    assert found["nvme-format-user-data"].is_possible == spared
    assert (words in found["nvme-format-user-data"].reason) != spared
    assert not found["nvme-sanitize-block"].is_possible
    assert words in found["nvme-sanitize-block"].reason


@pytest.mark.parametrize(
    "reply",
    [(1, "", "Invalid Command"), (0, '{"nsid_list": null}', ""), (0, "no JSON", "")],
)
def test_drive_that_lists_no_namespaces_is_not_erased_as_a_whole(
    reply: tuple[int, str, str],
) -> None:
    found = options(id_ctrl=(0, id_ctrl(sanicap=2), ""), list_ns=reply)
    assert found["nvme-format-user-data"].is_possible  # of this namespace alone
    assert not found["nvme-sanitize-block"].is_possible
    assert "does not list them" in found["nvme-sanitize-block"].reason


def test_other_namespaces_have_the_names_that_the_system_gives(tmp_path: Path) -> None:
    for name, number in (("nvme0n1", 1), ("nvme0n2", 7), ("nvme1n1", 1)):
        folder = tmp_path / "sys/class/block" / name
        folder.mkdir(parents=True)
        (folder / "nsid").write_text(f"{number}\n")
    ask = Recorded({
        "nvme id-ctrl": (0, id_ctrl(fna=2), ""),
        "nvme list-ns": (0, list_ns(1, 7), ""),
    })
    first, *_ = list_nvme_options(DRIVE, ask, tmp_path)
    assert first.erases == ("/dev/nvme0n2",)
    assert "it also erases /dev/nvme0n2" in first.reason


def test_drive_that_lists_attached_namespaces_only_is_asked_for_those() -> None:
    ask = Recorded({
        "nvme id-ctrl": (0, id_ctrl(fna=2), ""),
        "nvme list-ns /dev/nvme0n1 --all": (1, "", "Invalid Field"),
        "nvme list-ns /dev/nvme0n1 --output": (0, list_ns(1, 2), ""),
    })
    first, *_ = list_nvme_options(DRIVE, ask, NO_ROOT)
    assert "it would also erase namespace 2" in first.reason


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ((1, "", DENIED), "Permission denied"),
        ((0, "not JSON", ""), "not JSON"),
        ((0, '{"oacs": "2", "fna": 0, "sanicap": 0}', ""), "did not report"),
        ((0, "[1]", ""), "did not report"),
    ],
    ids=["denied", "text", "string", "list"],
)
def test_drive_that_does_not_say_has_no_possible_method(
    reply: tuple[int, str, str], words: str
) -> None:
    found = options(id_ctrl=reply)
    assert len(found) == 5
    assert not any(option.is_possible for option in found.values())
    assert all(words in option.reason for option in found.values())


@pytest.mark.parametrize(
    ("flbas", "dps", "expected"),
    [
        (0x00, 0, (0, 0, 0, 0)),
        (0x04, 0, (4, 0, 0, 0)),
        (0x13, 0b1001, (3, 1, 1, 1)),
        (0x62, 0b0010, (0x32, 0, 2, 0)),
    ],
)
def test_layout_is_read_from_its_bits(
    flbas: int, dps: int, expected: tuple[int, int, int, int]
) -> None:
    layout = parse_layout(id_ns(flbas=flbas, dps=dps))
    assert layout is not None
    assert expected == (
        layout.lba_format,
        layout.metadata_setting,
        layout.protection,
        layout.protection_place,
    )


@pytest.mark.parametrize(
    ("method", "erasure"), [("nvme-format-user-data", 1), ("nvme-format-crypto", 2)]
)
def test_format_keeps_how_the_namespace_is_formatted(
    method: PurgeMethod, erasure: int, tmp_path: Path
) -> None:
    ask = Recorded({
        "nvme id-ns": (0, id_ns(flbas=0x14, dps=0b1010), ""),
        "nvme format": (0, "Success formatting namespace:1\n", ""),
    })
    done = format_namespace(MadeWork(tmp_path).on(DRIVE, method, ask))
    assert not done.fault
    assert ask.lines[1] == (
        "nvme format /dev/nvme0n1 --namespace-id=1 --lbaf=4 --ms=1 --pi=2 --pil=1 "
        f"--ses={erasure} --timeout=1802237 --force"
    )
    assert done.said[0].endswith("exit code 0 after 0.01 s")


def test_larger_drive_is_given_more_time(tmp_path: Path) -> None:
    ask = Recorded({"nvme id-ns": (0, id_ns(), ""), "nvme format": (0, "", "")})
    drive = made_drive("nvme", capacity_bytes=3 * 10**12)
    format_namespace(MadeWork(tmp_path).on(drive, "nvme-format-user-data", ask))
    assert "--timeout=101800000" in ask.lines[1]  # 1,800 s and 3 TB at 30 MB/s


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("NVMe status: Access Denied: Access is denied(0x4286)", "write protected"),
        ("format: Operation not permitted", " may not "),
        ("NVMe status: Sanitize In Progress: (0x1d)", "wait until it is done"),
        ("NVMe status: Invalid Command Opcode(0x4001)", "Invalid Command Opcode"),
    ],
)
def test_failed_format_says_what_the_tool_said_and_the_remedy(
    said: str, words: str, tmp_path: Path
) -> None:
    ask = Recorded({"nvme id-ns": (0, id_ns(), ""), "nvme format": (1, "", said)})
    done = format_namespace(MadeWork(tmp_path).on(DRIVE, "nvme-format-user-data", ask))
    assert words in done.fault
    assert said in done.fault
    assert "exit code 1" in done.said[0]


def test_nothing_is_formatted_where_the_layout_is_not_known(tmp_path: Path) -> None:
    ask = Recorded({"nvme id-ns": (1, "", "NVMe status: Invalid Field(0x4002)")})
    done = format_namespace(MadeWork(tmp_path).on(DRIVE, "nvme-format-user-data", ask))
    assert "reading the format of the namespace failed" in done.fault
    assert len(ask.asked) == 1


# Metadata, data size (2^n) and RP: 1 has metadata, 3 is the better one of 4 KiB.
FORMATS = ((0, 9, 2), (8, 9, 2), (0, 12, 2), (0, 12, 0), (0, 0, 0))


def test_formats_are_those_without_metadata_the_better_one_first() -> None:
    found = parse_lba_formats(id_ns(lbafs=FORMATS))
    assert [(one.number, one.sector_bytes) for one in found] == [
        (0, 512), (3, 4096), (2, 4096)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"nlbaf": 1, "lbafs": 3}', '{"lbafs": [{"ms": 0, "ds": 9}]}',
     '{"nlbaf": 1, "lbafs": [3, {"ms": 0, "ds": true}, {"ds": 9}]}'],
)  # fmt: skip
def test_formats_that_are_not_reported_are_none(text: str) -> None:
    assert parse_lba_formats(text) == ()


def format_answers(*, oacs: int = 0x2) -> Recorded:
    return Recorded({
        "nvme id-ctrl": (0, id_ctrl(oacs=oacs), ""),
        "nvme id-ns": (0, id_ns(flbas=0x11, dps=0b1010, lbafs=FORMATS), ""),
        "nvme list-ns": (0, list_ns(1), ""),
        "nvme format": (0, "Success formatting namespace:1", ""),
    })


def test_format_to_other_sectors_names_them_and_is_a_format(tmp_path: Path) -> None:
    ask = format_answers()
    chosen = choose_format(DRIVE, "auto", 4096, ask=ask, root=NO_ROOT)
    assert chosen.method == "nvme-format-user-data"
    assert chosen.sector_bytes == 4096
    assert chosen.words.endswith("to sectors of 4096 B instead of 512 B")
    made = MadeWork(tmp_path)
    work = made.on(DRIVE, chosen.method, ask, sector_bytes=chosen.sector_bytes)
    done = format_namespace(work)
    assert ask.lines[-1].startswith(
        "nvme format /dev/nvme0n1 --namespace-id=1 --lbaf=3 --ms=0 --pi=0 --pil=0 "
    )
    # This machine has no such drive, so the sectors are not seen to change.
    assert "not 4096 B" in done.fault
    assert made.clock.time_s >= 10


@pytest.mark.parametrize(
    ("wanted", "sector_bytes", "oacs"),
    [("discard", 4096, 0x2), ("auto", 520, 0x2), ("auto", 4096, 0x0)],
    ids=["no-format", "no-such-size", "cannot-format"],
)
def test_other_sectors_are_refused_where_a_format_cannot_make_them(
    wanted: str, sector_bytes: int, oacs: int
) -> None:
    ask = format_answers(oacs=oacs)
    with pytest.raises(TargetRefusedError):
        choose_format(DRIVE, wanted, sector_bytes, ask=ask, root=NO_ROOT)
    assert not [line for line in ask.lines if line.startswith("nvme format")]


def test_other_sectors_are_refused_where_no_formats_are_reported() -> None:
    ask = Recorded({"nvme id-ns": (1, "", "Permission denied")})
    with pytest.raises(TargetRefusedError, match="reports no LBA formats"):
        choose_format(DRIVE, "auto", 4096, ask=ask, root=NO_ROOT)


def test_format_that_is_gone_when_it_is_needed_formats_nothing(tmp_path: Path) -> None:
    ask = Recorded({"nvme id-ns": (0, id_ns(), "")})
    work = MadeWork(tmp_path).on(DRIVE, "nvme-format-user-data", ask, sector_bytes=4096)
    assert "has no LBA format of 4096 B" in format_namespace(work).fault
    assert len(ask.asked) == 1
