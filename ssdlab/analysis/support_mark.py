"""The mark of a percentile that is not supported: the same on every page.

The rule is that of `ssdlab.analysis.qos.claims`: the interval has no upper end.
"""

import pandas as pd

UNSUPPORTED_MARK = "*"
UNSUPPORTED_NOTE = (
    f"{UNSUPPORTED_MARK} not supported: too few IOs, or rounds too different, to bound "
    "the percentile from above. To bound 99.9 % takes 3,688 independent IOs, 99.99 % "
    "36,887 and 99.999 % 368,887."
)


def mark_unsupported(text: str, is_supported: object) -> str:
    """Return a percentile as text, marked if it is known not to be supported.

    >>> mark_unsupported("1.234", is_supported=False)
    '1.234 *'
    >>> mark_unsupported("1.234", is_supported=None)
    '1.234'
    """
    is_bare = bool(pd.isna(is_supported)) or bool(is_supported)  # type: ignore[call-overload]
    return text if is_bare else f"{text} {UNSUPPORTED_MARK}"


def has_marks(rows: "tuple[tuple[str, ...], ...]") -> bool:
    """Tell whether any text of a table is marked."""
    return any(text.endswith(f" {UNSUPPORTED_MARK}") for row in rows for text in row)
