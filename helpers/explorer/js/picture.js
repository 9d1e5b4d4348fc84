// A matrix too large for a table: one pixel per cell, enlarged, with names for as many tokens as fit.

import { levelOf, paletteOf } from "./colours.js";
import { make, say, within } from "./elements.js";
import { canLock, rowOf, startOf, titleOf } from "./film.js";
import { marker, marksOf, stepFrom } from "./pointing.js";

const CELL = 36; // pixels of the page: the longer side of a cell, at most
const LONGEST = [460, 460, 300]; // pixels of the page: a picture by itself, or one head of two; one of more has 170
const LINE = 15; // pixels from token to token, at least

export function pictureGrid(panel, head) {
  const { tall, wide } = panel;
  const longer = LONGEST[panel.heads] ?? 170;
  const [width, height] = [wide, tall].map((count) => Math.min(CELL * count, longer));
  const box = make("div", "ax-picture");
  const [top, left, frame] = ["ax-top", "ax-beside", "ax-canvas-box"].map((name) => make("div", name));
  const canvas = frame.appendChild(make("canvas", "ax-canvas"));
  canvas.setAttribute("role", "application");
  canvas.tabIndex = 0;
  canvas.ariaLabel = say("picture", { panel: titleOf(panel, head), rows: tall, columns: wide });
  box.append(make("div"), top, left, frame);
  box.style.gridTemplate = `auto ${height}px / auto minmax(0, ${width}px)`;
  new ResizeObserver(nameAll).observe(frame);
  const markWord = marker();
  let cursor = [0, 0]; // the cell that the keys have reached
  let named = []; // the labels that are shown, of rows and of columns

  // Every k-th token is named; the names of columns are written upwards.
  function nameAll() {
    nameTokens(left, panel.down, height / tall, tall);
    nameTokens(top, panel.across, frame.clientWidth / wide, wide);
    named = [panel.down, panel.across];
    // The hatching of masked cells shows through the canvas; there is none beside the cells.
    canvas.style.backgroundSize = `${(100 * panel.across.length) / wide}% ${(100 * panel.down.length) / tall}%`;
  }

  // A mark around a cell or, without a column, around a whole row.
  function addMark(name, row, column) {
    const node = frame.appendChild(make("div", `ax-mark ${name}`));
    const part = (k, count) => `${(100 * k) / count}%`;
    const [from, across] = column === undefined ? [0, wide] : [column, 1];
    Object.assign(node.style, { top: part(row, tall), height: part(1, tall), left: part(from, wide), width: part(across, wide) });
    Object.assign(node.dataset, { row, column });
  }

  // The [row, column] under an event; beside the picture, the column is -1.
  function locate(event) {
    const beside = left.contains(event.target) && canLock(panel);
    if (event.target !== canvas && !beside) return null;
    const area = canvas.getBoundingClientRect();
    const row = Math.floor(((event.clientY - area.top) / area.height) * tall);
    const column = beside ? -1 : Math.floor(((event.clientX - area.left) / area.width) * wide);
    if (row < 0 || row >= panel.down.length || column >= panel.across.length) return null;
    if (!beside) cursor = [row, column];
    return [row, column];
  }

  function next(place, key) {
    const to = stepFrom(place, key, [panel.down.length, panel.across.length]);
    if (to) cursor = to;
    return to;
  }

  function mark(state) {
    for (const node of frame.querySelectorAll(".ax-mark")) node.remove();
    for (const [at, name] of marksOf(state, panel, head, (row, column) => [row, column])) addMark(name, ...at);
    const locked = rowOf(panel, state.locked);
    if (locked >= 0) addMark("ax-lock", locked);
    markWord([[left.querySelector(`[data-k="${rowOf(panel, state.over ?? state.pinned)}"]`), "ax-same"]]);
  }

  function draw(data) {
    if (named[0] !== panel.down || named[1] !== panel.across) nameAll();
    cursor = [within(cursor[0], 0, panel.down.length - 1), within(cursor[1], 0, panel.across.length - 1)];
    const start = startOf(data, panel, head);
    const numbers = data.frames.subarray(start, start + tall * wide);
    paint(canvas, numbers, wide, paletteOf(panel), panel.limit);
  }

  return { el: box, draw, mark, locate, next, focused: ({ target }) => (target === canvas ? cursor : null) };
}

// Numbers as pixels, row by row; transparent where there is none.
export function paint(canvas, numbers, wide, palette, end) {
  const tall = numbers.length / wide;
  if (canvas.width !== wide || canvas.height !== tall) Object.assign(canvas, { width: wide, height: tall });
  const image = new ImageData(wide, tall);
  const pixels = new Uint32Array(image.data.buffer);
  numbers.forEach((x, k) => (pixels[k] = Number.isNaN(x) ? 0 : palette.pixel[levelOf(x, end)]));
  canvas.getContext("2d").putImageData(image, 0, 0);
}

// Every `step`-th token, beside the middle of its row or column.
function nameTokens(strip, labels, side, count) {
  const step = Math.ceil(LINE / Math.max(side, 0.1));
  strip.style.setProperty("--ax-count", count);
  strip.replaceChildren();
  for (let i = 0; i < labels.length; i += step) {
    const text = strip.appendChild(make("span", "ax-token", labels[i]));
    text.style.setProperty("--ax-place", i + 1);
    Object.assign(text, { title: labels[i], dir: "auto" });
    text.dataset.k = i;
  }
}
