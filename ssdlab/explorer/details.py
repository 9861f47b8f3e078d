"""The details of a cell as escaped HTML: its job, the output of fio, its rounds."""

from html import escape
from typing import TYPE_CHECKING

from ssdlab.model.errors import RunFolderError
from ssdlab.text.quantities import metric_quantity

if TYPE_CHECKING:
    import pandas as pd

    from ssdlab.store.run import Run

SHORT = 4000  # characters of raw output shown until all are requested

_PRE = (
    "margin:0;padding:8px;max-height:340px;overflow:auto;font:12px monospace;"
    "line-height:1.35;white-space:pre-wrap;overflow-wrap:anywhere"
)


def preformatted(text: str) -> str:
    """Return text unchanged, with all special characters escaped."""
    return f'<pre style="{_PRE}">{escape(text)}</pre>'


def note(text: str) -> str:
    """Return a line of small print."""
    return f'<div style="font-size:12px;opacity:.8">{escape(text)}</div>'


def job_html(run: "Run", step: str) -> str:
    """Return the command and the job file of a step."""
    command, job = run.command(step), run.job_file(step)
    if not job:
        return note(f"{step}: no job file, for example because it was imported")
    return note(step) + preformatted(f"{command}\n\n{job}".strip())


def raw_text(run: "Run", step: str) -> str:
    """Return the output of fio in a step, or why it cannot be shown."""
    try:
        return run.raw_output(step).decode("utf-8", errors="replace")
    except RunFolderError as error:
        return str(error)


def raw_html(step: str, text: str, *, is_whole: bool) -> str:
    """Return raw output, cut unless all of it was requested."""
    if is_whole or len(text) <= SHORT:
        return note(f"{step}: all {len(text):,} characters") + preformatted(text)
    words = f"{step}: the first {SHORT:,} of {len(text):,} characters"
    return note(words) + preformatted(text[:SHORT])


def rounds_html(frame: "pd.DataFrame", metric: str) -> str:
    """Return the rounds of a cell as a table."""
    quantity = metric_quantity(metric)
    heads = ("Run", "Phase", "Round", quantity.title, "IOs", "Step")
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    names = ["run_id", "phase", "round", metric, "total_ios", "step_id"]
    rows = "".join(
        f"<tr><td>{escape(str(run))}</td><td>{escape(str(phase))}</td><td>{number}</td>"
        f"<td>{value / quantity.divisor:,.5g}</td>"
        f"<td>{'' if str(ios) == '<NA>' else f'{ios:,}'}</td>"
        f"<td>{escape(str(step))}</td></tr>"
        for run, phase, number, value, ios, step in zip(
            *(frame[name].head(_MOST_ROWS) for name in names), strict=True
        )
    )
    left = len(frame) - _MOST_ROWS
    more = note(f"{left:,} more rows; save as CSV to see all") if left > 0 else ""
    return (
        '<div style="max-height:340px;overflow:auto"><table class="ssdlab-rounds">'
        f"<tr>{head}</tr>{rows}</table></div>{more}"
    )


_MOST_ROWS = 200
