"""Files of limits: what they say, and what is wrong in them."""

import math
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.limits.bounds import BoundLimit, parse_bounds, read_bounds
from ssdlab.model.errors import UnknownNameError, UserFileError
from ssdlab.reference.published_limits import PUBLISHED_LIMITS
from ssdlab.reference.storage_classes import read_storage_classes
from tests.paths import ROOT

REFERENCE = ROOT / "ssdlab" / "reference"


def file_of(**limit: str) -> str:
    return "\n".join(["[[limit]]", *(f"{key} = {text}" for key, text in limit.items())])


@pytest.mark.parametrize(
    ("limit", "text", "bounds"),
    [
        ({"metric": "iops", "at_least": 40000}, "IOPS ≥ 40,000", (4e4, math.inf)),
        ({"metric": "bw", "at_least": "480 MB/s"}, "480 MB/s", (4.8e8, math.inf)),
        ({"metric": "bw", "at_least": "1 MiB/s"}, "≥ 1 MiB/s", (1048576.0, math.inf)),
        ({"metric": "mean", "at_most": "50 us"}, "Mean ≤ 50 us", (-math.inf, 5e4)),
        ({"metric": "p99.999", "at_most": "2ms"}, "p99.999 ≤ 2ms", (-math.inf, 2e6)),
        (
            {"metric": "temperature_celsius", "at_least": 0, "at_most": 70.5},
            "Temperature 0 °C to 70.5 °C",
            (0.0, 70.5),
        ),
    ],
)
def test_limit_has_its_bounds_in_stored_units(
    limit: dict[str, Any], text: str, bounds: tuple[float, float]
) -> None:
    found = BoundLimit(**limit)
    assert text in found.text
    assert found.range == pytest.approx(bounds)


@given(value=st.integers(1, 10**9))
def test_unit_of_a_bound_does_not_matter(value: int) -> None:
    for metric, small, large in (("p99", "us", "ms"), ("bw", "kB/s", "MB/s")):
        ends = [
            BoundLimit(metric=metric, at_most=f"{number} {unit}").range[1]
            for number, unit in ((value, small), (f"{value / 1000:.3f}", large))
        ]
        assert ends[0] == pytest.approx(ends[1], rel=1e-12)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[limit", "TOML"),
        ("", "no limit"),
        ("limit = 1", "limit"),
        ("limits = []", "limits"),
        (file_of(metric='"iops"'), "neither at_least nor at_most"),
        (file_of(metric="1", at_least="1"), "metric"),
        (file_of(metric='"speed"', at_least="1"), "speed"),
        (file_of(metric='"p0"', at_most='"1 ms"'), "p0"),
        (file_of(metric='"p100"', at_most='"1 ms"'), "p100"),
        (file_of(metric='"\\u001b[31m"', at_least="1"), r"\\x1b"),
        (file_of(metric='"iops"', at_least='"5"'), "at_least"),
        (file_of(metric='"iops"', at_least="nan"), "at_least"),
        (file_of(metric='"iops"', at_least="inf"), "infinite"),
        (file_of(metric='"iops"', at_least="-1"), "more than 0"),
        (file_of(metric='"iops"', at_least="true"), "at_least"),
        (file_of(metric='"iops"', at_least="9" * 400), "finite"),
        (file_of(metric='"iops"', at_least="9" * 5000), "TOML"),
        (file_of(metric='"iops"', at_least="2", at_most="1"), "more than at_most"),
        (file_of(metric='"p99"', at_most="1"), "1.5 ms"),
        (file_of(metric='"p99"', at_most='"1 h"'), "1.5 ms"),
        (file_of(metric='"p99"', at_most='"1e9 ms"'), "1.5 ms"),
        (file_of(metric='"p99"', at_most='"\\u001bms"'), r"\\x1b"),
        (file_of(metric='"bw"', at_least='"1 ms"'), "480 MB/s"),
        (file_of(metric='"iops"', at_least="1", cell='""'), "empty"),
        (file_of(metric='"iops"', at_least="1", cell='"\\u001b[2J"'), r"\\x1b"),
        ('title = "\\n"\n' + file_of(metric='"iops"', at_least="1"), "title"),
        (file_of(metric='"iops"', at_least="1", direction='"up"'), "up"),
        (file_of(metric='"iops"', at_least="1", confidence_percent="100"), "99.99"),
        (file_of(metric='"iops"', at_least="1", confidence_percent="nan"), "99.99"),
        (file_of(metric='"iops"', at_least="1", accept='"steady state"'), "list"),
        (file_of(metric='"iops"', at_least="1", accept='["kernel"]'), "kernel"),
        (file_of(metric='"iops"', at_least="1", loss_percent="5"), "loss_percent"),
        (file_of(metric='"media_errors"', at_most="0", cell='"x"'), "no cell"),
        (file_of(metric='"iops"', at_least="1") * 1001, "TOML|most are"),
        ("\n".join([file_of(metric='"iops"', at_least="1")] * 1001), "1,001"),
    ],
)
def test_mistake_in_a_file_of_limits_is_named(text: str, words: str) -> None:
    with pytest.raises(UserFileError, match=words) as caught:
        parse_bounds(text, source="limits.toml")
    message = str(caught.value)
    assert message.startswith("limits.toml: ")
    assert message.isprintable()
    assert len(message) < 400


