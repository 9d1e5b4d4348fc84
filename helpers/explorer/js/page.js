// The Explorer's page: panels with captions and scales, the read-out, and what mouse and keys do.

const MASKED = "masked";
const HOW_TO = "Point at a cell, tap it, or reach it with Tab and the arrow keys.";
const HOW_TO_LINES = "Point at a word or a line, tap it, or reach it with Tab and the arrow keys.";

function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text; // never innerHTML: tokens are text
  return node;
}

function makeButton(className, text, label) {
  const button = make("button", className, text);
  button.type = "button";
  button.title = label;
  button.setAttribute("aria-label", label);
  return button;
}

// changed: called when the cell at hand, or one that is marked, is another; rescaled: when colours are.
function build(data, el, state, changed, rescaled) {
  const { spec } = data;
  const root = make("div", "ax-view");
  const panels = make("div", "ax-panels");
  const figures = spec.panels.map((panel) => figure(panel, data, state, changed, rescaled));
  panels.append(...figures.map((figure) => figure.el));
  root.append(panels);
  const numbers = spec.numbers.map((name) => {
    const line = make("div", "ax-number", `${name} = `);
    const value = line.appendChild(make("b"));
    root.append(line);
    return value;
  });
  const readout = make("div", "ax-readout");
  const live = make("div", "ax-live"); // what a screen reader says: the read-out, once it rests
  live.setAttribute("role", "status");
  const sum = make("section", "ax-sum");
  sum.hidden = true;
  const error = make("div", "ax-error");
  error.setAttribute("role", "alert");
  root.append(readout, live, sum, error);
  if (spec.note) root.append(make("div", "ax-note", spec.note));
  el.append(root);
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    state.pinned = state.locked = null;
    changed();
  });
  sum.addEventListener("click", (event) => {
    if (!event.target.closest(".ax-close")) return;
    state.pinned = null;
    changed();
  });
  const grids = figures.flatMap((figure) => figure.grids);
  const scales = figures.map((figure) => figure.scale);
  const sizes = keepSizes(panels, figures);
  return { root, grids, scales, sizes, numbers, readout, live, sum, error };
}

function figure(panel, data, state, changed, rescaled) {
  const { spec } = data;
  const box = make("div", panel.picture ? "ax-panel ax-drawn" : "ax-panel");
  const narrowest = panel.offer ? 230 : panel.masked ? 210 : 150; // pixels, for what is above and below
  box.style.setProperty("--ax-narrowest", `${narrowest}px`);
  const caption = make("div", "ax-caption");
  caption.append(make("b", "", panel.name), make("span", "ax-reads", readsOf(panel)));
  const heads = make("div", "ax-heads");
  const scale = (panel.role === "chances" ? scaleOfBars : scaleOf)(panel, rescaled);
  const under = make("div", "ax-under");
  const tools = make("div", "ax-tools");
  under.append(scale.el, tools);
  const grids = [];
  for (let head = 0; head < Math.max(1, panel.heads); head++) {
    const one = make("div", "ax-head");
    if (panel.heads) one.append(make("div", "ax-head-name", `head ${head + 1}`));
    const kind = panel.role === "chances" ? barsGrid : panel.picture ? pictureGrid : tableGrid;
    const grid = makeGrid(kind, panel, head, spec, scale, state, changed);
    grids.push(grid);
    one.append(grid.el);
    heads.append(one);
  }
  if (panel.picture) caption.append(zoomButtons(panel, grids));
  box.append(caption, heads);
  if (panel.lines) {
    const lines = makeGrid(linesGrid, panel, panel.heads ? ALL_HEADS : 0, spec, scale, state, changed);
    grids.push(lines);
    box.append(lines.el);
    tools.append(linesButton(panel, box, lines, data.chosen, rescaled));
  }
  tools.append(saveButton(panel, grids, data));
  box.append(under);
  if (panel.offer) box.append(scale.offer);
  return { el: box, panel, grids, scale, narrowest };
}

// What a caption says of rows and columns.
const readsOf = (panel) =>
  panel.reads && panel.view === "lines" ? "queries left, keys right" : panel.reads;

