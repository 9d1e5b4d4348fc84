// Shapes from Python, drawn as SVG. A number of a shape is itself, or [k, a, b]: a × the k-th number of the frame + b,
// or [k]: the k-th of `moves`; of a text, the last one is the index of its word. NaN: the shape is not there.

import { fadeAtEdge, make, makeSvg, times } from "./elements.js";
import { ALL_HEADS, placesOf, rowOf } from "./film.js";
import { marker } from "./pointing.js";

const TAGS = { line: "path", path: "path", rectangle: "rect", disc: "circle", text: "text" };
const SIZES = { line: 4, path: 8, rectangle: 4, disc: 3, text: 2 }; // how many numbers tell where it is
const NAMES = { rectangle: ["x", "y", "width", "height"], disc: ["cx", "cy", "r"], text: ["x", "y"] };
const SIDES = { start: 0, middle: 0.5, end: 1 }; // the share of a text that is left of its x
const EDGE = 6; // pixels around the shapes
const BORDERS = 2; // pixels: those of a sheet, which its width includes
const TIP = 9; // pixels: the length of an arrow's head

export function shapesGrid(panel, { spec, setControl }) {
  const box = make("div", "ax-shapes");
  const place = make("div", "ax-planes");
  const { heads } = spec.views[panel.view];
  const texts = []; // of all drawings, so that they are equally large
  const sheets = panel.scenes[panel.view].map((scene) => sheetOf(scene, spec, texts, setControl));
  const shapes = sheets.flatMap((sheet) => sheet.shapes);
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
    const mine = at?.panel === panel.index;
    const isNumber = at?.row >= 0 && at.column >= 0;
    const [row, column] = [rowOf(panel, at), mine ? at.column : -1];
    const head = mine && isNumber ? at.head : ALL_HEADS;
    const lit = litBy(state);
    const nodes = new Set(lit.map(([node]) => node));
    light(lit);
    for (const shape of shapes) {
      const { classList } = shape.node;
      const isKept = isNumber && !mine ? !nodes.size || nodes.has(shape.node) : standsFor(shape, head, row, column);
      classList.toggle("ax-dim", shape.head !== null && !isKept);
      if (shape.active) classList.toggle("ax-off", shape.row !== row);
      if (shape.head === null) markWord(shape, row, column, state.locked);
    }
  }

  function litBy({ causes }) {
    const here = causes.filter((cause) => cause.panel === panel.index);
    return shapes.filter((shape) => shape.head !== null && standsForCells(shape)).flatMap((shape) => here
      .filter((cause) => standsFor(shape, cause.head, cause.row, cause.column))
      .map(({ side }) => [shape.node, `ax-${side}`]));
  }

  function markWord(shape, row, column, locked) {
    const { classList } = shape.node;
    const isKey = locked?.panel === panel.index && locked.row < 0;
    const isLockedKey = isKey && shape.row === null && shape.column === locked.column;
    const lockedRow = rowOf(panel, locked);
    classList.toggle("ax-is-query", row >= 0 && shape.row === row);
    classList.toggle("ax-is-key", column >= 0 && shape.column === column);
    classList.toggle("ax-kept", isLockedKey || (lockedRow >= 0 && shape.row === lockedRow));
  }

  const draw = (data) => sheets.forEach((sheet) => sheet.draw(data));
  return { el: box, draw, mark, locate, focused: () => null }; // keys are for the table
}

const standsForCells = ({ row, column }) => (row ?? column) !== null;

// Whether a shape stands for such a cell; -1 is for any.
const fits = (own, wanted) => wanted < 0 || own === null || own === wanted;
const standsFor = (shape, head, row, column) =>
  fits(shape.head, head) && fits(shape.row, row) && fits(shape.column, column);

