"""The package's public names, and what it costs to use one."""

import subprocess
import sys

import pytest

import ssdlab.analysis


def test_every_public_name_is_found() -> None:
    for name in dir(ssdlab.analysis):
        assert getattr(ssdlab.analysis, name).__name__ == name


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="attribute assess_everything"):
        ssdlab.analysis.assess_everything  # type: ignore[attr-defined]  # noqa: B018 - asked for on purpose


def test_judging_a_series_does_not_wait_for_pandas() -> None:
    program = (
        "import sys; from ssdlab.analysis import assess_steady_state, verdict_lines; "
        "verdict_lines(assess_steady_state([1.0] * 5)); "
        "from ssdlab.store.series_csv import read_series; "
        "print({'pandas', 'scipy', 'pyarrow'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "set()"
