"""A progress bar for notebooks and terminals."""

from collections.abc import Callable
from html import escape

from ssdlab.campaign.progress import Progress


def show_progress() -> Callable[[Progress], None]:
    """Return a progress bar to pass to `run_suite` as ``tell``.

    Returns
    -------
    callable
        Draws each `Progress` that it receives: the share of the longest time that the
        run can take, and where it is. In a notebook the last state stays in the output.

    Examples
    --------
    >>> ssdlab.run_suite(tell=ssdlab.show_progress())  # doctest: +SKIP
    """
    from IPython import get_ipython  # noqa: PLC0415 - half a second
    from IPython.display import HTML, display  # noqa: PLC0415

    in_notebook = getattr(get_ipython(), "kernel", None) is not None
    if not in_notebook:
        return _terminal_bar()
    handle = display(HTML(_bar(0.0, "starting")), display_id=True)  # type: ignore[no-untyped-call] # as above
    longest = 0.0

    def tell(progress: Progress) -> None:
        nonlocal longest
        longest = max(longest, progress.left_max_s)
        share = 1 - progress.left_max_s / longest if longest else 1.0
        handle.update(HTML(_bar(share, progress.line)))  # type: ignore[no-untyped-call] # as above

    return tell


def _bar(share: float, line: str) -> str:
    return (
        f'<progress max="1" value="{share:.4f}" style="width:100%"></progress>'
        f"<div>{share:.0%} | {escape(line)}</div>"
    )


def _terminal_bar() -> Callable[[Progress], None]:
    from tqdm import tqdm  # noqa: PLC0415 - only here

    bar = tqdm(total=1.0, bar_format="{percentage:3.0f}% {bar:20} {desc}")
    longest = 0.0

    def tell(progress: Progress) -> None:
        nonlocal longest
        longest = max(longest, progress.left_max_s)
        bar.n = 1 - progress.left_max_s / longest if longest else 1.0
        bar.set_description_str(progress.line, refresh=True)

    return tell
