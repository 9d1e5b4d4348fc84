// The Explorer's view: it draws the frame that the sliders point at, and reads out the cell you
// point at. It knows labels, colours and frames; what the numbers mean was decided in Python.

const QUIET = 400; // milliseconds without change, before a screen reader is told

// Each Explorer has a copy of this script, and all of a page share these tables.
const shared = (globalThis[Symbol.for("attention-explorer")] ??= {
  palettes: new Map(),
  saving: new WeakMap(), // notebooks, each with a timer
});

// Where the kernel computes, labels that move come as another spec, and all is built anew.
function render({ model, el }) {
  const chosen = {}; // by the names of panels: the view that the learner has changed to
  let showing = showView({ model, el, chosen });
  const again = () => {
    showing = showing.then((stop) => {
      stop();
      return showView({ model, el, chosen });
    });
  };
  model.on("change:spec", again);
  return () => {
    model.off("change:spec", again);
    showing.then((stop) => stop());
  };
}

async function showView({ model, el, chosen }) {
  const spec = model.get("spec");
  for (const panel of spec.panels) if (panel.lines) panel.view = chosen[panel.name] ?? panel.view;
  const controls = await controlsOf(model);
  const stands = () => controls.map((control, i) => control.get(spec.traits[i]));
  layOut(spec);
  // over: what the mouse or the keyboard is on; pinned: the cell whose sum is open; locked: a query.
  // Each is {panel, head, row, column}, or null; a column of -1 is the token before the row.
  const state = { over: null, pinned: null, locked: null };
  const where = () => whereStand(controls, spec);
  const data = { spec, frame: 0, at: {}, frames: null, scales: null, where, chosen };
  const view = build(data, el, state, showMarks, recolour);
  data.scales = view.scales;
  let telling = null;
  let summed = null; // the cell whose sum is on the page

  function read() {
    if (!model.get("frames").byteLength) return; // closed
    if (model.get("spec") !== spec) return; // frames of another spec, which is about to be shown
    data.frames = floats(model.get("frames"));
    data.at = model.get("at");
    draw();
  }

  function draw() {
    data.frame = frameIndex(stands(), spec);
    const moved = nameAll(data);
    for (const grid of view.grids) {
      grid.draw(data);
      if (moved || grid.reorders) grid.mark(state);
    }
    spec.numbers.forEach((_, i) => {
      view.numbers[i].textContent = show(numberOf(data, i), spec.decimals);
    });
    view.root.dataset.frame = data.frame;
    readOut();
    if (summed) showSum(view.sum, data, summed);
  }

  function recolour() {
    draw();
    view.live.textContent = view.readout.textContent;
  }

  function showMarks() {
    for (const grid of view.grids) grid.mark(state);
    readOut();
    if (summed !== state.pinned) showSum(view.sum, data, state.pinned);
    summed = state.pinned;
  }

  function readOut() {
    const at = [state.over, state.pinned, state.locked].find((place) => isThere(spec, place));
    const text = readOutOf(data, at);
    if (view.readout.textContent !== text) view.readout.textContent = text;
    clearTimeout(telling);
    if (at) telling = setTimeout(() => (view.live.textContent = text), QUIET);
  }

  function showError() {
    const error = model.get("error");
    view.error.textContent = error;
    view.root.classList.toggle("ax-stale", Boolean(error));
  }

  const events = [["change:frames", read], ["change:error", showError]];
  for (const [name, callback] of events) model.on(name, callback);
  controls.forEach((control, i) => control.on(`change:${spec.traits[i]}`, draw));
  read();
  showError();
  const stopNaming = nameSliders(el, spec.sliders);
  const unlisten = [shieldKeys(el), readAsWritten(el)];
  view.root.dataset.swept = spec.swept;
  view.root.dataset.ready = "true";
  return () => {
    clearTimeout(telling);
    view.sizes.disconnect();
    stopNaming();
    unlisten.forEach((stop) => stop());
    events.forEach(([name, callback]) => model.off(name, callback));
    controls.forEach((control, i) => control.off(`change:${spec.traits[i]}`, draw));
    // The page may keep `el` for longer than it shows it: leave nothing in it.
    view.root.remove();
    data.frames = null;
  };
}

