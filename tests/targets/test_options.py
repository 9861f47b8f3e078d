"""Names that a fio job file can hold, and sizes in a target's text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.model.errors import TargetRefusedError, UnknownNameError
from ssdlab.targets.options import require_safe_path, split_size


@pytest.mark.parametrize(
    ("text", "path", "size"),
    [
        ("/x/file", "/x/file", None),
        ("/x/file,size=1MiB", "/x/file", 1048576),
        ("/x/a,size=2k,size=1MiB", "/x/a,size=2k", 1048576),
        ("/x/a,b", "/x/a,b", None),
    ],
)
def test_size_is_split_off_the_path(text: str, path: str, size: int | None) -> None:
    assert split_size(text) == (path, size)


@pytest.mark.parametrize("size", ["", "much", "9" * 400])
def test_size_is_refused_when_it_is_none(size: str) -> None:
    with pytest.raises(TargetRefusedError, match=r"Example: size=256MiB"):
        split_size(f"/x/file,size={size}")


@pytest.mark.parametrize("rest", ["foo=2", " foo = 2", "foo"])
def test_option_after_the_size_is_named_when_unknown(rest: str) -> None:
    with pytest.raises(UnknownNameError, match=r"Unknown option of a file 'foo'"):
        split_size(f"/x/file,size=1GiB,{rest}")


HOSTILE = ["\n", "\r", "\x00", "\t", "\x7f", "$", "`", "\\", ";", "#", "\udc80"]


@pytest.mark.parametrize("character", HOSTILE, ids=ascii)
def test_path_is_refused_when_fio_would_read_another(character: str) -> None:
    with pytest.raises(
        TargetRefusedError, match="a fio job file cannot contain this name"
    ):
        require_safe_path(f"/x/a{character}b")


@pytest.mark.parametrize("path", ["", " /x", "/x "])
def test_path_is_refused_when_it_is_empty_or_ends_in_a_blank(path: str) -> None:
    with pytest.raises(TargetRefusedError, match="cannot contain this name"):
        require_safe_path(path)


def test_colon_is_escaped() -> None:
    assert require_safe_path("/x/a:b") == r"/x/a\:b"


@settings(deadline=None)
@given(st.text(min_size=1))
def test_path_is_one_line_of_utf_8_or_refused(path: str) -> None:
    try:
        safe = require_safe_path(path)
    except TargetRefusedError as error:
        str(error).encode()
        return
    assert len(safe.encode().split(b"\n")) == 1
    assert safe.replace(r"\:", ":") == path
