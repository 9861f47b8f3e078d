// The figures of an explorer and the buttons that save them. plotly.js stands above.

const NAMES = { matrix: "matrix", cell: "rounds or time", histogram: "response times" };

function save(name, content, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// One figure: drawn when it has a width, anew when what it shows is another thing.
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

  // Called for each change; of several that arrive together the last is drawn.
  change() {
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.draw(), 0);
  }

  draw() {
    const texts = this.model.get(this.name);
    if (!texts.data || !this.place.clientWidth) return;
    const isNew = texts.data !== this.texts.data;
    if (!isNew && texts.layout === this.texts.layout) return;
    // plotly takes all data for changed unless it is told a revision of them.
    if (isNew) {
      this.data = JSON.parse(texts.data);
      this.revision += 1;
    }
    this.texts = texts;
    // plotly keeps the room of a legend that is no longer there.
    if (this.graph._fullLayout) this.graph._fullLayout._reservedMargin = {};
    const layout = { ...JSON.parse(texts.layout), autosize: true };
    layout.datarevision = this.revision;
    Plotly.react(this.graph, this.data, layout, this.model.get("config"));
    if (!this.hears) this.hear();
  }

  hear() {
    this.hears = true;
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
  el.classList.add("ssdlab-board");
  const view = Math.random().toString(36).slice(2); // who asked saves the answer
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
  const whole = makeButton("Whole series", "show the series from end to end", () =>
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
    makeButton("CSV", "save the rows behind the figure", () => ask("csv")),
    makeButton("Code", "show the code cell that makes this figure", () => ask("code")),
    whole
  );
  el.append(row, saver);
  const heard = [["msg:custom", (said) => {
    if (said.view === view) save(said.name, said.text, said.type);
  }]];
  for (const figure of Object.values(figures))
    heard.push([`change:${figure.name}`, () => figure.change()]);
  const showWhole = () => {
    whole.style.display = model.get("is_zoomed") ? "" : "none";
  };
  heard.push(["change:is_zoomed", showWhole]);
  showWhole();
  for (const [event, hear] of heard) model.on(event, hear);
  return () => {
    for (const [event, hear] of heard) model.off(event, hear);
    for (const figure of Object.values(figures)) figure.close();
  };
}

export default { render };
