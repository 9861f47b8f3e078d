"""What a report is made of: chapters of pages of tables, plots and notes."""

from dataclasses import dataclass
from typing import Literal

import plotly.graph_objects as go

from ssdlab.text.table import Table

Tone = Literal["plain", "warning", "good", "headline"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Plot:
    """A figure; its title becomes the caption."""

    figure: go.Figure


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """A sentence or two."""

    text: str
    tone: Tone = "plain"


Block = Table | Plot | Note


@dataclass(frozen=True, kw_only=True, slots=True)
class HeaderColumn:
    """One of the four columns at the head of a PTS page."""

    title: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """One page of a PTS report: a plot or table with what belongs to it."""

    title: str
    blocks: tuple[Block, ...]
    plot_id: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Chapter:
    """All pages of one test, under one four-column header."""

    test_id: str
    title: str
    pts_section: str
    columns: tuple[HeaderColumn, ...]
    pages: tuple[Page, ...]
