"""The pages of a comparison, by topic."""

from collections.abc import Callable

from ssdlab.model.errors import UnknownNameError
from ssdlab.report.blocks import Page
from ssdlab.report.comparison.comparison import Comparison
from ssdlab.report.comparison.conditions import conditions_page
from ssdlab.report.comparison.confidence import confidence_page
from ssdlab.report.comparison.demand import response_page
from ssdlab.report.comparison.levels import (
    efficiency_page,
    iops_page,
    latency_page,
    saturation_page,
    throughput_page,
)
from ssdlab.report.comparison.recovery import recovery_page
from ssdlab.report.comparison.scatter import scatter_page
from ssdlab.report.comparison.score import score_page
from ssdlab.report.comparison.verdicts import verdicts_page


def comparison_page(comparison: Comparison, topic: str) -> Page:
    """Return one page of a comparison.

    Parameters
    ----------
    comparison : Comparison
        What `compare_runs` returned.
    topic : str
        Its topic: one of `TOPICS`.

    Returns
    -------
    Page
        Notes, tables and figures. What nothing measured is said to be missing.

    Raises
    ------
    UnknownNameError
        If there is no such topic.
    """
    if topic not in TOPICS:
        raise UnknownNameError(kind="topic", name=topic, known=tuple(TOPICS))
    return TOPICS[topic](comparison)


TOPICS: dict[str, Callable[[Comparison], Page]] = {
    "conditions": conditions_page,
    "verdicts": verdicts_page,
    "saturation": saturation_page,
    "iops": iops_page,
    "throughput": throughput_page,
    "latency": latency_page,
    "confidence": confidence_page,
    "response": response_page,
    "recovery": recovery_page,
    "efficiency": efficiency_page,
    "scatter": scatter_page,
    "score": score_page,
}
