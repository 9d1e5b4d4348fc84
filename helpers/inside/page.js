// A page without a kernel: for the view, what it asks of ipywidgets' models; for each control, a menu.

const given = JSON.parse(document.getElementById("given").textContent);
const packed = new Blob([Uint8Array.from(atob(given.frames), (letter) => letter.charCodeAt(0))]);
const unpacked = packed.stream().pipeThrough(new DecompressionStream("gzip"));
const frames = new Uint8Array(await new Response(unpacked).arrayBuffer());

function modelOf(values) {
  const heard = {};
  return {
    get: (name) => values[name],
    set(name, value) {
      values[name] = value;
      for (const act of heard[`change:${name}`] ?? []) act();
    },
    save_changes() {},
    on: (name, act) => (heard[name] ??= []).push(act),
    off: (name, act) => (heard[name] = heard[name].filter((other) => other !== act)),
  };
}

function menuOf({ name, labels, index }) {
  const model = modelOf({ index, description: name });
  const label = document.querySelector(".ax-controls").appendChild(document.createElement("label"));
  const menu = document.createElement("select");
  label.append(`${name} `, menu);
  labels.forEach((text, i) => menu.add(new Option(text, i)));
  const follow = () => (menu.selectedIndex = model.get("index"));
  menu.addEventListener("change", () => model.set("index", menu.selectedIndex));
  model.on("change:index", follow);
  follow();
  return model;
}

const menus = given.menus.map(menuOf);
const view = modelOf({ spec: given.spec, frames, at: {}, error: "", controls: menus.map((_, i) => `IPY_MODEL_${i}`) });
view.widget_manager = { get_model: async (id) => menus[id] };
const script = URL.createObjectURL(new Blob([given.script], { type: "text/javascript" }));
import(script).then(({ default: ours }) => ours.render({ model: view, el: document.getElementById("view") }));
