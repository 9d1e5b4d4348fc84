// Probabilities as a table of bars: a row for each word, and in it a bar for each series. It shows either all
// words in order, or the largest by the first series and then the sum of the others. A cell is [series, word].

import { rounded } from "./colours.js";
import { make, say, times, within } from "./elements.js";
import { valueOf } from "./film.js";
import { marksOf } from "./pointing.js";
import { digitsOf, gridOf, nameHeader } from "./table.js";

export function barsGrid(panel, head, spec) {
  const { grid, lines, rest } = barTable(panel, spec);
  const { down, across } = grid;
  let order = []; // the word in each row
  const cellAt = (row, column) => lines[order.indexOf(column)]?.[row];

  function fill(cell, x) {
    const [track, number] = cell.children;
    number.textContent = rounded(x, spec.decimals);
    track.firstChild.style.clipPath = `inset(0 ${100 - 100 * within(x / panel.limit, 0, 1)}% 0 0)`;
  }

  function draw(data) {
    const x = (row, column) => valueOf(data, panel, 0, row, column);
    const all = panel.across.map((_, column) => column);
    const ranked = panel.bars ? [...all].sort((a, b) => x(0, b) - x(0, a) || a - b) : all;
    order = ranked.slice(0, panel.bars ?? all.length);
    const left = ranked.slice(order.length);
    across.forEach((token, row) => nameHeader(token, panel.down[row]));
    lines.forEach((line, i) => {
      line[0].parentNode.classList.toggle("ax-none", i >= order.length);
      nameHeader(down[i], panel.across[order[i]]);
      if (i >= order.length) return;
      line.forEach((cell, row) => {
        fill(cell, x(row, order[i]));
        Object.assign(cell.dataset, { row, column: order[i] });
      });
    });
    if (!rest) return;
    rest[0].parentNode.classList.toggle("ax-none", !left.length);
    nameHeader(down.at(-1), say("others", { n: left.length }));
    rest.forEach((cell, row) => fill(cell, left.reduce((sum, column) => sum + x(row, column), 0)));
  }

  const mark = (state) => grid.mark(marksOf(state, panel, head, cellAt));

  // In the table, a row is a word and a column is a series.
  function next([row, column], key) {
    const to = grid.next([order.indexOf(column), row], key, [order.length, panel.tall]);
    return to && [to[1], order[to[0]]];
  }

  return { ...grid, draw, mark, next };
}

// The table, the rows of cells for words, and the cells of the row for all other words, if there is one.
function barTable(panel, spec) {
  const cut = panel.bars && panel.bars < panel.wide;
  const room = [...panel.columns.flat(), cut ? say("others", { n: panel.wide }) : ""];
  const words = times(cut ? panel.bars + 1 : panel.wide, () => room);
  const series = times(panel.tall, (k) => panel.rows.map((labels) => labels[k] ?? ""));
  const grid = gridOf(panel.name, "ax-bars", words, series);
  grid.el.classList.toggle("ax-alone", panel.tall === 1); // a single series needs no name
  grid.el.style.setProperty("--ax-digits", digitsOf(panel, spec));
  grid.across.forEach((th, k) => th.prepend(dyed(make("i", "ax-sample"), k)));
  grid.down.forEach((th) => th.parentNode.classList.add("ax-word"));
  for (const cell of grid.cells.flat()) {
    const track = make("i", "ax-track");
    track.append(dyed(make("i", "ax-fill"), cell.dataset.column));
    cell.append(track, make("span", "ax-value", "0"));
    cell.className = "ax-probability";
  }
  if (!cut) return { grid, lines: grid.cells, rest: null };
  const rest = grid.cells.at(-1);
  rest[0].parentNode.classList.add("ax-rest");
  for (const cell of rest) cell.removeAttribute("data-row"); // it cannot be pointed at
  return { grid, lines: grid.cells.slice(0, -1), rest };
}

// Series differ in colour, and neighbours in pattern; the first two colours are those of weights, as in roles.py.
function dyed(node, series) {
  node.classList.toggle("ax-striped", series % 2 === 1);
  node.style.setProperty("--ax-colour", `var(--ax-series${Number(series) + 2})`);
  return node;
}