function sheetOf(scene, spec, texts, setControl) {
  const el = make("div", "ax-sheet");
  const svg = el.appendChild(makeSvg("svg", { "aria-hidden": "true" }));
  const [left, top, wide, tall] = scene.box;
  const shapes = scene.shapes.map((given) => {
    const { kind, ink, align } = given;
    const node = svg.appendChild(makeSvg(TAGS[kind], { "data-shape": kind, ...inkOf(ink, spec) }));
    if (kind === "text") node.setAttribute("text-anchor", align);
    const shape = { ...given, node, now: [], gone: true };
    node.shape = shape;
    if (shape.grip) dragBy(shape);
    return shape;
  });
  texts.push(...shapes.filter(({ kind }) => kind === "text"));
  let [before, scale] = [EDGE, 1]; // pixels at the left of the shapes; how much wider than they are
  let data = null;
  fadeAtEdge(el);
  new ResizeObserver(fit).observe(el);

  const across = (x) => before + (x - left) * scale;
  const down = (y) => EDGE + (y - top) * (scene.even ? scale : 1);
  const numberAt = (number, frame) => {
    if (!Array.isArray(number)) return number;
    const [k, a, b] = number;
    if (number.length === 1) return data.moves[frame * spec.moves + k];
    return a * data.frames[frame * spec.size + k] + b;
  };

  function draw(now) {
    data = now;
    shapes.forEach(show);
  }

  // The lowest and the highest value of a number, at any setting.
  function reachOf(number) {
    const frames = Array.isArray(number) ? times(data.frames.length / spec.size, (frame) => frame) : [0];
    const values = frames.map((frame) => numberAt(number, frame)).filter((x) => !Number.isNaN(x));
    return [Math.min(...values), Math.max(...values)];
  }

  function show(shape) {
    const { node, kind, words, now: was, gone: wasGone } = shape;
    const now = shape.numbers.map((number) => numberAt(number, data.frame));
    const changed = now.findIndex((x, i) => !Object.is(x, was[i])); // the first number that did
    if (changed < 0) return;
    shape.now = now;
    shape.gone = now.some(Number.isNaN);
    node.classList.toggle("ax-none", shape.gone);
    if (shape.gone) return;
    const size = SIZES[kind];
    if (wasGone || changed < size) put(shape);
    if (kind === "line" || kind === "path") node.setAttribute("stroke-width", Math.round(1000 * now[size]) / 1000);
    node.setAttribute("opacity", now[size + 1]);
    if (kind === "text") node.textContent = words[now[size + 2]];
  }

  function put({ node, kind, tip, now, gone }) {
    if (gone) return;
    if (kind === "line" || kind === "path") {
      const [start, ...points] = times(SIZES[kind] / 2, (k) => [across(now[2 * k]), down(now[2 * k + 1])]);
      const plain = `M${start}${kind === "path" ? "C" : "L"}${points.join(" ")}`;
      node.setAttribute("d", tip ? arrowOf(start, ...points) : plain);
      return;
    }
    const [x, y, wide, tall] = now;
    const at = [across(x), down(y), kind === "rectangle" ? wide * scale : wide, tall * (scene.even ? scale : 1)];
    NAMES[kind].forEach((name, i) => node.setAttribute(name, at[i]));
  }

  function dragBy({ node, numbers }) {
    node.classList.add("ax-grip");
    node.addEventListener("pointerdown", ({ pointerId }) => node.setPointerCapture(pointerId));
    node.addEventListener("pointermove", (event) => event.buttons && follow(numbers, event));
  }

  // The sliders go to the setting at which a point is nearest to the pointer; those that do not move it stay.
  function follow([right, below], { clientX, clientY }) {
    const { left: x, top: y } = svg.getBoundingClientRect();
    let [chosen, least] = [data.places, Infinity];
    for (let frame = 0; frame < data.frames.length / spec.size; frame++) {
      const places = placesOf(frame, spec);
      const point = [x + across(numberAt(right, frame)), y + down(numberAt(below, frame))];
      const moved = places.filter((place, i) => place !== data.places[i]).length;
      const cost = Math.hypot(point[0] - clientX, point[1] - clientY) + 1e-3 * moved;
      if (cost < least) [chosen, least] = [places, cost];
    }
    chosen.forEach((place, i) => place !== data.places[i] && setControl(i, place));
  }

  // Words are measured here, with the letters of this page. A drawing that stretches leaves them as they are: it
  // becomes as narrow as the page, as long as no word covers another.
  function fit() {
    if (!data || !el.clientWidth) return;
    const pen = make("canvas").getContext("2d");
    const { fontWeight, fontSize, fontFamily } = getComputedStyle(svg);
    pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
    const rooms = texts.map((shape) => {
      const width = Math.max(...shape.words.map((word) => pen.measureText(word).width));
      const share = SIDES[shape.align];
      shape.reach ??= reachOf(shape.numbers[0]);
      return { reach: shape.reach, y: shape.numbers[1], left: share * width, right: (1 - share) * width };
    });
    const beyond = (ends) => Math.max(0, ...ends) + EDGE;
    before = beyond(rooms.map((room) => room.left - (room.reach[0] - left)));
    const after = beyond(rooms.map((room) => room.right - (left + wide - room.reach[1])));
    const edges = before + after;
    const pairs = rooms.flatMap((a) => rooms.filter((b) => b.y === a.y && b.reach[0] > a.reach[0])
      .map((b) => (a.right + b.left + 3) / (b.reach[0] - a.reach[0])));
    const [least, most] = scene.stretch ? [Math.min(1, Math.max(0, ...pairs)), scene.stretch] : [1, 1];
    el.style.width = `${Math.ceil(edges + most * wide) + BORDERS}px`;
    svg.style.minWidth = scene.stretch ? `${edges + least * wide}px` : 0;
    const width = scene.stretch ? Math.max(el.clientWidth, edges + least * wide) : edges + wide;
    scale = Math.min(most, (width - edges) / wide);
    svg.setAttribute("viewBox", `0 0 ${width} ${down(top + tall) + EDGE}`);
    shapes.forEach(put);
    // What scrolls must be within reach of the keys.
    if (el.scrollWidth > el.clientWidth + 2) el.tabIndex = 0;
    else el.removeAttribute("tabindex");
  }

  return { el, shapes, draw };
}

// A colour by role. Series also differ in dashes; after eight of them, the colours repeat with other dashes.
function inkOf(ink, { dashes }) {
  const series = ink.startsWith("series") ? Number(ink.slice(6)) : null;
  const count = dashes.length;
  const colour = series === null ? ({ word: "ink", term: "purple" }[ink] ?? ink) : `series${series % count}`;
  const pattern = series === null ? "" : dashes[(series + Math.floor(series / count)) % count];
  return { style: `color: var(--ax-${colour})`, "stroke-dasharray": pattern || "none" };
}

// A line with a head at its end; a short arrow has a short head.
function arrowOf([x, y], [right, down]) {
  const length = Math.hypot(right - x, down - y) || 1;
  const [dx, dy] = [(right - x) / length, (down - y) / length];
  const tip = Math.min(TIP, length / 2);
  const wing = (side) => `${right - tip * (dx + side * 0.45 * dy)} ${down - tip * (dy - side * 0.45 * dx)}`;
  return `M${x} ${y}L${right} ${down}M${wing(1)}L${right} ${down}L${wing(-1)}`;
}
