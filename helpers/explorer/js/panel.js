// The Explorer on the page: panels with names and scales, the read-out, and the response to mouse and keys.

import { barsGrid } from "./bars.js";
import { scaleOf } from "./colours.js";
import { overviewOf } from "./overview.js";
import { pictureGrid } from "./picture.js";
import { isCommand } from "./sliders.js";
import { tableGrid } from "./table.js";
import { say } from "./view.js";
import { stageOf } from "./views.js";

const SVG = "http://www.w3.org/2000/svg";
export const ALL_HEADS = -1;

export function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text; // never innerHTML: tokens are text
  return node;
}

export function makeSvg(tag, attributes = {}) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

// A drawing of one path, 16 units wide and tall, for a button.
export function makeIcon(path) {
  const svg = makeSvg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" });
  svg.append(makeSvg("path", { d: path }));
  return svg;
}

export function makeButton(className, text, label) {
  const button = make("button", className, text);
  Object.assign(button, { type: "button", title: label, ariaLabel: label });
  return button;
}

// A label that would take too much room in a drawing, cut off with an ellipsis.
export const shorten = (label, longest = 12) => (label.length > longest ? `${label.slice(0, longest - 1)}…` : label);

// A token, in a box as wide as the widest token that can appear in it, so that nothing jumps. Letters differ in
// width, so the box is measured with several candidates, one per line.
export function makeToken(labels) {
  const token = make("span", "ax-token", "");
  token.dir = "auto";
  token.dataset.room = [...new Set(labels)].sort((a, b) => b.length - a.length).slice(0, 8).join("\n");
  return token;
}

export const times = (count, made) => Array.from({ length: count }, (_, k) => made(k));
export const within = (x, low, high) => Math.max(low, Math.min(high, x));

// showMarks: called when the current cell or a marked cell changes; redraw: when colours or lines change.
export function build(data, el, state, { showMarks, redraw, setControl }) {
  const { spec } = data;
  const root = make("div", "ax-view");
  const panels = make("div", "ax-panels");
  const figures = spec.panels.map((panel) => panelOnPage(panel, data, state, showMarks, redraw));
  if (spec.overview) figures.unshift(overviewOf(data, state, showMarks, setControl));
  for (const figure of figures) {
    if (figure.follows) panels.append(Object.assign(make("div", "ax-flow"), { ariaHidden: "true" }));
    panels.append(figure.el);
  }
  new ResizeObserver(() => turnArrows(panels)).observe(panels);
  root.append(panels);
  const numbers = spec.numbers.map((name) => {
    const line = make("div", "ax-number", `${name} = `);
    root.append(line);
    return line.appendChild(make("b"));
  });
  const readout = make("div", "ax-readout");
  const live = make("div", "ax-live"); // what a screen reader says: the read-out, once it is stable
  const sum = make("section", "ax-sum");
  const error = make("div", "ax-error");
  live.setAttribute("role", "status");
  error.setAttribute("role", "alert");
  sum.hidden = true;
  for (const name of ["ax-room", "ax-said"]) readout.append(make("span", name));
  readout.firstChild.ariaHidden = "true";
  root.append(readout, live, sum, error, make("div", "ax-note", spec.note));
  if (!spec.swept) root.append(make("div", "ax-no-kernel", say("no kernel")));
  el.append(root);
  // The first one in the notebook, so far.
  document.querySelectorAll(".ax-view").forEach((view, i) => view.classList.toggle("ax-first", i === 0));
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    state.pinned = state.locked = null;
    showMarks();
  });
  sum.addEventListener("click", (event) => {
    if (!event.target.closest(".ax-close")) return;
    state.pinned = null;
    showMarks();
  });
  const grids = figures.flatMap((figure) => figure.grids);
  const [room, said] = readout.children;
  return { root, grids, numbers, readout, room, said, live, sum, error };
}

function panelOnPage(panel, data, state, showMarks, redraw) {
  const { spec } = data;
  const box = make("div", `ax-panel${panel.keys ? " ax-keys" : ""}`);
  const heads = make("div", "ax-heads");
  const bars = panel.role === "probabilities";
  const kind = bars ? barsGrid : panel.picture ? pictureGrid : tableGrid;
  const answer = (grid, head) => answerTo(grid, panel, head, state, showMarks);
  const grids = times(Math.max(1, panel.heads), (head) => {
    const one = heads.appendChild(make("div", "ax-head"));
    if (panel.heads) one.append(make("div", "ax-head-name", panel.names[head]));
    const grid = answer(kind(panel, head, spec), head);
    one.append(grid.el);
    return grid;
  });
  const caption = box.appendChild(make("div", "ax-caption"));
  caption.append(make("span", panel.kind && `ax-is-${panel.kind}`, panel.name));
  if (bars) caption.append(make("span", "ax-reads", panel.reads));
  const about = make("div", "ax-about");
  // A line that one panel needs, all have, so that the tables beside each other stand at one height.
  if (spec.panels.some(({ sum }) => sum)) about.append(make("div", "ax-formula", panel.sum ? formulaOf(panel.sum) : "\u00a0"));
  if (spec.panels.some(({ keys }) => keys)) about.append(make("div", panel.keys ? "ax-axes" : "", "\u00a0"));
  nameAxes(about, panel, spec);
  box.append(about, heads);
  fadeAtEdge(heads);
  if (panel.views.length > 1) {
    const stage = stageOf(panel, data, box, (grid) => answer(grid, panel.heads ? ALL_HEADS : 0), redraw);
    grids.push(stage.grid);
    box.append(stage.el);
    caption.append(stage.buttons);
  }
  if (!bars) { // bars have a scale of their own
    const scale = scaleOf(panel, redraw);
    grids.push(scale);
    box.append(scale.el);
  }
  // An arrow leads to it from the panel before it if it is computed from that.
  const before = spec.panels[panel.index - 1]?.name;
  const follows = before !== undefined && [panel.sum?.a, panel.sum?.b].includes(before);
  return { el: box, grids, follows };
}

