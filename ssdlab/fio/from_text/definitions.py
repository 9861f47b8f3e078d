"""fio's definition of a job before it runs: ``job: (g=0): rw=randread, bs=…``.

It has the direction, the block sizes, the engine and the depth, but neither the share
of reads in a mix nor the number of threads.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ssdlab.fio.document import Direction, FioOption
from ssdlab.fio.from_text.text_numbers import block_size_of, parse_amount

BlockSizes = dict[Direction, int]

_SIDES: tuple[Direction, ...] = ("read", "write", "trim")
_NEW_SIZES = re.compile(r"\(([RWT])\) ([^,\s-]+)-([^,\s-]+)", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Definition:
    """One job as fio introduced it; ``sizes`` if a direction has only one."""

    name: str
    group_id: int
    options: tuple[FioOption, ...]
    sizes: BlockSizes


def parse_definition(parts: Sequence[str]) -> Definition:
    """Return the definition from the parts of its line."""
    name, group, kind, printed, engine, depth = parts
    ranges = dict(_ranges(printed))
    sizes = {side: low for side, (low, high) in ranges.items() if low == high}
    if len(sizes) == len(_SIDES) and len({*sizes.values()}) == 1:
        sizes["mixed"] = sizes["read"]
    said = {"rw": kind, **_block_option(ranges, printed), "ioengine": engine}
    if depth:
        said["iodepth"] = depth
    options = (FioOption(name=key, value=value) for key, value in said.items())
    return Definition(
        name=name, group_id=int(group), options=tuple(options), sizes=sizes
    )


def sizes_of_group(definitions: Iterable[Definition], group_id: int) -> BlockSizes:
    """Return the block sizes [B] that all jobs of a group have."""
    found = [each.sizes for each in definitions if each.group_id == group_id]
    first = found[0] if found else {}
    return {
        side: size
        for side, size in first.items()
        if all(sizes.get(side) == size for sizes in found)
    }


def options_of_entry(
    definitions: Sequence[Definition], name: str, group_id: int, *, is_alone: bool
) -> tuple[FioOption, ...]:
    """Return the options of a job entry, if all its possible jobs have the same.

    An entry that is alone in its group may be of all its jobs (``group_reporting``);
    otherwise it is of the jobs of its name.
    """
    of_group = [each for each in definitions if each.group_id == group_id]
    of_name = [each for each in of_group if each.name == name]
    found = {each.options for each in (of_group if is_alone and of_name else of_name)}
    return found.pop() if len(found) == 1 else ()


def _ranges(printed: str) -> Iterator[tuple[Direction, tuple[int, int]]]:
    """Yield the least and the greatest block size of each direction [B]."""
    names = dict(zip("RWT", _SIDES, strict=True))
    new = _NEW_SIZES.findall(printed)
    texts = [(names[letter], low, high) for letter, low, high in new]
    if not new:
        sides = zip(_SIDES, printed.split("/"), strict=False)
        texts = [(side, *part.partition("-")[::2]) for side, part in sides]
    for side, low_text, high_text in texts:
        low, high = (_size(text, is_new=bool(new)) for text in (low_text, high_text))
        if low and high:
            yield side, (low, high)


def _size(text: str, *, is_new: bool) -> int | None:
    kilo = 1000 if is_new else 1024
    amount = parse_amount(text, kilo=kilo, is_old=not is_new)
    return block_size_of(amount) if amount else None


def _block_option(
    ranges: dict[Direction, tuple[int, int]], printed: str
) -> dict[str, str]:
    """Return the block sizes as the option that gives them, in bytes.

    Old versions print no size of trims: it is that of writes, as for fio itself.
    """
    if not {"read", "write"} <= ranges.keys():
        return {"bssplit": printed}
    of_sides = [ranges.get(side, ranges["write"]) for side in _SIDES]
    if all(low == high for low, high in of_sides):
        sizes = [str(low) for low, _ in of_sides]
        return {"bs": sizes[0] if len({*sizes}) == 1 else ",".join(sizes)}
    return {"bsrange": ",".join(f"{low}-{high}" for low, high in of_sides)}
