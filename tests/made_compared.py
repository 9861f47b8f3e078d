"""Runs of drives whose true differences are known, for comparisons."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from ssdlab.model.units import KIB, MIB
from ssdlab.store.run import Run
from tests.made_run import ENTERPRISE, Recipe, make_run

FEW_CELLS = ENTERPRISE.having(
    iops_mixes=(100, 65, 0), iops_block_sizes=(MIB, 64 * KIB, 4 * KIB)
)


@dataclass(frozen=True, kw_only=True)
class Twin:
    """A run like that of the recipe, but so many times as fast, with its own noise."""

    number: int
    speed: float = 1.0
    kernel: str = "6.1.0-28-amd64"
    warned: str = ""  # a step in which the target complained
    recipe: Recipe = field(default_factory=Recipe)


def make_twin(folder: Path, twin: Twin) -> Run:
    """Make a run folder and open it."""
    recipe = replace(
        twin.recipe,
        speed=twin.speed,
        kernel=twin.kernel,
        warned=twin.warned,
        seed=twin.number,
        run_id=f"20261121-1200{twin.number:02d}-made-{twin.number:04d}",
    )
    return make_run(folder / f"run{twin.number}", recipe)
