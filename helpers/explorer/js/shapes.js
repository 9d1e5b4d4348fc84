// Shapes from Python, drawn as SVG. A number of a shape is itself, or [k, a, b]: a × the k-th number of the frame + b, or
// [k]: the k-th of `moves`; of a text, the last one is the index of its word. NaN: the shape is not there.

import { fadeAtEdge, make, makeSvg, times } from "./elements.js";
import { ALL_HEADS, rowOf } from "./film.js";
import { say } from "./phrases.js";
import { marker } from "./pointing.js";

const TAGS = { line: "path", path: "path", rectangle: "rect", disc: "circle", text: "text" };
const NAMES = { rectangle: ["x", "y", "width", "height"], disc: ["cx", "cy", "r"], text: ["x", "y"] };
const SIDES = { start: 0, middle: 0.5, end: 1 }; // the share of a text that is left of its x
const EDGE = 6; // pixels around the shapes
const TIP = 9; // pixels: the length of an arrow's head

export function shapesGrid(panel, spec, redraw) {
  const box = make("div", "ax-shapes");
  const place = make("div", "ax-planes");
  const { heads } = spec.views[panel.view];
  const texts = []; // of all drawings, so that they are equally large
  const sheets = panel.scenes[panel.view].map((scene) => sheetOf(scene, spec, texts));
  const shapes = sheets.flatMap((sheet) => sheet.shapes);
  if (panel.heads && !heads) box.append(legend(panel, spec, shapes, redraw));
  sheets.forEach((sheet, h) => {
    const figure = place.appendChild(make("figure", "ax-head"));
    if (panel.heads && heads) figure.append(make("figcaption", "ax-head-name", panel.names[h]));
    figure.append(sheet.el);
  });
  box.append(place);
  const light = marker();

  // The cell under the pointer. A word is its query, or else its key.
  function locate({ target }) {
    const shape = target.closest("[data-shape]")?.shape;
    if (!shape || !standsForCells(shape)) return null;
    const { head, row, column } = shape;
    return head === null && row !== null ? [row, -1] : [row ?? -1, column ?? -1, head ?? undefined];
  }

  // Of a number of another panel, only what stands in its sum remains, if that is drawn; else what is pointed at.
  function mark(state) {
    const at = state.over ?? state.pinned ?? state.locked;
    const [row, locked] = [rowOf(panel, at), rowOf(panel, state.locked)];
    const mine = at?.panel === panel.index;
    const column = mine ? at.column : -1;
    const head = mine && at.head !== ALL_HEADS && at.row >= 0 && column >= 0 ? at.head : null;
    const fits = (own, wanted) => wanted === null || wanted < 0 || own === null || own === wanted;
    const causes = state.causes.filter((cause) => cause.panel === panel.index);
    const lit = shapes.flatMap((shape) => causes.filter((cause) => shape.head === cause.head && fits(shape.row, cause.row) && fits(shape.column, cause.column) && standsForCells(shape))
      .map(({ side }) => [shape.node, `ax-${side}`]));
    const isOther = at && !mine && at.row >= 0 && at.column >= 0;
    const nodes = new Set(lit.map(([node]) => node));
    light(lit);
    for (const shape of shapes) {
      const { classList } = shape.node;
      const kept = isOther ? !nodes.size || nodes.has(shape.node) : fits(shape.row, row) && fits(shape.column, column) && fits(shape.head, head);
      classList.toggle("ax-dim", shape.head !== null && !kept);
      if (shape.active) classList.toggle("ax-off", shape.row !== row);
      if (shape.kind !== "text" || shape.head !== null) continue;
      classList.toggle("ax-is-query", row >= 0 && shape.row === row);
      classList.toggle("ax-is-key", column >= 0 && shape.column === column);
      const isLockedKey = mine && state.locked?.row < 0 && shape.row === null && shape.column === state.locked.column;
      classList.toggle("ax-kept", isLockedKey || (locked >= 0 && shape.row === locked));
    }
  }

  const draw = (data) => sheets.forEach((sheet) => sheet.draw(data));
  return { el: box, draw, mark, locate, focused: () => null }; // keys are for the table
}

const standsForCells = ({ row, column }) => (row ?? column) !== null;

