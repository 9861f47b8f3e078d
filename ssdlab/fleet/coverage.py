"""Which drive has which test, and when it was last measured."""

import pandas as pd


def summarise_coverage(runs: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """Return when each drive was last measured by each test.

    ``measured`` names the tests of each run, ``ingest_id`` and ``test``; a test that a
    drive never had has no row. Runs that are left out of a workload count too; those
    without a serial number belong to no drive.
    """
    own = runs[runs["serial"] != ""]
    joined = own.merge(measured[["ingest_id", "test"]].drop_duplicates())
    order = ["model", "drive", "test"]
    found = joined.groupby(order, sort=True, as_index=False).agg(
        last=("time", "max"), runs=("run_id", "nunique")
    )
    newest = found["last"].max()
    days = (newest - found["last"]).dt.total_seconds() / 86400
    return found.assign(days_before=days)
