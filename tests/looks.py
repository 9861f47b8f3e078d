"""What a reader sees of a page: figures that are drawn, and nothing in the way."""

from typing import Any

# Ticks that are turned lie in boxes that meet where the letters do not.
_FIGURES = """() => {
  const parts = [".gtitle", ".gtitle-subtitle", ".xtitle", ".ytitle",
    ".x2title", ".y2title", ".cbtitle text", ".annotation-text",
    ".legendtext", ".legendtitletext", ".xtick text", ".ytick text",
    ".cbaxis text", ".textpoint text", ".bartext", ".heatmap-label text"].join(", ");
  const shown = (text) => {
    const style = getComputedStyle(text);
    return text.textContent.trim() && style.visibility !== "hidden"
      && style.display !== "none" && Number(style.opacity) > 0
      && text.getBoundingClientRect().width > 0;
  };
  const is_turned = (text) => {
    const turn = /rotate\\((-?[\\d.]+)/.exec(text.getAttribute("transform") || "");
    return turn !== null && Number(turn[1]) % 90 !== 0;
  };
  const meet = (one, other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 2
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 3;
  const words = (text) => text.textContent.trim().slice(0, 50);
  return [...document.querySelectorAll(".js-plotly-plot")].map((graph) => {
    const texts = [...graph.querySelectorAll(parts)].filter(shown);
    const boxes = texts.map((text) => text.getBoundingClientRect());
    const room = graph.querySelector(".main-svg").getBoundingClientRect();
    const faults = [];
    texts.forEach((text, n) => {
      const box = boxes[n];
      if (box.left < room.left - 1 || box.right > room.right + 1
          || box.top < room.top - 1 || box.bottom > room.bottom + 1)
        faults.push(`"${words(text)}" is cut off`);
      for (let other = n + 1; other < texts.length; other++)
        if (meet(box, boxes[other]) && !(is_turned(text) && is_turned(texts[other])))
          faults.push(`"${words(text)}" on "${words(texts[other])}"`);
    });
    const drawn = ".trace, .scatterlayer path, .bars path, .heatmaplayer image,"
      + " .gl-canvas, canvas";
    return {
      title: graph.querySelector(".gtitle")?.textContent || "untitled",
      is_drawn: room.width > 100 && graph.querySelector(drawn) !== null,
      faults,
    };
  });
}"""
_WIDE = """(selector) => [...document.querySelectorAll(selector)].filter(
  (place) => place.scrollWidth > place.clientWidth + 1
).map((place) => `${place.scrollWidth - place.clientWidth} px: `
  + place.textContent.trim().slice(0, 60))"""

# Every figure has the width of its place, as a narrower window has it after a while.
FITTED = """() => [...document.querySelectorAll(".js-plotly-plot")].every((graph) =>
  graph.getBoundingClientRect().right <= innerWidth
    && graph._fullLayout.width <= graph.parentElement.clientWidth + 1)"""


def look_at_figures(page: Any) -> list[dict[str, Any]]:
    """Return title, whether it is drawn, and faults of each plotly figure of a page."""
    return list(page.evaluate(_FIGURES))


def figure_faults(page: Any) -> list[str]:
    """Return texts of figures that lie on others or are cut off, and empty figures."""
    seen = look_at_figures(page)
    empty = [f"{one['title']}: nothing is drawn" for one in seen if not one["is_drawn"]]
    return empty + [
        f"{one['title']}: {fault}" for one in seen for fault in one["faults"]
    ]


def too_wide(page: Any, selector: str) -> list[str]:
    """Return what is wider than its place, of the places that a selector names."""
    return list(page.evaluate(_WIDE, selector))


def hover_text(page: Any, figure: int) -> str:
    """Return what a figure says of a point in the middle of its first markers."""
    graph = page.locator(".js-plotly-plot").nth(figure)
    x, y = graph.evaluate(_POINT)
    page.mouse.move(x - 3, y - 3)
    page.mouse.move(x, y, steps=3)
    graph.locator(".hovertext").first.wait_for()
    return " ".join(graph.locator(".hovertext").all_text_contents())


_POINT = """(graph) => {
  const trace = graph._fullData.find((trace) => trace.visible === true
    && trace.x?.length && (trace.mode || "markers").includes("markers")
    && trace.hoverinfo !== "skip"
    && trace.y[trace.x.length >> 1] != null);
  const [across, up] = [trace.xaxis, trace.yaxis].map(
    (name) => graph._fullLayout[name[0] + "axis" + name.slice(1)]);
  const at = trace.x.length >> 1;
  const mark = document.createElement("i");  // a figure may be higher than the window
  mark.style.position = "absolute";
  mark.style.left = `${across._offset + across.d2p(trace.x[at])}px`;
  mark.style.top = `${up._offset + up.d2p(trace.y[at])}px`;
  graph.querySelector(".svg-container").append(mark);
  mark.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  const box = mark.getBoundingClientRect();
  mark.remove();
  return [box.left, box.top];
}"""
