// A matrix small enough for numbers: a real table, which screen readers recognise as one. Probabilities have a bar
// before each number, and a row for each word.

import { levelOf, paletteOf, rounded } from "./colours.js";
import { make, makeToken, say, times, within } from "./elements.js";
import { canLock, isCell, rowOf, startOf, titleOf } from "./film.js";
import { marker, marksOf, stepFrom } from "./pointing.js";

// A table of cells, with labels at the left and above. All grids have the same methods: draw, mark, locate (the
// [row, column] of an event; column -1 for the label of a row), and next (moves the focus from there to the cell
// that a key leads to, and returns its place; null for other keys).
export function gridOf(title, className, rows, columns) {
  const table = make("table", `ax-grid ${className}`);
  table.setAttribute("role", "grid");
  table.ariaLabel = title;
  const across = columns.map((labels) => header("col", labels));
  const down = rows.map((labels) => header("row", labels));
  const corner = Object.assign(make("td", "ax-corner"), { ariaHidden: "true" });
  table.appendChild(make("tr")).append(corner, ...across);
  if (!columns.flat().some(Boolean)) table.firstChild.className = "ax-out"; // no column has a name
  const cells = down.map((token, row) => {
    const line = times(columns.length, (column) => addressed(make("td"), row, column));
    table.appendChild(make("tr")).append(token, ...line);
    return line;
  });
  let entry = cells[0][0]; // the one cell that Tab reaches, which had the focus last
  function enter(cell) {
    entry.tabIndex = -1;
    cell.tabIndex = 0;
    return (entry = cell);
  }
  enter(entry);
  return {
    el: table,
    across,
    down,
    cells,
    locate({ target }) {
      const { row, column } = target.closest("[data-row]")?.dataset ?? {};
      return row === undefined ? null : [Number(row), Number(column)];
    },
    next(place, key, size = [rows.length, columns.length], first = 0) {
      const to = stepFrom(place, key, size, first);
      if (to) enter(to[1] < 0 ? down[to[0]] : cells[to[0]][to[1]]).focus();
      return to;
    },
    enter,
    entry: () => entry,
    mark: marker(),
  };
}

// A node that can have the focus, and knows its row and column.
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

// Write a label; if there is none, hide that row or column.
export function nameHeader(th, label) {
  if (th.title === label) return;
  th.classList.toggle("ax-none", label === undefined);
  th.title = th.lastChild.textContent = label ?? "";
}

export function tableGrid(panel, head, spec) {
  const words = [...new Set(panel.rows.flat())]; // a few, even if there are thousands of frames
  const rows = times(panel.tall, () => words);
  const columns = times(panel.wide, (k) => panel.columns.map((labels) => labels[k] ?? ""));
  const isBars = panel.role === "probabilities";
  const look = isBars ? "ax-bars" : panel.wide > 8 ? "ax-dense" : "";
  const grid = gridOf(titleOf(panel, head), look, rows, columns);
  grid.el.classList.toggle("ax-moving", panel.columns.length > 1); // its labels change
  grid.el.classList.toggle("ax-rest", panel.rest); // the last word stands for all others
  grid.el.classList.toggle("ax-fit", spec.sliders.every((control) => control < 0)); // nothing plays
  const { across, down, enter } = grid;
  const cells = grid.cells.flat();
  const first = canLock(panel) ? -1 : 0; // whether the keys reach the words of the queries
  for (const cell of cells) Object.assign(cell, { className: "ax-cell", textContent: "0" });
  if (canLock(panel)) down.forEach((token, row) => addressed(token, row, -1).classList.add("ax-query"));
  const longest = Math.max(...panel.span.map((x) => rounded(x, spec.decimals).length)); // at any setting
  grid.el.style.setProperty("--ax-digits", longest);
  const shown = []; // the number in each cell; Infinity if there is no cell
  const levels = []; // … and the index of its colour in the palette; -1 if it has none
  let palette = null;

  function draw(data) {
    const repaint = palette !== paletteOf(panel); // the theme has changed
    if (repaint) levels.length = 0;
    palette = paletteOf(panel);
    const start = startOf(data, panel, head);
    cells.forEach((cell, k) => {
      const x = isCell(panel, k) ? data.frames[start + k] : Infinity;
      if (Object.is(shown[k], x) && !repaint) return;
      showNumber(cell, x, shown[k], spec);
      shown[k] = x;
      if (isBars) cell.style.setProperty("--ax-part", within(x / panel.limit, 0, 1));
      const level = !isBars && Number.isFinite(x) ? levelOf(x, panel.limit) : -1;
      if (levels[k] === level) return;
      levels[k] = level;
      cell.style.backgroundColor = palette.css[level] ?? "";
      cell.style.color = palette.ink[level] ?? "";
    });
    // Labels that change may differ in their number, too.
    down.forEach((token, row) => nameHeader(token, panel.down[row]));
    across.forEach((token, column) => nameHeader(token, panel.across[column]));
    if (grid.entry().classList.contains("ax-none")) enter(cells[0]);
  }

  function mark(state) {
    const { over, pinned, locked } = state;
    const here = over ?? pinned;
    const word = (at) => down[rowOf(panel, at)];
    const key = here?.panel === panel.index && panel.keys && across[here.column];
    const pressed = locked?.panel === panel.index && locked.head === head && down[locked.row];
    grid.mark([[word(here), "ax-same"], [key, "ax-is-key"], [word(locked)?.parentNode, "ax-locked"],
      [pressed, "ax-pressed"], ...marksOf(state, panel, head, (row, column) => grid.cells[row][column])]);
  }

  const next = (place, key) => grid.next(place, key, [panel.down.length, panel.across.length], first);
  return { ...grid, draw, mark, next };
}

// Replace a number. A masked cell is empty: its hatching shows it, and a name tells screen readers.
function showNumber(cell, x, before, { decimals, hatched }) {
  const [none, masked] = [x === Infinity, Number.isNaN(x)];
  const text = none || masked ? "" : rounded(x, decimals);
  if (cell.firstChild.data !== text) cell.firstChild.data = text;
  if (Number.isFinite(x) && Number.isFinite(before)) return;
  cell.classList.toggle("ax-none", none);
  cell.classList.toggle("ax-masked", masked);
  cell.ariaHidden = none ? "true" : null;
  cell.ariaLabel = masked ? hatched || say("masked") : null;
}
