// Draws each figure when it comes into view. Nothing is loaded from the network.
(() => {
  "use strict";
  window.ssdlabFigures = {};
  const here = document.currentScript.src.replace(/gallery\.js.*$/, "");
  const loaded = {};
  const load = (name) => {
    loaded[name] ??= new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = here + name;
      script.onload = done;
      script.onerror = failed;
      document.head.append(script);
    });
    return loaded[name];
  };
  const draw = async (place) => {
    const name = place.dataset.figure;
    await load("plotly.min.js");
    await load(`gallery/${name}.js`);
    const { data, layout } = window.ssdlabFigures[name];
    await window.Plotly.newPlot(place, data, layout, { responsive: true, displayModeBar: false });
    place.dataset.drawn = "yes";
  };
  const watcher = new IntersectionObserver((seen) => {
    for (const one of seen) {
      if (one.isIntersecting) {
        watcher.unobserve(one.target);
        draw(one.target);
      }
    }
  }, { rootMargin: "400px" });
  addEventListener("DOMContentLoaded", () => {
    for (const place of document.querySelectorAll(".figure-place")) watcher.observe(place);
  });
})();
