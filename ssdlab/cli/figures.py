"""The command ``figures``: the figures of a run as files for a paper."""

from itertools import product
from pathlib import Path
from typing import Any

import click

from ssdlab.cli.group import main, overwrite_option, run_argument
from ssdlab.cli.live import working


@main.command()
@run_argument
@click.option(
    "--format",
    "formats",
    type=click.Choice(["png", "svg", "pdf"]),
    default=("svg",),
    show_default=True,
    multiple=True,
    help="may be repeated; png has 600 dpi",
)
@click.option(
    "--columns",
    type=click.Choice(["1", "2"]),
    default="1",
    show_default=True,
    help="width in columns of a paper: 88.9 or 181.9 mm",
)
@click.option("--as-shown", is_flag=True, help="keep titles and colours of the report")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="folder to write to; default: RUN/export/figures",
)
@overwrite_option
def figures(run: Path, *, output: Path | None, as_shown: bool, **options: Any) -> None:
    """Export the figures of a report for a paper.

    Figures have 8 pt type and no titles, and are legible in greyscale: lines differ by
    dashes, markers by shape, bars by hatching, rows of columns by greys and edges.
    Needs Chromium or Chrome.
    """
    from ssdlab.ingest.opening import open_run
    from ssdlab.plots.publication import publication
    from ssdlab.report.images import run_figures, write_images
    from ssdlab.system.outputs import require_folder_name, require_replaceable

    require_folder_name(output, "figures")
    with working("reading the run and making its figures"):
        opened = open_run(run)
        drawn = run_figures(opened)
    if not as_shown:
        width: Any = int(options["columns"])
        drawn = {name: publication(figure, width) for name, figure in drawn.items()}
    folder = output or opened.folder / "export" / "figures"
    if output is not None:
        for name, kind in product(drawn, options["formats"]):
            require_replaceable(
                output / f"{name}.{kind}", overwrite=options["overwrite"]
            )
    formats: Any = options["formats"]
    with working("starting the browser") as tell:
        paths = write_images(drawn, folder, formats=formats, tell=tell)
    for path in paths:
        click.echo(path)
