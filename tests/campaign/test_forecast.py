"""What a run would do: purges are told from the steps after them."""

from typing import Any

from ssdlab.campaign.forecast import forecast, forecast_procedure
from ssdlab.procedures.saturation import saturate
from ssdlab.procedures.stimulus_text import parse_stimulus


def steps_of(test: dict[str, Any], name: str = "steps") -> tuple[int, int]:
    return test[f"{name}_min"], test[f"{name}_max"]


def test_purge_is_no_step_after_the_purge() -> None:
    """IOPS: a purge, a fill, and 5 to 25 rounds of 56 cells."""
    (test,) = forecast("virtual", "pts-2.0-enterprise", "iops")["tests"]
    assert steps_of(test) == (282, 1402)
    assert steps_of(test, "steps_after_purge") == (281, 1401)


def test_purge_of_a_fallback_is_no_step_after_the_purge_either() -> None:
    """Saturation: purge, fill and 12 rounds; at most purge, fill and 24 more."""
    procedure = saturate(parse_stimulus("RND 4KiB 0/100"), iterations=12)
    (test,) = forecast_procedure("virtual", procedure)["tests"]
    assert steps_of(test) == (14, 40)
    assert steps_of(test, "steps_after_purge") == (13, 38)
