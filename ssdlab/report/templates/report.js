(() => {
  "use strict";
  const WIDE = 1180;
  const PRINT_WIDTH = 700;
  const PRINT_HEIGHT = 400;
  const PRINT_HEIGHT_3D = 520;
  const SCENE_SHAPE = 1.25;
  const SCENE_TEXT_WIDTH = 80;
  const PHONE_HEIGHT_3D = 400;
  const plots = [...document.querySelectorAll(".plot")];
  const conditions = [...document.querySelectorAll(".conditions")];

  async function unpack(name) {
    const packed = atob(document.getElementById("packed-" + name).textContent);
    const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  }

  function runScript(source) {
    const script = document.createElement("script");
    script.textContent = source;
    document.head.append(script);
    script.remove();
  }

  function fitPhone(place, layout) {
    if (place.clientWidth > 560 || place.dataset.static !== undefined) return;
    if (layout.scene) layout.height = PHONE_HEIGHT_3D;
    const names = layout.legendRows || 0;
    layout.height += Math.max(0, names - 2) * 19;
    layout.font = { ...layout.font, size: 11 };
    layout.margin = { ...layout.margin, l: layout.scene ? 0 : 48, r: 8 };
    place.style.minHeight = layout.height + "px";
  }

  // A scene is as large as its height allows: where that is too wide, it is made smaller.
  function fittedAspect(place, width, height) {
    const { x, y, z } = place.sceneAspect;
    const part = Math.min(1, (width - SCENE_TEXT_WIDTH) / (height * SCENE_SHAPE));
    return { x: x * part, y: y * part, z: z * part };
  }

  function fitScene(place, layout) {
    if (!layout.scene) return;
    place.sceneAspect = layout.scene.aspectratio;
    layout.scene.aspectratio = fittedAspect(place, place.clientWidth, layout.height);
  }

  async function draw(place, figures, config) {
    const figure = figures[Number(place.dataset.figure)];
    const still = place.dataset.static !== undefined;
    figure.layout.legendRows = figure.data.filter((trace) => trace.showlegend !== false).length;
    fitPhone(place, figure.layout);
    fitScene(place, figure.layout);
    delete figure.layout.legendRows;
    await Plotly.newPlot(place, figure.data, figure.layout, { ...config, staticPlot: still });
    place.dataset.drawn = "yes";
  }

  async function drawAll() {
    runScript(await unpack("plotly"));
    const config = JSON.parse(await unpack("config"));
    const figures = JSON.parse(await unpack("figures"));
    for (const place of plots) await draw(place, figures, config);
    document.documentElement.dataset.plots = String(plots.length);
  }

  function relayout(place, change) {
    if (place.sceneAspect) {
      const width = change.width || place.clientWidth;
      change["scene.aspectratio"] = fittedAspect(place, width, change.height);
    }
    Plotly.relayout(place, change);
  }

  function forPrint() {
    for (const block of conditions) block.open = true;
    for (const place of plots) {
      if (place.dataset.static !== undefined || !place.dataset.drawn) continue;
      const height = place.layout.scene ? PRINT_HEIGHT_3D : Math.min(place.layout.height, PRINT_HEIGHT);
      place.dataset.height = place.layout.height;
      place.style.minHeight = "0";
      relayout(place, { width: PRINT_WIDTH, height });
    }
  }

  function forScreen() {
    for (const place of plots) {
      if (!place.dataset.height) continue;
      const height = Number(place.dataset.height);
      place.style.minHeight = height + "px";
      relayout(place, { width: null, autosize: true, height });
    }
  }

  async function showJobs(event) {
    const text = event.target.querySelector("pre");
    if (!event.target.open || text.dataset.full) return;
    const jobs = JSON.parse(await unpack("jobs"));
    const parts = Object.entries(jobs).map(([step, [command, job]]) => `# ${step}\n$ ${command}\n\n${job}`);
    text.textContent = parts.join("\n");
    text.dataset.full = "yes";
  }

  function fail(error) {
    const note = document.getElementById("no-plots");
    note.textContent = "The plots could not be drawn (" + error + "); every number is in the tables.";
    note.hidden = false;
  }

  if (window.innerWidth < 760) {
    for (const block of conditions) block.open = false;
  }
  document.querySelector(".toc details").open = window.innerWidth >= WIDE;
  document.getElementById("all-jobs")?.addEventListener("toggle", (event) => showJobs(event).catch(fail));
  window.addEventListener("beforeprint", forPrint);
  window.addEventListener("afterprint", forScreen);
  drawAll().catch(fail);
})();
