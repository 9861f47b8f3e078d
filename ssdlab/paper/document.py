"""A page about several runs, or about none: title, notes, pages of blocks."""

from dataclasses import dataclass
from pathlib import Path

from ssdlab.model.version import VERSION
from ssdlab.paper.blocks import Block, Note, Page
from ssdlab.paper.html import render_html
from ssdlab.system.outputs import write_output


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """A page that is not the report of one run.

    ``subtitle`` says what it is about, ``notes`` what a reader must know before any
    number, and ``front`` is what the first screen shows: the answer.
    """

    title: str
    subtitle: str
    pages: tuple[Page, ...]
    notes: tuple[Note, ...] = ()
    front: tuple[Block, ...] = ()


def render_document(document: Document) -> str:
    """Return a document as one self-contained HTML page."""
    values = {"document": document, "version": VERSION}
    return render_html("document.html.j2", values, title=document.title)


def write_document(document: Document, path: Path) -> Path:
    """Write a document, atomically. Return its path."""
    write_output(path, render_document(document).encode())
    return path
