"""Figures as files for papers: PNG, SVG or PDF, all drawn by one browser."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import plotly.graph_objects as go

from ssdlab.model.errors import BrowserFailedError, ExportError, MissingToolError
from ssdlab.report.blocks import Plot
from ssdlab.report.context import read_context
from ssdlab.report.sections import pages_of
from ssdlab.store.run import Run
from ssdlab.system.browser import find_browser

ImageFormat = Literal["png", "svg", "pdf"]

_PNG_SCALE: Final = 600 / 96  # pixels an inch, as journals ask for
_NAME_LETTERS: Final = 60


def run_figures(run: Run) -> dict[str, go.Figure]:
    """Return the figures of a run's report by a name that can be a file's.

    Parameters
    ----------
    run : Run
        The run.

    Returns
    -------
    dict of str to go.Figure
        In the order of the report, such as ``lat-03-response-time-histogram``.
    """
    return dict(_named_figures(run))


def _named_figures(run: Run) -> Iterator[tuple[str, go.Figure]]:
    context = read_context(run)
    for test in run.record.tests:
        plots = (
            (page.title, block.figure)
            for page in pages_of(context, test)
            for block in page.blocks
            if isinstance(block, Plot)
        )
        for number, (title, figure) in enumerate(plots, start=1):
            words = figure.layout.title.text or title
            slug = re.sub(r"[^a-z0-9]+", "-", words.lower())[:_NAME_LETTERS]
            yield f"{test}-{number:02d}-{slug.strip('-')}", figure


def write_images(
    figures: Mapping[str, go.Figure],
    folder: Path,
    *,
    formats: Sequence[ImageFormat] = ("svg",),
) -> tuple[Path, ...]:
    """Write figures as they are; `ssdlab.figures.publication` sizes them for a paper.

    Parameters
    ----------
    figures : mapping of str to go.Figure
        The figures by the names of their files.
    folder : Path
        Where they go; it is made.
    formats : sequence of {"png", "svg", "pdf"}, default ("svg",)
        The formats; png has 600 pixels an inch.

    Returns
    -------
    tuple of Path
        The files.

    Raises
    ------
    MissingToolError
        If kaleido or a browser is not installed.
    ExportError
        If the folder cannot be written.
    BrowserFailedError
        If a figure was not drawn.
    """
    try:
        import kaleido  # noqa: PLC0415 - an extra, and slow
    except ModuleNotFoundError:
        raise MissingToolError(
            tool="kaleido",
            needed_for="figures as files",
            remedy="pip install 'ssdlab[export]'",
        ) from None
    browser = find_browser()
    places = {
        (name, kind): folder / f"{name}.{kind}" for name in figures for kind in formats
    }
    wanted: list[dict[str, Any]] = [
        {
            "fig": figures[name].to_plotly_json(),
            "path": place,
            "opts": {"format": kind, "scale": _PNG_SCALE if kind == "png" else 1},
        }
        for (name, kind), place in places.items()
    ]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Formulas would be fetched from elsewhere; there are none.
        page = kaleido.PageGenerator(mathjax=False)
        kaleido.write_fig_from_object_sync(
            wanted, kopts={"path": browser, "page_generator": page}
        )
    except OSError as error:
        reason = f"figures cannot be written there ({error.strerror})"
        remedy = "Name another folder."
        raise ExportError(place=str(folder), reason=reason, remedy=remedy) from None
    missing = [place.name for place in places.values() if not _is_written(place)]
    if missing:
        raise BrowserFailedError(reason=f"{', '.join(missing)} were not drawn")
    return tuple(places.values())


def _is_written(place: Path) -> bool:
    return place.is_file() and place.stat().st_size > 0
