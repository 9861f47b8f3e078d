"""The command ``page``: an executed notebook as one file."""

from pathlib import Path

import click

from ssdlab.cli.group import fail, main, overwrite_option, page_format_option
from ssdlab.cli.live import working


@main.command()
@click.argument(
    "notebook", metavar="NOTEBOOK", type=click.Path(path_type=Path, dir_okay=False)
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="file to write; default: next to the notebook",
)
@page_format_option
@overwrite_option
def page(
    notebook: Path, output: Path | None, file_format: str | None, *, overwrite: bool
) -> None:
    """Export an executed notebook as a self-contained page.

    Text, tables and figures are those of the notebook; code is folded. NOTEBOOK is a
    file saved by JupyterLab or papermill.
    """
    from ssdlab.paper.notebook_page import write_notebook_page
    from ssdlab.report.pdf import write_notebook_pdf
    from ssdlab.system.outputs import choose_format, require_replaceable

    file_format = choose_format(output, file_format, ("html", "pdf"))
    place = output or notebook.with_suffix(f".{file_format}")
    require_replaceable(place, overwrite=overwrite)
    write = write_notebook_pdf if file_format == "pdf" else write_notebook_page
    try:
        with working("drawing the page"):
            written = write(notebook, place)
    except OSError as error:
        fail(f"{place} cannot be written ({error.strerror}).", 2)
    click.echo(written)
