"""Under which conditions runs were measured, and which of them differ."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from ssdlab.analysis.comparison.condition_facts import (
    ALL_TESTS,
    DIFFERS,
    PROFILE,
    PROFILE_VALUE,
    SAME,
    WORKERS,
    find_facts,
    find_standing,
)
from ssdlab.model.errors import UnknownNameError
from ssdlab.model.records import RunRecord

GRAVE_FINDINGS = "grave findings"
NOT_STEADY = "steady state"

# Shown, and no hindrance: they are of the drive, of its interface, or of no weight.
_OF_THE_DRIVE = ("capacity", "firmware", "interface", "purge method", "ssdlab version")


def tabulate_conditions(
    records: Sequence[RunRecord],
    *,
    jobs: Mapping[str, Mapping[str, str]],
    workers: pd.DataFrame,
) -> pd.DataFrame:
    """Return what each run was measured under, and in what the runs differ.

    Returns
    -------
    pandas.DataFrame
        One row a condition and run: ``condition``, ``run_id``, ``value`` in words,
        ``tests`` that it is about, ``standing`` (same, differs, or not known: of one
        run or of all, while the known ones are the same), and ``is_barring``: runs that
        differ in it are not compared. TC and QD bar the cells that they differ in, and
        no others.
    """
    table = find_facts(records, jobs=jobs, workers=workers)
    standings = {
        name: find_standing(values)
        for name, values in table.groupby("condition")["value"]
    }
    is_worker = table["condition"].str.startswith(WORKERS)
    is_barring = ~table["condition"].isin(_OF_THE_DRIVE) & ~is_worker
    standing = table["condition"].map(standings)
    return table.assign(standing=standing, is_barring=is_barring)


def require_conditions(accepted: str, conditions: pd.DataFrame) -> tuple[str, ...]:
    """Return the conditions that a user takes as equal.

    Their names; who takes any ``profile`` takes all its values.

    Raises
    ------
    UnknownNameError
        If one is none of the conditions.
    """
    known = [*conditions["condition"].unique(), GRAVE_FINDINGS, NOT_STEADY]
    named = [name.strip() for name in accepted.split(",") if name.strip()]
    if "all" in named:
        return tuple(known)
    for name in named:
        if name not in known:
            raise UnknownNameError(kind="condition", name=name, known=[*known, "all"])
    if PROFILE in named:
        named += [name for name in known if is_profile_value(name)]
    return tuple(dict.fromkeys(named))


def is_profile_value(condition: str) -> bool:
    """Tell whether a condition is one value of a profile, and not its name."""
    return condition.startswith(PROFILE_VALUE)


def name_conditions(conditions: Iterable[str]) -> tuple[str, ...]:
    """Return conditions by name; profiles of different names stand for their values.

    The same without the values of profiles, where ``profile`` is among them.

    >>> name_conditions(["profile", "kernel", "profile: iops max rounds"])
    ('profile', 'kernel')
    """
    names = tuple(dict.fromkeys(conditions))
    if PROFILE not in names:
        return names
    return tuple(name for name in names if not is_profile_value(name))


def barring_values(
    conditions: pd.DataFrame, *, accepted: Sequence[str] = ()
) -> dict[str, tuple[str, ...]]:
    """Return by run the conditions that must be the same, each with its value.

    Such as ``fio version: fio-3.33``; in the same order for all runs.
    """
    kept = conditions[
        conditions["is_barring"]
        & (conditions["standing"] != SAME)
        & ~conditions["condition"].isin(list(accepted))
    ]
    texts: dict[str, tuple[str, ...]] = dict.fromkeys(
        (str(name) for name in conditions["run_id"].unique()), ()
    )
    for row in kept.itertuples():
        texts[str(row.run_id)] += (f"{row.condition}: {row.value}",)
    return texts


def find_differing(
    conditions: pd.DataFrame,
    run_ids: Iterable[str],
    *,
    test: str,
    accepted: Sequence[str] = (),
) -> tuple[str, ...]:
    """Return the conditions that bar a comparison of some runs in a test.

    Their names, and of those that are known of some of the runs alone that they
    are: they need not have been the same. What is known of none bars nothing.
    """
    own = conditions[
        conditions["run_id"].isin(list(run_ids))
        & conditions["is_barring"]
        & ~conditions["condition"].isin(list(accepted))
    ]
    is_of_test = own["tests"].map(
        lambda tests: tests == ALL_TESTS or test in tests.split(",")
    )
    own = own[is_of_test.astype(bool)]
    values = {
        str(name): set(group) for name, group in own.groupby("condition")["value"]
    }
    barring = [
        name
        for name in dict.fromkeys(map(str, own["condition"]))
        if len(values[name]) > 1
    ]
    return tuple(
        name if find_standing(values[name]) == DIFFERS else f"{name} (not known of all)"
        for name in name_conditions(barring)
    )
