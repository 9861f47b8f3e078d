import re
from dataclasses import fields, replace

import pytest

from ssdlab.model.errors import TargetRefusedError, UnknownNameError, UserError
from ssdlab.model.units import MIB
from ssdlab.virtual.options import (
    VirtualSsdOptions,
    options_text,
    parse_options,
    require_usable,
    split_names,
)
from tests.paths import ROOT


def test_parse_options_reads_sizes_and_counts() -> None:
    assert parse_options("size=256MiB, op=28,dies=4") == VirtualSsdOptions(
        size_bytes=256 * MIB, over_provisioning_percent=28, dies=4
    )


def test_parse_options_gives_the_defaults_when_the_text_is_empty() -> None:
    assert parse_options("") == VirtualSsdOptions()


def test_options_text_is_what_parse_options_reads() -> None:
    options = VirtualSsdOptions(
        size_bytes=64 * MIB, pages_per_block=16, seed=7, linger_s=0, buffer_pages=1
    )
    assert parse_options(options_text(options)) == options


def test_names_of_a_drive_are_not_parameters_of_its_model() -> None:
    names, rest = split_names("serial=SSD-1, op=28,firmware=A.2")
    assert names == {"serial": "SSD-1", "firmware": "A.2"}
    assert parse_options(rest) == VirtualSsdOptions(over_provisioning_percent=28)
    assert split_names("op=28") == ({}, "op=28")


@pytest.mark.parametrize(
    "text", ["serial=", "serial=../x", "firmware=a b", "serial=a,serial=b", "serial=é"]
)
def test_name_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(TargetRefusedError):
        split_names(text)


def test_parse_options_names_the_known_options_when_one_is_unknown() -> None:
    with pytest.raises(UnknownNameError, match=r"'sise'.*size, op, dies, ppb"):
        parse_options("sise=64MiB")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("size=1MiB", "too small for 8 dies with blocks of 32 pages.*8388608"),
        ("size=64MiB,ppb=4096", "too small"),
        ("size=8388609", "not a multiple of 4 KiB"),
        ("size=1TiB", "too large for a drive in memory"),
        ("size=0", "too small"),
        ("size=-64MiB", "is not a size|is not a valid size"),
        ("size=" + "9" * 400, "is not a size|is not a valid size|too large"),
        ("op=-1", "op=-1 is not a whole number"),
        ("op=1001", "op= is out of range. Choose from 0 to 1000"),
        ("op=1e3", "not a whole number"),
        ("op=²", "not a whole number"),
        ("op", "op= is not a whole number"),
        ("op=12=13", "not a whole number"),
        ("dies=0", "dies= is out of range"),
        ("ppb=1", "ppb= is out of range"),
        ("buffer=0", "buffer= is out of range"),
        ("seed=" + "9" * 19, "seed= is out of range"),
        ("seed=" + "9" * 30, "not a whole number"),
        ("op=7,op=8", "op= is given twice"),
        ("op=7,size=64MiB\ncounters=/etc/passwd", "is not a size|is not a valid size"),
    ],
)
def test_parse_options_refuses_what_makes_no_drive(text: str, message: str) -> None:
    with pytest.raises(TargetRefusedError, match=message) as caught:
        parse_options(text)
    assert caught.value.exit_code == 2


def test_parse_options_names_only_what_is_at_fault() -> None:
    with pytest.raises(TargetRefusedError) as caught:
        parse_options("size=480GB,op=12")
    assert str(caught.value) == (
        "virtual:size=480000000000: 480 GB is too large for a drive in "
        "memory. Choose size=64GiB or less."
    )


def test_parse_options_knows_no_file_names() -> None:
    with pytest.raises(UserError, match="Unknown option"):
        parse_options("counters=/etc/passwd")


def test_require_usable_checks_options_made_in_python() -> None:
    with pytest.raises(TargetRefusedError, match="dies= is out of range"):
        require_usable(replace(VirtualSsdOptions(), dies=100_000))


def test_page_of_the_virtual_ssd_names_the_defaults() -> None:
    page = (ROOT / "docs" / "virtual-ssd.md").read_text("utf-8")
    rows = re.findall(
        r"^\| (`\w+`(?:, `\w+`)*) \| [^|]+ \| ([^|]+) \|$", page, re.MULTILINE
    )
    stated = {
        name: value
        for names, values in rows
        for name, value in zip(
            re.findall(r"\w+", names), re.split(", ", values.strip()), strict=True
        )
    }
    assert parse_options(",".join(f"{k}={v}" for k, v in stated.items())) == (
        VirtualSsdOptions()
    )
    assert len(stated) == len(fields(VirtualSsdOptions))
