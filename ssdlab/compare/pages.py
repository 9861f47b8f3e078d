"""The pages of a comparison, by topic."""

from collections.abc import Callable

from ssdlab.compare.comparison import Comparison
from ssdlab.compare.condition_pages import conditions_page
from ssdlab.compare.confidence_pages import confidence_page
from ssdlab.compare.demand_pages import response_page
from ssdlab.compare.level_pages import (
    efficiency_page,
    iops_page,
    latency_page,
    saturation_page,
    throughput_page,
)
from ssdlab.compare.recovery_pages import recovery_page
from ssdlab.compare.scatter_pages import scatter_page
from ssdlab.compare.score_pages import score_page
from ssdlab.compare.verdict_pages import verdicts_page
from ssdlab.model.errors import UnknownNameError
from ssdlab.paper.blocks import Page


def comparison_page(comparison: Comparison, topic: str) -> Page:
    """Return one page of a comparison."""
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
