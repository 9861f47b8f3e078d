"""What ``ssdlab precondition-time`` answers: of a drive, and of Micron's table."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ssdlab.model.errors import RunFolderError, UserError

if TYPE_CHECKING:
    from ssdlab.store.run import Run

_REMEDY = "Measure one: ssdlab saturate --target … --stimulus 'SEQ 128KiB 0/100'"
_TABLE_HEAD = "{:>8}  {:>6}  {:>8}  {:>8}  {:>12}  {:>12}"


def answer_precondition(
    run: Path | None,
    *,
    capacity_gb: float | None,
    rate_mb_s: float | None,
    with_table: bool,
) -> dict[str, Any]:
    """Return what was asked for, as JSON can hold it.

    Raises
    ------
    UserError
        If nothing, or too much at once, was asked for, or the run has no rate.
    """
    given = (capacity_gb is not None, rate_mb_s is not None)
    if run is not None and any(given):
        _refuse("RUN has its own capacity and rate.")
    if any(given) and not all(given):
        _refuse("One of --capacity-gb and --rate alone tells no time.")
    if run is None and not any(given) and not with_table:
        _refuse("There is nothing to reckon with.")
    found: dict[str, Any] = {}
    if run is not None:
        found["drive"] = _of_run(run)
    elif capacity_gb is not None and rate_mb_s is not None:
        found["drive"] = _times(capacity_gb, rate_mb_s)
    if with_table:
        found["table"] = _printed()
    return found


def _refuse(what: str) -> NoReturn:
    msg = f"{what} Give --capacity-gb and --rate, or a run, or --table."
    raise UserError(msg)


def _times(capacity_gb: float, rate_mb_s: float) -> dict[str, Any]:
    from ssdlab.analysis.precondition import (
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
    """Return the times of the drive of a run, at its own steady rate.

    Raises
    ------
    RunFolderError
        If the run is not finished, or has no steady rate of such writes.
    """
    from ssdlab.analysis.precondition import find_steady_write_rate
    from ssdlab.campaign.opening import open_run
    from ssdlab.procedures.saturation import SATURATE

    run = open_run(path)
    if run.state.status != "finished":
        _refuse_run(path, f"the run is {run.state.status} and not finished")
    rate = find_steady_write_rate(run.windows, test=SATURATE)
    if rate is None:
        _refuse_run(path, "it has no saturation by 128 KiB sequential writes")
    if not rate.is_steady:
        _refuse_run(path, "its 128 KiB sequential writes did not get steady")
    capacity = run.record.target.capacity_bytes
    return _times(capacity / 1e9, rate.bw_bytes_per_s / 1e6) | {
        "run_id": run.record.run_id,
        "is_virtual": run.record.target.is_virtual,
        "fill_2x_minutes_measured": _measured_fill_minutes(run, rate.phase),
    }


def _refuse_run(path: Path, reason: str) -> NoReturn:
    raise RunFolderError(folder=str(path), reason=reason, remedy=f"{_REMEDY}.")


def _measured_fill_minutes(run: "Run", phase: str) -> float | None:
    """Return how long the two fills before a phase took in fact [min]."""
    fills = run.steps[run.steps["kind"] == "precondition"]
    fills = fills[fills["phase"] == phase.replace("attempt", "fill")]
    if fills.empty or fills["duration_s"].isna().any():
        return None
    return float(fills["duration_s"].sum()) / 60


def _printed() -> list[dict[str, Any]]:
    from ssdlab.analysis.precondition import oddity_text
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
    """Say an answer in lines for people."""
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
        ("with 1 GB = 1024 MB", f"{binary:.4g} min, as Micron's printed table"),
    ]
    measured = drive.get("fill_2x_minutes_measured")
    if measured is not None:
        facts.append(("the run's own 2 fills", f"{measured:.4g} min"))
    lines = [f"{name:<22} {value}" for name, value in facts]
    if drive.get("is_virtual"):
        lines.append("The target is a model or a file: this says nothing of a drive.")
    return lines


def _table_lines(rows: list[dict[str, Any]]) -> list[str]:
    """Set Micron's table and ours side by side."""
    form = _TABLE_HEAD
    lines = [
        "Micron, Best Practices for SSD Performance Measurement, Rev. B 4/17",
        form.format("", "", "2 fills", "precond.", "2 fills [min]", "2 fills [min]"),
        form.format(
            "capacity", "MB/s", "printed", "printed", "1 GB=1024 MB", "1 GB=1000 MB"
        ),
    ]
    lines += [
        form.format(
            f"{row['capacity_gb']} GB",
            f"{row['rate_mb_per_s']:g}",
            f"{row['printed_fill_2x_minutes']:g}",
            f"{row['printed_precondition_minutes']:g}",
            f"{row['minutes_1024_mb_per_gb']:.2f}",
            f"{row['minutes_1000_mb_per_gb']:.2f}",
        )
        for row in rows
    ]
    return [*lines, "", *(row["oddity"] for row in rows if row["oddity"])]