const formulaOf = ({ text }) => `= ${text.replaceAll(".T", "ᵀ").replaceAll("sqrt", "√")}`;

// Where queries and keys lie in the present view.
export function nameAxes(box, panel, spec) {
  const [query, key] = spec.views[panel.view].axes;
  box.querySelector(".ax-axes")?.replaceChildren(make("span", "ax-is-query", query), " ", make("span", "ax-is-key", key));
}

// An arrow points down where the next panel has no room beside the one before.
function turnArrows(panels) {
  const arrows = [...panels.querySelectorAll(".ax-flow")];
  for (const arrow of arrows) arrow.classList.remove("ax-wraps");
  const wraps = arrows.map((arrow) => arrow.previousSibling.offsetTop !== arrow.nextSibling.offsetTop);
  arrows.forEach((arrow, i) => arrow.classList.toggle("ax-wraps", wraps[i]));
}

// The edge at which there is more to scroll fades.
export function fadeAtEdge(box) {
  const fade = () => box.classList.toggle("ax-more", box.scrollLeft + box.clientWidth < box.scrollWidth - 2);
  new ResizeObserver(fade).observe(box);
  box.addEventListener("scroll", fade);
}

// How the grid of a panel responds: it shows what is pointed at, and a click or Enter pins a cell, or locks a
// query. A column of -1 is the query's word; in lines, a row of -1 is the key's. A drawing of several heads may say
// which head it was.
function answerTo(grid, panel, ofHead, state, showMarks) {
  const at = ([row, column, head = ofHead]) => ({ panel: panel.index, head, row, column, names: panel.down });
  const point = (place) => {
    const over = place && at(place);
    if (same(state.over, over)) return;
    state.over = over;
    showMarks();
  };
  const choose = (place) => {
    const kind = place[0] < 0 || place[1] < 0 ? "locked" : "pinned";
    state[kind] = same(state[kind], at(place)) ? null : at(place);
    showMarks();
  };
  return listen(grid, point, choose);
}

// Mouse, touch and keys on a grid; when they leave it, nothing is pointed at.
export function listen(grid, point, choose) {
  const on = (name, act) => grid.el.addEventListener(name, act);
  const placeOf = grid.focused ?? grid.locate; // for keys: the cell that has the focus
  on("pointermove", (event) => {
    const place = grid.locate(event);
    if (place) point(place);
  });
  on("pointerleave", () => point(null));
  on("focusout", () => point(null));
  on("click", (event) => {
    const place = grid.locate(event);
    if (place) choose(place);
  });
  on("focusin", (event) => {
    const place = event.target.matches(":focus-visible") && placeOf(event);
    if (place) point(place);
  });
  on("keydown", (event) => {
    const place = placeOf(event);
    if (!place || isCommand(event)) return;
    const next = grid.next(place, event.key);
    if (next) point(next);
    else if (event.key === "Enter" || event.key === " ") choose(place);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return grid;
}

// The [row, column] that a key leads to, with columns counted from `first`; null for other keys.
export function stepFrom([row, column], key, [tall, wide], first = 0) {
  const moves = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    Home: [row, first],
    End: [row, wide - 1],
  };
  return key in moves ? [within(moves[key][0], 0, tall - 1), within(moves[key][1], first, wide - 1)] : null;
}

const same = (a, b) =>
  Boolean(a && b) && ["panel", "head", "row", "column"].every((key) => a[key] === b[key]);

export const canLock = (panel) => panel.tall > 1 && panel.role !== "probabilities";

// The row of this panel that belongs to the current query, or -1.
export function rowOf(panel, at) {
  if (!at || !canLock(panel) || at.row >= at.names.length) return -1;
  return at.names.length === panel.down.length ? at.row : panel.down.indexOf(at.names[at.row]);
}

// "weights", or "weights, head 2"
export const titleOf = (panel, head) =>
  panel.heads && head !== ALL_HEADS ? `${panel.name}, ${panel.names[head]}` : panel.name;

// Gives each node a class, and removes the classes set the last time.
export function marker() {
  let marked = [];
  return (wanted) => {
    for (const [node, name] of marked) {
      node.classList.remove(name);
      node.removeAttribute("aria-selected");
    }
    marked = wanted.filter(([node]) => node);
    for (const [node, name] of marked) {
      node.classList.add(name);
      if (["ax-pinned", "ax-pressed"].includes(name)) node.setAttribute("aria-selected", "true");
    }
  };
}
