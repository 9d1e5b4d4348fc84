// A matrix small enough for numbers: a real table, which screen readers read as one. It draws a
// frame, shows what is marked, says which cell an event is on, and takes the focus.

function tableGrid(panel, head, spec) {
  const dense = panel.wide > 8;
  const table = make("table", dense ? "ax-grid ax-dense" : "ax-grid");
  table.setAttribute("role", "grid");
  table.setAttribute("aria-label", titleOf(panel, head));
  const top = make("tr");
  const across = places(panel.wide, (column) => header(panel.columns[column], "col"));
  top.append(make("td", "ax-corner"), ...across);
  table.append(top);
  const lines = places(panel.tall, (row) => line(panel, panel.rows[row], row));
  table.append(...lines.map((cells) => cells[0].parentNode));
  const cells = lines.flatMap((cellsOfRow) => cellsOfRow.slice(1)); // without the row's token
  cells[0].tabIndex = 0;
  const palette = paletteOf(panel);
  const shown = new Float32Array(cells.length).fill(Infinity);
  const levels = new Int16Array(cells.length).fill(-2);
  let end = null; // of the colour scale that they were coloured by
  let marked = [];
  let entry = cells[0]; // where Tab enters the table
  let named = { rows: panel.rows, columns: panel.columns }; // the labels that are on it
  if (panel.moving) keepRoom(panel, lines, across);

  const cellAt = (row, column) => lines[row]?.[column + 1];
  const place = (node) => {
    const cell = node.closest("[data-row]");
    return cell && table.contains(cell) ? [Number(cell.dataset.row), Number(cell.dataset.column)] : null;
  };

  // Where labels move, there may be other ones, and more or fewer.
  function relabel() {
    if (named.rows === panel.rows && named.columns === panel.columns) return;
    named = { rows: panel.rows, columns: panel.columns };
    lines.forEach(([token], row) => nameHeader(token, panel.rows[row]));
    across.forEach((token, column) => nameHeader(token, panel.columns[column]));
    cells.forEach((cell, k) => {
      const gone = !isCell(panel, k);
      if (gone === cell.classList.contains("ax-none")) return;
      cell.classList.toggle("ax-none", gone);
      if (!gone) return;
      showMask(cell, false);
      cell.firstChild.data = "";
      cell.style.backgroundColor = cell.style.color = "";
      [shown[k], levels[k]] = [Infinity, -2];
    });
    if (!entry.classList.contains("ax-none")) return;
    entry.tabIndex = -1;
    entry = cells[0];
    entry.tabIndex = 0;
  }

  function draw(data) {
    relabel();
    const start = startOf(data, panel, head);
    const scale = data.scales[panel.index];
    const coloured = panel.view !== "lines"; // else it cannot be seen
    const recoloured = coloured && end !== scale.end;
    end = coloured ? scale.end : null;
    for (let k = 0; k < cells.length; k++) {
      const x = data.frames[start + k];
      if (panel.moving && !isCell(panel, k)) continue;
      if (Object.is(shown[k], x) && !recoloured) continue;
      const cell = cells[k];
      const text = Number.isNaN(x) ? "–" : show(x, spec.decimals);
      const level = Number.isNaN(x) ? -1 : levelOf(x, scale.end);
      if (Number.isNaN(x) !== Number.isNaN(shown[k])) showMask(cell, Number.isNaN(x));
      shown[k] = x;
      if (cell.firstChild.data !== text) cell.firstChild.data = text;
      if (!coloured || levels[k] === level) continue;
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
  const cells = places(panel.wide, () => make("td", "ax-cell", "0"));
  if (canLock(panel)) token.classList.add("ax-query");
  (canLock(panel) ? [token, ...cells] : cells).forEach((node) => {
    node.tabIndex = -1;
    node.dataset.row = row;
    node.dataset.column = node === token ? -1 : cells.indexOf(node);
  });
  tr.append(token, ...cells);
  return [token, ...cells];
}

const places = (count, made) => Array.from({ length: count }, (_, k) => made(k));

function header(label, scope) {
  const th = make("th");
  const text = make("span", "ax-token", "");
  text.dir = "auto";
  th.scope = scope;
  th.append(text);
  nameHeader(th, label);
  return th;
}

// Write a label; without one, there is no such row or column.
function nameHeader(th, label) {
  th.classList.toggle("ax-none", label === undefined);
  th.title = label ?? "";
  th.firstChild.textContent = label ?? "";
}

// Headers as wide as the longest of the labels that will stand there, so that nothing jumps.
function keepRoom({ moving }, lines, across) {
  const room = (th, labels) => (th.firstChild.dataset.room = longestOf(labels));
  for (const [token] of lines) room(token, moving.rows.flat());
  across.forEach((th, column) => room(th, moving.columns.map((labels) => labels[column] ?? "")));
}

// The longest of some labels, a line each: letters differ in width, so that it takes a few.
function longestOf(labels) {
  return [...new Set(labels)].sort((a, b) => b.length - a.length).slice(0, 8).join("\n");
}
