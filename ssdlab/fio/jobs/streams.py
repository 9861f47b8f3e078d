"""IO streams of a capture as the options of one fio job.

fio can keep the shares of several jobs exact (``flow``), but then stops a job until all
of its IOs are done: with fio 3.33 five streams at 32 and at 256 outstanding IOs both
had 8.6 of them on average, and the drive never saw more than 17. One job keeps the
queue depth and chooses direction, size and access of each IO: docs/decisions/0031.
"""

from ssdlab.model.capture import SizeShares
from ssdlab.model.spec import Workload
from ssdlab.streams.mix import mix_streams

Options = dict[str, str]


def stream_options(workload: Workload) -> Options:
    """Return direction, sizes and access of a workload of streams.

    Notes
    -----
    A sequential IO begins where the last one of its direction and thread ended, which
    is also the rule of a capture.
    """
    mix = mix_streams(workload.streams)
    options = {
        "rw": _direction(mix.read_percent),
        "bssplit": f"{_sizes(mix.first_sizes)},{_sizes(mix.second_sizes)}",
        "percentage_random": f"{mix.read_random_percent},{mix.write_random_percent}",
    }
    if 0 < mix.read_percent < 100:
        options["rwmixread"] = str(mix.read_percent)
    if mix.sizes_by == "access":
        least = min(size for size, _ in mix.second_sizes)
        options |= {"bs_is_seq_rand": "1", "blockalign": str(least)}
    return options


def _direction(read_percent: int) -> str:
    return {0: "randwrite", 100: "randread"}.get(read_percent, "randrw")


def _sizes(shares: SizeShares) -> str:
    return ":".join(f"{size}/{share}" for size, share in shares)