// The models of the widgets that this one follows.
function controlsOf(model) {
  const models = model.get("controls").map((reference) =>
    model.widget_manager.get_model(reference.slice("IPY_MODEL_".length)),
  );
  return Promise.all(models);
}

// -- frames -----------------------------------------------------------------------------------

// The bytes as float32, which must begin at a multiple of 4.
function floats({ buffer, byteOffset, byteLength }) {
  if (byteOffset % 4) return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
  return new Float32Array(buffer, byteOffset, byteLength / 4);
}

// Give every panel its place in a frame: all panels, then the numbers.
function layOut(spec) {
  spec.size = 0;
  spec.panels.forEach((panel, index) => {
    panel.index = index;
    panel.offset = spec.size;
    panel.tall ??= panel.rows.length; // at its largest, if its labels move
    panel.wide ??= panel.columns.length;
    spec.size += Math.max(1, panel.heads) * panel.tall * panel.wide;
  });
  spec.firstNumber = spec.size;
  spec.size += spec.numbers.length;
}

// Give panels whose labels move those of this frame; whether there are any.
function nameAll({ spec, frame }) {
  const moving = spec.panels.filter((panel) => panel.moving);
  for (const panel of moving) {
    const [rows, columns] = panel.moving.at[frame];
    panel.rows = panel.moving.rows[rows];
    panel.columns = panel.moving.columns[columns];
  }
  return moving.length > 0;
}

// Whether there is such a cell, or token, in the frame that is shown.
function isThere(spec, at) {
  if (!at) return false;
  const { rows, columns } = spec.panels[at.panel];
  return at.row < rows.length && at.column < columns.length;
}

// The sliders' positions as one index, the last slider turning fastest.
function frameIndex(stands, spec) {
  return spec.stops.reduce(
    (sum, stops, i) => sum * stops.length + nearest(stops, Number(stands[i])),
    0,
  );
}

function nearest(stops, x) {
  let best = 0;
  for (let i = 1; i < stops.length; i++) {
    if (Math.abs(stops[i] - x) < Math.abs(stops[best] - x)) best = i;
  }
  return best;
}

// Where the cells of one head begin.
function startOf({ spec, frame }, panel, head) {
  const size = panel.tall * panel.wide;
  return frame * spec.size + panel.offset + (panel.heads ? head : 0) * size;
}

function valueOf(data, panel, head, row, column) {
  return data.frames[startOf(data, panel, head) + row * panel.wide + column];
}

function numberOf({ spec, frames, frame }, i) {
  return frames[frame * spec.size + spec.firstNumber + i];
}

// ipywidgets gives its sliders no name that a screen reader could say. They may come after us, on a
// busy page much later: look for all `count` of them, less and less often.
function nameSliders(el, count) {
  let timer = null;
  const look = (wait) => {
    const controls = el.closest(".attention-explorer")?.querySelectorAll(".widget-slider") ?? [];
    const named = [...controls].filter(nameSlider);
    if (named.length < count) timer = setTimeout(look, wait, Math.min(2000, 1.2 * wait));
  };
  look(100);
  return () => clearTimeout(timer);
}

// Whether the slider is all there, and has its names.
function nameSlider(control) {
  const label = control.querySelector(".widget-label")?.textContent;
  const handles = control.querySelectorAll(".noUi-handle");
  const readout = control.querySelector(".widget-readout"); // one can type into it
  if (!label || !handles.length || !readout) return false;
  if (handles[0].hasAttribute("aria-label")) return true; // by an earlier look
  for (const handle of handles) handle.setAttribute("aria-label", label);
  if (handles.length === 1) sayReadout(handles[0], readout);
  readout.setAttribute("role", "textbox");
  readout.setAttribute("aria-label", `${label}: type a value`);
  return true;
}

// A slider of ipywidgets says "0.30000000000000004" where 0.3 stands beside it, and "1" for a word.
function sayReadout(handle, readout) {
  const say = () => {
    const text = readout.textContent;
    if (handle.getAttribute("aria-valuetext") !== text) handle.setAttribute("aria-valuetext", text);
  };
  new MutationObserver(say).observe(handle, { attributeFilter: ["aria-valuetext"] });
  say();
}
