// Weights as lines: queries on the left, keys on the right, and between them a line for each weight, whose width
// shows the weight. All heads share one drawing, each with its own colour and dashes. The table remains on the
// page, invisible, for keys and screen readers: the lines show the cell that they are on.

import { make, makeSvg, makeToken, times, within } from "./elements.js";
import { ALL_HEADS, isCell, rowOf, startOf } from "./film.js";
import { say } from "./phrases.js";
import { causesIn, marker } from "./pointing.js";

const PITCH = 40; // pixels from word to word
const THICKEST = { one: 9, many: 4 }; // pixels: the width of a line at the end of the scale, with one head or several
const APART = { each: 5, all: 24 }; // pixels between the lines of two heads; of all heads together, at most

export function linesGrid(panel, spec, redraw) {
  const count = Math.max(1, panel.heads);
  const thickest = THICKEST[count > 1 ? "many" : "one"];
  const box = make("div", "ax-lines");
  const sheet = make("div", "ax-sheet");
  sheet.ariaHidden = "true"; // the table says all of it
  const words = { rows: wordColumn(panel, "rows"), columns: wordColumn(panel, "columns") };
  const svg = makeSvg("svg", { height: PITCH * Math.max(panel.tall, panel.wide) });
  const heads = times(count, (h) => headOf(panel, spec, h, "line"));
  for (const { h, lines } of heads) for (const line of lines) joinWords(line, shiftOf(h, count));
  svg.append(...heads.map(({ el }) => el));
  sheet.append(words.rows.el, svg, words.columns.el);
  if (panel.heads) box.append(legend(panel, heads, redraw));
  box.append(sheet);
  const light = marker();

  function draw(data) {
    words.rows.name(panel.down);
    words.columns.name(panel.across);
    drawWidths(data, panel, heads, thickest);
  }

  // The word under the pointer: [row, …] for a query, or row -1 for a key.
  function locate({ target }) {
    const { side, k } = target.closest(".ax-end")?.dataset ?? {};
    return side ? (side === "rows" ? [Number(k), -1] : [-1, Number(k)]) : null;
  }

  // Show only the lines of what is pointed at, or else pinned or locked.
  function mark(state) {
    const { row, column } = dimOthers(panel, heads, state, light);
    words.rows.mark(row, rowOf(panel, state.locked));
    words.columns.mark(column, state.locked?.panel === panel.index && state.locked.row < 0 ? state.locked.column : -1);
  }

  return { el: box, draw, mark, locate, focused: () => null }; // keys are for the table
}

// As wide as the weights at present, 0 where masked.
export function drawWidths(data, panel, heads, thickest) {
  for (const { h, lines } of heads) {
    const start = startOf(data, panel, h);
    lines.forEach((line, k) => {
      const x = isCell(panel, k) ? data.frames[start + k] || 0 : 0;
      const thick = Math.round(1000 * thickest * within(x / panel.limit, 0, 1)) / 1000;
      if (thick === line.thick) return;
      line.thick = thick;
      line.el.setAttribute("stroke-width", thick);
    });
  }
}

// Dim all lines but those of the words that are pointed at, or else pinned or locked: {row, column}, -1 for none. Of a
// number of another panel, only the lines that stand in its sum remain, if there are some.
export function dimOthers(panel, heads, state, light) {
  const at = state.over ?? state.pinned ?? state.locked;
  const mine = at?.panel === panel.index;
  const row = rowOf(panel, at);
  const column = mine ? at.column : -1;
  const only = mine && at.column >= 0 && at.row >= 0 && panel.heads ? at.head : ALL_HEADS;
  const marks = heads.flatMap(({ h, lines }) => causesIn(state, panel, h, (i, j) => lines[i * panel.wide + j].el));
  const lit = new Set(marks.map(([el]) => el));
  const isNumber = at && !mine && at.row >= 0 && at.column >= 0;
  light(marks);
  for (const line of heads.flatMap(({ lines }) => lines)) {
    const kept = isNumber ? !lit.size || lit.has(line.el) : (row < 0 || line.row === row) && (column < 0 || line.column === column) && (only < 0 || line.h === only);
    line.el.classList.toggle("ax-dim", !kept);
  }
  return { row, column };
}

export const shiftOf = (h, count) => (h - (count - 1) / 2) * Math.min(APART.each, APART.all / count);

function joinWords({ el, row, column }, shift) {
  const [from, to] = [row, column].map((place) => PITCH * (place + 0.5) + shift);
  for (const [name, x] of Object.entries({ x1: "0", x2: "100%", y1: from, y2: to })) el.setAttribute(name, x);
}

// The lines of one head, from each query to each key. After eight heads, the colours repeat with other dashes.
export function headOf(panel, spec, h, shape) {
  const round = Math.floor(h / spec.dashes.length);
  const dashes = spec.dashes[(h + round) % spec.dashes.length] || "none";
  const stroke = { style: `stroke: var(--ax-series${h % spec.dashes.length})`, "stroke-dasharray": dashes };
  const el = makeSvg("g", stroke);
  const lines = times(panel.tall * panel.wide, (k) => {
    const [row, column] = [Math.floor(k / panel.wide), k % panel.wide];
    const line = el.appendChild(makeSvg(shape, { "stroke-width": 0 }));
    return { el: line, h, row, column, thick: 0 };
  });
  return { h, el, lines, stroke };
}

// The words on one side, one below the other.
function wordColumn(panel, side) {
  const el = make("div", `ax-ends ax-${side}`);
  const ends = times(side === "rows" ? panel.tall : panel.wide, (k) => {
    const end = el.appendChild(make("span", "ax-end"));
    Object.assign(end.dataset, { side, k });
    end.append(makeToken(panel[side].flat()));
    return end;
  });
  return {
    el,
    name(labels) {
      ends.forEach((end, k) => {
        end.classList.toggle("ax-none", k >= labels.length);
        end.firstChild.textContent = end.title = labels[k] ?? "";
      });
    },
    mark(over, locked) {
      ends.forEach((end, k) => {
        end.classList.toggle("ax-over", k === over);
        end.classList.toggle("ax-kept", k === locked);
      });
    },
  };
}

// A box to tick for each head, with a sample of its line. A head that is not ticked is hidden, and not read out.
export function legend(panel, heads, redraw) {
  const el = make("div", "ax-legend");
  el.setAttribute("role", "group");
  el.ariaLabel = say("heads shown", { panel: panel.name });
  for (const { h, el: lines, stroke } of heads) {
    const label = el.appendChild(make("label", "ax-button"));
    const box = Object.assign(make("input"), { type: "checkbox", checked: true });
    const sample = makeSvg("svg", { "aria-hidden": "true" });
    sample.append(makeSvg("line", { x1: 0, x2: 34, y1: 6, y2: 6, "stroke-width": 3, ...stroke }));
    label.append(box, sample, panel.names[h]);
    box.addEventListener("change", () => {
      panel.off[box.checked ? "delete" : "add"](h);
      lines.classList.toggle("ax-off", !box.checked);
      redraw();
    });
  }
  return el;
}
