// A table of runs: a click on a head sorts, a click on a row selects.

function compare(one, other) {
  const isEmpty = (value) => value === null || value === "";
  if (isEmpty(one) || isEmpty(other)) return isEmpty(one) - isEmpty(other);
  return typeof one === "number" ? one - other : one.localeCompare(other);
}

function render({ model, el }) {
  el.classList.add("ssdlab-runs");
  const table = el.appendChild(document.createElement("table"));
  let column = -1, sign = 1, last = null;

  const select = (name, event) => {
    let chosen = model.get("value");
    const names = [...table.querySelectorAll("tbody tr")].map((row) => row.dataset.name);
    if (event.shiftKey && last !== null && names.includes(last)) {
      const ends = [names.indexOf(last), names.indexOf(name)].sort((a, b) => a - b);
      chosen = names.slice(ends[0], ends[1] + 1);
    } else if (event.ctrlKey || event.metaKey) {
      chosen = chosen.includes(name)
        ? chosen.filter((one) => one !== name) : [...chosen, name];
    } else {
      chosen = [name];
    }
    last = name;
    model.set("value", chosen);
    model.save_changes();
  };

  const mark = () => {
    const chosen = new Set(model.get("value"));
    for (const row of table.querySelectorAll("tbody tr")) {
      row.setAttribute("aria-selected", chosen.has(row.dataset.name));
    }
  };

  const draw = () => {
    table.replaceChildren();
    const heads = table.createTHead().insertRow();
    model.get("columns").forEach((words, place) => {
      const head = document.createElement("th");
      head.textContent = words + (place === column ? (sign > 0 ? " ▲" : " ▼") : "");
      head.tabIndex = 0;
      head.title = "sort";
      head.onclick = () => {
        sign = place === column ? -sign : 1;
        column = place;
        draw();
      };
      head.onkeydown = (event) => { if (event.key === "Enter") head.onclick(); };
      heads.appendChild(head);
    });
    const rows = [...model.get("rows")];
    if (column >= 0) rows.sort((a, b) => {
      const order = compare(a.keys[column], b.keys[column]);
      const isEmpty = [a, b].some((row) => row.keys[column] === null);
      return isEmpty ? order : sign * order;
    });
    const body = table.createTBody();
    for (const one of rows) {
      const row = body.insertRow();
      row.dataset.name = one.name;
      one.cells.forEach((text, place) => {
        const cell = row.insertCell();
        cell.textContent = text;
        if (typeof one.keys[place] === "number") cell.className = "number";
      });
      if (!model.get("is_selectable")) continue;
      row.tabIndex = 0;
      row.onclick = (event) => select(one.name, event);
      row.onkeydown = (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        select(one.name, event);
      };
    }
    mark();
  };

  draw();
  for (const name of ["rows", "columns"]) model.on(`change:${name}`, draw);
  model.on("change:value", mark);
}

export default { render };
