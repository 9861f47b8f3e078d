"""A job file as a procedure: its tests, phases, tracking variables and notes."""

from pathlib import Path

import pytest

from ssdlab.engine import request
from ssdlab.engine.request import require_fit
from ssdlab.model.asked import Procedure
from ssdlab.model.errors import UserFileError
from ssdlab.model.plain import from_plain, to_plain
from ssdlab.model.spec import Precondition, PtsTest, Purge, Rounds, Stimulus
from ssdlab.procedures.jobs.spec import Fill, JobChoices, file_procedure
from ssdlab.pts.suite import CATALOG
from tests.cli.called import call

TWO = "[global]\nruntime=20\n[a]\nrw=randread\n[b]\nstonewall\nrw=write\nbs=64k\n"


def made(text: str = TWO, **choices: object) -> Procedure:
    return file_procedure(
        text,
        source="two.fio",
        choices=JobChoices(**choices),  # type: ignore[arg-type] # checked by each test
    )


def rounds_of(test: PtsTest) -> Rounds:
    (found,) = (phase for phase in test.phases if isinstance(phase, Rounds))
    return found


def test_first_stimulus_alone_is_purged_and_preconditioned() -> None:
    first, second = made().tests
    assert [type(phase) for phase in first.phases] == [Purge, Precondition, Rounds]
    assert [type(phase) for phase in second.phases] == [Rounds]


@pytest.mark.parametrize(
    ("fill", "kinds"),
    [
        ("seq", [Purge, Precondition, Rounds]),
        ("rnd", [Purge, Stimulus, Rounds]),
        ("both", [Purge, Precondition, Stimulus, Rounds]),
        ("none", [Purge, Rounds]),
        ("sprandom", [Purge, Precondition, Rounds]),
    ],
)
def test_each_stimulus_is_prepared_if_that_is_asked(
    fill: Fill, kinds: list[type]
) -> None:
    asked = made(fill=fill, is_each_purged=True, over_provisioning=0.28)
    for test in asked.tests:
        assert [type(phase) for phase in test.phases] == kinds


def test_sprandom_must_know_the_flash_beyond_the_user_capacity() -> None:
    with pytest.raises(UserFileError, match="sprandom needs over_provisioning"):
        made(fill="sprandom")
    fill = made(fill="sprandom", over_provisioning=0.28).tests[0].phases[1]
    assert isinstance(fill, Precondition)
    assert fill.written_capacities == pytest.approx(1.28)