def test_mistake_names_the_table(tmp_path: Path) -> None:
    good = file_of(metric='"iops"', at_least="1")
    path = tmp_path / "mine.toml"
    path.write_text(f"{good}\n{file_of(metric='9')}", "utf-8")
    with pytest.raises(UserFileError, match=r"mine\.toml: limit\[1\]\.metric"):
        read_bounds(path)


def test_limits_that_the_documentation_shows_are_valid() -> None:
    page = ROOT / "docs" / "how-to" / "check-limits.md"
    (text,) = re.findall(r"```toml\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    found = parse_bounds(text, source=page.name)
    assert [one.kind for one in found.limit] == [
        "rate", "rate", "percentile", "reading",
    ]  # fmt: skip


def test_limits_of_a_class_are_the_numbers_that_were_published() -> None:
    found = read_bounds(Path("reference:enterprise-sata"))
    classes = read_storage_classes()
    row = classes[classes["row"] == 6].iloc[0]
    names = [
        "write_iops", "mixed_iops", "read_iops", "tp_write_mb_per_s",
        "tp_read_mb_per_s", "lat_mean_ms",
    ]  # fmt: skip
    factors = [1, 1, 1, 1e6, 1e6, 1e6]
    bounds = [min(map(abs, one.range)) for one in found.limit]
    wanted = [row[name] * size for name, size in zip(names, factors, strict=True)]
    assert bounds == pytest.approx(wanted)
    assert f"T{row['iops_threads']}/Q{row['iops_queue_depth']}" in found.limit[0].cell
    assert "Calypso" in found.source


def test_limits_of_a_report_are_the_numbers_that_it_prints() -> None:
    found = read_bounds(Path("reference:intel-s3510"))
    text = (REFERENCE / "tkperf_intel_s3510.toml").read_text("utf-8")
    printed = tomllib.loads(text)
    iops, rates, latency = (printed[key] for key in ("iops", "throughput", "latency"))
    by_mix = dict(zip(iops["read_percent"], iops["average"]["4k"], strict=True))
    wanted = [by_mix[mix] for mix in (0, 65, 100)]
    by_mix = dict(zip(rates["read_percent"], rates["mib_per_s"]["1024k"], strict=True))
    wanted += [by_mix[mix] * 2**20 for mix in (0, 100)]
    by_mix = dict(
        zip(latency["read_percent"], latency["average_ms"]["4k"], strict=True)
    )
    wanted += [by_mix[mix] * 1e6 for mix in (0, 100)]
    assert [min(map(abs, one.range)) for one in found.limit] == pytest.approx(wanted)


def test_every_published_file_is_there_and_names_its_source() -> None:
    assert {path.name for path in REFERENCE.glob("limits_*.toml")} == set(
        PUBLISHED_LIMITS.values()
    )
    for name in PUBLISHED_LIMITS:
        assert read_bounds(Path(f"reference:{name}")).source
    with pytest.raises(UnknownNameError, match="intel-s3510"):
        read_bounds(Path("reference:intel"))
