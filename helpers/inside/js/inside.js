// The view of a model's attention: all its heads as small pictures, and beside them the map that is open,
// in the Explorer's own view. That one is given a model which stands in for a kernel: it hands out the
// frame that the controls point at, and where a frame has other labels, another spec.

export default { initialize: begin, render: renderInside };

async function renderInside({ model, el }) {
  const root = make("div", "ax-model");
  const says = make("div", "ax-says");
  says.setAttribute("role", "status");
  const box = make("div", "ax-map");
  const shown = make("div");
  box.append(says, shown);
  const controls = await controlsOf(model);
  const stand = standIn(model, controls);
  let [spec, film, heads, step] = [];
  let opening = false;

  // The maps anew: at first, and where the kernel has read another text.
  function read() {
    if (!model.get("frames").byteLength) return; // closed
    spec = model.get("spec");
    film = filmOf(model.get("frames"), spec.unit);
    [step, stand.key] = [null, null];
    show();
  }

  function show() {
    if (opening) return;
    const at = whereIn(spec, controls);
    if (step !== at.step) showHeads(at.step);
    const why = whyNot(spec, at);
    if (!why) {
      const map = spec.maps[at.map];
      const kept = keptOf(spec, at);
      const wide = spec.groups[map.group].columns.length;
      const start = map.at + at.index * spec.groups[map.group].rows.length * wide;
      const frames = cutFrom(film, start, wide, kept.rows, kept.columns);
      stand.show(frames, [map.group, at.from, at.to].join(), () => specOf(spec, map, kept));
      heads.mark(at.map, at.index);
    }
    says.textContent = why ? "" : saidOf(spec, at);
    stand.tell("error", why || model.get("error"));
  }

  function showHeads(now) {
    heads?.stop();
    heads?.el.remove();
    step = now;
    heads = headsGrid(spec, film, step, open);
    root.prepend(heads.el);
  }

  // Both menus go there, and the map is drawn once.
  function open(map, head) {
    const { name, heads: numbers } = spec.maps[map];
    const to = { layer: spec.layers.indexOf(name), head: spec.heads.indexOf(numbers[head]) };
    const moved = Object.keys(to).map((menu) => controls[spec.controls[menu]]);
    opening = true;
    moved.forEach((control, i) => control.set("index", Object.values(to)[i]));
    opening = false;
    show();
    for (const control of moved) control.save_changes();
  }

  root.append(box);
  const around = make("div", "ax-model-box"); // which the style sheet measures
  around.append(root);
  el.append(around);
  read();
  const stopView = render({ model: stand, el: shown });
  const events = [["change:spec", read], ["change:frames", read], ["change:error", show]];
  for (const [name, callback] of events) model.on(name, callback);
  for (const control of controls) control.on("change:index", show);
  return () => {
    for (const [name, callback] of events) model.off(name, callback);
    for (const control of controls) control.off("change:index", show);
    heads?.stop();
    stopView();
    around.remove();
  };
}

// What the Explorer's view takes for its model.
function standIn(model, controls) {
  const values = { spec: null, frames: new Float32Array(0), error: "", at: {}, controls: model.get("controls") };
  const heard = {};
  const quiet = controls.map((control) => ({ get: (name) => control.get(name), on() {}, off() {} }));
  const stand = {
    key: null, // what the spec was made for
    widget_manager: {
      get_model: (id) => quiet[values.controls.findIndex((reference) => reference.endsWith(id))],
    },
    get: (name) => values[name],
    on: (name, callback) => (heard[name] ??= new Set()).add(callback),
    off: (name, callback) => heard[name]?.delete(callback),
    tell(name, value) {
      if (values[name] === value) return;
      values[name] = value;
      for (const callback of [...(heard[`change:${name}`] ?? [])]) callback();
    },
    show(frames, key, made) {
      if (stand.key === key) return stand.tell("frames", frames);
      stand.key = key;
      values.frames = frames;
      stand.tell("spec", made());
    },
  };
  return stand;
}

// Where the controls stand: {layer, head, step, from, to}, the map, and which of its frames it is.
function whereIn(spec, controls) {
  const at = { step: 0 };
  for (const [name, i] of Object.entries(spec.controls)) at[name] = Number(controls[i].get("index") ?? 0);
  at.map = spec.grid[at.layer]?.[at.step] ?? -1;
  at.what = spec.heads[at.head];
  if (at.map < 0) return at;
  const { heads } = spec.maps[at.map];
  const beyond = Object.keys(spec.says).indexOf(at.what);
  at.index = beyond < 0 ? heads.indexOf(at.what) : heads.length + beyond;
  return at;
}

// Why there is no such map; nothing where there is one.
function whyNot(spec, at) {
  if (at.map < 0) return `${spec.layers[at.layer]} was not called in step ${at.step + 1}. Choose another step.`;
  const { name, heads, rollout } = spec.maps[at.map];
  if (at.index < 0) return `${name} has no head ${at.what}: it has ${heads.length}. Choose one of them.`;
  return at.what === "rollout" && rollout ? `No rollout here: ${rollout}` : "";
}

function saidOf(spec, at) {
  const { name } = spec.maps[at.map];
  const said = spec.says[at.what];
  return said ? `${name}, ${said}` : `${name}, head ${at.what}`;
}

// The rows and columns that are kept: all, or those of the segments that are chosen.
function keptOf(spec, at) {
  const { rows, columns } = spec.groups[spec.maps[at.map].group];
  const all = (labels) => labels.map((_, k) => k);
  const { of } = spec.segments ?? { of: [] };
  const chosen = (labels, segment) =>
    segment && of.length === labels.length ? all(labels).filter((k) => of[k] === segment - 1) : all(labels);
  return { rows: chosen(rows, at.from), columns: chosen(columns, at.to) };
}

// What the Explorer's view is told of the map that is open.
function specOf(spec, map, kept) {
  const group = spec.groups[map.group];
  const rows = kept.rows.map((k) => group.rows[k]);
  const columns = kept.columns.map((k) => group.columns[k]);
  const { side, cells } = spec.table;
  const picture = Math.max(rows.length, columns.length) > side || rows.length * columns.length > cells;
  const names = Object.keys(spec.controls);
  const panel = {
    name: "weights", role: "weights", heads: 0, rows, columns, picture,
    moving: null, bars: null, sum: null, offer: group.offer, masked: group.masked,
    lines: !picture, view: picture ? "table" : spec.view,
    reads: spec.reads, low: spec.low, high: spec.high, limit: spec.limit,
  };
  return {
    panels: [panel], numbers: [], operands: {}, values: [], sliders: 0, swept: spec.swept, note: spec.note,
    stops: names.map(() => [0]), traits: names.map(() => "index"), controls: spec.controls,
    decimals: spec.decimals, series: spec.series, dashes: spec.dashes,
  };
}
