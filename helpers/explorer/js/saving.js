// Start-up of the page: what ipywidgets and JupyterLab need so that Explorers hear the kernel, and are saved.

const saving = (globalThis[Symbol.for("attention-explorer")] ??= new WeakMap()); // notebooks, each with a timer

// anywidget allows a page two seconds to load a script. On a busy page loading takes longer, and the model then
// ignores all messages from the kernel: an Explorer that the kernel computes would stand still. We therefore
// receive kernel messages as ipywidgets does, because when this code runs, the script has been loaded.
export function begin({ model }) {
  keepListening(model).catch(console.error);
  saveWithNotebook({ model });
}

async function keepListening(model) {
  const own = await model.widget_manager.get_model(model.get("own"));
  const plain = Object.getPrototypeOf(Object.getPrototypeOf(own)); // ipywidgets' model, below anywidget's
  if (own.comm && plain._handle_comm_msg) own.comm.on_msg(plain._handle_comm_msg.bind(own));
}

// JupyterLab saves the pictures of widgets with a notebook, but not the widgets, and says "model not found" the
// next day. Its setting that does save them marks every notebook as changed when it is opened, and at the next
// save drops those whose kernel is gone. With this code, a notebook that is opened again works at once.

const WIDGETS = "application/vnd.jupyter.widget-state+json";
const VIEW = "application/vnd.jupyter.widget-view+json";
const LATE = 300; // milliseconds after the last Explorer was created

// Called for every Explorer; the first one in a notebook takes care of all widgets in it.
function saveWithNotebook({ model }) {
  const manager = model.widget_manager;
  const notebook = manager.context; // in JupyterLab and Notebook 7
  if (!notebook?.saveState || !manager.get_state_sync) return;
  clearTimeout(saving.get(notebook));
  const first = !saving.has(notebook);
  saving.set(notebook, setTimeout(() => showLateOnes(manager, notebook), LATE));
  if (!first) return;
  let orphans = {}; // widgets whose kernel has gone since the last save
  notebook.sessionContext.statusChanged.connect((_, status) => {
    if (!/restarting|terminating|dead/.test(status)) return;
    const known = manager.get_state({ drop_defaults: true });
    known.then(({ state }) => (orphans = state), console.error);
  });
  notebook.saveState.connect((_, stage) => {
    if (stage !== "started") return;
    const { state, ...version } = manager.get_state_sync({ drop_defaults: true });
    const saved = notebook.model.getMetadata("widgets")?.[WIDGETS]?.state;
    const shown = shownIn(notebook.model, { ...saved, ...orphans, ...state });
    notebook.model.setMetadata("widgets", { [WIDGETS]: { ...version, state: shown } });
    orphans = {};
  });
}

// A busy browser may show an output before its widget has been loaded from the file: "model not found".
async function showLateOnes(manager, notebook) {
  const shown = [...document.querySelectorAll(".jp-OutputArea-output.jupyter-widgets")];
  if (!shown.some((output) => output.textContent.endsWith("model not found"))) return;
  const { dirty } = notebook.model;
  for (const { outputs } of notebook.model.cells) {
    for (let i = 0; i < (outputs?.length ?? 0); i++) {
      const id = outputs.get(i).data[VIEW]?.model_id;
      const model = id && manager.has_model(id) ? await manager.get_model(id) : null;
      if (model && !Object.keys(model.views).length) outputs.set(i, outputs.get(i).toJSON());
    }
  }
  notebook.model.dirty = dirty;
}

// Of these widgets, by id, those that an output shows, and the widgets that they consist of.
function shownIn(notebook, widgets) {
  const outputs = [...notebook.cells].flatMap((cell) => cell.toJSON().outputs ?? []);
  const wanted = outputs.map((output) => output.data?.[VIEW]?.model_id);
  const shown = {};
  for (const id of wanted) {
    if (!widgets[id] || shown[id]) continue;
    shown[id] = widgets[id];
    wanted.push(...JSON.stringify(widgets[id].state).matchAll(/IPY_MODEL_(\w+)/g).map((m) => m[1]));
  }
  return shown;
}
