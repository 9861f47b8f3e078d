"""Methods as data: each has words, and is a purge by definition or not."""

import pytest

from ssdlab.drive.purge.carry_out import _CARRIERS
from ssdlab.drive.purge.methods import PURGE_WORDS, methods_of, stopping_words
from ssdlab.findings.conformance import judge_purge
from ssdlab.model.drive import PURGE_METHODS, PurgeMethod


def test_each_method_has_words_and_a_carrier() -> None:
    assert set(PURGE_WORDS) == set(PURGE_METHODS)
    assert {*_CARRIERS, "none"} == set(PURGE_METHODS)


@pytest.mark.parametrize("method", PURGE_METHODS)
def test_method_is_a_purge_where_the_standard_names_it(method: PurgeMethod) -> None:
    unproven = {"discard", "discard-secure", "overwrite"}
    expected = "unproven" if method in unproven else "proven"
    expected = "none" if method == "none" else expected
    assert judge_purge(method) == expected


def test_methods_of_a_bus_are_its_own_and_those_of_every_drive() -> None:
    plain = ("discard-secure", "discard", "overwrite", "none")
    assert methods_of("ata") == (
        "ata-security-erase",
        "ata-security-erase-enhanced",
        "ata-sanitize-block",
        "ata-sanitize-crypto",
        "ata-sanitize-overwrite",
        *plain,
    )
    for bus in ("usb", "virtio", "loop", "other"):
        assert methods_of(bus) == plain


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("nvme-sanitize-block", "The next purge waits for it"),
        ("scsi-format-unit", "The next purge waits for it"),
        ("ata-security-erase", "leave its power on"),
        ("discard", "Part of the old data is still on the drive"),
    ],
)
def test_stopping_says_what_the_drive_does_then(
    method: PurgeMethod, words: str
) -> None:
    assert words in stopping_words(method)
