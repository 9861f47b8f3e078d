// Buttons that save what is on the screen. Everything is made in the browser.

const FORMATS = ["png", "svg"];

function save(name, content, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// plotly is inside the bundle of the figure; its own button is the way to it.
function saveFigure(model, format) {
  const place = model.get("place");
  const graph = document.querySelector(
    `.${place}.js-plotly-plot, .${place} .js-plotly-plot`
  );
  const button = graph?.querySelector('.modebar-btn[data-title^="Download plot"]');
  if (!button) {
    model.send({ missing: format });
    return;
  }
  const filename = model.get("filename");
  graph._context.toImageButtonOptions = { format, filename, scale: 2 };
  button.click();
}

// plotly fits its figures to their places when the window changes; so does it here
// when a place is made, and when a sidebar takes room from it.
function fitFigures(el) {
  const root = el.closest(".ssdlab-explorer") || el;
  const widths = new Map();
  const observer = new ResizeObserver(() => {
    const changed = [...root.querySelectorAll(".js-plotly-plot")].filter((graph) => {
      const width = graph.parentElement.clientWidth;
      const isNew = width > 0 && widths.get(graph) !== width;
      widths.set(graph, width);
      return isNew;
    });
    if (changed.length) window.dispatchEvent(new Event("resize"));
  });
  observer.observe(root);
  const arrivals = new MutationObserver(() => {
    for (const graph of root.querySelectorAll(".js-plotly-plot"))
      observer.observe(graph.parentElement);
  });
  arrivals.observe(root, { childList: true, subtree: true });
  return () => {
    observer.disconnect();
    arrivals.disconnect();
  };
}

function render({ model, el }) {
  el.classList.add("ssdlab-saver");
  const add = (words, title, act) => {
    const button = document.createElement("button");
    button.className = "jupyter-button widget-button lm-Widget";
    button.textContent = words;
    button.title = title;
    button.addEventListener("click", act);
    el.appendChild(button);
  };
  for (const format of FORMATS) {
    const words = format.toUpperCase();
    add(words, `save the figure as ${words}`, () => saveFigure(model, format));
  }
  add("CSV", "save the rows behind the figure", () => model.send({ asked: "csv" }));
  add("Code", "show the code cell that makes this figure", () =>
    model.send({ asked: "code" })
  );
  const hear = (message) => save(message.name, message.text, message.type);
  model.on("msg:custom", hear);
  let stop = () => {};
  requestAnimationFrame(() => {
    stop = fitFigures(el);
  });
  return () => {
    stop();
    model.off("msg:custom", hear);
  };
}

export default { render };
