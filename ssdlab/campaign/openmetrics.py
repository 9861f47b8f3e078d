"""The state of a campaign for monitoring, in the text format OpenMetrics."""

from collections.abc import Callable, Iterator, Sequence
from typing import get_args

from ssdlab.campaign.status import JobState, JobStatus, count_states
from ssdlab.text.openmetrics import Sample, gauge_lines, whole_text

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
    return whole_text(_lines(name, statuses))


def _lines(name: str, statuses: Sequence[JobStatus]) -> Iterator[str]:
    counts = count_states(statuses)
    yield from gauge_lines(
        "ssdlab_campaign_jobs",
        "Jobs by state.",
        (
            ({"campaign": name, "state": state}, counts.get(state, 0))
            for state in get_args(JobState)
        ),
    )
    for suffix, words, value_of in _OF_JOBS:
        samples = _samples(name, statuses, value_of)
        yield from gauge_lines(f"ssdlab_job_{suffix}", words, samples)


def _samples(
    name: str,
    statuses: Sequence[JobStatus],
    value_of: Callable[[JobStatus], float | None],
) -> Iterator[Sample]:
    for one in statuses:
        value = value_of(one)
        if value is not None:
            labels = {"campaign": name, "host": one.job.host, "serial": one.job.serial}
            yield {**labels, "job": one.job.job}, value
