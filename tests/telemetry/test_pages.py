"""The drive while it was measured, and its host, as the report shows them."""

import base64
import gzip
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ssdlab.model.drive import Bus, Drive, PurgeChoice
from ssdlab.model.host_checks import CheckVerdict, HostCheck
from ssdlab.model.schema import TABLES
from ssdlab.report import render_report
from ssdlab.store.records import write_record
from ssdlab.store.run import Run, open_tables
from ssdlab.store.tables import rows_to_columns, write_table
from tests.made_run import RUN_ID, Recipe, make_run
from tests.rendered import SMALL, words

WSAT = replace(SMALL, tests=("wsat",), kind="block")
PCIE_TOLD = {"pcie_link_width": (2.0, 2.0), "pcie_link_width_max": (4.0, 4.0)}


def drive(bus: Bus = "nvme") -> Drive:
    return Drive(
        path="/dev/nvme0n1", name="nvme0n1", model="M", serial="S", firmware="F",
        wwn="", bus=bus, capacity_bytes=480_103_981_056, logical_sector_bytes=512,
        physical_sector_bytes=512, device_number="259:0",
    )  # fmt: skip


def check(title: str, verdict: CheckVerdict, remedy: str = "") -> HostCheck:
    return HostCheck(
        check_id=title, title=title, verdict=verdict, read=f"read of {title}",
        why=f"why of {title}", remedy=remedy, source=f"source of {title}",
    )  # fmt: skip


def tell(
    run: Run,
    told: Mapping[str, tuple[float, float]],
    source: str,
    dips: Sequence[str] = (),
) -> None:
    """Write telemetry: each reading every 5 s, evenly from its first to its last.

    The third reading of what ``dips`` is 1.
    """
    begin_s, end_s = run.steps["started_s"].min(), run.steps["ended_s"].max()
    count = int((end_s - begin_s) / 5)
    rows = [
        {
            "run_id": RUN_ID,
            "time_s": begin_s + 5 * place,
            "source": source,
            "name": name,
            "value": 1.0
            if name in dips and place == 2
            else first + (last - first) * place / (count - 1),
        }
        for place in range(count)
        for name, (first, last) in told.items()
    ]
    table = TABLES["telemetry"]
    write_table(run.folder / "tables", table, rows_to_columns(table, rows))


def report(
    folder: Path,
    told: Mapping[str, tuple[float, float]],
    *,
    recipe: Recipe = WSAT,
    source: str = "block",
    dips: Sequence[str] = (),
    **facts: Any,
) -> str:
    run = make_run(folder / "run", recipe)
    tell(run, told, source, dips)
    write_record(run.path, replace(run.record, **facts))
    return render_report(open_tables(run.path))


def section(page: str, name: str) -> str:
    found = re.search(rf'<section class="page examined" id="{name}">.*?</section>',
                      page, flags=re.DOTALL)  # fmt: skip
    return found[0] if found else ""


def figures(page: str) -> list[dict[str, Any]]:
    packed = re.search(r'id="packed-figures">([^<]*)<', page)
    assert packed
    specs: list[dict[str, Any]] = json.loads(
        gzip.decompress(base64.b64decode(packed[1]))
    )
    return specs


TOLD = {
    "temperature_celsius": (38.0, 62.0),
    "host_written_bytes": (88e12, 90e12),
    "temperature_throttled_s": (7.0, 67.0),
    "media_errors": (0.0, 0.0),
    "wear_percent": (7.0, 7.0),
    "is_failing": (0.0, 0.0),
    "health_read_s": (0.004, 0.004),
    **PCIE_TOLD,
}
LIMITS = {
    "warning_temperature_celsius": (45.0, 45.0),
    "critical_temperature_celsius": (80.0, 80.0),
}
WHY = (
    "the first method that this drive can do; it takes <discards> up to 4.2 GB. Passed "
    "over: secure discard of all LBAs: not told"
)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> str:
    return report(tmp_path_factory.mktemp("told"), TOLD, drive=drive())


def test_drive_page_tells_before_and_after(told: str) -> None:
    shown = words(section(told, "drive"))
    assert "Temperature 38 °C 62 °C +24 °C" in shown
    assert "Rated life used 7 % 7 % none" in shown
    assert "Written by hosts 88 TB 90 TB +2 TB" in shown
    assert "Thermal throttling 7 s 1 min 7 s +1 min" in shown
    assert "Reports that it is failing no no -" in shown
    assert "Link width; capable of 4 2 lanes 2 lanes none" in shown
    assert "Spare blocks left unknown unknown -" in shown
    assert 'href="#drive"' in told


def test_drive_page_tells_of_each_test(told: str) -> None:
    (row,) = re.findall(
        r'<th scope="row">Write saturation</th>.*?</tr>', section(told, "drive")
    )
    cells = re.findall(r"<td[^>]*>(.*?)</td>", row)
    assert cells[1] == "38 / 50 / 62"
    assert cells[2] == "1 min"
    assert cells[5:] == ["0", "4.000 ms; 0.08 %"]


def test_strip_stands_under_the_plot_over_time_alone(told: str) -> None:
    lines = [[line["name"] for line in spec["data"]] for spec in figures(told)]
    strip = ["Temperature", "Written, by its counter (right axis)"]
    assert ["IOPS", "FOB", *strip] in lines
    assert sum(names[-2:] == strip for names in lines) == 2  # and the whole run


