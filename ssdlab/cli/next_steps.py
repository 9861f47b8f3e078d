"""What one can do next in a folder of runs: what ``ssdlab`` alone prints."""

import os
from pathlib import Path

from ssdlab.text.terminal import fact_lines, printable


def next_step_lines() -> list[str]:
    """Return the newest run and what can be done with it; nothing without runs."""
    from ssdlab.store.catalog import list_runs
    from ssdlab.store.lock import read_holder

    runs = os.environ.get("SSDLAB_RUNS")
    entries = [entry for entry in list_runs(runs) if not entry.trouble]
    if not entries:
        return []
    newest = entries[0]
    count = "1 run" if len(entries) == 1 else f"{len(entries)} runs"
    is_running = newest.status == "running" and read_holder(Path(newest.path))
    steps = (
        [("ssdlab watch latest", "watch it")]
        if is_running
        else [("ssdlab resume latest", "measure what is missing")]
        if newest.status != "finished"
        else [("ssdlab show latest", "its results")]
    )
    steps += [
        ("ssdlab report latest", "write its report"),
        ("ssdlab runs", "list the runs with their results"),
    ]
    if len(entries) > 1:
        names = " ".join(Path(entry.path).name for entry in entries[1::-1])
        steps.append((f"ssdlab compare {names}", "compare the two newest"))
    steps += [
        ("ssdlab lab", "explore them in JupyterLab"),
        ("ssdlab --help", "every command"),
    ]
    status = "running" if is_running else newest.status.replace("running", "killed")
    title = " · ".join(
        filter(None, (Path(newest.path).name, newest.label, newest.device, status))
    )
    where = Path(newest.path).parent
    return [
        f"{count} in {where}; the newest: {printable(title)}",
        "",
        *fact_lines(steps),
    ]
