"""Figures as files for papers: PNG, SVG or PDF, all drawn by one browser."""

import base64
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal, NoReturn, get_args

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from ssdlab.model.errors import ExportError
from ssdlab.paper.blocks import Plot
from ssdlab.paper.context import read_context
from ssdlab.report.view import overview_of, pages_of
from ssdlab.store.run import Run
from ssdlab.system.browser import OpenPage, open_page
from ssdlab.system.folders import Folder
from ssdlab.system.outputs import (
    PDF_MARK,
    PNG_MARK,
    SVG_MARK,
    output_folder,
    write_output,
)

ImageFormat = Literal["png", "svg", "pdf"]

_PX: Final = 96  # of CSS an inch
_DPI: Final = 600  # of a PNG, as journals ask for
_PNG_SCALE: Final = _DPI / _PX
_METRES_PER_INCH: Final = 0.0254
_BARE: Final = {
    **dict.fromkeys(("marginTop", "marginBottom", "marginLeft", "marginRight"), 0),
    "printBackground": True,
    "pageRanges": "1",
}
# Columns in three dimensions are pixels in every format: four of them a CSS pixel.
_DRAW: Final = """
async function draw(number, format, scale) {
  const { data, layout } = figures[number];
  const { width = 700, height = 500 } = layout;
  const size = { format, width, height, scale, imageDataOnly: true };
  return Plotly.toImage({ data, layout, config: { plotGlPixelRatio: 4 } }, size);
}
async function lay(number) {
  document.body.innerHTML = await draw(number, "svg", 1);
  const { width, height } = document.querySelector("svg").getBoundingClientRect();
  return [width, height];
}
"""
_PAGE: Final = """<!doctype html><meta charset="utf-8">
<style>body {{ margin: 0 }} svg {{ display: block }}</style><body>
<script>{plotly}</script><script>const figures = [{figures}];{draw}</script>
"""
_NAME_LETTERS: Final = 100
_KIND_OF_PLOT: Final = re.compile(r"^[23]D (plot|columns), ")
_PNG_HEAD_BYTES: Final = 33  # signature and IHDR


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A figure, its format, its destination, and the function that writes it."""

    figure: go.Figure
    kind: str
    place: Path
    write: Callable[[bytes], None]


def run_figures(run: Run) -> dict[str, go.Figure]:
    """Return the figures of a run's report by name, usable as a file name."""
    return dict(_named_figures(run))


def _named_figures(run: Run) -> Iterator[tuple[str, go.Figure]]:
    context = read_context(run)
    whole = (one for one in overview_of(context) if isinstance(one, Plot))
    for number, block in enumerate(whole, start=1):
        yield f"all-{number:02d}-{_slug(block.figure, 'all')}", block.figure
    for test in run.record.tests:
        plots = (
            (page.title, block.figure)
            for page in pages_of(context, test)
            for block in page.blocks
            if isinstance(block, Plot)
        )
        for number, (title, figure) in enumerate(plots, start=1):
            yield f"{test}-{number:02d}-{_slug(figure, title)}", figure


def _slug(figure: go.Figure, page: str) -> str:
    """Return what a figure shows as part of a file name, in whole words.

    A figure without a title is named by its axis too, and columns in three dimensions
    by that.

    >>> _slug(go.Figure(layout_yaxis_title_text="Throughput [MB/s]"), "2D, 128 KiB")
    'throughput-2d-128-kib'
    >>> _slug(go.Figure(), "2D plot, throughput by block size")
    'throughput-by-block-size'
    """
    words = _KIND_OF_PLOT.sub("", figure.layout.title.text or page)
    if not figure.layout.title.text:
        axis = figure.layout.yaxis.title.text or ""
        words = f"{axis.partition(' [')[0]} {words}"
    kinds = {trace.type for trace in figure.data}
    if any("3d" in kind for kind in kinds):
        words += " 3D"
    elif "heatmap" in kinds:
        words += " heat map"
    slug = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
    if len(slug) > _NAME_LETTERS:
        slug = slug[: _NAME_LETTERS + 1].rpartition("-")[0]
    return slug


