// The Explorer's view: it draws the frame that the sliders point at, and reads out the cell you
// point at. It knows labels, colours and frames; what the numbers mean was decided in Python.

const MASKED = "masked";
const TABLE_LIMIT = { side: 16, cells: 600 }; // past this, a matrix is a picture without numbers

export default { render };

function render({ model, el }) {
  const spec = model.get("spec");
  const state = { frames: readFrames(model), frame: 0, over: null, pinned: null };
  const size = layOut(spec);
  const view = build(spec, el, state, () => readOut());

  function draw() {
    state.frame = frameIndex(model, spec);
    const start = state.frame * size;
    const values = state.frames.subarray(start, start + size);
    for (const grid of view.grids) grid.draw(values);
    spec.numbers.forEach((name, i) => {
      view.numbers[i].textContent = show(values[size - spec.numbers.length + i], spec.decimals);
    });
    view.root.dataset.frame = state.frame;
    readOut();
  }

  function readOut() {
    const at = state.over ?? state.pinned;
    const marks = JSON.stringify([at, state.pinned]);
    if (marks !== state.marks) for (const grid of view.grids) grid.mark(at, state.pinned);
    state.marks = marks;
    const start = state.frame * size;
    view.readout.textContent = at
      ? describe(spec, state.frames.subarray(start, start + size), at, state.frame)
      : "Point at a cell, tap it, or reach it with Tab and the arrow keys.";
  }

  function showError() {
    const error = model.get("error");
    view.error.textContent = error;
    view.root.classList.toggle("ax-stale", Boolean(error));
  }

  const newFrames = () => {
    state.frames = readFrames(model);
    draw();
  };
  const events = [["change:frames", newFrames], ["change:error", showError]];
  spec.stops.forEach((_, i) => events.push([`change:at_${i}`, draw]));
  for (const [name, callback] of events) model.on(name, callback);
  draw();
  showError();
  view.root.dataset.swept = spec.swept;
  view.root.dataset.ready = "true";
  requestAnimationFrame(() => nameSliders(el));
  return () => events.forEach(([name, callback]) => model.off(name, callback));
}

// -- frames -----------------------------------------------------------------------------------

function readFrames(model) {
  const { buffer, byteOffset, byteLength } = model.get("frames");
  return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength)); // aligned to 4 bytes
}

// Give every panel its place in a frame; return how many numbers a frame has.
function layOut(spec) {
  let offset = 0;
  for (const panel of spec.panels) {
    panel.offset = offset;
    offset += Math.max(1, panel.heads) * panel.rows.length * panel.columns.length;
  }
  return offset + spec.numbers.length;
}

// The sliders' positions as one index, the last slider turning fastest.
function frameIndex(model, spec) {
  return positions(model, spec).reduce((sum, p, i) => sum * spec.stops[i].length + p, 0);
}

function positions(model, spec) {
  return spec.stops.map((stops, i) => nearest(stops, Number(model.get(`at_${i}`))));
}

function nearest(stops, x) {
  let best = 0;
  for (let i = 1; i < stops.length; i++) {
    if (Math.abs(stops[i] - x) < Math.abs(stops[best] - x)) best = i;
  }
  return best;
}

function valueOf(frame, panel, head, row, column) {
  const n = panel.columns.length;
  return frame[panel.offset + ((panel.heads ? head : 0) * panel.rows.length + row) * n + column];
}

// -- the page ---------------------------------------------------------------------------------

