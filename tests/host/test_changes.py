"""What became of the host between two looks at it."""

from ssdlab.host.changes import compare_checks
from ssdlab.model.host_checks import CheckVerdict, HostCheck


def check(name: str, verdict: CheckVerdict, read: str) -> HostCheck:
    return HostCheck(
        check_id=name,
        title=name.title(),
        verdict=verdict,
        read=read,
        why="",
        remedy="",
        source="ssdlab",
    )


def test_changed_verdicts_are_told_with_what_was_read_the_worst_first() -> None:
    before = (
        check("turbo", "warn", "on"),
        check("governor", "good", "performance"),
        check("link", "unknown", "not told"),
    )
    now = (
        check("turbo", "good", "off"),
        check("governor", "bad", "powersave"),
        check("link", "warn", "slow"),
    )
    assert compare_checks(before, now) == (
        "Governor: good (performance) before, bad (powersave) now",
        "Link: unknown (not told) before, warning (slow) now",
        "Turbo: warning (on) before, good (off) now",
    )


def test_same_verdict_is_no_change_whatever_was_read() -> None:
    before = (check("load", "good", "1 % busy"), check("fio", "bad", "2.0"))
    now = (check("load", "good", "7 % busy"), check("fio", "bad", "2.1"))
    assert compare_checks(before, now) == ()
    assert compare_checks(now, now) == ()


def test_check_that_only_one_look_had_is_left_out() -> None:
    one, other = check("one", "good", "1"), check("other", "bad", "2")
    assert compare_checks((one,), (other,)) == ()
    assert compare_checks((), (other,)) == ()


def test_load_of_the_moment_is_no_change_of_the_host() -> None:
    before, now = check("other_load", "good", "1 %"), check("other_load", "bad", "99 %")
    assert compare_checks((before,), (now,)) == ()
