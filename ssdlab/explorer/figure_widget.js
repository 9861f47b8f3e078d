// The figures of an explorer and the buttons that save them. plotly.js comes first.

const NAMES = { matrix: "matrix", cell: "rounds or time", histogram: "response times" };

function save(name, content, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// One figure: drawn once it has a width, and again when its content changes.
class Figure {
  constructor(model, name) {
    this.model = model;
    this.name = name;
    this.place = document.createElement("div");
    this.place.className = "ssdlab-figure";
    this.graph = document.createElement("div");
    this.place.appendChild(this.graph);
    this.texts = { data: "", layout: "" };
    this.revision = 0;
    this.width = 0;
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(this.place);
  }

  fit() {
    const width = this.place.clientWidth;
    if (!width || width === this.width) return;
    this.width = width;
    if (this.revision) Plotly.Plots.resize(this.graph);
    else this.draw();
  }

  // Called for each change; of several that arrive together only the last is drawn.
  change() {
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.draw(), 0);
  }

  draw() {
    const texts = this.model.get(this.name);
    if (!texts.data || !this.place.clientWidth) return;
    const isNew = texts.data !== this.texts.data;
    if (!isNew && texts.layout === this.texts.layout) return;
    // Without a revision, plotly assumes that all data have changed.
    if (isNew) {
      this.data = JSON.parse(texts.data);
      this.revision += 1;
    }
    this.texts = texts;
    // plotly keeps the margin of a legend that was removed.
    if (this.graph._fullLayout) this.graph._fullLayout._reservedMargin = {};
    const layout = { ...JSON.parse(texts.layout), autosize: true };
    layout.datarevision = this.revision;
    Plotly.react(this.graph, this.data, layout, this.model.get("config"));
    if (!this.isListening) this.listen();
  }

  listen() {
    this.isListening = true;
    this.graph.on("plotly_click", ({ points }) => {
      const { curveNumber, pointNumber } = points[0];
      this.tell({ kind: "click", trace: curveNumber, point: pointNumber });
    });
    this.graph.on("plotly_relayout", (change) => {
      const range = change["xaxis.range"];
      const span = range || [change["xaxis.range[0]"], change["xaxis.range[1]"]];
      if (change["xaxis.autorange"]) this.tell({ kind: "zoom", span: null });
      else if (span[0] !== undefined) this.tell({ kind: "zoom", span });
    });
  }

  tell(message) {
    this.model.send({ name: this.name, ...message });
  }

  saveImage(format) {
    const filename = `${this.model.get("filename")}-${this.name}`;
    const { clientWidth: width, clientHeight: height } = this.graph;
    Plotly.downloadImage(this.graph, { format, filename, width, height, scale: 2 });
  }

  close() {
    clearTimeout(this.soon);
    this.observer.disconnect();
    Plotly.purge(this.graph);
  }
}

function makeButton(words, title, act) {
  const button = document.createElement("button");
  button.className = "jupyter-button widget-button lm-Widget";
  button.textContent = words;
  button.title = title;
  button.addEventListener("click", act);
  return button;
}

function makeChoice() {
  const label = document.createElement("label");
  label.textContent = "Save ";
  const choice = document.createElement("select");
  for (const [name, words] of Object.entries(NAMES)) choice.add(new Option(words, name));
  label.appendChild(choice);
  return { label, choice };
}

function render({ model, el }) {
  el.classList.add("ssdlab-figure-widget");
  const view = Math.random().toString(36).slice(2); // only the view that asked saves the answer
  const figures = {};
  const row = document.createElement("div");
  row.className = "ssdlab-figures";
  for (const name of Object.keys(NAMES)) {
    figures[name] = new Figure(model, name);
    row.appendChild(figures[name].place);
  }
  const { label, choice } = makeChoice();
  const ask = (kind) => figures[choice.value].tell({ kind, view });
  const saver = document.createElement("div");
  saver.className = "ssdlab-saver";
  const whole = makeButton("Whole series", "show the whole series", () =>
    figures.cell.tell({ kind: "zoom", span: null })
  );
  saver.append(
    label,
    makeButton("PNG", "save the figure as PNG", () =>
      figures[choice.value].saveImage("png")
    ),
    makeButton("SVG", "save the figure as SVG", () =>
      figures[choice.value].saveImage("svg")
    ),
    makeButton("CSV", "save the data of the figure", () => ask("csv")),
    makeButton("Code", "show the code that reproduces this figure", () => ask("code")),
    whole
  );
  el.append(row, saver);
  const handlers = [["msg:custom", (answer) => {
    if (answer.view === view) save(answer.name, answer.text, answer.type);
  }]];
  for (const figure of Object.values(figures))
    handlers.push([`change:${figure.name}`, () => figure.change()]);
  const showWhole = () => {
    whole.style.display = model.get("is_zoomed") ? "" : "none";
  };
  handlers.push(["change:is_zoomed", showWhole]);
  showWhole();
  for (const [event, handle] of handlers) model.on(event, handle);
  return () => {
    for (const [event, handle] of handlers) model.off(event, handle);
    for (const figure of Object.values(figures)) figure.close();
  };
}

export default { render };
