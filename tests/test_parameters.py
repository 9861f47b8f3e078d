"""What a notebook asks of its parameters before it begins."""

import math

import pytest

import ssdlab
from ssdlab.model.errors import ParameterError, UnknownNameError
from ssdlab.notebook import require_known_parameters

DECLARED = """\
run: str = "here"  # a folder
level: float = 1.0
count: int = 1
is_asked: bool = False
"""


def given(name: str, value: object) -> dict[str, object]:
    cell = f"# Parameters\n{name} = {value!r}\n"
    return {"In": ["", DECLARED, cell, "import ssdlab\n"], name: value}


@pytest.mark.parametrize(
    ("name", "value"),
    [("run", "there"), ("level", 2), ("level", 0.5), ("count", 3), ("is_asked", True)],
)
def test_value_of_the_kind_that_is_declared_is_taken(name: str, value: object) -> None:
    require_known_parameters(given(name, value))


@pytest.mark.parametrize(
    ("name", "value", "asked"),
    [
        ("run", 5, "a string"),
        ("run", None, "a string"),
        ("level", "high", "a number"),
        ("level", True, "a number"),
        ("level", math.nan, "a number"),
        ("count", 1.5, "an integer"),
        ("is_asked", "maybe", "True or False"),
    ],
)
def test_value_of_another_kind_is_refused(name: str, value: object, asked: str) -> None:
    with pytest.raises(ParameterError, match=asked) as caught:
        require_known_parameters(given(name, value))
    assert caught.value.name == name


def test_name_that_is_not_declared_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="parameter 'rnu'"):
        require_known_parameters(given("rnu", "x"))


def test_what_nobody_injected_is_not_looked_at() -> None:
    require_known_parameters({"In": ["", DECLARED, "import ssdlab\n"], "run": 5})


@pytest.mark.parametrize("refresh_s", [0, -1.0, math.nan, math.inf])
def test_explorer_refuses_a_pause_that_is_none(refresh_s: float) -> None:
    with pytest.raises(ParameterError, match=r"refresh_s is .* must be above 0"):
        ssdlab.explore("data/samples", refresh_s=refresh_s)


def test_explorer_refuses_a_metric_that_is_none() -> None:
    with pytest.raises(UnknownNameError, match="metric 'bogus'"):
        ssdlab.explore("data/samples", metric="bogus")


def test_explorer_refuses_a_test_that_the_run_does_not_have() -> None:
    with pytest.raises(UnknownNameError, match=r"test 'hir'. Choose from: lat\."):
        ssdlab.explore("data/samples", run="virtual-lat", test="hir")


def test_explorer_takes_the_folder_of_a_run() -> None:
    shown = ssdlab.explore("data/samples", run="data/samples/virtual-b")
    assert shown.selection.run == "virtual-b"
    shown.close()
