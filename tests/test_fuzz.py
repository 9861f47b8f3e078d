"""What fuzzing rests on: the guard sees faults, and each target stands its seeds."""

from pathlib import Path

import pytest

from fuzz.findings import Findings
from fuzz.guard import FLOOR_BYTES, ViolationError, run_guarded
from fuzz.repeat import shrink
from fuzz.seeds import find_seeds
from fuzz.targets import TARGETS
from ssdlab.model.errors import FioOutputError

SEEDS_A_TARGET = 5


def fail_on_word(data: bytes) -> None:
    if b"bad" in data:
        msg = "a fault"
        raise KeyError(msg)


def test_error_of_ours_is_no_fault() -> None:
    def refuse(data: bytes) -> None:
        raise FioOutputError(source="made", reason=f"{len(data)} bytes", remedy="None.")

    run_guarded(refuse, b"any")


def test_any_other_error_is_a_fault() -> None:
    with pytest.raises(ViolationError, match="KeyError: 'a fault'"):
        run_guarded(fail_on_word, b"a bad input")


def test_much_memory_is_a_fault() -> None:
    with pytest.raises(ViolationError, match="MiB for 5 bytes"):
        run_guarded(lambda _: print(len(b"x" * (2 * FLOOR_BYTES))), b"small")


def test_findings_keep_the_smallest_input_of_a_fault(tmp_path: Path) -> None:
    findings = Findings(target="log", folder=tmp_path)
    fault = ViolationError(signature="one fault", told="told")
    assert findings.keep(fault, b"long input")
    assert not findings.keep(fault, b"short")
    assert not findings.keep(fault, b"a longer input")
    assert (tmp_path / f"log-{fault.mark}").read_bytes() == b"short"


def test_shrinking_leaves_what_makes_the_fault() -> None:
    with pytest.raises(ViolationError) as caught:
        run_guarded(fail_on_word, b"bad")
    long = b"x" * 999 + b"bad" + b"y" * 999
    assert shrink(fail_on_word, long, caught.value.signature) == b"bad"


@pytest.mark.parametrize("name", TARGETS)
def test_target_stands_its_seeds(name: str) -> None:
    target = TARGETS[name]
    seeds = find_seeds(target.patterns, target.texts)
    assert seeds
    for seed in seeds[:SEEDS_A_TARGET]:
        run_guarded(target.parse, seed)
