"""The first page of a comparison, its answer; and the last, how it was found."""

from collections.abc import Iterator

from ssdlab.compare.answer import answer_text
from ssdlab.compare.answer_figure import plot_answer
from ssdlab.compare.claims import claim_texts, scope_text
from ssdlab.compare.comparison import Comparison
from ssdlab.compare.condition_pages import models_text
from ssdlab.compare.pair_tables import find_pairs, pairs_to_show, sum_text
from ssdlab.compare.verdicts import ASSUMED, CONTROLS
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.text.table import Table

_INTERVALS = (
    "The ratio of two drives in each cell has a Welch t interval of the logarithm: "
    "over runs if either drive was measured repeatedly, otherwise over the rounds of "
    "one run, widened for their autocorrelation. Intervals are 95 % for each single "
    "cell; verdicts use p-values adjusted over all cells and pairs. “The same” takes "
    "two one-sided tests (TOST)."
)
_READ_ON = "The method, its assumptions and its coverage: docs/methods of ssdlab."


def answer_page(comparison: Comparison) -> Page:
    """Return the answer: a sentence, a picture, and what it holds for."""
    blocks: list[Block] = [Note(text=answer_of(comparison), tone="headline")]
    table = comparison.differences
    if any(pair.has_ratio for pair in pairs_to_show(table)):
        looks, cells = comparison.side_looks, comparison.cells
        blocks.append(Plot(figure=plot_answer(table, cells, looks=looks)))
    scope = [*_scope_texts(comparison)]
    if scope:
        blocks.append(Note(text="\n".join(scope)))
    return Page(title="Answer", blocks=tuple(blocks))


def answer_of(comparison: Comparison) -> str:
    """Return the answer of a comparison in one sentence."""
    return answer_text(
        comparison.differences,
        comparison.cells,
        names=comparison.short_names,
        same_percent=comparison.rules.same_percent,
    )


def _scope_texts(comparison: Comparison) -> Iterator[str]:
    """Yield what the answer holds for: runs or drives, which pairs, no drives."""
    table = comparison.differences
    if not table.empty:
        judged, others = find_pairs(table)
        if judged:
            yield from filter(None, [scope_text(table, comparison.short_names)])
        if others:
            yield sum_text(others, len(judged) + len(others))
    yield from models_text(comparison)


def method_page(comparison: Comparison) -> Page:
    """Return how verdicts were found, and what was asked for."""
    notes: list[Block] = []
    if not comparison.differences.empty:
        notes = [Note(text=text) for text in claim_texts(comparison)]
        notes += [Note(text=_INTERVALS), Note(text=ASSUMED)]
    return Page(
        title="Method",
        blocks=(*notes, parameters_table(comparison), Note(text=_READ_ON)),
    )


def parameters_table(comparison: Comparison) -> Table:
    """Return what was asked for; runs by their names."""
    rules = comparison.rules
    rows = (
        ("Runs", ", ".join(run.record.run_id for run in comparison.runs)),
        ("Accepted as equal", ", ".join(rules.accepted)),
        ("Smallest difference that matters", f"{rules.least_percent:g} %"),
        ("The same within", f"{rules.same_percent:g} %"),
        ("Error rate", CONTROLS[rules.control]),
        ("Primary cells", ", ".join(one.text for one in rules.primary)),
        (
            "Score",
            ", ".join(f"{one.cells.text}: {one.weight:g}" for one in comparison.terms),
        ),
        ("Power", comparison.watts_text),
    )
    return Table(
        caption="Parameters",
        head=("Parameter", "Value"),
        rows=tuple((name, value) for name, value in rows if value),
        words=(0, 1),
    )
