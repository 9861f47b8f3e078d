"""The state of a campaign for monitoring, in the text format OpenMetrics."""

from collections.abc import Callable, Iterator, Sequence
from typing import get_args

from ssdlab.campaign.status import JobState, JobStatus, count_states

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
_OF_JOBS: tuple[tuple[str, str, Callable[[JobStatus], float | None]], ...] = (
    ("done_ratio", "Share of the run that is done.", lambda one: one.done_ratio),
    (
        "left_seconds",
        "Most time that is left of the run.",
        lambda one: one.left_s[1] if one.left_s else None,
    ),
    ("starts", "How often the run was begun or resumed.", lambda one: one.starts),
)


def openmetrics_text(name: str, statuses: Sequence[JobStatus]) -> str:
    """Return the metrics of a campaign, for the textfile collector of node_exporter.

    A value that is not known has no line. The labels are campaign, host, serial and
    job alone, so that their number stays bounded.
    """
    return "".join(f"{line}\n" for line in (*_lines(name, statuses), "# EOF"))


def _lines(name: str, statuses: Sequence[JobStatus]) -> Iterator[str]:
    counts = count_states(statuses)
    yield "# HELP ssdlab_campaign_jobs Jobs by state."
    yield "# TYPE ssdlab_campaign_jobs gauge"
    for state in get_args(JobState):
        labels = _labels(campaign=name, state=state)
        yield f"ssdlab_campaign_jobs{labels} {counts.get(state, 0)}"
    for suffix, words, value_of in _OF_JOBS:
        yield f"# HELP ssdlab_job_{suffix} {words}"
        yield f"# TYPE ssdlab_job_{suffix} gauge"
        for one in statuses:
            value = value_of(one)
            if value is not None:
                labels = _labels(
                    campaign=name,
                    host=one.job.host,
                    serial=one.job.serial,
                    job=one.job.job,
                )
                yield f"ssdlab_job_{suffix}{labels} {value:.6g}"


def _labels(**labels: str) -> str:
    pairs = (f'{name}="{text.translate(_ESCAPES)}"' for name, text in labels.items())
    return "{" + ",".join(pairs) + "}"
