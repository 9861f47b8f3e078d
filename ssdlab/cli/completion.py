"""What Tab completes: runs, profiles, tests and targets."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import click
from click.shell_completion import CompletionItem


def _begun(
    names: Iterable[tuple[str, str]], incomplete: str, *, before: str = ""
) -> list[CompletionItem]:
    return [
        CompletionItem(f"{before}{name}", help=words)
        for name, words in names
        if name.startswith(incomplete)
    ]


def complete_runs(
    _: click.Context, __: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the name of a run, newest first, or a path."""
    from ssdlab.model.errors import SsdlabError
    from ssdlab.store.catalog import list_runs

    runs = os.environ.get("SSDLAB_RUNS")
    named: list[tuple[str, str]] = []
    with suppress(SsdlabError, OSError):
        named = [
            (Path(entry.path).name, f"{entry.label} {','.join(entry.tests)}".strip())
            for entry in list_runs(runs)
            if not entry.trouble
        ]
    latest = [("latest", "the newest run")] if named else []
    found = _begun([*latest, *named], incomplete)
    return found or [CompletionItem(incomplete, type="dir")]


def complete_profiles(
    _: click.Context, __: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the name of a profile, or of a file of one."""
    from ssdlab.pts.profiles import PROFILES

    names = ((name, profile.title) for name, profile in PROFILES.items())
    return _begun(names, incomplete) or [CompletionItem(incomplete, type="file")]


def complete_tests(
    _: click.Context, __: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the last of some tests, divided by commas."""
    from ssdlab.pts.suite import CATALOG

    before, comma, last = incomplete.rpartition(",")
    taken = set(before.split(","))
    names = ((name, test.title) for name, test in CATALOG.items() if name not in taken)
    everything = [] if comma else [("all", "every test of the profile")]
    return _begun([*names, *everything], last, before=f"{before}{comma}")


def complete_targets(
    _: click.Context, __: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the kind of a target, or the path of a drive."""
    kinds = (("virtual", "a model of an SSD in memory"), ("file:", "a file"))
    return _begun(kinds, incomplete) or [CompletionItem(incomplete, type="file")]
