"""A progress bar for notebooks and terminals."""

from collections.abc import Callable

from ssdlab.campaign.progress import Progress


def show_progress() -> Callable[[Progress], None]:
    """Return a progress bar to be given to `run_suite` as ``tell``.

    Returns
    -------
    callable
        Draws each `Progress` that it is told: the share of the time that the run
        takes if each test is steady as soon as can be, and where it is.
    """
    from tqdm.auto import tqdm  # noqa: PLC0415 - looks for a notebook

    bar = tqdm(total=1.0, bar_format="{percentage:3.0f}% {bar} {desc}")
    longest = 0.0

    def tell(progress: Progress) -> None:
        nonlocal longest
        longest = max(longest, progress.left_max_s)
        bar.n = 1 - progress.left_max_s / longest if longest else 1.0
        bar.set_description_str(progress.line, refresh=True)

    return tell
