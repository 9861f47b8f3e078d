"""Verdicts in Markdown, for the summary of a CI job."""

from collections.abc import Iterable

from ssdlab.text.table import Table
from ssdlab.text.terminal import printable

_ESCAPED = str.maketrans({
    **{sign: f"\\{sign}" for sign in r"\`*_[]|~"},
    "<": "&lt;",
    ">": "&gt;",
    "&": "&amp;",
})


def render_markdown(
    title: str,
    *,
    facts: Iterable[str],
    listed: Table,
    folded: Table,
    note: str,
) -> str:
    """Return a title, facts, a table, one that is folded behind its caption, a note.

    A table without rows is left out.
    """
    parts = [f"## {_escaped(title)}"]
    parts.append("\n".join(f"- {_escaped(' '.join(one.split()))}" for one in facts))
    parts += [_table(listed)] if listed.rows else []
    if folded.rows:
        head = f"<summary>{_escaped(folded.caption)}</summary>"
        parts.append(f"<details>{head}\n\n{_table(folded)}\n\n</details>")
    parts.append(_escaped(note))
    return "\n\n".join(parts) + "\n"


def _table(table: Table) -> str:
    rule = [":---" if at in table.words else "---:" for at in range(len(table.head))]
    rows = [[_escaped(text) for text in row] for row in (table.head, *table.rows)]
    lines = (rows[0], rule, *rows[1:])
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)


def _escaped(text: str) -> str:
    return printable(text).translate(_ESCAPED)
