"""The loops in the head of a test's pages are those that its steps went through."""

import pytest

import ssdlab
from ssdlab.paper.context import Context, read_context
from ssdlab.pts.shared.head_facts import loop_facts
from ssdlab.report.header import test_columns as columns_of
from tests.paths import ROOT


@pytest.fixture(scope="module")
def context() -> Context:
    return read_context(ssdlab.open_run(ROOT / "data" / "samples" / "virtual-all"))


def facts_of(context: Context, test: str) -> dict[str, str]:
    columns = {column.title: column.facts for column in columns_of(context, test)}
    return dict(columns["Test Parameters"])


def test_throughput_takes_each_block_size_by_itself(context: Context) -> None:
    facts = facts_of(context, "tp")
    assert facts["Block sizes, one after the other"] == (
        "1024 KiB, 128 KiB; of each purge, WIPC, rounds"
    )
    assert facts["R/W mix (loop)"] == "100/0, 0/100"
    assert not [name for name in facts if "outer" in name or "inner" in name]


@pytest.mark.parametrize("test", ["iops", "lat"])
def test_mixes_are_the_outer_loop_where_they_change_last(
    context: Context, test: str
) -> None:
    facts = facts_of(context, test)
    assert "R/W mix (outer loop)" in facts
    assert "Block size (inner loop)" in facts


def test_one_mix_of_one_size_is_no_loop(context: Context) -> None:
    for test in ("wsat", "hir"):
        facts = facts_of(context, test)
        assert (facts["R/W mix"], facts["Block size"]) == ("0/100", "4 KiB")
        assert not [name for name in facts if "loop" in name]


@pytest.mark.parametrize(("test", "is_told"), [("tp", True), ("iops", False)])
def test_offsets_that_were_carried_on_are_disclosed(
    context: Context, test: str, *, is_told: bool
) -> None:
    words = facts_of(context, test).get("Sequential cells", "")
    assert ("continue where the last one" in words) == is_told


def test_block_sizes_are_the_outer_loop_where_steps_say_so(context: Context) -> None:
    cells = context.steps[context.steps["kind"] == "cell"]
    iops = cells[(cells["test"] == "iops") & (cells["round"] == 1)]
    other = iops.sort_values(["block_size_bytes", "read_percent"], ascending=False)
    turned = other.assign(cell=range(1, 1 + len(other)))
    names = [name for name, _ in loop_facts(turned, context.steps)]
    assert names[1:3] == ["Block size (outer loop)", "R/W mix (inner loop)"]