def test_pages_of_a_model_show_no_drive(tmp_path: Path) -> None:
    model = replace(WSAT, kind="virtual")
    page = report(tmp_path / "a", TOLD, recipe=model, source="virtual")
    without = render_report(make_run(tmp_path / "b" / "run", model))
    assert page == without
    assert section(page, "drive") == ""
    assert "checks of the host" not in section(page, "host")


@pytest.mark.parametrize(
    ("bus", "is_said"), [("nvme", True), ("loop", False)], ids=["drive", "loop device"]
)
def test_drive_that_told_nothing_is_said_so(
    tmp_path: Path, bus: Bus, *, is_said: bool
) -> None:
    page = report(tmp_path, {"health_read_s": (0.1, 0.1)}, drive=drive(bus))
    assert ("never read, or not reported" in section(page, "drive")) == is_said


def test_drive_of_which_only_the_link_is_known_is_said_so(tmp_path: Path) -> None:
    shown = words(section(report(tmp_path, PCIE_TOLD, drive=drive()), "drive"))
    assert "never read, or not reported" in shown
    assert "Link width; capable of 4 2 lanes 2 lanes none" in shown
    assert "Temperature unknown unknown -" in shown


def test_host_page_has_the_bad_first_and_folds_the_good(tmp_path: Path) -> None:
    checks = (
        check("SELinux", "good"),
        check("load", "warn", "stop <other> work"),
        check("NUMA", "unknown"),
        check("governor", "bad", "set performance"),
    )
    page = section(report(tmp_path, TOLD, host_checks=checks), "host")
    shown = words(page)
    assert "4 checks of the host before the run: 1 bad, 1 warning, 1 good" in shown
    assert "<other>" not in page
    order = ["governor", "set performance", "load", "stop <other> work", "SELinux"]
    assert [shown.index(text) for text in order] == sorted(map(shown.index, order))
    folded = page[page.index('<details class="folded">') :]
    assert "SELinux" in folded
    assert "NUMA" in folded
    assert "governor" not in folded


def test_host_page_of_a_model_too(tmp_path: Path) -> None:
    page = report(
        tmp_path, {}, recipe=replace(WSAT, kind="virtual"),
        host_checks=(check("fio", "good"),),
    )  # fmt: skip
    shown = section(page, "host")
    assert "1 check of the host before the run: 1 good." in words(shown)
    assert "1 checks" not in words(shown)


def test_link_that_was_narrower_for_a_time_is_said_so(tmp_path: Path) -> None:
    name = "pcie_link_width"
    told = {name: (4.0, 4.0), "pcie_link_speed_gt_s": (8.0, 8.0)}
    shown = words(section(report(tmp_path, told, drive=drive(), dips=(name,)), "drive"))
    assert "Link width 4 lanes 4 lanes none; at times 1 " in shown
    assert "Link speed per lane 8 GT/s 8 GT/s none" in shown


def test_limits_of_temperature_are_told_and_drawn(tmp_path: Path) -> None:
    page = report(tmp_path, TOLD | LIMITS, drive=drive())
    shown = words(section(page, "drive"))
    assert "Warning temperature 45 °C 45 °C none" in shown
    assert "Critical temperature 80 °C 80 °C none" in shown
    drawn = [
        {note["text"] for note in spec["layout"].get("annotations", ())}
        for spec in figures(page)
    ]
    limits = {"warning 45 °C", "critical 80 °C"}
    assert sum(limits <= notes for notes in drawn) == 2  # the strip, and the whole run


def test_reason_of_the_purge_is_short_on_the_front_page_and_on_no_other(
    tmp_path: Path,
) -> None:
    choice = PurgeChoice(method="discard", words="discard", why=WHY)
    page = report(tmp_path / "a", TOLD, purge_choice=choice)
    assert words(page).count("Why this purge") == 1
    short = "the first method that this drive can do; it takes <discards> up to 4.2 GB"
    assert f"Why this purge {short} Write cache" in words(page)
    assert f"Why this method: {WHY}." in words(section(page, "purges"))
    model = replace(WSAT, kind="virtual")
    page = report(tmp_path / "b", {}, recipe=model, purge_choice=choice)
    assert "Why this purge" not in page


@pytest.mark.parametrize(
    ("bus", "kind"), [("nvme", "drive"), ("loop", "loop device")], ids=str
)
def test_head_tells_a_loop_device_from_a_drive(
    tmp_path: Path, bus: Bus, kind: str
) -> None:
    page = report(tmp_path, TOLD, drive=drive(bus))
    assert set(re.findall(r"<dt>Kind</dt><dd>([^<]*)</dd>", page)) == {kind}


def test_lines_of_a_message_stay_lines(tmp_path: Path) -> None:
    failed = replace(SMALL, tests=("wsat",), status="failed", message="two:\n  - one\n")
    page = render_report(make_run(tmp_path / "run", failed))
    assert "two:\n  - one" in page
    assert re.search(r"\.note \{[^}]*white-space: pre-line", page)


def test_paths_in_the_table_of_the_host_break_at_their_joints(tmp_path: Path) -> None:
    path = "/sys/devices/system/cpu/cpufreq/governor <b>"
    (found,) = (replace(check("governor", "bad"), read=path),)
    page = section(report(tmp_path, TOLD, host_checks=(found,)), "host")
    assert "cpu/<wbr>cpufreq/<wbr>governor &lt;b&gt;" in page
