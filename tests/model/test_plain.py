"""Plain values to frozen data and back: what run.json and step.json hold."""

import json
from dataclasses import asdict, dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.model.fio_option import FioOption
from ssdlab.model.plain import from_plain, to_plain
from ssdlab.model.spec import PtsTest, Workload
from ssdlab.model.step import Step
from ssdlab.pts.profiles import PROFILES
from ssdlab.pts.suite import SUITE, build_tests


def _through_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("name", PROFILES)
def test_every_test_comes_back_from_json_when_it_was_written_as_data(name: str) -> None:
    profile = PROFILES[name]
    tests = build_tests(profile, [test for test in SUITE if test in profile.tests])
    data = _through_json(to_plain(tests))
    assert from_plain(tuple[PtsTest, ...], data) == tests


@given(
    block=st.sampled_from([512, 4096]),
    mix=st.integers(0, 100),
    offset=st.integers(0, 2**40),
    wait=st.floats(0, 50),
)
def test_a_step_comes_back_from_json(
    block: int, mix: int, offset: int, wait: float
) -> None:
    workload = Workload(
        access="rnd",
        block_size_bytes=block,
        read_percent=mix,
        threads=1,
        queue_depth=2,
        fio_options=(FioOption("thread", "0"),),
    )
    step = Step(
        step_id="00001-x",
        test_id="iops",
        phase_id="rounds",
        kind="cell",
        workload=workload,
        offset_bytes=offset,
        wait_s=wait,
    )
    assert from_plain(Step, _through_json(asdict(step))) == step


def test_a_field_takes_its_default_when_an_older_file_does_not_have_it() -> None:
    data = asdict(_STEP)
    del data["wait_s"]
    del data["workload"]["streams"]
    assert from_plain(Step, data) == _STEP


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"kind": "party"}, "kind: 'party' is not one of"),
        ({"offset_bytes": "0"}, "offset_bytes: '0' is not a whole number"),
        ({"offset_bytes": True}, "offset_bytes: True is not a whole number"),
        ({"workload": []}, "workload: .. is not a table"),
        ({"colour": "red"}, "unknown field 'colour'"),
    ],
)
def test_values_of_another_kind_are_refused_with_their_place(
    change: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        from_plain(Step, asdict(_STEP) | change)


def test_a_missing_field_is_named_when_it_has_no_default() -> None:
    data = asdict(_STEP)
    del data["phase_id"]
    with pytest.raises(ValueError, match="'phase_id' is missing"):
        from_plain(Step, data)


@pytest.mark.parametrize(
    ("phase", "why"),
    [
        ({"type": "Party"}, "'Party' is missing or unknown"),
        ({"phase_id": "x"}, "'type' is missing or unknown"),
    ],
)
def test_a_phase_is_not_guessed(phase: dict[str, str], why: str) -> None:
    test = PtsTest(test_id="x", title="X", pts_section="", phases=())
    with pytest.raises(ValueError, match=why):
        from_plain(PtsTest, asdict(test) | {"phases": [phase]})


def test_a_tuple_of_fixed_length_keeps_it() -> None:
    assert from_plain(_Pair, {"both": [1, 2.5]}) == _Pair((1, 2.5))
    with pytest.raises(ValueError, match="Not enough values"):
        from_plain(_Pair, {"both": [1]})


@dataclass(frozen=True)
class _Pair:
    both: tuple[int, float]


_STEP = Step(
    step_id="00001-x",
    test_id="iops",
    phase_id="rounds",
    kind="cell",
    workload=Workload(
        access="rnd", block_size_bytes=512, read_percent=0, threads=1, queue_depth=1
    ),
)
