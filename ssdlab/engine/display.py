"""Where a run is, drawn in a notebook or as a bar in a terminal."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from html import escape

from ssdlab.engine.progress import Progress, Tracked, value_text

_BAR = "#0072B2"
_BAND = "rgba(0,114,178,0.16)"
_WIDTH, _HEIGHT, _LEFT, _EDGE = 640, 170, 86, 22  # of the picture, and its margins
_ROOM = 0.15  # above and below the values, as a share of their range


def show_progress() -> Callable[[Progress], None]:
    """Return a progress display to pass to `run_suite` as ``tell``.

    Returns
    -------
    callable
        Draws each `Progress` that it receives: the share of the longest time that the
        run can take, when it will finish, where it is, and in a notebook the tracking
        variable with the band that its window allows. The last state stays there.

    Examples
    --------
    >>> ssdlab.run_suite(tell=ssdlab.show_progress())  # doctest: +SKIP
    """
    from IPython import get_ipython  # noqa: PLC0415 - half a second
    from IPython.display import HTML, display  # noqa: PLC0415

    in_notebook = getattr(get_ipython(), "kernel", None) is not None
    if not in_notebook:
        return _terminal_bar()
    handle = display(HTML("starting"), display_id=True)  # type: ignore[no-untyped-call] # as above
    longest, picture = 0.0, ""

    def tell(progress: Progress) -> None:
        nonlocal longest, picture
        longest = max(longest, progress.left_max_s)
        picture = draw_tracked(progress) or picture
        now = datetime.fromtimestamp(time.time()).astimezone()  # noqa: TID251 - its clock
        share = 1 - progress.left_max_s / longest if longest else 1.0
        html = f"{_bar(progress, share, now)}{picture}"
        handle.update(HTML(html))  # type: ignore[no-untyped-call] # as above

    return tell


def _bar(progress: Progress, share: float, now: datetime) -> str:
    return (
        f'<progress max="1" value="{share:.4f}" style="width:100%"></progress>'
        f"<div><b>{share:.0%}</b> · {escape(finish_text(progress, now))}</div>"
        f"<div>{escape(progress.line)}</div>"
    )


def finish_text(progress: Progress, now: datetime) -> str:
    """Return when a run will finish, at the earliest and latest, as a time of day.

    >>> from datetime import datetime
    >>> from types import SimpleNamespace
    >>> left = SimpleNamespace(left_min_s=600.0, left_max_s=90_000.0)
    >>> finish_text(left, datetime(2026, 11, 24, 18, 0))
    'finishes between 18:10 and Wed 19:00'
    """
    if not progress.left_max_s:
        return "finished"
    ends = [
        _moment(now + timedelta(seconds=left), now)
        for left in (progress.left_min_s, progress.left_max_s)
    ]
    first, last = ends
    return (
        f"finishes at {last}"
        if first == last
        else (f"finishes between {first} and {last}")
    )


def _moment(then: datetime, now: datetime) -> str:
    if then.date() == now.date():
        return f"{then:%H:%M}"
    return (
        f"{then:%a %H:%M}" if then - now < timedelta(days=6) else f"{then:%d %b %H:%M}"
    )


def draw_tracked(progress: Progress) -> str:
    """Return the tracking variable over its last rounds as a picture, or nothing.

    The band is what the range rule allows about the average of the window.
    """
    tracked = progress.tracked
    if tracked is None or len(tracked.values) < 2:
        return ""
    band = _band(tracked)
    low, high = min(*tracked.values, *band), max(*tracked.values, *band)
    room = _ROOM * (high - low) or 1.0
    low, high = low - room, high + room

    def down(value: float) -> float:
        return _EDGE + (_HEIGHT - 2 * _EDGE) * (high - value) / (high - low)

    step = (_WIDTH - _LEFT - _EDGE) / (len(tracked.values) - 1)
    points = [
        (_LEFT + place * step, down(value))
        for place, value in enumerate(tracked.values)
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{_BAR}"/>' for x, y in points
    )
    name = {"iops": "IOPS", "bw_bytes_per_s": "throughput"}.get(
        tracked.metric, "average latency"
    )
    allowed = ", band: what its window may span" if band else ""
    count = (
        f"the last {len(points)} rounds" if progress.round > len(points) else "rounds"
    )
    title = f"{name} of {progress.tracking} over {count}{allowed}"
    marks = sorted({*band, tracked.average} if band else {*tracked.values[-1:]})
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{escape(title)}" style="width:100%;max-width:{_WIDTH}px;'
        f'background:white" font-family="sans-serif" font-size="12" fill="#1b2733">'
        f"{_band_svg(band, down)}"
        f'<polyline points="{line}" fill="none" stroke="{_BAR}" stroke-width="2"/>'
        f'{dots}<text x="{_LEFT}" y="14" font-weight="600">{escape(title)}</text>'
        f"{''.join(_mark(value, tracked, down) for value in marks)}"
        f'<text x="{_WIDTH - _EDGE}" y="{_HEIGHT - 4}" text-anchor="end">'
        f"now: {escape(value_text(tracked.values[-1], tracked.metric))}</text></svg>"
    )


def _band(tracked: Tracked) -> tuple[float, ...]:
    if tracked.range_ratio is None:
        return ()
    half = tracked.range_ratio / 2
    return (tracked.average * (1 - half), tracked.average * (1 + half))


def _band_svg(band: tuple[float, ...], down: Callable[[float], float]) -> str:
    if not band:
        return ""
    top, bottom = down(band[1]), down(band[0])
    return (
        f'<rect x="{_LEFT}" y="{top:.1f}" width="{_WIDTH - _LEFT - _EDGE}" '
        f'height="{bottom - top:.1f}" fill="{_BAND}"/>'
    )


def _mark(value: float, tracked: Tracked, down: Callable[[float], float]) -> str:
    words = escape(value_text(value, tracked.metric))
    return (
        f'<text x="{_LEFT - 8}" y="{down(value) + 4:.1f}" text-anchor="end">'
        f"{words}</text>"
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
