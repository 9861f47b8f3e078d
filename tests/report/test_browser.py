"""The report in a real browser: every plot is drawn, nothing overflows."""

import re
from pathlib import Path

import pytest

from tests.browser import Visit, print_pdf, visit

pytestmark = pytest.mark.browser

# A page that holds the report in frames of given widths and writes down what it finds.
FRAMES = """<!doctype html><html><body>{frames}<script>
const roots = () => [...document.querySelectorAll("iframe")].map(
  (frame) => frame.contentDocument.documentElement);
const widest = (root) => Math.max(
  ...[...root.querySelectorAll(".main-svg")].map((plot) => plot.clientWidth));
const empty = (root) => [...root.querySelectorAll(".plot")].filter(
  (plot) => !plot.querySelector(".main-svg")).length;
const overflow = (root) => root.scrollWidth - root.clientWidth;
const sceneWidth = (root) => Math.min(...[...root.querySelectorAll(".plot")].filter(
  (plot) => plot.layout?.scene).map((plot) => plot.layout.scene.aspectratio.x));
const measure = () => {{
  if (!roots().every((root) => root.dataset.plots)) return;
  const found = document.documentElement.dataset;
  found.overflow = roots().map(overflow).join(" ");
  found.widest = roots().map(widest).join(" ");
  found.scenes = roots().map(sceneWidth).join(" ");
  found.empty = roots().map(empty).join(" ");
}};
window.addEventListener("load", () => {{
  for (const root of roots())
    new MutationObserver(measure).observe(root, {{ attributes: true }});
  measure();
}});
</script></body></html>"""
WIDTHS = (1280, 800, 375)


@pytest.fixture(scope="module")
def folder(page: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place: Path = tmp_path_factory.mktemp("browser")
    (place / "report.html").write_text(page, "utf-8")
    return place


@pytest.fixture(scope="module")
def visited(folder: Path) -> Visit:
    return visit(folder / "report.html", profile=folder / "profile")


def test_every_plot_is_drawn(visited: Visit) -> None:
    places = len(re.findall(r'data-figure="', visited.dom))
    assert visited.value("data-plots") == str(places)
    assert len(re.findall(r'data-drawn="yes"', visited.dom)) == places
    assert len(re.findall(r"<canvas", visited.dom)) >= 3


def test_console_is_silent(visited: Visit) -> None:
    assert visited.console == ()


def test_no_button_uploads_a_chart_and_no_logo_links_out(visited: Visit) -> None:
    assert "modebar-btn" in visited.dom
    assert "Share chart" not in visited.dom
    assert 'href="http' not in visited.dom


def test_page_fits_desktop_tablet_and_phone(folder: Path) -> None:
    frames = "".join(
        f'<iframe src="report.html" style="width:{width}px;height:900px"></iframe>'
        for width in WIDTHS
    )
    (folder / "frames.html").write_text(FRAMES.format(frames=frames), "utf-8")
    found = visit(
        folder / "frames.html",
        profile=folder / "profile2",
        flags=("--allow-file-access-from-files",),
    )
    assert found.value("data-overflow") == "0 0 0"
    assert found.value("data-empty") == "0 0 0"
    desktop, tablet, phone = map(float, found.value("data-scenes").split())
    assert desktop >= tablet > 1.5 * phone > 0
    widest = [int(width) for width in found.value("data-widest").split()]
    assert all(inner < outer for inner, outer in zip(widest, WIDTHS, strict=True))


def test_print_has_a_sheet_for_each_page(folder: Path, page: str) -> None:
    pdf = print_pdf(
        folder / "report.html", folder / "r.pdf", profile=folder / "profile3"
    )
    sheets = len(re.findall(rb"/Type\s*/Page\b", pdf))
    pages = page.count('class="titleblock"')
    sections = page.count('<section class="page')
    # Front, host and the table of every round take two, the last two share one.
    assert pages <= sheets <= sections + 2
