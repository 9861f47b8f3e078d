"""What an IO costs the host: processor time of fio's threads, and IOPS per core.

fio reports user and system time of its threads. Interrupts, threads of the kernel, such
as that of ``sqthread_poll``, and the server of a virtual SSD are not in it.
"""

from typing import TYPE_CHECKING

from ssdlab.stats.matrix import choose_rounds, mark_window
from ssdlab.telemetry.stimulus import MEASURED_KINDS, STIMULUS

if TYPE_CHECKING:
    import pandas as pd


def summarise_processor(
    measurements: "pd.DataFrame", windows: "pd.DataFrame"
) -> "pd.DataFrame":
    """Return the processor time that an IO of each stimulus cost.

    Parameters
    ----------
    measurements, windows : pandas.DataFrame
        Tables of a run.

    Returns
    -------
    pandas.DataFrame
        A row a stimulus, in the order of the run: ``iops``, ``cpu_us_per_io`` [us] and
        ``iops_per_core``, over all IOs of the rounds of its window, or of all its
        rounds where there is none. A stimulus of which fio reports no processor time
        has no row.
    """
    import pandas as pd  # noqa: PLC0415 - 0.3 s before a run begins

    is_shown = measurements["kind"].isin(MEASURED_KINDS)
    is_shown &= measurements["direction"] == "total"
    marked = mark_window(measurements[is_shown], windows)
    rows = []
    for key, own in marked.groupby(list(STIMULUS), sort=False, dropna=False):
        kept = choose_rounds(own, "is_in_window")
        cost = processor_us_per_io(kept)
        if cost > 0:
            rows.append({
                **dict(zip(STIMULUS, key, strict=True)),
                "iops": float(kept["iops"].mean()),
                "cpu_us_per_io": cost,
                "iops_per_core": 1e6 / cost,
            })
    columns = [*STIMULUS, "iops", "cpu_us_per_io", "iops_per_core"]
    return pd.DataFrame(rows, columns=columns)


def processor_us_per_io(rounds: "pd.DataFrame") -> float:
    """Return the processor time of fio's threads per IO [us], over some rounds.

    Parameters
    ----------
    rounds : pandas.DataFrame
        Rows of ``measurements``, of all directions together.

    Returns
    -------
    float
        The time of all threads over all IOs; NaN if that of any round is unknown, and
        without IOs.

    Examples
    --------
    Two threads that are busy for 30 % of a second, for 6,000 IOs:

    >>> import pandas as pd
    >>> one = {"usr_cpu_percent": 10.0, "sys_cpu_percent": 20.0, "threads": 2}
    >>> rounds = pd.DataFrame([one | {"runtime_s": 1.0, "total_ios": 6000}])
    >>> round(processor_us_per_io(rounds), 9)
    100.0
    """
    names = ("usr_cpu_percent", "sys_cpu_percent", "threads", "runtime_s", "total_ios")
    user, system, threads, runtime_s, ios = (rounds[one].astype(float) for one in names)
    spent = ((user + system) / 100 * threads * runtime_s).sum(skipna=False)
    count = ios.sum(skipna=False)
    return float(1e6 * spent / count) if count else float("nan")
