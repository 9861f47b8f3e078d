"""Compare the outputs of ssdlab for known runs with accepted ones: `make same`.

    python -m tools.same             list what differs; exit code 1 if anything does
    python -m tools.same --accept    accept the current outputs

Known runs are those of data/samples and synthetic ones. Their outputs are every table,
the report with each of its figures, what commands print, and what notebooks show. Each
is a text in build/same; the digests are in tests/data/same.json. If the texts of an
earlier --accept are available, differences are shown line by line.
"""

import difflib
import hashlib
import json
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tools.same_texts import PARTS, ROOT, make_part

DIGESTS = ROOT / "tests" / "data" / "same.json"
TEXTS = ROOT / "build" / "same"
ACCEPTED = ROOT / "build" / "same-accepted"
WORKERS = 2
_SHOWN_LINES = 10
_SHOWN_BYTES = 200
_SHOWN_TEXTS = 20


def main(arguments: Sequence[str]) -> int:
    """Make every text, and compare its digest or accept it."""
    made = make_all()
    digests = {name: digest(text) for name, text in sorted(made.items())}
    if "--accept" in arguments:
        write_texts(ACCEPTED, made)
        DIGESTS.write_text(json.dumps(digests, indent=1) + "\n", "utf-8")
        print(f"same: accepted the digests of {len(digests)} texts")
        return 0
    write_texts(TEXTS, made)
    differing = find_differences(read_digests(), digests)
    print("\n".join(difference_lines(differing, len(digests))))
    return 1 if differing else 0


def make_all() -> dict[str, str]:
    """Return every text by its name, made by several processes."""
    with ProcessPoolExecutor(WORKERS) as pool:
        parts = pool.map(make_part, PARTS)
        return {name: text for part in parts for name, text in part.items()}


def read_digests() -> dict[str, str]:
    """Return the accepted digests by the names of their texts."""
    digests: dict[str, str] = json.loads(DIGESTS.read_text("utf-8"))
    return digests


def digest(text: str) -> str:
    """Return the digest of a text, long enough to be unique."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def write_texts(folder: Path, made: Mapping[str, str]) -> None:
    """Write every text to a file of its name, replacing earlier ones."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def find_differences(
    before: Mapping[str, str], now: Mapping[str, str]
) -> dict[str, str]:
    """Return what has changed, by name: gone, new or different."""
    names = sorted(before.keys() | now.keys())
    words = {
        name: "gone" if name not in now else "new" if name not in before else "differs"
        for name in names
    }
    return {name: words[name] for name in names if before.get(name) != now.get(name)}


def difference_lines(differing: Mapping[str, str], count: int) -> Iterator[str]:
    """Yield the names of what differs, and the changed lines of the first of them."""
    for number, (name, word) in enumerate(differing.items()):
        yield f"{word}: {name}"
        if word == "differs" and number < _SHOWN_TEXTS:
            yield from _changed_lines(name)
    same = count - sum(word != "gone" for word in differing.values())
    yield f"same: {same} of {count} texts are unchanged, {len(differing)} differ"


def _changed_lines(name: str) -> Iterator[str]:
    """Yield the first changed lines, if the accepted text is available."""
    if not (ACCEPTED / name).is_file():
        return
    before, now = (
        (folder / name).read_text("utf-8").splitlines() for folder in (ACCEPTED, TEXTS)
    )
    lines = difflib.unified_diff(before, now, n=0)
    changed = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
    for line in changed[:_SHOWN_LINES]:
        yield f"    {line[:_SHOWN_BYTES]}"
    if len(changed) > _SHOWN_LINES:
        yield f"    and {len(changed) - _SHOWN_LINES} more lines"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
