"""What tests of rendered reports share."""

import re
from collections.abc import Callable
from html import unescape

from tests.made_run import Recipe

SMALL = Recipe(saturation_rounds=40)
Render = Callable[[Recipe], str]


def words(page: str) -> str:
    """Return the text that a reader of a page sees, on one line."""
    body = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", body)))