// One matrix, and how it answers to the mouse, a finger and the keyboard.
function makeGrid(kind, panel, ofHead, spec, scale, state, changed) {
  const grid = kind(panel, ofHead, spec);
  const first = canLock(panel) ? -1 : 0; // the leftmost column that the keys can reach
  // In lines, a place may have a head of its own, and a row of -1: then it is the key's word.
  const at = ([row, column, head = ofHead]) => ({
    panel: panel.index,
    head,
    row,
    column,
    get names() { // of the queries, which may move
      return panel.role === "chances" ? [] : panel.rows;
    },
  });
  const point = (place) => {
    state.over = place ? at(place) : null;
    changed();
  };
  const choose = (place) => {
    const kind = place[0] < 0 || place[1] < 0 ? "locked" : "pinned";
    state[kind] = same(state[kind], at(place)) ? null : at(place);
    changed();
  };
  const on = (name, act) => grid.el.addEventListener(name, act);
  on("pointermove", (event) => {
    const place = grid.locate(event);
    if (place && !same(state.over, at(place))) point(place);
  });
  on("pointerleave", () => point(null));
  on("focusout", () => point(null));
  on("click", (event) => {
    const place = grid.locate(event);
    if (place) choose(place);
  });
  on("focusin", (event) => {
    if (event.target.matches(":focus-visible") && grid.focused(event)) point(grid.focused(event));
  });
  on("keydown", (event) => {
    const place = grid.focused(event);
    if (!place || isCommand(event)) return;
    const next = (grid.after ?? after)(place, event.key);
    if (next) {
      grid.focus(...next);
      point(next);
    } else if (event.key === "Enter" || event.key === " ") choose(place);
    else if (event.key === CLOSER ? !scale.toggle() : !grid.zoomKey?.(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  });
  // The place that a key leads to from this one; null for other keys.
  function after([row, column], key) {
    const [last, end] = [panel.rows.length - 1, panel.columns.length - 1];
    const moves = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [row, first],
      End: [row, end],
    };
    if (!(key in moves)) return null;
    const [r, c] = moves[key];
    return [within(r, 0, last), within(c, first, end)];
  }

  return grid;
}

const within = (x, low, high) => Math.max(low, Math.min(high, x));

// A key with Ctrl and the like, or Shift+Enter, which runs a notebook's cell.
const isCommand = (event) =>
  event.ctrlKey || event.metaKey || event.altKey || (event.shiftKey && event.key === "Enter");

// JupyterLab would take a plain key for a command, and delete the cell at "x", so hide it from it.
// It listens on the document; the window hears of a key before that.
function shieldKeys(el) {
  const shield = (event) => {
    const ours = el.closest(".attention-explorer")?.contains(event.target);
    if (ours) event.target.toggleAttribute("data-lm-suppress-shortcuts", !isCommand(event));
  };
  window.addEventListener("keydown", shield, true);
  return () => window.removeEventListener("keydown", shield, true);
}

// A slider's read-out can be typed into. It would take 0,5 for 0, and not know the minus it writes.
function readAsWritten(el) {
  const mend = (event) => {
    const typed = event.target;
    if (event.key && event.key !== "Enter") return;
    if (!typed.matches?.(".widget-readout[contenteditable=true]")) return;
    if (!el.closest(".attention-explorer")?.contains(typed)) return;
    const text = typed.textContent.replaceAll("−", "-").replace(/(\d),(\d)/g, "$1.$2");
    if (text !== typed.textContent) typed.textContent = text;
  };
  const names = ["keydown", "blur"]; // with either, ipywidgets reads what was typed
  for (const name of names) window.addEventListener(name, mend, true);
  return () => names.forEach((name) => window.removeEventListener(name, mend, true));
}

const same = (a, b) =>
  Boolean(a && b) && ["panel", "head", "row", "column"].every((key) => a[key] === b[key]);

const ALL_HEADS = -1;

// "weights", or "weights, head 2"
const titleOf = (panel, head) => (panel.heads && head !== ALL_HEADS ? `${panel.name}, head ${head + 1}` : panel.name);

const canLock = (panel) => panel.tall > 1 && panel.role !== "chances";

// Which row of this panel belongs to the query at hand; -1 where none does.
function rowOf(panel, at) {
  if (!at || !canLock(panel) || at.row >= at.names.length) return -1;
  return at.names.length === panel.rows.length ? at.row : panel.rows.indexOf(at.names[at.row]);
}

// -- numbers and colours ----------------------------------------------------------------------

function show(x, decimals) {
  const text = x.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

// Four decimals, or four digits where those would say nothing.
function brief(x) {
  const size = Math.abs(x);
  const text = (size >= 1e6 || (size > 0 && size < 5e-5)) ? x.toPrecision(4) : String(Number(x.toFixed(4)));
  return (Number(text) === 0 ? "0" : text).replaceAll("-", "−").replace("e+", "e");
}

const hex = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));

const STEPS = 512; // the colour scale has so many steps from 0 to each of its ends

// From low through white (at 0) to high (at the limit): the scale belongs to the role, not the data.
// {rgb, css, ink, pixel}: arrays of 2 * STEPS + 1 colours, the middle one for 0.
function paletteOf({ low, high }) {
  const key = low + high;
  if (!shared.palettes.has(key)) {
    const levels = Array.from({ length: 2 * STEPS + 1 }, (_, i) => {
      const share = Math.abs(i - STEPS) / STEPS;
      return hex(i < STEPS ? low : high).map((c) => Math.round(255 + (c - 255) * share));
    });
    shared.palettes.set(key, {
      css: levels.map((rgb) => `rgb(${rgb.join(", ")})`),
      ink: levels.map(inkOn),
      pixel: Uint32Array.from(levels, ([r, g, b]) => (255 << 24) | (b << 16) | (g << 8) | r),
    });
  }
  return shared.palettes.get(key);
}

const levelOf = (x, limit) =>
  STEPS + Math.round(STEPS * Math.max(-1, Math.min(1, x / limit)));

function inkOn([r, g, b]) {
  const linear = [r, g, b].map((v) => ((v / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  return luminance > 0.18 ? "#000" : "#fff"; // the point where black and white contrast alike
}
