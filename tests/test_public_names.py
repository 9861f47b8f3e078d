"""The public names of analysis and figures, and what it costs to use one."""

import subprocess
import sys
from types import ModuleType

import pytest

import ssdlab.analysis
import ssdlab.figures


@pytest.mark.parametrize("package", [ssdlab.analysis, ssdlab.figures])
def test_every_public_name_is_found(package: ModuleType) -> None:
    assert len(dir(package)) > 20
    for name in dir(package):
        assert getattr(package, name).__name__ == name


def test_names_of_figures_cost_nothing_until_they_are_used() -> None:
    program = "import sys, ssdlab.figures; print('plotly' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="attribute assess_everything"):
        ssdlab.analysis.assess_everything  # type: ignore[attr-defined]  # noqa: B018 - asked for on purpose


def test_judging_a_series_does_not_wait_for_pandas() -> None:
    program = (
        "import sys; from ssdlab.analysis import assess_steady_state; "
        "from ssdlab.steadiness.verdict_text import verdict_lines; "
        "verdict_lines(assess_steady_state([1.0] * 5)); "
        "from ssdlab.store.series_csv import read_series; "
        "print({'pandas', 'scipy', 'pyarrow'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "set()"
