(() => {
  "use strict";
  const WIDE = 1180;
  const PRINT_WIDTH = 700;
  const PRINT_HALF = 345; // of two columns
  const PRINT_HEIGHT = 400;
  const PRINT_HEIGHT_3D = 520;
  const PRINT_LEAST = 350;
  const PRINT_AXES = 260;
  const PRINT_LEAST_3D = 400;
  const SHEET_WIDTH = 718;
  const SHEET_HEIGHT = 1036; // A4 without margins, at 96 pixels an inch
  const MOST_OVER = 330;
  const LEAST_TYPE = 0.86;
  const SCENE_SHAPE = 1.25;
  const SCENE_TEXT_WIDTH = 80;
  const PHONE_HEIGHT_3D = 400;
  const PHONE_LETTERS = 45; // of the longest names at both edges together
  const plots = [...document.querySelectorAll(".plot")];
  const unfolded = [];
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

  function longestName(axis) {
    return Math.max(0, ...(axis?.ticktext || []).map((text) => text.replace(/<[^>]*>/g, "").length));
  }

  function fitPhone(place, layout) {
    if (place.clientWidth > 560 || place.dataset.static !== undefined) return;
    // Names at both edges leave no room for what is drawn between them.
    const right = longestName(layout.yaxis2);
    if (right && right + longestName(layout.yaxis) > PHONE_LETTERS) layout.yaxis2.showticklabels = false;
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
    if (!layout.scene?.aspectratio) return;
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

  // What paper has to show: folded tables too, but not what the page says lies elsewhere.
  function unfold() {
    for (const block of document.querySelectorAll("main details:not(.conditions, .input, .jobs, .answer, .page:not(.front) .findings *, #repeat *)")) {
      unfoldOne(block);
    }
  }

  function unfoldOne(block) {
    if (block.open) return;
    block.open = true;
    unfolded.push(block);
  }

  // Marks in the contents what is on the screen, and keeps the mark in view.
  function followScroll() {
    const links = new Map([...document.querySelectorAll(".toc a")].map((link) => [link.hash.slice(1), link]));
    const seen = new Set();
    const observer = new IntersectionObserver((entries) => {
      for (const entry of entries) seen[entry.isIntersecting ? "add" : "delete"](entry.target.id);
      const now = [...links.keys()].find((id) => seen.has(id));
      if (!now) return;
      for (const link of links.values()) link.removeAttribute("aria-current");
      const link = links.get(now);
      link.setAttribute("aria-current", "true");
      const toc = link.closest(".toc");
      if (toc.scrollHeight > toc.clientHeight) toc.scrollTo({ top: link.offsetTop - toc.clientHeight / 3 });
    }, { rootMargin: "0px 0px -60% 0px" });
    for (const section of document.querySelectorAll("main [id]")) {
      if (links.has(section.id) && !section.matches(".chapter")) observer.observe(section);
    }
  }

  // Measures with the rules of paper on the screen, then puts those of the screen back.
  function withPaperRules(measure) {
    const rules = [...document.styleSheets[0].cssRules].filter((rule) => rule.media);
    const kept = rules.map((rule) => rule.media.mediaText);
    for (const rule of rules) rule.media.mediaText = rule.media.mediaText === "print" ? "all" : "not all";
    document.body.style.width = SHEET_WIDTH + "px";
    measure();
    document.body.style.width = "";
    rules.forEach((rule, n) => { rule.media.mediaText = kept[n]; });
  }

  // A page that is a little longer than its sheets has its plots made less high, then its type smaller.
  function fitSheets(page) {
    const chapter = page.previousElementSibling;
    const above = chapter?.classList.contains("chapter") ? chapter.offsetHeight : 0;
    const height = () => page.getBoundingClientRect().height + above;
    const over = height() % SHEET_HEIGHT;
    if (height() < SHEET_HEIGHT || over > MOST_OVER) return;
    const places = [...page.querySelectorAll(".plot")].filter((place) => place.dataset.height && !place.closest(".pictures"));
    for (const place of places) {
      const least = place.layout.scene ? PRINT_LEAST_3D : leastHeight(place);
      relayout(place, { width: PRINT_WIDTH, height: Math.min(place.layout.height, Math.max(least, place.layout.height - over / places.length)) });
    }
    const room = Math.floor((height() + MOST_OVER / 2) / SHEET_HEIGHT) * SHEET_HEIGHT;
    const share = room / height();
    if (share < 1 && share >= LEAST_TYPE) page.style.zoom = share;
  }

  // A legend below a plot that is too low for it is cut off.
  function leastHeight(place) {
    return Math.max(PRINT_LEAST, PRINT_AXES + Number(place.dataset.legend));
  }

  function forPrint() {
    for (const block of conditions) unfoldOne(block);
    unfold();
    for (const place of plots) {
      if (place.dataset.static !== undefined || !place.dataset.drawn) continue;
      place.dataset.legend = place.querySelector(".legend")?.getBoundingClientRect().height || 0;
      place.dataset.height = place.layout.height;
      if (place.closest(".pictures")) {
        relayout(place, { width: PRINT_HALF, height: place.layout.height });
        continue;
      }
      const most = Math.max(PRINT_HEIGHT, leastHeight(place));
      const height = place.layout.scene ? PRINT_HEIGHT_3D : Math.min(place.layout.height, most);
      place.style.minHeight = "0";
      relayout(place, { width: PRINT_WIDTH, height });
    }
    if (document.querySelector("main:not(.document)")) {
      withPaperRules(() => document.querySelectorAll(".page").forEach(fitSheets));
    }
  }

  function forScreen() {
    for (const block of unfolded.splice(0)) block.open = false;
    for (const page of document.querySelectorAll(".page")) page.style.zoom = "";
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
  if (window.innerWidth >= WIDE) followScroll();
  document.getElementById("all-jobs")?.addEventListener("toggle", (event) => showJobs(event).catch(fail));
  window.addEventListener("beforeprint", forPrint);
  window.addEventListener("afterprint", forScreen);
  drawAll().catch(fail);
})();
