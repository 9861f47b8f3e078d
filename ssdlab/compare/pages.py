"""The pages of a comparison, by topic."""

from collections.abc import Callable

from ssdlab.compare.amplification_pages import amplification_page
from ssdlab.compare.answer_pages import answer_page, method_page
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
from ssdlab.paper.document import Document


def comparison_page(comparison: Comparison, topic: str) -> Page:
    """Return one page of a comparison; without blocks if there is nothing to show."""
    if topic not in TOPICS:
        raise UnknownNameError(kind="topic", name=topic, known=tuple(TOPICS))
    return TOPICS[topic](comparison)


def comparison_document(comparison: Comparison) -> Document:
    """Return a comparison as one page: the answer, the results, then the method."""
    front, *others = (comparison_page(comparison, topic) for topic in TOPICS)
    names = comparison.side_names
    count = len(comparison.runs)
    title = " vs. ".join(names)
    if len(names) > _MOST_NAMED:
        title = f"{count} runs compared"
    runs = ", ".join(run.record.run_id for run in comparison.runs)
    return Document(
        title=title,
        subtitle=f"Runs: {runs}",
        front=front.blocks,
        pages=tuple(page for page in others if page.blocks),
    )


_MOST_NAMED = 2  # sides in the title

TOPICS: dict[str, Callable[[Comparison], Page]] = {
    "answer": answer_page,
    "verdicts": verdicts_page,
    "iops": iops_page,
    "throughput": throughput_page,
    "latency": latency_page,
    "saturation": saturation_page,
    "confidence": confidence_page,
    "response": response_page,
    "recovery": recovery_page,
    "amplification": amplification_page,
    "efficiency": efficiency_page,
    "score": score_page,
    "conditions": conditions_page,
    "scatter": scatter_page,
    "method": method_page,
}
