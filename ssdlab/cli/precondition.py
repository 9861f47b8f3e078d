"""What ``ssdlab precondition-time`` prints: for a drive, and for Micron's table."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ssdlab.model.errors import RunFolderError, UserError
from ssdlab.text.table import column, tabulate
from ssdlab.text.terminal import fact_lines, table_lines

if TYPE_CHECKING:
    from ssdlab.procedures.saturate.precondition import SteadyRate
    from ssdlab.store.run import Run

_REMEDY = "Measure one: ssdlab saturate --target … --stimulus 'SEQ 128KiB 0/100'"


def answer_precondition(
    run: Path | None,
    *,
    capacity_gb: float | None,
    rate_mb_s: float | None,
    with_table: bool,
) -> dict[str, Any]:
    """Return what was requested, as plain data for JSON."""
    given = (capacity_gb is not None, rate_mb_s is not None)
    if run is not None and any(given):
        _refuse("RUN has its own capacity and rate.")
    if any(given) and not all(given):
        _refuse("--capacity-gb and --rate are both needed.")
    if run is None and not any(given) and not with_table:
        _refuse("Nothing to compute.")
    found: dict[str, Any] = {}
    if run is not None:
        found["drive"] = _of_run(run)
    elif capacity_gb is not None and rate_mb_s is not None:
        found["drive"] = _times(capacity_gb, rate_mb_s)
    if with_table:
        found["table"] = _printed()
    return found


def _refuse(what: str) -> NoReturn:
    msg = f"{what} Give RUN, or --capacity-gb and --rate, or --table."
    raise UserError(msg)


def _times(capacity_gb: float, rate_mb_s: float) -> dict[str, Any]:
    from ssdlab.procedures.saturate.precondition import (
        DECIMAL_MB_PER_GB,
        PRINTED_MB_PER_GB,
        find_precondition_minutes,
    )

    return {
        "capacity_gb": capacity_gb,
        "rate_mb_per_s": rate_mb_s,
        "minutes_1024_mb_per_gb": find_precondition_minutes(
            capacity_gb, rate_mb_s, mb_per_gb=PRINTED_MB_PER_GB
        ),
        "minutes_1000_mb_per_gb": find_precondition_minutes(
            capacity_gb, rate_mb_s, mb_per_gb=DECIMAL_MB_PER_GB
        ),
    }


def _of_run(path: Path) -> dict[str, Any]:
    """Return the times for the drive of a run, at its own steady rate."""
    from ssdlab.ingest.opening import open_run
    from ssdlab.procedures.saturate.precondition import find_steady_write_rate
    from ssdlab.procedures.saturate.spec import is_saturation_test

    run = open_run(path)
    if run.state.status != "finished":
        _refuse_run(path, f"the run is {run.state.status}, not finished")
    tests = [test for test in run.record.tests if is_saturation_test(test)]
    rates = (find_steady_write_rate(run.windows, test=test) for test in tests)
    rate = next((one for one in rates if one is not None), None)
    if rate is None:
        _refuse_run(path, "it has no saturation by 128 KiB sequential writes")
    if not rate.is_steady:
        _refuse_run(path, "its 128 KiB sequential writes did not get steady")
    capacity = run.record.target.capacity_bytes
    return _times(capacity / 1e9, rate.bw_bytes_per_s / 1e6) | {
        "run_id": run.record.run_id,
        "is_virtual": run.record.target.is_virtual,
        "fill_2x_minutes_measured": _measured_fill_minutes(run, rate),
    }


def _refuse_run(path: Path, reason: str) -> NoReturn:
    raise RunFolderError(folder=str(path), reason=reason, remedy=f"{_REMEDY}.")


def _measured_fill_minutes(run: "Run", rate: "SteadyRate") -> float | None:
    """Return the measured time of the two fills before the phase of a rate [min]."""
    steps = run.steps[run.steps["test"] == rate.test]
    fills = steps[steps["phase"] == rate.phase.replace("attempt", "fill")]
    if fills.empty or fills["duration_s"].isna().any():
        return None
    return float(fills["duration_s"].sum()) / 60


def _printed() -> list[dict[str, Any]]:
    from ssdlab.procedures.saturate.precondition import oddity_text
    from ssdlab.reference.micron import read_micron_precondition_times

    return [
        _times(row.capacity_gb, row.rate_mb_s)
        | {
            "printed_fill_2x_minutes": row.fill_2x_min,
            "printed_precondition_minutes": row.precondition_min,
            "oddity": oddity_text(
                row.capacity_gb,
                fill_2x_min=row.fill_2x_min,
                precondition_min=row.precondition_min,
            ),
        }
        for row in read_micron_precondition_times()
    ]


def answer_lines(found: dict[str, Any]) -> list[str]:
    """Return an answer as lines for the terminal."""
    lines = _drive_lines(found["drive"]) if "drive" in found else []
    if "table" not in found:
        return lines
    between = [""] if lines else []
    return [*lines, *between, *_table_lines(found["table"])]


def _drive_lines(drive: dict[str, Any]) -> list[str]:
    binary, decimal = (drive[f"minutes_{n}_mb_per_gb"] for n in (1024, 1000))
    facts = [
        ("capacity", f"{drive['capacity_gb']:.6g} GB"),
        ("SEQ 128 KiB writes", f"{drive['rate_mb_per_s']:.6g} MB/s"),
        ("precondition, 2 fills", f"{decimal:.4g} min, decimal units throughout"),
        ("with 1 GB = 1024 MB", f"{binary:.4g} min, as in Micron's printed table"),
    ]
    measured = drive.get("fill_2x_minutes_measured")
    if measured is not None:
        facts.append(("2 fills, as measured", f"{measured:.4g} min"))
    lines = fact_lines(facts)
    if drive.get("is_virtual"):
        lines.append("The target is a virtual SSD or a file, not a drive.")
    return lines


def _table_lines(rows: list[dict[str, Any]]) -> list[str]:
    """Return Micron's table and ours side by side."""
    columns = (
        column("capacity", "capacity_gb", "{} GB".format),
        column("MB/s", "rate_mb_per_s", "{:g}".format),
        column("2 fills printed", "printed_fill_2x_minutes", "{:g}".format),
        column("precond. printed", "printed_precondition_minutes", "{:g}".format),
        *(
            column(
                f"1 GB={factor} MB [min]",
                f"minutes_{factor}_mb_per_gb",
                "{:.2f}".format,
            )
            for factor in (1024, 1000)
        ),
    )
    return [
        "Micron, Best Practices for SSD Performance Measurement, Rev. B 4/17",
        *table_lines(tabulate(rows, columns, caption="")),
        "",
        *(row["oddity"] for row in rows if row["oddity"]),
    ]
