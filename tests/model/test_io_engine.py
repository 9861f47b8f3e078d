"""The IO engine of a run: a closed set, one text each, and what it asks of fio."""

import pytest
from hypothesis import given
from hypothesis.strategies import permutations, sampled_from, sets, text

from ssdlab.model.io_engine import engine_of, parse_io_engine, reached_by

FLAGS = ("fixedbufs", "registerfiles", "hipri", "sqthread_poll")
FILE = {"ioengine": "libaio", "filename": "/mnt/a", "allow_file_create": "0"}


def test_auto_is_the_engine_of_the_target() -> None:
    assert parse_io_engine(" auto ") is None
    assert reached_by(FILE, "auto", queue_depth=32) == FILE


@given(permutations(FLAGS), sets(sampled_from(FLAGS)), sampled_from([" ", ", ", ","]))
def test_flags_have_one_order_and_are_options_of_fio(
    order: list[str], wanted: set[str], between: str
) -> None:
    given_text = between.join(["io_uring", *(one for one in order if one in wanted)])
    engine = parse_io_engine(given_text)
    assert engine is not None
    assert engine.text == " ".join(["io_uring", *(f for f in FLAGS if f in wanted)])
    assert engine.options == {"ioengine": "io_uring"} | dict.fromkeys(engine.flags, "1")
    assert engine_of(FILE | engine.options) == engine.text
    assert parse_io_engine(engine.text) == engine


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("external:/tmp/evil.so", "is not an IO engine"),
        ("libaio\nexec_prerun=reboot", "has no flag 'exec_prerun=reboot'"),
        ("http", "choose from auto, libaio, io_uring, io_uring_cmd, psync"),
        ("psync hipri", "psync has no flag 'hipri'"),
        ("io_uring iopoll", "it has fixedbufs, registerfiles, hipri, sqthread_poll"),
        ("auto hipri", "'auto' is not an IO engine"),
        ("", "'' is not an IO engine"),
    ],
)
def test_anything_else_is_refused(name: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_io_engine(name)


@given(text(max_size=30))
def test_no_text_gets_more_into_a_job_than_an_engine_and_its_flags(name: str) -> None:
    try:
        options = reached_by(FILE, name, queue_depth=1)
    except ValueError:
        return
    assert options.keys() <= FILE.keys() | set(FLAGS)
    assert options["ioengine"] in {"libaio", "io_uring", "psync", "sync"}
    assert options["filename"] == FILE["filename"]


def test_deep_fill_of_a_synchronous_engine_keeps_that_of_the_target() -> None:
    assert reached_by(FILE, "psync", queue_depth=32) == FILE
    assert reached_by(FILE, "psync", queue_depth=1) == FILE | {"ioengine": "psync"}


def test_commands_go_to_the_generic_device_of_the_namespace() -> None:
    engine = parse_io_engine("io_uring_cmd fixedbufs")
    assert engine is not None
    assert engine.is_passthrough
    found = reached_by(
        {"ioengine": "libaio", "filename": "/dev/nvme1n2"}, engine.text, queue_depth=8
    )
    assert found == {
        "ioengine": "io_uring_cmd",
        "filename": "/dev/ng1n2",
        "fixedbufs": "1",
        "direct": "0",
    }
    assert engine.without_device.text == "io_uring fixedbufs"


def test_path_without_a_device_has_all_other_flags() -> None:
    engine = parse_io_engine("io_uring fixedbufs hipri")
    assert engine is not None
    assert (engine.is_polled, engine.without_device.text) == (
        True,
        "io_uring fixedbufs",
    )
    assert not engine.without_device.is_polled
