"""Programs that are asked about the host."""

from ssdlab.host.programs import run_program


def test_program_tells_what_it_says_and_how_it_ended() -> None:
    said = run_program(("sh", "-c", "echo out; echo err >&2; exit 3"))
    assert said is not None
    assert (said.exit_code, said.text) == (3, "out\nerr")


def test_program_that_is_not_there_says_nothing() -> None:
    assert run_program(("ssdlab-no-such-program",)) is None


def test_program_has_nothing_to_read() -> None:
    said = run_program(("cat",))
    assert said is not None
    assert said.text == ""
