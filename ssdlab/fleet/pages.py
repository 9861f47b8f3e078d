"""The pages of a fleet, by topic: the answer, what it rests on, what was left out."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import pandas as pd

from ssdlab.fleet.drives import FEWEST_RUNS
from ssdlab.fleet.figures import plot_coverage, plot_drives
from ssdlab.fleet.fleet import Fleet
from ssdlab.fleet.life_pages import (
    ageing_page,
    firmware_page,
    firmware_texts,
    history_page,
    latency_page,
)
from ssdlab.fleet.population import CONDITIONS, condition_text
from ssdlab.fleet.texts import counted, signed_text, workload_text
from ssdlab.model.errors import UnknownNameError
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.paper.document import Document
from ssdlab.pts.suite import CATALOG
from ssdlab.stats.outliers import LEAST_VALUES
from ssdlab.text.numbers import NOT_MEASURED, NOT_RECORDED, number_text, rounded_text
from ssdlab.text.quantities import is_missing, suited_quantity
from ssdlab.text.table import Table, column, quantity, tabulate

_LONGEST_OPEN: Final = 12  # rows; longer tables are collapsed
_MOST_TOLD: Final = 3  # outliers in the answer, workloads that were meant as well
_FAR = 1000  # robust standard deviations; larger numbers say no more
_REASONS = {
    "not-measured": "the workload was not measured",
    "no-serial": "no serial number, so it is of no known drive",
    "no-value": "the metric was not measured",
    "unsupported": "too few IOs to bound the percentile from above",
    "not-steady": "without steady state",
    "not-judged": "steady state was not judged",
    "neighbours": "another run of ssdlab shared the host",
    "conditions": "other conditions than those of most drives",
}


def fleet_page(fleet: Fleet, topic: str) -> Page:
    """Return one page of a fleet; without blocks if there is nothing to show."""
    if topic not in TOPICS:
        raise UnknownNameError(kind="topic", name=topic, known=tuple(TOPICS))
    return TOPICS[topic](fleet)


def fleet_document(fleet: Fleet) -> Document:
    """Return a fleet as one page: the answer, what it rests on, then the rest."""
    front, *others = (fleet_page(fleet, topic) for topic in TOPICS)
    runs = fleet.runs
    return Document(
        title=f"A fleet: {workload_text(fleet.choice)}",
        subtitle=f"{fleet.store.url}: {counted(len(runs), 'run')} of "
        f"{counted(runs.loc[runs['serial'] != '', 'drive'].nunique(), 'drive')}",
        front=front.blocks,
        pages=tuple(page for page in others if page.blocks),
    )


def answer_page(fleet: Fleet) -> Page:
    """Return the answer: sentences, the drives, and the groups."""
    blocks: list[Block] = [Note(text=" ".join(answer_texts(fleet)), tone="headline")]
    if (
        fleet.runs["is_virtual"].fillna(value=False) & (fleet.runs["left_out"] == "")
    ).any():
        words = "Simulated drives; not representative of any product."
        blocks.append(Note(text=words, tone="warning"))
    if len(fleet.drives):
        title = f"Drives by {fleet.by}: {workload_text(fleet.choice)}"
        metric = fleet.choice.metric.column
        figure = plot_drives(fleet.drives, fleet.odd, metric=metric, title=title)
        blocks += [Plot(figure=figure), groups_table(fleet)]
        if not (fleet.drives["basis"] == "runs").all():
            blocks.append(Note(text=_ONCE))
    blocks += [Note(text=text) for text in _others_texts(fleet)]
    return Page(title="Answer", blocks=tuple(blocks))


_ONCE = (
    "Where no drive of a group was measured twice, an interval is that of the rounds "
    "of its one run: another run may differ by more. Some metrics have none."
)


def answer_texts(fleet: Fleet) -> Iterator[str]:
    """Yield the answer in sentences."""
    kept, groups = fleet.kept, fleet.groups
    if kept.empty:
        name = workload_text(fleet.choice)
        yield f"No run can be used for {name}: see what is left out."
        return
    drives = counted(kept["drive"].nunique(), "drive")
    name = workload_text(fleet.choice)
    yield f"{name}: {drives}, {counted(len(kept), 'run')}."
    if len(groups) == 1:
        yield _median_text(fleet, groups.to_dict("records")[0])
    yield from firmware_texts(fleet)
    yield from _outlier_texts(fleet)
    if (fleet.runs["left_out"] != "").any():
        left = int((fleet.runs["left_out"] != "").sum())
        yield f"{left:,} of {counted(len(fleet.runs), 'run')} are left out."


def _median_text(fleet: Fleet, row: Any) -> str:
    known = suited_quantity(fleet.choice.metric.column, [row["median"]])
    text = f"The median is {rounded_text(row['median'] / known.divisor)}"
    if math.isnan(row["spread_percent"]):
        return f"{text} {known.unit_or_name}."
    spread = rounded_text(row["spread_percent"])
    return f"{text} {known.unit_or_name}; drives scatter by {spread} %."


def _judged(odd: pd.DataFrame) -> "pd.Series[bool]":
    """Return which drives and runs are of a sample that can be judged."""
    return odd["z"].notna() & (odd["limit"] < math.inf)


def _outlier_texts(fleet: Fleet) -> Iterator[str]:
    odd = fleet.odd
    far = odd[(odd["of"] == "drive") & odd["is_outlier"].astype(bool)]
    if far.empty:
        if (_judged(odd) & (odd["of"] == "drive")).any():
            yield "No drive is an outlier."
        return
    told = far.reindex(far["z"].abs().sort_values(ascending=False).index)
    names = ", ".join(
        f"{row['drive']} ({signed_text(row['ratio'])})"
        for row in told.head(_MOST_TOLD).to_dict("records")
    )
    rest = len(far) - _MOST_TOLD
    more = f" and {rest} more" if rest > 0 else ""
    verb = "is an outlier" if len(far) == 1 else "are outliers"
    yield f"{counted(len(far), 'drive')} {verb}: {names}{more}."


def groups_table(fleet: Fleet) -> Table:
    """Return the median of each group, and how its drives and their runs scatter."""
    groups = fleet.groups
    known = suited_quantity(fleet.choice.metric.column, groups["median"])
    unit = f" [{known.unit}]" if known.unit else ""
    percents = (
        ("Drives scatter [%]", "spread_percent"),
        ("Drive to drive [%]", "between_percent"),
        ("Run to run [%]", "within_percent"),
    )
    return tabulate(
        groups,
        (
            column(fleet.by.capitalize(), "group", is_words=True),
            column("Drives", "drives", "{:,}".format),
            column("Runs", "runs", "{:,}".format),
            quantity("", f"Median{unit}", of="median", unit=known),
            column("95 %", lambda row: _range_text(row, "median", known.divisor)),
            column(
                "Least to most",
                lambda row: _ends_text(row["least"], row["most"], known.divisor),
            ),
            *(column(head, name, rounded_text) for head, name in percents),
        ),
        caption="Groups of drives",
        note="The median over drives, its interval between two of them by rank (it "
        "takes six). Scatter is the standard deviation of the logarithm: of the levels "
        "of drives as they are; and, where drives were repeated, of its two parts, "
        "from drive to drive and from run to run (random effects).",
    )


def _range_text(row: Any, name: str, divisor: float) -> str:
    return _ends_text(row[f"{name}_low"], row[f"{name}_high"], divisor)


def _ends_text(low: float, high: float, divisor: float) -> str:
    if is_missing(low) or is_missing(high):
        return NOT_MEASURED
    return f"{number_text(low / divisor)} to {number_text(high / divisor)}"


def _others_texts(fleet: Fleet) -> Iterator[str]:
    others = fleet.choice.others
    if others:
        names = "; ".join(others[:_MOST_TOLD])
        more = f"; and {len(others) - _MOST_TOLD} more" * (len(others) > _MOST_TOLD)
        yield (
            f"Shown is the workload of the most drives. Meant as well: {names}{more}. "
            "Choose with --cell and --test."
        )


def outliers_page(fleet: Fleet) -> Page:
    """Return the drives and the runs that are far from the others."""
    odd = fleet.odd
    far = odd[odd["is_outlier"].astype(bool)]
    blocks: list[Block] = []
    if len(far):
        blocks.append(outliers_table(fleet, far))
    elif _judged(odd).any():
        kinds = " and no ".join(odd[_judged(odd)]["of"].unique())
        blocks.append(Note(text=f"No {kinds} is an outlier.", tone="good"))
    sizes = odd[odd["of"] == "drive"].groupby("group").size()
    few = [str(group) for group, size in sizes.items() if size < LEAST_VALUES]
    if few:
        words = f"Fewer than {LEAST_VALUES} drives, so not judged: {'; '.join(few)}."
        blocks.append(Note(text=words))
    stuck = odd[odd["z"].isna() & (odd["limit"] < math.inf)]["group"].unique()
    if len(stuck):
        words = "More than half of the values are equal, so not judged: "
        blocks.append(Note(text=f"{words}{'; '.join(stuck)}."))
    return Page(title="Outliers", blocks=tuple(blocks) if len(odd) else ())


def outliers_table(fleet: Fleet, far: pd.DataFrame) -> Table:
    """Return the drives and runs that are outliers."""
    known = suited_quantity(fleet.choice.metric.column, far["value"])
    unit = f" [{known.unit}]" if known.unit else f" [{known.unit_or_name}]"
    rounds = fleet.odd_rounds.set_index("run_id").to_dict("index")
    order = far.assign(far=far["z"].abs()).sort_values(
        ["of", "far"], ascending=[True, False]
    )
    return tabulate(
        order,
        (
            column("Drive", "drive", is_words=True),
            column("Of the", "of", is_words=True),
            column("Group", "group", is_words=True),
            quantity("", f"Value{unit}", of="value", unit=known),
            quantity("", f"Middle{unit}", of="middle", unit=known),
            column("By", "ratio", signed_text),
            column("Distance (limit)", _distance_text),
            column("Rounds", lambda r: _rounds_text(rounds.get(r["run_id"]))),
            column("Run folder", "folder", is_words=True),
        ),
        caption="Outliers, by median absolute deviation",
        note="Distance in robust standard deviations of the logarithm: of a drive from "
        "the median of its group, and of a run from the level of its drive where that "
        f"has {FEWEST_RUNS} or more. One fleet in 20 without any outlier has one in "
        "this table by chance. A drive is told with its last run. Rounds: which "
        "of that run are far from the others of its window (1 in 100 runs has one by "
        "chance), where its folder can be read. Outliers are not excluded.",
        is_folded=len(far) > _LONGEST_OPEN,
    )


def _rounds_text(found: Any) -> str:
    """Return which rounds of a run are far off.

    >>> _rounds_text({"rounds": 5, "odd": (3,)}), _rounds_text({"rounds": 5, "odd": ()})
    ('3 far off', 'none of 5 far off')
    >>> _rounds_text(None)
    'not read'
    """
    if not found or is_missing(found["rounds"]):
        return "not read"
    if found["odd"]:
        return f"{', '.join(map(str, found['odd']))} far off"
    return f"none of {found['rounds']:.0f} far off"


def _distance_text(row: Any) -> str:
    far = abs(row["z"])
    text = f"> {_FAR:,}" if far > _FAR else number_text(far)
    return f"{text} ({number_text(row['limit'])})"


def left_out_page(fleet: Fleet) -> Page:
    """Return which runs were left out, and why; and how far the others conform."""
    runs = fleet.runs
    kept, left = runs[runs["left_out"] == ""], runs[runs["left_out"] != ""]
    blocks: list[Block] = [reasons_table(runs)]
    accepted = ", ".join(sorted(fleet.accepted))
    if accepted:
        words = f"Accepted, though they may differ: {accepted}."
        blocks.append(Note(text=words, tone="warning"))
    blocks += [Note(text=text) for text in _told_of_kept(kept)]
    if len(kept):
        blocks.append(conditions_table(kept))
    named = left[left["left_out"] != "not-measured"]
    if len(named):
        blocks.append(left_out_table(named))
    return Page(title="What was left out, and conditions", blocks=tuple(blocks))


def reasons_table(runs: pd.DataFrame) -> Table:
    """Return how many runs were kept, and how many left out for which reason."""
    counts = Counter(runs["left_out"])
    rows = [("kept", counts.pop("", 0), runs[runs["left_out"] == ""])]
    rows += [
        (f"left out: {words}", counts[code], runs[runs["left_out"] == code])
        for code, words in _REASONS.items()
        if code in counts
    ]
    return tabulate(
        rows,
        (
            column("Runs that are", lambda row: row[0], is_words=True),
            column("Runs", lambda row: row[1], "{:,}".format),
            column("Drives", lambda row: row[2]["drive"].nunique(), "{:,}".format),
        ),
        caption="Every run of the store",
        note="The first reason counts. Runs under other conditions are never pooled: "
        "those that the most drives have are taken. Steady state, neighbours and any "
        "condition can be accepted with --accept.",
    )


def _told_of_kept(kept: pd.DataFrame) -> Iterator[str]:
    """Yield what is not known, or not as the standard has it, of the runs kept."""
    unknown = int(kept["neighbours"].isna().sum())
    if unknown:
        yield (
            f"Whether another run shared the host is not known of "
            f"{counted(unknown, 'run')} that {'is' if unknown == 1 else 'are'} kept."
        )
    other = int((~kept["is_conformant"].fillna(value=False).astype(bool)).sum())
    doubtful = int(kept["doubts"].fillna("").ne("").sum())
    yield (
        f"Of {counted(len(kept), 'run')} that are kept, {other:,} depart from the "
        f"standard and {doubtful:,} have doubts about their numbers: see their reports."
    )


_TOLD = {"host": "host", "ssdlab_version": "ssdlab version"}


def conditions_table(kept: pd.DataFrame) -> Table:
    """Return the conditions of the runs that are kept; hosts may differ."""
    rows = []
    for name, words in {**CONDITIONS, **_TOLD}.items():
        texts = [condition_text(one) for one in kept[name]]
        if name == "settings":
            texts = _numbered(texts)
        counts = Counter(texts)
        values = [
            value if len(counts) == 1 else f"{value} ({counted(number, 'run')})"
            for value, number in counts.most_common()
        ]
        shown = "; ".join(values[:_LONGEST_OPEN])
        more = len(values) - _LONGEST_OPEN
        rows.append((words, shown + (f"; and {more} more" if more > 0 else "")))
    return Table(
        caption="Conditions of the runs that are kept",
        head=("Condition", "Value"),
        rows=tuple(rows),
        words=(0, 1),
        note="Hosts and versions of ssdlab may differ: group by host to see whether "
        "they matter.",
    )


def _numbered(texts: Sequence[str]) -> list[str]:
    """Return long texts by the order in which they first are, as far as they are known.

    >>> _numbered(["long", "not recorded", "other", "long"])
    ['of kind 1', 'not recorded', 'of kind 2', 'of kind 1']
    """
    known = [one for one in dict.fromkeys(texts) if one != NOT_RECORDED]
    names = {one: f"of kind {place}" for place, one in enumerate(known, start=1)}
    if len(known) == 1:
        names = {known[0]: "the same"}
    return [names.get(one, one) for one in texts]


def left_out_table(left: pd.DataFrame) -> Table:
    """Return the runs that are left out, each with its reason."""
    return tabulate(
        left,
        (
            column("Run", "run_id", is_words=True),
            column("Drive", lambda row: row["drive"] or NOT_MEASURED, is_words=True),
            column("Why", _why_text, is_words=True),
            column("Run folder", "folder", is_words=True),
        ),
        caption="Runs that are left out",
        is_folded=len(left) > _LONGEST_OPEN,
    )


def _why_text(row: Any) -> str:
    words = _REASONS[row["left_out"]]
    if row["left_out"] == "conditions":
        return str(row["detail"])
    if row["left_out"] == "neighbours":
        return f"{words}: {' | '.join(str(row['neighbours']).splitlines())}"
    return words


def coverage_page(fleet: Fleet) -> Page:
    """Return which drive has which test, and when it was last measured."""
    coverage = fleet.coverage
    if coverage.empty:
        return Page(title="Coverage", blocks=())
    found = set(coverage["test"])
    tests = [one for one in CATALOG if one in found] + sorted(found.difference(CATALOG))
    return Page(
        title="Coverage",
        blocks=(
            coverage_table(coverage, tests),
            Plot(figure=plot_coverage(coverage, tests)),
            last_table(coverage, tests),
        ),
    )


def coverage_table(coverage: pd.DataFrame, tests: list[str]) -> Table:
    """Return how many drives of each model have each test."""
    models = coverage.groupby("model")["drive"].nunique()
    counts = coverage.groupby(["model", "test"])["drive"].nunique()
    return Table(
        caption="Drives that have each test",
        head=("Model", "Drives", *map(str.upper, tests)),
        rows=tuple(
            (
                str(model),
                f"{number:,}",
                *(f"{counts.get((model, test), 0):,}" for test in tests),
            )
            for model, number in models.items()
        ),
        words=(0,),
        note="All runs count, also those that are left out above, but for runs without "
        "a serial number.",
    )


def last_table(coverage: pd.DataFrame, tests: list[str]) -> Table:
    """Return when each drive was last measured by each test."""
    dates = {
        (row["drive"], row["test"]): NOT_MEASURED
        if is_missing(row["last"]) or row["last"] is pd.NaT
        else f"{row['last']:%Y-%m-%d}"
        for row in coverage.to_dict("records")
    }
    models = dict(zip(coverage["drive"], coverage["model"], strict=True))
    return Table(
        caption="When each drive was last measured",
        head=("Drive", "Model", *map(str.upper, tests)),
        rows=tuple(
            (drive, model, *(dates.get((drive, test), NOT_MEASURED) for test in tests))
            for drive, model in models.items()
        ),
        words=(0, 1),
        is_folded=True,
    )


def terminal_tables(fleet: Fleet) -> Iterator[Table]:
    """Yield what a terminal shows below the answer."""
    if len(fleet.groups):
        yield groups_table(fleet)
    far = fleet.odd[fleet.odd["is_outlier"].astype(bool)]
    if len(far):
        yield outliers_table(fleet, far)
    yield reasons_table(fleet.runs)


TOPICS: dict[str, Callable[[Fleet], Page]] = {
    "answer": answer_page,
    "outliers": outliers_page,
    "firmware": firmware_page,
    "ageing": ageing_page,
    "history": history_page,
    "latency": latency_page,
    "left out": left_out_page,
    "coverage": coverage_page,
}
