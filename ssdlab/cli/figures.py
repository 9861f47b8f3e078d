"""The command ``figures``: the figures of a run as files for a paper."""

from itertools import product
from pathlib import Path
from typing import Any

import click

from ssdlab.cli.group import main, overwrite_option, run_argument


@main.command()
@run_argument
@click.option(
    "--format",
    "formats",
    type=click.Choice(["png", "svg", "pdf"]),
    default=("svg",),
    show_default=True,
    multiple=True,
    help="may be given several times; png has 600 pixels an inch",
)
@click.option(
    "--columns",
    type=click.Choice(["1", "2"]),
    default="1",
    show_default=True,
    help="how many columns of a paper wide: 88.9 or 181.9 mm",
)
@click.option(
    "--as-shown", is_flag=True, help="as the report shows them, titles and all"
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="the folder to write; without it RUN/export/figures",
)
@overwrite_option
def figures(run: Path, *, output: Path | None, as_shown: bool, **asked: Any) -> None:
    """Write the figures of a run's report as files for a paper.

    In 8 pt type, without titles, and told apart in grey: lines by dashes, markers by
    shapes, bars by hatching, rows of columns by greys and edges. Needs a Chromium or
    Chrome.
    """
    from ssdlab.campaign.opening import open_run
    from ssdlab.figures.publication import publication
    from ssdlab.report.images import run_figures, write_images
    from ssdlab.system.outputs import require_folder_name, require_replaceable

    require_folder_name(output, "figures")
    opened = open_run(run)
    drawn = run_figures(opened)
    if not as_shown:
        width: Any = int(asked["columns"])
        drawn = {name: publication(figure, width) for name, figure in drawn.items()}
    folder = output or opened.folder / "export" / "figures"
    if output is not None:
        for name, kind in product(drawn, asked["formats"]):
            require_replaceable(output / f"{name}.{kind}", overwrite=asked["overwrite"])
    for path in write_images(drawn, folder, formats=asked["formats"]):
        click.echo(path)
