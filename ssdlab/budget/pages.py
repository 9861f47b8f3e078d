"""What a budget says: in sentences, as a table, as a page and as plain data."""

import math
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any, Final

from ssdlab.budget.budget import Budget
from ssdlab.budget.entries import Entry
from ssdlab.budget.figures import plot_budget
from ssdlab.model.spec import label_of_test
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.paper.document import Document
from ssdlab.stats.plain_rows import plain_value
from ssdlab.stats.uncertainty import Contribution
from ssdlab.text.numbers import number_text, or_unknown, rounded_text
from ssdlab.text.quantities import Quantity, suited_quantity
from ssdlab.text.table import Table, column, tabulate

_REASONS: Final = {
    "no-value": "This metric was not measured of it.",
    "not-steady": "The test was not steady, so the window has no steady-state result.",
    "not-judged": "No steady state was judged of the test.",
    "no-scatter": "Its own scatter is not known.",
}
_SCOPES: Final = {
    "run": "of this run alone: another run of the drive, or another drive, may differ "
    "by more",
    "drive": "of this drive, as far as one run tells; another drive may differ by more",
    "model": "of drives of this model and firmware, as far as one run of one tells",
}
_LEAST_PERCENT: Final = 0.01
_WIDE_RATIO: Final = 0.3  # of the value: ln(1.3) is 0.26
_DOES_NOT_APPLY: Final = "does not apply"
_NOT_EVALUATED: Final = "not evaluated"


def budget_as_dict(budget: Budget) -> dict[str, Any]:
    """Return a budget as plain data, in stored units; what is not known is None."""
    result, combined = budget.result, budget.combined
    entries = []
    for one in budget.entries:
        part = one.contribution
        entries.append({
            "source": one.source,
            "state": _state(one),
            "basis": one.basis,
            **({} if part is None else asdict(part)),
            "of_result": part.of_result if part else None,
        })
    plain: dict[str, Any] = {
        "run": budget.run.record.run_id,
        "cell": result.cell,
        "metric": result.metric.name,
        "column": result.metric.column,
        "value": result.value,
        "rounds": len(result.rounds),
        "reason": budget.reason,
        "scope": budget.scope,
    }
    whole = None
    if combined:
        whole = plain_value(asdict(combined) | {"expanded": combined.expanded})
    known: dict[str, Any] = plain_value(plain)
    return known | {
        "entries": [plain_value(one) for one in entries],
        "combined": whole,
    }


def _state(entry: Entry) -> str:
    if not entry.applies:
        return _DOES_NOT_APPLY
    return "evaluated" if entry.contribution else _NOT_EVALUATED


def _quantity(budget: Budget) -> Quantity:
    return suited_quantity(budget.result.metric.column, [budget.result.value])


def result_text(budget: Budget) -> str:
    """Return what the budget is of."""
    result = budget.result
    direction = "" if result.direction == "total" else f", {result.direction}s"
    name = suited_quantity(result.metric.column, ()).name
    return f"{name} of {result.workload} (test {label_of_test(result.test)}{direction})"


def answer_texts(budget: Budget) -> Iterator[str]:
    """Yield the result with its uncertainty, and what that does not hold."""
    name, combined = result_text(budget), budget.combined
    if combined is None:
        yield f"{name}: the uncertainty CANNOT BE TOLD. {_REASONS[budget.reason]}"
        return
    known, value = _quantity(budget), budget.result.value
    expanded = combined.expanded
    pair = _pair_text(value / known.divisor, expanded / known.divisor)
    yield (
        f"{name}: {pair} {known.unit_or_name} ({rounded_text(100 * expanded / value)} "
        f"%), expanded uncertainty with k = {combined.factor:.3g} for "
        f"{combined.confidence_percent:g} % ({_freedom_text(combined.freedom)} "
        f"effective degrees of freedom). It is {_SCOPES[budget.scope]}."
    )
    if expanded > _WIDE_RATIO * value:
        yield (
            "So wide an interval is approximate: the budget is linear, and the result "
            "cannot be below 0."
        )
    lacking = [one.source for one in budget.entries if _state(one) == _NOT_EVALUATED]
    if lacking:
        yield f"Not evaluated, so not in it: {', '.join(lacking)}."


def _pair_text(value: float, expanded: float) -> str:
    """Return a value and its uncertainty, which has two significant digits.

    >>> _pair_text(4688.413, 664.79), _pair_text(227.287, 26.81)
    ('4,690 ± 660', '227 ± 27')
    >>> _pair_text(0.53657, 0.021)
    '0.537 ± 0.021'
    """
    digits = 1 - math.floor(math.log10(expanded))
    if digits <= 0:
        return f"{round(value, digits):,.0f} ± {round(expanded, digits):,.0f}"
    return f"{value:,.{digits}f} ± {expanded:,.{digits}f}"


