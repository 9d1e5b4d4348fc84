// A matrix small enough for numbers: a real table, which screen readers read as one.

// A table of cells, each with its labels at the left and above. All grids answer to the same calls: draw,
// mark, locate (the [row, column] that an event is on; of a row's own label, column -1), and next (the one
// that a key leads to from there, which then has the focus).
function gridOf(title, className, rows, columns) {
  const table = make("table", `ax-grid ${className}`);
  table.setAttribute("role", "grid");
  table.ariaLabel = title;
  const across = columns.map((labels) => header("col", labels));
  const down = rows.map((labels) => header("row", labels));
  const corner = Object.assign(make("td", "ax-corner"), { ariaHidden: "true" });
  table.appendChild(make("tr")).append(corner, ...across);
  const cells = down.map((token, row) => {
    const line = places(columns.length, (column) => addressed(make("td"), row, column));
    table.appendChild(make("tr")).append(token, ...line);
    return line;
  });
  let entry = cells[0][0]; // one of the cells takes Tab: that which had the focus last
  entry.tabIndex = 0;
  return {
    el: table,
    across,
    down,
    cells,
    locate({ target }) {
      const { row, column } = target.closest("[data-row]")?.dataset ?? {};
      return row === undefined ? null : [Number(row), Number(column)];
    },
    enter(cell, focus = true) {
      entry.tabIndex = -1;
      entry = cell;
      entry.tabIndex = 0;
      if (focus) entry.focus();
    },
    entry: () => entry,
    mark: marker(),
  };
}

// A node that can have the focus, and knows its place.
function addressed(node, row, column) {
  node.tabIndex = -1;
  Object.assign(node.dataset, { row, column });
  return node;
}

function header(scope, labels) {
  const th = make("th");
  th.scope = scope;
  th.append(makeToken(labels));
  return th;
}

// Write a label; without one, there is no such row or column.
function nameHeader(th, label) {
  if (th.title === label) return;
  th.classList.toggle("ax-none", label === undefined);
  th.title = th.lastChild.textContent = label ?? "";
}

function tableGrid(panel, head, spec) {
  const rows = places(panel.tall, () => panel.rows.flat());
  const columns = places(panel.wide, (k) => panel.columns.map((labels) => labels[k] ?? ""));
  const grid = gridOf(titleOf(panel, head), panel.wide > 8 ? "ax-dense" : "", rows, columns);
  grid.el.classList.toggle("ax-moving", panel.columns.length > 1); // its labels do
  const { across, down, enter } = grid;
  const cells = grid.cells.flat();
  const first = canLock(panel) ? -1 : 0; // whether the keys reach the words of the queries
  for (const cell of cells) Object.assign(cell, { className: "ax-cell", textContent: "0" });
  if (canLock(panel)) down.forEach((token, row) => addressed(token, row, -1).classList.add("ax-query"));
  grid.el.style.setProperty("--ax-digits", digitsOf(panel, spec));
  const palette = paletteOf(panel);
  const shown = []; // of each cell: its number; Infinity where there is no cell
  const levels = []; // … and where its colour stands in the palette; -1 where it has none
  const cellAt = (row, column) => (column < 0 ? down[row] : grid.cells[row][column]);

  function draw(data) {
    const start = startOf(data, panel, head);
    cells.forEach((cell, k) => {
      const x = isCell(panel, k) ? data.frames[start + k] : Infinity;
      if (Object.is(shown[k], x)) return;
      showNumber(cell, x, shown[k], spec.decimals);
      shown[k] = x;
      const level = Number.isNaN(x) || x === Infinity ? -1 : levelOf(x, panel.limit);
      if (levels[k] === level) return;
      levels[k] = level;
      cell.style.backgroundColor = palette.css[level] ?? "";
      cell.style.color = palette.ink[level] ?? "";
    });
    // Where labels move, there may be other ones, and more or fewer.
    down.forEach((token, row) => nameHeader(token, panel.down[row]));
    across.forEach((token, column) => nameHeader(token, panel.across[column]));
    if (grid.entry().classList.contains("ax-none")) enter(cells[0], false);
  }

  function mark(state) {
    const here = state.over ?? state.pinned;
    const line = (at) => down[rowOf(panel, at)]?.parentNode;
    const cell = (at) => (at?.panel === panel.index && at.head === head && at.row >= 0 ? cellAt(at.row, at.column) : null);
    grid.mark([[line(here), "ax-row"], [line(state.locked), "ax-locked"], [here?.column >= 0 && cell(here), "ax-at"],
      [cell(state.pinned), "ax-pinned"], [cell(state.locked), "ax-pressed"]]);
  }

  function next(place, key) {
    const to = step(place, key, [panel.down.length, panel.across.length], first);
    if (to) enter(cellAt(...to));
    return to;
  }

  return { ...grid, draw, mark, next };
}

// How long the longest number of all positions is, its sign included.
const digitsOf = (panel, spec) => Math.max(...panel.span.map((x) => show(x, spec.decimals).length));

// A number in the place of another. A masked cell is empty: its hatching says it, and a name to screen readers.
function showNumber(cell, x, before, decimals) {
  const [none, masked] = [x === Infinity, Number.isNaN(x)];
  const text = none || masked ? "" : show(x, decimals);
  if (cell.firstChild.data !== text) cell.firstChild.data = text;
  if (none !== (before === Infinity)) cell.classList.toggle("ax-none", none);
  if (masked === Number.isNaN(before)) return;
  cell.classList.toggle("ax-masked", masked);
  cell.ariaLabel = masked ? say("masked") : null;
}
