"""What fuser tells of programs that hide what they have open."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.drive.gate.hidden import find_hidden_writers, parse_fuser
from ssdlab.model.errors import MissingToolError
from tests.drive.recorded import a_drive, saying
from tests.drive.users import as_nobody, only_root

DRIVE = a_drive("scsi")
# As psmisc 23.6 prints it: the numbers on the one channel, the rest on the other.
NUMBERS = " 16321 16322"
ROWS = (
    "                     USER        PID ACCESS COMMAND\n"
    "/dev/sdz:            root      F.... dd\n"
    "                     root      f.... sleep\n"
)
DENIED = "Cannot stat file /proc/1/fd/0: Permission denied\n"


def test_only_who_may_write_is_told() -> None:
    assert parse_fuser(NUMBERS, ROWS, own="1") == ("dd (process 16321)",)
    assert parse_fuser(NUMBERS, ROWS, own="16321") == ()
    assert parse_fuser("", "", own="1") == ()
    assert parse_fuser(NUMBERS, DENIED + ROWS, own="1") == ("dd (process 16321)",)


@pytest.mark.parametrize(
    ("stdout", "stderr"),
    [
        (" 16321", ROWS),
        (NUMBERS, f"{DENIED}{ROWS.replace('F.', 'f.')}"),
        ("", "sudo: a password is required: permission denied"),
    ],
    ids=["rows do not fit", "it may not look either", "sudo refuses"],
)
def test_answer_that_is_not_whole_is_none(stdout: str, stderr: str) -> None:
    assert parse_fuser(stdout, stderr, own="1") is None


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_answer_is_understood_or_none(stdout: str, stderr: str) -> None:
    found = parse_fuser(stdout, stderr, own="1")
    assert found is None or all("(process " in process for process in found)


@only_root
def test_root_is_asked_where_sudo_lets_this_user(tmp_path: Path) -> None:
    def missing(_: str) -> bool:
        raise MissingToolError(tool="fuser", needed_for="it", remedy="Install it.")

    ask = saying(NUMBERS, stderr=ROWS)
    assert find_hidden_writers(DRIVE, ask=ask, may_ask=lambda _: True) is None
    with as_nobody(tmp_path):
        assert find_hidden_writers(DRIVE, ask=ask, may_ask=lambda _: False) is None
        assert find_hidden_writers(DRIVE, ask=ask, may_ask=missing) is None
        assert ask.asked == []
        found = find_hidden_writers(DRIVE, ask=ask, may_ask=lambda _: True)
    assert found == ("dd (process 16321)",)
    assert ask.asked == [("fuser", "--verbose", "/dev/sdz")]
