"""Files of the system, whatever their names, and whether they are there or not."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.system.files import list_names, read_number, read_text

DIGITS = st.sampled_from("0123456789²³¹٣๓⑤५")
SIGNS = st.characters(blacklist_characters="/\0", blacklist_categories=["Cs"])
NAMES = st.text(DIGITS | SIGNS, min_size=1, max_size=20).filter(
    lambda name: name not in {".", ".."}
)


@settings(max_examples=60)
@given(st.sets(NAMES, max_size=6))
def test_every_name_is_listed_once_whatever_signs_it_has(names: set[str]) -> None:
    with TemporaryDirectory() as folder:
        for name in names:
            (Path(folder) / name).touch()
        assert sorted(list_names(Path(folder))) == sorted(names)


def test_names_are_in_the_order_that_people_count(tmp_path: Path) -> None:
    for name in ("nvme10n1", "nvme2n1", "nvme2n10", "nvme2n²", "nvme2n3", "sda"):
        (tmp_path / name).touch()
    assert list_names(tmp_path) == (
        *("nvme2n1", "nvme2n3", "nvme2n10", "nvme2n²", "nvme10n1", "sda"),
    )


def test_what_cannot_be_read_is_told_as_nothing(tmp_path: Path) -> None:
    (tmp_path / "word").write_text("word\n")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    assert read_text(tmp_path / "missing") == ""
    assert read_text(tmp_path) == ""
    assert read_number(tmp_path / "missing") is None
    assert read_number(tmp_path / "word") is None
    assert read_text(tmp_path / "bytes")
    assert list_names(tmp_path / "missing") == ()
    assert list_names(tmp_path) == ("bytes", "word")