@pytest.mark.parametrize("words", [(), ("--precondition", "seq")])
def test_over_provisioning_without_sprandom_is_refused(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "a.fio"
    path.write_text("[a]\nrw=randread\n")
    asked = ("run", "virtual", "--job", str(path), "--over-provisioning", "28")
    done = call(*asked, *words, "--dry-run")
    assert done.returncode == 2
    assert "over_provisioning is of the preconditioning by sprandom" in done.stderr


def test_state_that_a_stimulus_starts_on_is_said() -> None:
    (note,) = (text for text in made().notes if "starts on" in text)
    assert "Each of the others starts on the state that the one before it left" in note
    assert not any("starts on" in text for text in made(is_each_purged=True).notes)


def test_matrix_has_all_combinations_and_names_apart() -> None:
    axes = (("iodepth", ("1", "32")), ("bs", ("4k", "8k", "16k")))
    tests = made(matrix=axes).tests
    assert len(tests) == 2 * 2 * 3
    assert len({test.test_id for test in tests}) == len(tests)
    assert tests[0].title == "a, iodepth=1 bs=4k"


def test_no_stimulus_has_the_name_of_a_test_of_the_pts() -> None:
    text = "".join(f"[{name}]\nstonewall\n" for name in CATALOG)
    assert not {test.test_id for test in made(text).tests} & CATALOG.keys()


def test_names_that_differ_only_in_signs_give_different_folders() -> None:
    text = "".join(f"[{name}]\nstonewall\n" for name in ("a", "a 2", "A", "a:2", "é"))
    ids = [test.test_id for test in made(text).tests]
    assert ids == ["job-a", "job-a-2", "job-a-3", "job-a-2-2", "job"]


def test_rounds_take_the_time_of_the_file_unless_another_is_given() -> None:
    assert [rounds_of(test).cell_seconds for test in made().tests] == [20, 20]
    assert rounds_of(made(seconds=5.0).tests[0]).cell_seconds == 5
    assert rounds_of(made("[a]\n").tests[0]).cell_seconds == 60


def test_tracking_variables_may_be_of_all_jobs_or_of_one() -> None:
    text = "[a]\nrw=randread\n[b]\nrw=write\n"
    (test,) = made(text, tracked=("bw", "a:lat", "b:iops")).tests
    found = [(one.job, one.metric) for one in rounds_of(test).tracking]
    assert found == [("", "bw_bytes_per_s"), ("a", "lat_mean_ns"), ("b", "iops")]


def test_tracking_variable_of_a_job_is_that_of_its_stimulus_alone() -> None:
    first, second = made(tracked=("a:lat",)).tests
    assert rounds_of(first).tracking
    assert not rounds_of(second).tracking


def test_without_tracking_variables_nothing_is_judged() -> None:
    (test,) = made("[a]\n", tracked=(), max_rounds=3).tests
    assert test.judged_phases == ()
    assert rounds_of(test).max_rounds == 3


@pytest.mark.parametrize(
    ("tracked", "words"),
    [
        (("speed",), "'speed' is none of"),
        (("c:iops",), "no job 'c'"),
        (("iops", "bw"), "one metric only"),
        (("a:iops", "a:lat"), "one metric only"),
    ],
)
def test_tracking_variable_that_is_none_is_refused(
    tracked: tuple[str, ...], words: str
) -> None:
    with pytest.raises(UserFileError, match=words):
        made(tracked=tracked)


def test_too_many_stimuli_are_refused() -> None:
    values = tuple(str(number) for number in range(1, 130))
    with pytest.raises(UserFileError, match="258 stimuli; from 1 to 256"):
        made(matrix=(("iodepth", values),))


@pytest.mark.parametrize("rounds", [0, 3])
def test_place_behind_the_device_is_refused_in_rounds_and_long_runs(
    rounds: int,
) -> None:
    far = made("[a]\noffset=1g\n", max_rounds=rounds, tracked=(), long_seconds=60.0)
    with pytest.raises(UserFileError, match="job a: offset 1g is beyond"):
        require_fit("virtual:size=64MiB", far)


@pytest.mark.parametrize("rounds", [0, 3])
def test_option_that_fio_lacks_is_refused_in_rounds_and_long_runs(
    rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request, "list_options", lambda _path, _engines: {"rw"})
    monkeypatch.setattr(request, "require_fio", lambda: ("/usr/bin/fio", "fio-3.33"))
    new = made("[a]\nbs=4k\n", max_rounds=rounds, tracked=(), long_seconds=60.0)
    with pytest.raises(UserFileError, match="does not know the option bs"):
        request.check_procedure("virtual:size=64MiB", new, choices=request.RunChoices())


def test_sprandom_that_fio_lacks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request, "require_fio", lambda: ("/usr/bin/fio", "fio-3.33"))
    asked = made("[a]\nbs=4k\n", fill="sprandom", over_provisioning=0.07)
    target, choices = "virtual:size=64MiB", request.RunChoices()
    monkeypatch.setattr(request, "list_options", lambda *_: {"bs", "sprandom"})
    request.check_procedure(target, asked, choices=choices)
    monkeypatch.setattr(request, "list_options", lambda *_: {"bs"})
    with pytest.raises(UserFileError, match="does not know the option sprandom"):
        request.check_procedure(target, asked, choices=choices)


def test_stimuli_are_named_without_what_the_matrix_changes() -> None:
    stimuli = made("[a]\n", matrix=(("bs", ("4k", "8k")),)).given["stimuli"]
    assert stimuli == {
        "job-two-bs-4k": {"name": "two", "matrix": {"bs": "4k"}},
        "job-two-bs-8k": {"name": "two", "matrix": {"bs": "8k"}},
    }


def test_matrix_without_end_is_refused_at_once() -> None:
    axes = tuple((f"rate_iops,{n}", tuple(map(str, range(100)))) for n in range(20))
    with pytest.raises(UserFileError, match="combinations; the most are 256"):
        made(matrix=axes)


def test_procedure_survives_its_record() -> None:
    plain = to_plain(made(matrix=(("iodepth", ("1", "2")),)))
    assert from_plain(Procedure, plain) == made(matrix=(("iodepth", ("1", "2")),))
