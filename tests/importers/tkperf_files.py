"""A result in the form of TKperf's XML, made of the numbers of a published report.

The report gives the mean of each cell over the window and every value of the tracking
variables in it. So each round of a cell is made of its mean, in whole numbers where
TKperf has whole numbers; what the report does not give, rounds before the window and
least latencies, is made up. No file that TKperf wrote was at hand.
"""

import csv
import json
from pathlib import Path
from xml.etree import ElementTree as ET

DEVICE = "crucial_mx200"
NAMES = {"iops": "iops", "tp": "throughput", "lat": "latency"}
IOPS_SIZES = ("1024k", "128k", "64k", "32k", "16k", "8k", "4k", "512")
IOPS_MIXES = (100, 95, 65, 50, 35, 5, 0)
LAT_SIZES = ("8k", "4k", "512")
LAT_MIXES = (100, 65, 0)
TP_SIZES = ("1024k", "64k", "8k", "4k", "512")
BEFORE = {"iops": [9000], "tp": [500000, 450000, 380000, 350000], "lat": []}


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table(reference: Path, test: str) -> list[dict[str, str]]:
    return read_csv(reference / f"tkperf_{DEVICE}_{NAMES[test]}.csv")


def window(reference: Path, test: str) -> list[float]:
    rows = read_csv(reference / "tkperf_steady_state_windows.csv")
    mine = (r for r in rows if (r["device"], r["test"]) == (DEVICE, NAMES[test]))
    return [float(row["value"]) for row in mine]


def whole_numbers(mean: float) -> list[int]:
    """Return five whole numbers of that mean."""
    base, rest = divmod(round(5 * mean), 5)
    return [base + (place < rest) for place in range(5)]


def make_tkperf_xml(reference: Path) -> bytes:
    """Return a result of IOPS, TP and LAT as one XML file."""
    root = ET.Element("report")
    ET.SubElement(root, "device").text = json.dumps("Crucial_CT250MX200SSD1")
    for test, rounds in (
        ("iops", iops_rounds(reference)),
        ("lat", latency_rounds(reference)),
        ("tp", throughput_lists(reference)),
    ):
        element = ET.SubElement(root, test)
        values = [int(v) if test != "lat" else v for v in window(reference, test)]
        first = len(BEFORE[test])
        facts: dict[str, object] = {
            "roundmat": rounds,
            "stdyrounds": list(range(first, first + 5)),
            "stdyvalues": values,
            "stdyslope": [slope(values), 0.0],
            "stdyavg": sum(values) / 5,
            "reachstdystate": True,
            "rndnr": first + 4,
        }
        for name, value in facts.items():
            ET.SubElement(element, name).text = json.dumps(value)
    ET.indent(root)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def slope(values: list[float]) -> float:
    return (-2 * values[0] - values[1] + values[3] + 2 * values[4]) / 10


def iops_rounds(reference: Path) -> list[object]:
    cells = {
        (row["block_size_label"], int(row["read_percent"])): whole_numbers(
            float(row["avg_iops"])
        )
        for row in table(reference, "iops")
    }
    cells["4k", 0] = [int(value) for value in window(reference, "iops")]
    series = {cell: [values[0], *values] for cell, values in cells.items()}
    series["4k", 0][0] = BEFORE["iops"][0]
    return [
        [[series[size, mix][number] for size in IOPS_SIZES] for mix in IOPS_MIXES]
        for number in range(6)
    ]


def latency_rounds(reference: Path) -> list[object]:
    rows = {
        (row["block_size_label"], int(row["read_percent"])): (
            1000 * float(row["avg_latency_ms"]),
            1000 * float(row["max_latency_ms"]),
        )
        for row in table(reference, "lat")
    }
    tracked = window(reference, "lat")

    def cell(size: str, mix: int, number: int) -> list[float]:
        mean, greatest = rows[size, mix]
        if (size, mix) == ("4k", 0):
            mean = tracked[number]
        return [mean / 2, greatest, mean]

    return [
        [[cell(size, mix, number) for size in LAT_SIZES] for mix in LAT_MIXES]
        for number in range(5)
    ]


def throughput_lists(reference: Path) -> list[object]:
    rates = {
        (row["block_size_label"], row["direction"]): round(
            1024 * float(row["throughput_mib_per_s"])
        )
        for row in table(reference, "tp")
    }
    lists = {side: [rate] * 9 for side, rate in rates.items()}
    tracked = [int(value) for value in window(reference, "tp")]
    lists["1024k", "write"] = [*BEFORE["tp"], *tracked]
    return [[lists[size, "read"], lists[size, "write"]] for size in TP_SIZES]
