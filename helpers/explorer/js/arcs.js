// Weights as arcs over a sentence that is written once: from each query to its keys, as thick as the weight. A key
// that stands before its query has its arc above the words; one that follows, below. Heads are as in lines.

import { fadeAtEdge, make, makeSvg, shorten, times } from "./elements.js";
import { rowOf } from "./film.js";
import { dimOthers, drawWidths, headOf, legend, shiftOf } from "./lines.js";
import { marker } from "./pointing.js";
import { sumUp } from "./sums.js";

const FONT = 13; // pixels
const FLAT = 0.34; // an arc's height, as a share of its width
const ARCS = { one: 10, many: 5 }; // pixels: the width of an arc at the end of the scale

export function arcsGrid(panel, spec, redraw) {
  const many = panel.heads > 1;
  const room = times(panel.wide, (k) => Math.max(...panel.columns.map((labels) => (labels[k] ?? "").length)));
  const widths = room.map((letters) => 15 + FONT * 0.62 * Math.min(letters, 12));
  const middles = widths.map((width, k) => sumUp(widths.slice(0, k)) + width / 2);
  const whole = sumUp(widths);
  const high = 30 + FLAT * (middles.at(-1) - middles[0]);
  const box = make("div", "ax-lines");
  const svg = makeSvg("svg", { class: "ax-arcs", width: whole, "aria-hidden": "true" });
  const count = Math.max(1, panel.heads);
  const heads = times(count, (h) => headOf(panel, spec, h, "path"));
  const words = middles.map((x, k) => {
    const word = makeSvg("text", { x, y: high + 17, "text-anchor": "middle", class: "ax-end" });
    word.dataset.k = k;
    return word;
  });
  svg.append(...heads.map(({ el }) => el), ...words);
  if (panel.heads) box.append(legend(panel, heads, redraw));
  const sheet = box.appendChild(make("div", "ax-sheet"));
  sheet.append(svg);
  fadeAtEdge(sheet);
  const light = marker();
  let named = null; // the labels for which the arcs lie where they do

  // The word of the sentence that is this query: labels may repeat only if queries and keys are the same.
  const wordOf = (row) => (panel.down.length === panel.across.length ? row : panel.across.indexOf(panel.down[row]));

  function name() {
    named = [panel.down, panel.across];
    words.forEach((word, k) => {
      const label = panel.across[k] ?? "";
      word.textContent = shorten(label);
    });
    for (const { h, lines } of heads) {
      for (const line of lines) {
        const query = wordOf(line.row);
        line.below = line.column > query;
        line.el.setAttribute("d", arcOf(middles[query] ?? 0, middles[line.column], shiftOf(h, count) / 2, line.below, high));
      }
    }
  }

  function draw(data) {
    if (named?.[0] !== panel.down || named[1] !== panel.across) name();
    drawWidths(data, panel, heads, many ? ARCS.many : ARCS.one);
    if (data.frames !== draw.frames) fit(data);
  }

  // Room below the words only if an arc is ever there.
  function fit(data) {
    draw.frames = data.frames;
    const { size } = data.spec;
    const isSeen = ({ h, row, column, below }) => {
      const k = panel.offset + (panel.heads ? h : 0) * panel.tall * panel.wide + row * panel.wide + column;
      for (let at = k; below && at < data.frames.length; at += size) if (data.frames[at] > 0.004 * panel.limit) return true;
      return false;
    };
    const both = heads.some(({ lines }) => lines.some(isSeen));
    svg.setAttribute("height", high + 26 + (both ? high - 4 : 0));
  }

  function locate({ target }) {
    const { k } = target.closest(".ax-end")?.dataset ?? {};
    const row = k === undefined ? -1 : panel.down.findIndex((_, row) => wordOf(row) === Number(k));
    return k === undefined ? null : row < 0 ? [-1, Number(k)] : [row, -1];
  }

  function mark(state) {
    const { row, column } = dimOthers(panel, heads, state, light);
    const locked = rowOf(panel, state.locked);
    words.forEach((word, k) => {
      word.classList.toggle("ax-is-query", row >= 0 && k === wordOf(row));
      word.classList.toggle("ax-is-key", k === column);
      word.classList.toggle("ax-kept", locked >= 0 && k === wordOf(locked));
    });
  }

  return { el: box, draw, mark, locate, focused: () => null }; // keys are for the table
}

function arcOf(from, to, shift, below, base) {
  const side = below ? -1 : 1;
  const start = below ? base + 24 : base;
  const [left, right] = from === to ? [from - 8, from + 8] : [from + shift, to + shift];
  const top = start - side * (from === to ? 26 : (4 / 3) * (8 + FLAT * Math.abs(right - left)));
  return `M${left} ${start}C${left} ${top} ${right} ${top} ${right} ${start}`;
}
