"""Nine storage classes as Calypso published them in August 2014."""

from importlib.resources import files

import pandas as pd

_TYPES = {
    "row": "int64",
    "group": "str",
    "storage_class": "str",
    "device": "str",
    "capacity_gb": "int64",
    "fob_iops": "float64",
    "write_iops": "float64",
    "mixed_iops": "float64",
    "read_iops": "float64",
    "tp_write_mb_per_s": "float64",
    "tp_read_mb_per_s": "float64",
    "lat_mean_ms": "float64",
    "lat_max_ms": "float64",
    "iops_threads": "int64",
    "iops_queue_depth": "int64",
    "doubtful": "str",
    "note": "str",
}


def read_storage_classes() -> pd.DataFrame:
    """Return nine storage classes of 2014, with the numbers and units as printed.

    Notes
    -----
    The methods are those of PTS-E 1.1. The source does not say whether its MB/s are
    decimal; a histogram of the same source has 16,775 IOPS of 4 KiB as 65.53 MB/s,
    which is MiB/s.

    References
    ----------
    .. [1] Calypso Systems, "Performance Comparison by Storage Class", August 2014.

    Examples
    --------
    >>> classes = read_storage_classes().set_index("storage_class")
    >>> float(classes.loc["SATA Client", "lat_mean_ms"])
    0.06
    """
    source = files("ssdlab.reference").joinpath("storage_classes.csv")
    with source.open("r", encoding="utf-8") as file:
        frame: pd.DataFrame = pd.read_csv(file, keep_default_na=False)
    return frame.astype(_TYPES)[list(_TYPES)]
