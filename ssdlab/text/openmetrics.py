"""Text in the format OpenMetrics, for the textfile collector of node_exporter."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})

Sample = tuple[Mapping[str, str], float]


def gauge_lines(name: str, words: str, samples: Iterable[Sample]) -> Iterator[str]:
    r"""Yield the lines of a gauge: what it is, and a value for each set of labels.

    >>> print("\n".join(gauge_lines("up", "Whether it runs.", [({"host": "a"}, 1)])))
    # HELP up Whether it runs.
    # TYPE up gauge
    up{host="a"} 1
    """
    yield f"# HELP {name} {words}"
    yield f"# TYPE {name} gauge"
    for labels, value in samples:
        pairs = (f'{key}="{text.translate(_ESCAPES)}"' for key, text in labels.items())
        yield f"{name}{{{','.join(pairs)}}} {value:.10g}"


def whole_text(lines: Iterable[str]) -> str:
    """Return lines as a whole text, with its end."""
    return "".join(f"{line}\n" for line in (*lines, "# EOF"))
