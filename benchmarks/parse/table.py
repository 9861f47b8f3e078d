"""The tables of a task: one of its readers, one of its targets."""

from collections.abc import Iterable, Mapping, Sequence

from benchmarks.parse.contest import Result
from benchmarks.parse.works import BASES, Basis, Target, Work

_KIB_PER_MIB = 1024
_HEADS = (
    "reader",
    "process, s",
    "work, s",
    "x {floor}",
    "peak, MiB",
    "beyond file pages",
    "answer",
)
_TARGET_HEADS = ("to reach", *BASES, "met by")

Rows = Sequence[Sequence[str]]


def render(
    work: Work, results: Mapping[str, Result], *, size_bytes: int, is_markdown: bool
) -> str:
    """Return both tables of a task as text."""
    lay_out = _markdown if is_markdown else _plain
    floor = results[work.floor]
    heads = [head.format(floor=work.floor) for head in _HEADS]
    rows = [_row(result, floor) for result in results.values()]
    targets = [_target_row(target, results) for target in work.targets]
    title = f"{work.title} ({size_bytes / 1e6:,.0f} MB)"
    parts = [f"## {title}" if is_markdown else title]
    parts += [lay_out(heads, rows), lay_out(_TARGET_HEADS, targets), _notes(results)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _row(result: Result, floor: Result) -> list[str]:
    name = result.peer.name + ("" if result.peer.share == 1 else " (scaled)")
    if result.problem:
        return [name, "", "", "", "", "", result.problem]
    process_s = result.seconds("process")
    work_s = result.seconds("work") if result.has_passes else None
    basis: Basis = "work" if floor.has_passes else "process"
    own_s, floor_s = result.seconds(basis), floor.seconds(basis)
    memory = result.memory
    is_part = result.peer.share != 1
    return [
        name,
        _number(process_s, 3),
        _number(work_s, 3),
        _number(own_s / floor_s if own_s and floor_s else None, 1),
        "" if memory is None or is_part else _mib(memory.peak_kib),
        "" if memory is None or is_part else _mib(memory.anonymous_kib),
        result.verdict,
    ]


def _notes(results: Mapping[str, Result]) -> str:
    warm = [
        f"warm, in one process: {name} {result.warm_s:.3f} s"
        for name, result in results.items()
        if result.warm_s is not None
    ]
    return "\n".join(warm)


def _target_row(target: Target, results: Mapping[str, Result]) -> list[str]:
    if not target.theirs:
        return _memory_row(target, results[target.ours])
    bound = "at most" if target.is_most else "faster, at least"
    text = f"{target.ours}: {bound} {target.limit:g} x {target.theirs}"
    ours, theirs = results[target.ours], results[target.theirs]
    ratios = [_ratio(target, ours, theirs, basis) for basis in BASES]
    if not any(ratios):
        return [text, *[""] * len(BASES), "not measured"]
    met = [
        basis
        for basis, ratio in zip(BASES, ratios, strict=True)
        if ratio and _is_met(target, ratio)
    ]
    # What was stopped or died before it had an answer would have taken longer.
    more = ">" if theirs.problem else ""
    shown = [f"{more}{ratio:.1f} x" if ratio else "" for ratio in ratios]
    return [text, *shown, ", ".join(met) or ("not known" if more else "NOT MET")]


def _ratio(target: Target, ours: Result, theirs: Result, basis: Basis) -> float | None:
    ours_s, theirs_s = ours.seconds(basis), theirs.seconds(basis)
    if ours.problem or not ours_s or not theirs_s:
        return None
    return ours_s / theirs_s if target.is_most else theirs_s / ours_s


def _is_met(target: Target, ratio: float) -> bool:
    return ratio <= target.limit if target.is_most else ratio >= target.limit


def _memory_row(target: Target, result: Result) -> list[str]:
    beyond = "" if target.counts_file_pages else " beyond file pages"
    text = f"{target.ours}: at most {target.limit:g} MiB{beyond}"
    memory = result.memory
    if memory is None or result.problem:
        return [text, *[""] * len(BASES), "not measured"]
    kib = memory.peak_kib if target.counts_file_pages else memory.anonymous_kib
    is_met = kib <= target.limit * _KIB_PER_MIB
    return [text, f"{_mib(kib)} MiB", "", "", "process" if is_met else "NOT MET"]


def _number(value: float | None, decimals: int) -> str:
    return "" if value is None else f"{value:,.{decimals}f}"


def _mib(kib: int) -> str:
    return f"{kib / _KIB_PER_MIB:,.0f}"


def _plain(heads: Sequence[str], rows: Rows) -> str:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    return "\n".join(
        "  ".join(_aligned(row, widths)).rstrip()
        for row in (heads, ["-" * width for width in widths], *rows)
    )


def _aligned(row: Sequence[str], widths: Iterable[int]) -> list[str]:
    pairs = list(zip(row, widths, strict=True))
    first, *middle, last = pairs
    return [
        first[0].ljust(first[1]),
        *(cell.rjust(width) for cell, width in middle),
        last[0],
    ]


def _markdown(heads: Sequence[str], rows: Rows) -> str:
    rules = ["---", *["---:"] * (len(heads) - 2), "---"]
    return "\n".join(
        f"| {' | '.join(row)} |" for row in (list(heads), rules, *map(list, rows))
    )
