"""What is compared before and after a change: texts that say the same each time."""

import base64
import re

import numpy as np
import pandas as pd
import pytest

from tools import same
from tools.same_texts import PARTS, json_text, make_part, table_text


def test_texts_that_are_gone_new_or_different_are_named() -> None:
    before = {"a": "1", "b": "2", "c": "3"}
    now = {"b": "2", "c": "4", "d": "5"}
    found = same.find_differences(before, now)
    assert found == {"a": "gone", "c": "differs", "d": "new"}
    assert list(same.difference_lines(found, len(now))) == [
        "gone: a",
        "differs: c",
        "new: d",
        "same: 1 of 3 texts are unchanged, 3 differ",
    ]


def test_numbers_are_rounded_and_arrays_of_figures_unpacked() -> None:
    packed = base64.b64encode(np.array([0.1 + 0.2, 2.0]).tobytes()).decode()
    value = {"y": {"dtype": "f8", "bdata": packed}, "x": (1 / 3, 7, "a", None)}
    told = json_text(value).replace("\n", "")
    assert told == '{"x": [0.3333333333,7,"a",null],"y": [0.3,2.0]}'


def test_frame_is_told_with_its_types() -> None:
    frame = pd.DataFrame({"n": [1, 2], "x": [0.1 + 0.2, np.nan]})
    assert table_text(frame) == "n:int64 x:float64\nn,x\n1,0.3\n2,\n"


@pytest.mark.parametrize("part", ["made/ideal", "plans/tkperf", "plans/pts-c-1.1"])
def test_what_is_made_is_what_was_accepted(part: str) -> None:
    """All of it is compared by `make same`; so much tells that nobody forgets it."""
    made = {name: same.digest(text) for name, text in make_part(part).items()}
    before = same.read_digests()
    assert made == {
        name: before[name] for name in before if name.startswith(f"{part}/")
    }


def test_texts_hold_no_place_and_no_time() -> None:
    assert "commands" in PARTS
    for name, text in make_part("made/saturate").items():
        assert not re.search(r"/tmp/|0x[0-9a-f]{8}", text), name
