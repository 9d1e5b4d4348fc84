// A matrix small enough for numbers: a real table, which screen readers read as one. It draws a
// frame, shows what is marked, says which cell an event is on, and takes the focus.

function tableGrid(panel, head, spec) {
  const dense = panel.columns.length > 8;
  const table = make("table", dense ? "ax-grid ax-dense" : "ax-grid");
  table.setAttribute("role", "grid");
  table.setAttribute("aria-label", titleOf(panel, head));
  const top = make("tr");
  top.append(make("td", "ax-corner"), ...panel.columns.map((label) => header(label, "col")));
  table.append(top);
  const lines = panel.rows.map((label, row) => line(panel, label, row));
  table.append(...lines.map((cells) => cells[0].parentNode));
  const cells = lines.flatMap((cellsOfRow) => cellsOfRow.slice(1)); // without the row's token
  cells[0].tabIndex = 0;
  const palette = paletteOf(panel);
  const shown = new Float32Array(cells.length).fill(Infinity);
  const levels = new Int16Array(cells.length).fill(-2);
  let end = null; // of the colour scale that they were coloured by
  let marked = [];
  let entry = cells[0]; // where Tab enters the table

  const cellAt = (row, column) => lines[row]?.[column + 1];
  const place = (node) => {
    const cell = node.closest("[data-row]");
    return cell && table.contains(cell) ? [Number(cell.dataset.row), Number(cell.dataset.column)] : null;
  };

  function draw(data) {
    const start = startOf(data, panel, head);
    const scale = data.scales[panel.index];
    const recoloured = end !== scale.end;
    end = scale.end;
    for (let k = 0; k < cells.length; k++) {
      const x = data.frames[start + k];
      if (Object.is(shown[k], x) && !recoloured) continue;
      const cell = cells[k];
      const text = Number.isNaN(x) ? "–" : show(x, spec.decimals);
      const level = Number.isNaN(x) ? -1 : levelOf(x, end);
      if (Number.isNaN(x) !== Number.isNaN(shown[k])) showMask(cell, Number.isNaN(x));
      shown[k] = x;
      if (cell.firstChild.data !== text) cell.firstChild.data = text;
      if (levels[k] === level) continue;
      levels[k] = level;
      cell.style.backgroundColor = level < 0 ? "" : palette.css[level];
      cell.style.color = level < 0 ? "" : palette.ink[level];
    }
  }

  return {
    el: table,
    draw,
    locate: (event) => place(event.target),
    focused: (event) => place(event.target),
    focus(row, column) {
      entry.tabIndex = -1;
      entry = cellAt(row, column);
      entry.tabIndex = 0;
      entry.focus();
    },
    mark(state) {
      for (const [node, name] of marked) {
        node.classList.remove(name);
        node.removeAttribute("aria-selected");
      }
      marked = [];
      const add = (node, name, selected) => {
        if (!node) return;
        node.classList.add(name);
        if (selected) node.setAttribute("aria-selected", "true");
        marked.push([node, name]);
      };
      const mine = (at) => at && at.panel === panel.index && at.head === head;
      const here = state.over ?? state.pinned;
      add(lines[rowOf(panel, here)]?.[0].parentNode, "ax-row");
      add(lines[rowOf(panel, state.locked)]?.[0].parentNode, "ax-locked");
      if (mine(here)) add(cellAt(here.row, here.column), "ax-at");
      if (mine(state.pinned)) add(cellAt(state.pinned.row, state.pinned.column), "ax-pinned", true);
      if (mine(state.locked)) add(cellAt(state.locked.row, -1), "ax-pressed", true);
    },
  };
}

function showMask(cell, masked) {
  cell.classList.toggle(`ax-${MASKED}`, masked);
  if (masked) cell.setAttribute("aria-label", MASKED); // few screen readers speak a dash
  else cell.removeAttribute("aria-label");
}

// A row's token, then its cells.
function line(panel, label, row) {
  const tr = make("tr");
  const token = header(label, "row");
  const cells = panel.columns.map(() => make("td", "ax-cell", "0"));
  if (canLock(panel)) token.classList.add("ax-query");
  (canLock(panel) ? [token, ...cells] : cells).forEach((node) => {
    node.tabIndex = -1;
    node.dataset.row = row;
    node.dataset.column = node === token ? -1 : cells.indexOf(node);
  });
  tr.append(token, ...cells);
  return [token, ...cells];
}

function header(label, scope) {
  const th = make("th");
  const text = make("span", "ax-token", label);
  text.dir = "auto";
  th.scope = scope;
  th.title = label;
  th.append(text);
  return th;
}
