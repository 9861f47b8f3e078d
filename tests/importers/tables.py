"""The tables of a report, as a reader of its HTML finds them."""

from html.parser import HTMLParser
from pathlib import Path


class _Tables(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.rows: list[list[str]] = []
        self.is_in_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.rows = self.tables.setdefault(dict(attrs).get("aria-label") or "", [])
        elif tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self.rows[-1].append("")
            self.is_in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th"}:
            self.is_in_cell = False

    def handle_data(self, data: str) -> None:
        if self.is_in_cell:
            self.rows[-1][-1] += data


def read_tables(report: Path) -> dict[str, list[list[str]]]:
    """Return the tables of a report by caption, each a list of rows of texts."""
    reader = _Tables()
    reader.feed(report.read_text("utf-8").split("<script")[0])
    return reader.tables


def find_table(report: Path, caption: str) -> dict[str, list[str]]:
    """Return the one table whose caption begins so, its rows by their first cell."""
    found = [
        rows for name, rows in read_tables(report).items() if name.startswith(caption)
    ]
    assert len(found) == 1, (caption, list(read_tables(report)))
    return {row[0]: row[1:] for row in found[0]}