def _freedom_text(freedom: float) -> str:
    return "∞" if math.isinf(freedom) else rounded_text(freedom)


def budget_table(budget: Budget) -> Table:
    """Return what each source that is evaluated contributes, and their sum."""
    known, combined = _quantity(budget), budget.combined
    variance = combined.standard**2 if combined else math.nan
    told = [(one.source, one.contribution) for one in budget.entries]
    table = tabulate(
        [(source, one) for source, one in told if one],
        (
            column("Source", lambda row: row[0], is_words=True),
            column("Type", lambda row: row[1].kind),
            column("Distribution", lambda row: row[1].distribution),
            column("u(x)", lambda row: _standard_text(row[1], known)),
            column("c", lambda row: _sensitivity_text(row[1], known)),
            column(
                f"|c| u(x) [{known.unit_or_name}]",
                lambda row: number_text(row[1].of_result / known.divisor),
            ),
            column("Freedom", lambda row: _freedom_text(row[1].freedom)),
            column(
                "Of variance [%]",
                lambda row: share_text(100 * row[1].of_result ** 2 / variance),
            ),
        ),
        caption="Uncertainty budget",
        note="Standard uncertainties u(x), sensitivities c, and what they do to the "
        "result; combined as independent (GUM, 5.1.2), with degrees of freedom by "
        "Welch and Satterthwaite. Type A is by statistics, B by other means. Drift, "
        "temperature and bins also scatter the rounds, so they are counted twice "
        "rather than not at all.",
    )
    if combined is None:
        return table
    texts = [
        number_text(one / known.divisor)
        for one in (combined.standard, combined.expanded)
    ]
    freedom = _freedom_text(combined.freedom)
    whole = (
        ("combined", "", "", "", "", texts[0], freedom, "100"),
        (f"expanded, k = {combined.factor:.3g}", "", "", "", "", texts[1], "", ""),
    )
    return replace(table, rows=(*table.rows, *whole))


def _standard_text(one: Contribution, known: Quantity) -> str:
    """Return a standard uncertainty in its unit; that of the result if it has none."""
    if one.unit:
        return f"{number_text(one.standard)} {one.unit}"
    return f"{number_text(one.standard / known.divisor)} {known.unit_or_name}"


def _sensitivity_text(one: Contribution, known: Quantity) -> str:
    return number_text(one.sensitivity / (known.divisor if one.unit else 1.0))


def basis_table(budget: Budget) -> Table:
    """Return what each source rests on, or why it is not evaluated."""
    return tabulate(
        budget.entries,
        (
            column("Source", "source", is_words=True),
            column("State", _state, is_words=True),
            column("Rests on, or lacks", "basis", is_words=True),
        ),
        caption="Sources",
    )


def share_text(percent: float) -> str:
    """Return a share of the variance [%]; the smallest are not exact.

    >>> share_text(93.456), share_text(1e-7)
    ('93.5', '< 0.01')
    """
    return "< 0.01" if percent < _LEAST_PERCENT else rounded_text(percent)


def shares_of(budget: Budget) -> dict[str, tuple[float, str]]:
    """Return the share of each evaluated source in the variance [%], and as text."""
    if budget.combined is None:
        return {}
    percents = {
        one.source: 100 * (one.contribution.of_result / budget.combined.standard) ** 2
        for one in budget.entries
        if one.contribution
    }
    return {source: (one, share_text(one)) for source, one in percents.items()}


def budget_document(budget: Budget) -> Document:
    """Return a budget as a page: the answer, the table, the shares."""
    record = budget.run.record
    texts = list(answer_texts(budget))
    blocks: list[Block] = [Note(text=texts[0], tone="headline")]
    blocks += [Note(text=text, tone="warning") for text in texts[1:]]
    if record.target.kind != "block":
        words = "Simulated, a file or imported: no drive was measured by ssdlab."
        blocks.append(Note(text=words, tone="warning"))
    blocks += [budget_table(budget), basis_table(budget)]
    shares = shares_of(budget)
    pages = []
    if shares:
        figure = plot_budget(
            shares, title="What makes the uncertainty", subtitle=result_text(budget)
        )
        plot = Plot(figure=figure)
        pages.append(Page(title="Shares of the variance", blocks=(plot,)))
    target = record.target
    drive = or_unknown(f"{target.model} {target.serial}")
    return Document(
        title=f"Uncertainty budget: {result_text(budget)}",
        subtitle=f"{drive}, run {record.run_id}",
        front=tuple(blocks),
        pages=tuple(pages),
    )