function sheetOf(scene, spec, texts) {
  const el = make("div", "ax-sheet");
  const svg = el.appendChild(makeSvg("svg", { "aria-hidden": "true" }));
  const [left, top, wide, tall] = scene.box;
  const shapes = scene.shapes.map(([look, row, column, numbers, words]) => {
    const { kind, ink, head, align, ...rest } = scene.looks[look];
    const node = svg.appendChild(makeSvg(TAGS[kind], { "data-shape": kind, ...inkOf(ink, spec) }));
    if (kind === "text") node.setAttribute("text-anchor", align);
    const shape = { node, kind, align, head, row, column, numbers, words, now: [], ...rest };
    node.shape = shape;
    return shape;
  });
  const mine = shapes.filter(({ kind }) => kind === "text");
  texts.push(...mine);
  let [before, scale] = [EDGE, 1]; // pixels at the left of the shapes; how much wider than they are
  let data = null;
  fadeAtEdge(el);
  new ResizeObserver(fit).observe(el);

  const across = (x) => before + (x - left) * scale;
  const down = (y) => EDGE + y - top;
  const numberAt = (number, frame) => {
    if (!Array.isArray(number)) return number;
    const [k, a, b] = number;
    return number.length === 1 ? data.moves[frame * spec.moves + k] : a * data.frames[frame * spec.size + k] + b;
  };

  function draw(now) {
    data = now;
    for (const shape of mine) shape.reach ??= reachOf(shape.numbers[0]);
    shapes.forEach(show);
  }

  // The lowest and the highest value of a number, at any setting.
  function reachOf(number) {
    const frames = Array.isArray(number) ? times(data.frames.length / spec.size, (frame) => frame) : [0];
    const values = frames.map((frame) => numberAt(number, frame)).filter((x) => !Number.isNaN(x));
    return [Math.min(...values), Math.max(...values)];
  }

  function show(shape) {
    const { node, kind, words, numbers, now: last } = shape;
    const now = numbers.map((number) => numberAt(number, data.frame));
    const gone = now.some(Number.isNaN);
    if (gone !== shape.gone) node.classList.toggle("ax-none", (shape.gone = gone));
    if (gone) return;
    const word = kind === "text" ? words[now.pop()] : null;
    const opacity = now.pop();
    const width = now.pop();
    const isMoved = now.some((x, i) => x !== last[i]);
    shape.now = now;
    if (isMoved) put(shape);
    if (word !== null && node.textContent !== word) node.textContent = word;
    if (kind === "line" || kind === "path") setOnce(node, "stroke-width", Math.round(1000 * width) / 1000);
    setOnce(node, "opacity", opacity);
  }

  function put({ node, kind, tip, now }) {
    if (!now.length) return;
    if (kind === "line" || kind === "path") {
      const points = times(now.length / 2, (k) => [across(now[2 * k]), down(now[2 * k + 1])]);
      node.setAttribute("d", tip ? arrowOf(...points) : `M${points[0]}${kind === "path" ? "C" : "L"}${points.slice(1).join(" ")}`);
      return;
    }
    const [x, y, ...size] = now;
    const at = [across(x), down(y), ...(kind === "rectangle" ? [size[0] * scale, size[1]] : size)];
    NAMES[kind].forEach((name, i) => node.setAttribute(name, at[i]));
  }

  // Words are measured here, with the letters of this page. A drawing that stretches leaves them as they are: it becomes
  // as narrow as the page, as long as no word covers another.
  function fit() {
    if (!data || !el.clientWidth) return;
    const pen = make("canvas").getContext("2d");
    const { fontWeight, fontSize, fontFamily } = getComputedStyle(svg);
    pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
    const rooms = texts.map(({ align, words, reach, numbers }) => {
      const width = Math.max(...words.map((word) => pen.measureText(word).width));
      return { reach, y: numbers[1], left: SIDES[align] * width, right: (1 - SIDES[align]) * width };
    });
    const beyond = (ends) => Math.max(0, ...ends) + EDGE;
    before = beyond(rooms.map((room) => room.left - (room.reach[0] - left)));
    const after = beyond(rooms.map((room) => room.right - (left + wide - room.reach[1])));
    const edges = before + after;
    const pairs = rooms.flatMap((a) => rooms.filter((b) => b.y === a.y && b.reach[0] > a.reach[0]).map((b) => (a.right + b.left + 4) / (b.reach[0] - a.reach[0])));
    const [least, most] = scene.stretch ? [Math.min(1, Math.max(0, ...pairs)), scene.stretch] : [1, 1];
    el.style.width = `${edges + most * wide}px`;
    svg.style.minWidth = scene.stretch ? `${edges + least * wide}px` : 0;
    const width = scene.stretch ? Math.max(el.clientWidth, edges + least * wide) : edges + wide;
    scale = (width - edges) / wide;
    svg.setAttribute("viewBox", `0 0 ${width} ${tall + 2 * EDGE}`);
    shapes.forEach(put);
  }

  return { el, shapes, draw };
}

// A colour by role. Heads also differ in dashes; after eight of them, the colours repeat with other dashes.
function inkOf(ink, { dashes }) {
  const head = ink.startsWith("series") ? Number(ink.slice(6)) : null;
  const count = dashes.length;
  const colour = { word: "ink", term: "purple", quiet: "quiet" }[ink] ?? (head === null ? ink : `series${head % count}`);
  const pattern = head === null ? "" : dashes[(head + Math.floor(head / count)) % count];
  return { style: `color: var(--ax-${colour})`, "stroke-dasharray": pattern || "none" };
}

function setOnce(node, name, value) {
  if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

// A line with a head at its end; a short arrow has a short head.
function arrowOf([x, y], [right, down]) {
  const length = Math.hypot(right - x, down - y) || 1;
  const [dx, dy] = [(right - x) / length, (down - y) / length];
  const tip = Math.min(TIP, length / 2);
  const wing = (side) => `${right - tip * (dx + side * 0.45 * dy)} ${down - tip * (dy - side * 0.45 * dx)}`;
  return `M${x} ${y}L${right} ${down}M${wing(1)}L${right} ${down}L${wing(-1)}`;
}

// A box to tick for each head, with a sample of its line. A head that is not ticked is hidden, and not read out.
function legend(panel, spec, shapes, redraw) {
  const el = make("div", "ax-legend");
  el.setAttribute("role", "group");
  el.ariaLabel = say("heads shown", { panel: panel.name });
  panel.names.forEach((name, h) => {
    const label = el.appendChild(make("label", "ax-button"));
    const box = Object.assign(make("input"), { type: "checkbox", checked: true });
    const sample = makeSvg("svg", { "aria-hidden": "true" });
    sample.append(makeSvg("line", { stroke: "currentColor", x1: 0, x2: 34, y1: 6, y2: 6, "stroke-width": 3, ...inkOf(`series ${h}`, spec) }));
    label.append(box, sample, name);
    box.addEventListener("change", () => {
      panel.off[box.checked ? "delete" : "add"](h);
      for (const { node, head } of shapes) if (head === h) node.classList.toggle("ax-hidden", !box.checked);
      redraw();
    });
  });
  return el;
}
