"""The pages of the gallery: each figure, and the lines that make it."""

import inspect
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import plotly
import plotly.graph_objects as go

from tools.build_gallery import MADE, PLOTS, Drawn
from tools.site.recipes import RECIPES, draw

GROUPS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "tests": ("Tests of the PTS", ("ssdlab.pts",)),
    "steady-state": ("Steady state", ("ssdlab.steadiness",)),
    "response-times": ("Response times", ("ssdlab.qos",)),
    "comparison": ("Comparison", ("ssdlab.compare",)),
    "storage-classes": ("Storage classes", ("ssdlab.classes",)),
    "procedures": ("Procedures of other documents", ("ssdlab.procedures",)),
    "explorer": ("Explorer", ("ssdlab.explorer",)),
    "others": ("Drive and host", ("",)),
}
_COMPARED = "data/samples/virtual-a data/samples/virtual-b"
_COMMANDS: Mapping[str, str] = {  # by the beginning of the module that draws
    "ssdlab.procedures.jobs": "ssdlab run virtual --job my.fio --long-run 600",
    "ssdlab.procedures.peak": "ssdlab peak --target virtual",
    "ssdlab.procedures.saturate": "ssdlab saturate --target virtual",
    "ssdlab.procedures.sequence": "ssdlab sequence --target virtual",
    "ssdlab.procedures.rwsw": "ssdlab rwsw replay --capture capture.csv "
    "--target virtual",
    "ssdlab.procedures.tkperf": "ssdlab import reference:tkperf-crucial-mx200",
    "ssdlab.pts.demand": "ssdlab run --target virtual --profile demo --tests cbw,dirth",
    "ssdlab.pts.hir": "ssdlab run --target virtual --profile demo --tests hir",
    "ssdlab.pts.xsr": "ssdlab run --target virtual --profile demo --tests xsr",
    "ssdlab.pts.custom": "ssdlab import results/",
    "ssdlab.report.hosts": "ssdlab compare-hosts data/runs/RUN_A data/runs/RUN_B",
    "ssdlab.telemetry": "ssdlab run --target /dev/nvme0n1 --profile pts-2.0-enterprise "
    "--confirm SERIAL",
    "ssdlab.classes": "ssdlab classes data/samples/virtual-all --rank-virtual "
    "-o classes.html",
    "ssdlab.compare": f"ssdlab compare {_COMPARED} -o comparison.html",
}
_ABBREVIATIONS = ("2d", "3d", "cpu", "iops", "oio", "qos", "toio")
_EXPLORE = 'import ssdlab\n\nssdlab.explore("data/samples")\n'


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A figure of the gallery, its source in words, and the lines that make it."""

    name: str
    figure: go.Figure
    source: str
    lines: str
    language: str


def show_all(drawn: Drawn) -> Iterator[Shown]:
    """Yield every figure; one with a recipe is drawn by its lines."""
    for name, (source, figure) in sorted(drawn.figures.items()):
        recipe = RECIPES.get(name)
        if recipe:
            yield Shown(
                name=name,
                figure=draw(recipe),
                source="sample virtual-all",
                lines=recipe,
                language="python",
            )
        else:
            lines, language = _lines(name, source)
            yield Shown(
                name=name,
                figure=figure,
                source=source,
                lines=lines,
                language=language,
            )


def _lines(name: str, source: str) -> tuple[str, str]:
    module = PLOTS[name].__module__
    if module.startswith("ssdlab.explorer"):
        return _EXPLORE, "python"
    kind, _, rest = source.partition(" ")
    if kind == "sample":
        commands = ("report", "-o report.html"), ("figures", "--format svg")
        run = f"data/samples/{rest}"
        return "".join(
            f"ssdlab {name} {run} {how}\n" for name, how in commands
        ), "shell"
    for start, command in _COMMANDS.items():
        if module.startswith(start):
            return f"{command}\n", "shell"
    return "ssdlab report data/runs/RUN\n", "shell"


def render_pages(shown: Iterable[Shown]) -> dict[str, str]:
    """Return the pages of the groups, by their names."""
    texts: dict[str, list[str]] = {}
    for one in shown:
        texts.setdefault(_group(one.name), []).append(_section(one))
    return {
        group: "\n".join([f"# {GROUPS[group][0]}\n", _SCRIPT, *texts[group]])
        for group in GROUPS
        if group in texts
    }


def render_index(pages: Mapping[str, str]) -> str:
    """Return the list of the groups, with their figures."""
    parts = []
    for group, text in pages.items():
        titles = [line[3:] for line in text.splitlines() if line.startswith("## ")]
        parts.append(f"- [{GROUPS[group][0]}](gallery/{group}.md): {'; '.join(titles)}")
    return "\n".join(parts) + "\n"


def write_figures(shown: Iterable[Shown], static: Path) -> None:
    """Write plotly and each figure as scripts, which a page may load from a disk."""
    bundled = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    (static / "plotly.min.js").write_bytes(bundled.read_bytes())
    (static / "gallery").mkdir()
    for one in shown:
        text = f"window.ssdlabFigures[{json.dumps(one.name)}] = {one.figure.to_json()};"
        (static / "gallery" / f"{one.name}.js").write_text(text, "utf-8")


_SCRIPT = '<script src="../_static/gallery.js"></script>\n'


def _group(name: str) -> str:
    module = PLOTS[name].__module__
    return next(
        group
        for group, (_, starts) in GROUPS.items()
        if any(module.startswith(start) for start in starts)
    )


def _section(one: Shown) -> str:
    first = (inspect.getdoc(PLOTS[one.name]) or "").partition("\n")[0]
    height = int(one.figure.layout.height or 450)
    width = 560 if "scene" in one.figure.to_dict()["layout"] else 0  # not to be cut
    place = (
        f'<div class="figure-frame"><div class="figure-place" id="{one.name}" '
        f'data-figure="{one.name}" style="min-height: {height}px; '
        f'min-width: {width}px">'
        "<noscript>Figures need JavaScript.</noscript></div></div>\n"
    )
    source = "Synthetic numbers" if one.source == MADE else f"Source: {one.source}"
    return "\n".join([
        f"## {_title(one.name)}\n",
        f"{first} {source}.\n",
        place,
        f"```{one.language}\n{one.lines}```\n",
    ])


def _title(name: str) -> str:
    """Return the name of a figure as words.

    >>> _title("plot_iops_2d")
    'IOPS 2D'
    """
    words = name.removeprefix("plot_").split("_")
    shown = [word.upper() if word in _ABBREVIATIONS else word for word in words]
    return " ".join([shown[0][:1].upper() + shown[0][1:], *shown[1:]])
