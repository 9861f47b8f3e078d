"""The sentence of a comparison never claims more than its table."""

import math

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.compare.answer import (
    Field,
    Part,
    answer_text,
    fields_text,
    find_fields,
    find_parts,
    kind_of,
    lead_of,
    pair_text,
    times_text,
)
from ssdlab.compare.cells import rows_of
from ssdlab.compare.verdicts import MISSING, NO_DIFFERENCE, NOT_COMPARABLE
from ssdlab.pts.compared import METRICS

NAMES = {"a": "Alpha", "b": "Beta", "c": "Gamma"}
VERDICTS = ("a", "b", "same", NO_DIFFERENCE, NOT_COMPARABLE, MISSING)


def row(
    *, cell: int, verdict: str, metric: str, pair: str = "ab", scope: str = "runs"
) -> dict[str, object]:
    """Return a row of differences; the winner is the first or second of the pair."""
    first, second = pair[0], pair[1]
    better = {"a": first, "b": second}.get(verdict, "")
    ratio = {"a": 1.5, "b": 1 / 1.5}.get(verdict, 1.01)
    return {
        "test": "iops",
        "metric": metric,
        "cell": f"cell {cell}",
        "a": first,
        "b": second,
        "better": better,
        "claim": scope if better else "",
        "same": scope if verdict == "same" else "",
        "verdict": verdict,
        "ratio": ratio if METRICS[metric].is_more_better else 1 / ratio,
        "unit": "runs" if scope == "drives" else "rounds",
        "n_a": 4,
        "n_b": 4,
        "high": 2.0,
        "reason": "",
    }


CELLS = st.lists(
    st.tuples(
        st.sampled_from(VERDICTS),
        st.sampled_from(["iops", "lat_mean_ns", "lat_three_nines_ns"]),
        st.sampled_from([0.0, 65.0, 100.0, math.nan]),
        st.sampled_from(["runs", "drives"]),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=200, deadline=None)
@given(CELLS)
def test_each_part_says_only_what_every_verdict_of_it_says(
    cells: list[tuple[str, str, float, str]],
) -> None:
    rows = [
        row(cell=number, verdict=verdict, metric=metric, scope=scope)
        for number, (verdict, metric, _, scope) in enumerate(cells)
    ]
    reads = {
        ("iops", metric, f"cell {number}"): share
        for number, (_, metric, share, _) in enumerate(cells)
    }
    table = pd.DataFrame(rows)
    parts = find_parts(table, reads)
    assert sum(one.n_cells + one.n_missing for one in parts) == len(cells)
    for part in parts:
        own = [
            one
            for one in rows_of(table)
            if kind_of(one.metric, reads[one.test, one.metric, one.cell]) == part.kind
        ]
        assert part.is_led == all(one.better == "a" for one in own)
        assert part.turned.is_led == all(one.better == "b" for one in own)
        assert part.is_same == all(bool(one.same) for one in own)
        assert sorted(part.leads) == sorted(
            lead_of(one) for one in own if one.better == "a"
        )
        told = [one for one in own if one.better or one.same]
        assert part.is_of_drives == all(
            "drives" in {one.claim, one.same} for one in told
        )
    text = pair_text(parts, ("Alpha", "Beta"))
    winners = {one.better for one in rows_of(table)}
    assert ("Alpha" in text or "Beta" in text) == bool(winners - {""})
    claims = [one for one in rows_of(table) if one.better or one.same]
    if claims and not any("drives" in {one.claim, one.same} for one in claims):
        assert text.startswith("In these runs ")


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(*(st.sampled_from(VERDICTS) for _ in range(3))),
        min_size=1,
        max_size=6,
    )
)
def test_drive_leads_a_cell_only_with_a_verdict_against_every_other(
    cells: list[tuple[str, str, str]],
) -> None:
    rows = [
        row(cell=number, verdict=verdict, metric="iops", pair=pair)
        for number, verdicts in enumerate(cells)
        for pair, verdict in zip(("ab", "ac", "bc"), verdicts, strict=True)
    ]
    (field,) = find_fields(pd.DataFrame(rows), {})
    for place, name in enumerate("abc"):
        pairs = [("ab", 0), ("ac", 1), ("bc", 2)]
        led = sum(
            all(
                verdicts[number] == "ab"[pair.index(name)]
                for pair, number in pairs
                if name in pair
            )
            for verdicts in cells
        )
        assert len(field.leads.get(name, ())) == led, place
    assert field.n_same == sum(set(own) == {"same"} for own in cells)


def test_few_runs_make_no_claim_about_drives_whatever_the_table_says() -> None:
    table = pd.DataFrame([row(cell=1, verdict="a", metric="iops", scope="drives")])
    assert find_parts(table, {})[0].is_of_drives
    few = table.assign(n_b=2)
    assert not find_parts(few, {})[0].is_of_drives


def test_without_a_verdict_the_sentence_says_why() -> None:
    rows = row(cell=1, verdict=NOT_COMPARABLE, metric="iops") | {"reason": "not steady"}
    cells = pd.DataFrame({
        "test": ["iops"],
        "metric": ["iops"],
        "cell": ["cell 1"],
        "read_percent": [0],
    })
    text = answer_text(pd.DataFrame([rows]), cells, names=NAMES, same_percent=3.0)
    assert text == "No verdict on Alpha vs. Beta: not steady."


def test_what_a_person_would_say() -> None:
    parts = [
        Part(kind="writes", leads=(2.2,), is_of_drives=True),
        Part(kind="reads", n_same=4, is_of_drives=True),
        Part(kind="response times", n_open=3),
    ]
    assert pair_text(parts, ("Alpha", "Beta")) == (
        "Alpha writes 2.2 times as fast as Beta; reads are the same within 3 %; no "
        "difference is shown in response times."
    )


def test_leader_of_some_cells_is_told_with_their_number() -> None:
    field = Field(
        kind="reads",
        n_cells=4,
        leads={"a": (1.2, 1.5)},
        n_same=0,
        is_of_drives=False,
    )
    text = fields_text([field], NAMES, same_percent=3.0)
    assert text == (
        "In these runs Alpha reads 1.2 to 1.5 times as fast as the next in 2 of 4 "
        "cells."
    )


@pytest.mark.parametrize(
    ("leads", "text"),
    [
        ((1.004,), "1.004 times"),
        ((1.00001,), "1.0000 times"),
        ((2000.0,), "2,000 times"),
    ],
)
def test_times_are_rounded_but_not_to_nothing(
    leads: tuple[float, ...], text: str
) -> None:
    assert times_text(leads) == text
