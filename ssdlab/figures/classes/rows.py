"""The rows of the plots by storage class: groups, classes and runs."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ssdlab.figures.classes.looks import RunLook, group_look

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True, slots=True)
class LevelRow:
    """One line of the plot: a class, a run, or the title of a group."""

    label: str
    name: str
    color: str = ""
    key: str = ""
    doubtful: str = ""


def class_rows(classes: "pd.DataFrame") -> list[LevelRow]:
    """Return a row for each class under the title of its group."""
    rows: list[LevelRow] = []
    for group, members in classes.groupby("group", sort=False):
        rows.append(LevelRow(label=f"<b>{_safe(group)}</b>", name=""))
        rows += [
            LevelRow(
                label=_safe(row["storage_class"]),
                name=_safe(row["storage_class"]),
                color=group_look(str(group))[0],
                key=f"class {row['row']}",
                doubtful=str(row["doubtful"]),
            )
            for _, row in members.iterrows()
        ]
    return rows


def _safe(text: object) -> str:
    return str(text).replace("&", "&amp;").replace("<", "&lt;")


def run_rows(looks: Sequence[RunLook]) -> list[LevelRow]:
    """Return a row for each run under a title; none without runs."""
    if not looks:
        return []
    return [
        LevelRow(label="<b>Runs</b>", name=""),
        *(
            LevelRow(
                label=f'<span style="color:{look.color}">{look.text}</span>',
                name=look.full,
                color=look.color,
                key=look.run_id,
            )
            for look in looks
        ),
    ]


def row_numbers(
    classes: "pd.DataFrame", values: "pd.DataFrame", *, columns: Collection[str]
) -> dict[tuple[str, str], float]:
    """Return each value above zero of some columns, by the key of its row."""
    found = {
        (f"class {row['row']}", column): float(row[column])
        for _, row in classes.iterrows()
        for column in columns
    }
    found |= {
        (str(row["run_id"]), str(row["metric"])): float(row["value"])
        for _, row in values.iterrows()
        if row["metric"] in columns
    }
    return {key: value for key, value in found.items() if value > 0}