function build(spec, el, state, changed) {
  const root = make("div", "ax-view");
  const grids = [];
  const panels = make("div", "ax-panels");
  const hasMask = state.frames.some(Number.isNaN);
  spec.panels.forEach((panel, index) => {
    Object.assign(panel, { index, lowRgb: hex(panel.low), highRgb: hex(panel.high) });
    const figure = make("div", "ax-panel");
    const caption = make("div", "ax-caption");
    caption.append(make("b", "", panel.name), make("span", "ax-reads", panel.reads));
    const heads = make("div", "ax-heads");
    for (let head = 0; head < Math.max(1, panel.heads); head++) {
      const box = make("div", "ax-head");
      if (panel.heads) box.append(make("div", "ax-head-name", `head ${head + 1}`));
      const grid = makeGrid(panel, head, spec, state, changed);
      grids.push(grid);
      box.append(grid.el);
      heads.append(box);
    }
    figure.append(caption, heads, scale(panel, hasMask && panel.role !== "vectors"));
    panels.append(figure);
  });
  const numbers = spec.numbers.map((name) => {
    const line = make("div", "ax-number", `${name} = `);
    const value = line.appendChild(make("b"));
    root.append(line);
    return value;
  });
  const readout = make("div", "ax-readout");
  readout.setAttribute("role", "status");
  const error = make("div", "ax-error");
  error.setAttribute("role", "alert");
  root.prepend(panels);
  root.append(readout, error);
  if (spec.note) root.append(make("div", "ax-note", spec.note));
  el.append(root);
  return { root, grids, numbers, readout, error };
}

function scale(panel, hasMask) {
  const box = make("div", "ax-scale");
  const bar = make("i", "ax-bar");
  const from = panel.role === "weights" ? "#fff" : `${panel.low}, #fff`;
  bar.style.background = `linear-gradient(to right, ${from}, ${panel.high})`;
  const low = panel.role === "weights" ? 0 : -panel.limit;
  box.append(make("span", "", brief(low).replace(/[()]/g, "")), bar, make("span", "", brief(panel.limit)));
  if (hasMask) box.append(make("i", `ax-swatch ax-${MASKED}`), make("span", "", MASKED));
  return box;
}

function makeGrid(panel, head, spec, state, changed) {
  const [rows, columns] = [panel.rows.length, panel.columns.length];
  const cells = rows * columns * Math.max(1, panel.heads);
  const small = Math.max(rows, columns) <= TABLE_LIMIT.side && cells <= TABLE_LIMIT.cells;
  const grid = (small ? tableGrid : pictureGrid)(panel, head, spec.decimals);
  const at = (row, column) => ({ panel: panel.index, head, row, column, names: panel.rows });
  const go = (row, column) => {
    state.over = at(row, column);
    changed();
    grid.focus(row, column);
  };
  grid.el.addEventListener("pointermove", (event) => {
    const cell = grid.locate(event);
    if (!cell) return;
    state.over = at(...cell);
    changed();
  });
  const leave = () => {
    state.over = null;
    changed();
  };
  grid.el.addEventListener("pointerleave", leave);
  grid.el.addEventListener("focusout", leave);
  const toggle = (cell) => {
    const next = at(...cell);
    state.pinned = same(state.pinned, next) ? null : next;
    changed();
  };
  grid.el.addEventListener("click", (event) => {
    const cell = grid.locate(event);
    if (cell) toggle(cell);
  });
  grid.el.addEventListener("focusin", (event) => {
    const cell = grid.focused(event);
    if (!event.target.matches(":focus-visible")) return; // a click has its own say
    state.over = at(...cell);
    changed();
  });
  grid.el.addEventListener("keydown", (event) => {
    const [row, column] = grid.focused(event);
    const moves = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [row, 0],
      End: [row, columns - 1],
    };
    if (event.key in moves) {
      const [r, c] = moves[event.key];
      go(Math.max(0, Math.min(rows - 1, r)), Math.max(0, Math.min(columns - 1, c)));
    } else if (event.key === "Enter" || event.key === " ") toggle([row, column]);
    else if (event.key === "Escape") {
      state.pinned = null;
      changed();
    } else return;
    event.preventDefault();
    event.stopPropagation(); // arrow keys would move JupyterLab to another notebook cell
  });
  return grid;
}

const same = (a, b) =>
  Boolean(a && b) && ["panel", "head", "row", "column"].every((key) => a[key] === b[key]);

// ipywidgets gives its sliders no name that a screen reader could say.
function nameSliders(el) {
  const explorer = el.closest(".attention-explorer");
  for (const control of explorer?.querySelectorAll(".widget-slider") ?? []) {
    const label = control.querySelector(".widget-label")?.textContent;
    control.querySelector(".noUi-handle")?.setAttribute("aria-label", label ?? "slider");
  }
}