def write_image(figure: go.Figure, path: str | Path) -> Path:
    """Write one figure unchanged; `ssdlab.plots.publication` sizes it for a paper.

    Parameters
    ----------
    figure : go.Figure
        Any plotly figure.
    path : str or Path
        The file; its suffix, ``.png``, ``.svg`` or ``.pdf``, is the format.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ExportError
        If the suffix is not one of these, or the file cannot be written.
    MissingToolError
        If no browser is installed.
    BrowserFailedError
        If the figure was not drawn.

    Examples
    --------
    >>> ssdlab.write_image(figure, "iops.pdf")  # doctest: +SKIP
    """
    place = Path(path)
    kind = place.suffix.removeprefix(".")
    if kind not in get_args(ImageFormat):
        reason = (
            f"a figure cannot be written as {place.suffix or 'a file without ending'}"
        )
        remedy = "Use a file name that ends in .png, .svg or .pdf."
        raise ExportError(place=str(place), reason=reason, remedy=remedy)
    try:
        output_folder(place.parent).make()
    except OSError as error:
        _refuse(place, error)
    _write([_Wanted(figure, kind, place, partial(write_output, place))])
    return place


def write_images(
    figures: Mapping[str, go.Figure],
    folder: Path | Folder,
    *,
    formats: Sequence[ImageFormat] = ("svg",),
    tell: Callable[[str], None] = lambda _words: None,
) -> tuple[Path, ...]:
    """Write figures unchanged; `ssdlab.plots.publication` sizes them for a paper.

    ``tell`` receives which of them is drawn.
    """
    where = folder if isinstance(folder, Folder) else output_folder(folder)
    names = [(name, f"{name}.{kind}", kind) for name in figures for kind in formats]
    wanted = [
        _Wanted(figures[name], kind, where.path / file, partial(where.write, file))
        for name, file, kind in names
    ]
    try:
        where.make()
    except OSError as error:
        _refuse(where.path, error)
    _write(wanted, tell)
    return tuple(one.place for one in wanted)


def _write(
    wanted: Sequence[_Wanted], tell: Callable[[str], None] = lambda _words: None
) -> None:
    """Draw every figure in one browser and write each when it is drawn."""
    drawn = {id(one.figure): one.figure for one in wanted}
    numbers = {key: number for number, key in enumerate(drawn)}
    with TemporaryDirectory() as folder:
        page = Path(folder) / "figures.html"
        page.write_text(_page(list(drawn.values())), "utf-8")
        with open_page(page, ready="typeof lay === 'function'") as opened:
            for number, one in enumerate(wanted, start=1):
                tell(f"drawing {number} of {len(wanted)}: {one.place.name}")
                _save(one, _draw(opened, numbers[id(one.figure)], one.kind))


def _page(figures: Sequence[go.Figure]) -> str:
    """Return a page that holds figures and draws one on request."""
    parts = (
        figure.to_json().replace("<", "\\u003c")  # ends no script
        for figure in figures
    )
    return _PAGE.format(plotly=get_plotlyjs(), figures=",".join(parts), draw=_DRAW)


def _draw(opened: OpenPage, number: int, kind: str) -> bytes:
    if kind == "pdf":
        width, height = opened.evaluate(f"lay({number})")
        paper = {"paperWidth": width / _PX, "paperHeight": height / _PX}
        return opened.print(paper | _BARE) + PDF_MARK
    scale = _PNG_SCALE if kind == "png" else 1
    image = str(opened.evaluate(f"draw({number}, '{kind}', {scale})"))
    if kind == "svg":
        return image.encode() + b"\n" + SVG_MARK
    return _completed_png(base64.b64decode(image))


def _completed_png(image: bytes) -> bytes:
    """Return a PNG that tells, after its header, its resolution and its writer."""
    per_metre = round(_DPI / _METRES_PER_INCH).to_bytes(4, "big")
    physical = _chunk(b"pHYs", per_metre + per_metre + b"\x01")  # 1: of a metre
    added = physical + _chunk(b"tEXt", PNG_MARK)
    return image[:_PNG_HEAD_BYTES] + added + image[_PNG_HEAD_BYTES:]


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = zlib.crc32(kind + content).to_bytes(4, "big")
    return len(content).to_bytes(4, "big") + kind + content + check


def _save(one: _Wanted, image: bytes) -> None:
    try:
        one.write(image)
    except OSError as error:
        _refuse(one.place, error)


def _refuse(place: Path, error: OSError) -> NoReturn:
    reason = f"the figure cannot be written there ({error.strerror})"
    remedy = "Give another path."
    raise ExportError(place=str(place), reason=reason, remedy=remedy) from None
