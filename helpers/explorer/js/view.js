// The Explorer's view: it draws the frame at the sliders' present setting, and reads out the cell that you point
// at. It knows labels, colours and frames; Python has decided what the numbers mean.

import { followTheme, rounded } from "./colours.js";
import { say, speak } from "./elements.js";
import { floats, indexOf, isThere, layOut, nearest, numberOf } from "./film.js";
import { shieldKeys } from "./keys.js";
import { build } from "./panel.js";
import { describe } from "./readout.js";
import { shareOf, viewsAsked } from "./share.js";
import { dressSliders } from "./sliders.js";
import { causesOf, showSum } from "./sums.js";
import { threadsOf } from "./threads.js";

const QUIET = 400; // milliseconds without a change before a screen reader is told

// When the kernel has computed other numbers, or says what is wrong, everything is built again.
export function render({ model, el }) {
  const chosen = viewsAsked(model.get("spec")); // panel name → the view that the learner has switched to
  let showing = showView({ model, el, chosen });
  const again = () => {
    showing = showing.then((stop) => {
      stop();
      return showView({ model, el, chosen });
    });
  };
  model.on("change", again);
  return () => {
    model.off("change", again);
    showing.then((stop) => stop());
  };
}

async function showView({ model, el, chosen }) {
  const spec = model.get("spec");
  const [frames, moves] = ["frames", "moves"].map((name) => floats(model.get(name)));
  if (!frames.length) return () => {}; // closed
  speak(spec.words);
  const models = model.get("controls").map((name) => model.widget_manager.get_model(name.replace("IPY_MODEL_", "")));
  const controls = await Promise.all(models);
  layOut(spec, chosen);
  // over: what the mouse or the keyboard is on; pinned: the cell whose sum is open; locked: a query.
  // Each is {panel, head, row, column} or null; a column of -1 is the token before the row. causes: what stands in the
  // sum of the number that is read out.
  const state = { over: null, pinned: null, locked: null, causes: [] };
  const data = { spec, chosen, frame: 0, places: [], frames, moves, error: model.get("error") };
  data.setControl = (i, place) => {
    controls[i].set(spec.traits[i], spec.stops[i][place]);
    controls[i].save_changes();
  };
  stand();
  const view = build(data, el, state, { showMarks, redraw: draw });
  const drawThreads = threadsOf(view.root);
  let telling = null;
  let summed = null; // the cell whose sum is on the page

  function stand() {
    data.places = spec.stops.map((stops, i) => nearest(stops, Number(controls[i].get(spec.traits[i]))));
    data.frame = indexOf(data.places, spec);
    for (const panel of spec.panels) { // some have the same labels in all frames
      [panel.down, panel.across] = [panel.rows, panel.columns].map((labels) => labels[data.frame] ?? labels[0]);
    }
  }

  function draw() {
    stand();
    for (const grid of view.grids) grid.draw(data);
    spec.numbers.forEach((_, i) => {
      const [x, whole] = [numberOf(data, i), spec.whole[i]];
      view.numbers[i].textContent = rounded(x, whole ? 0 : spec.decimals);
    });
    view.root.dataset.frame = data.frame;
    showMarks();
    if (summed) showSum(view.sum, data, summed, false);
  }

  function showMarks() {
    const at = [state.over, state.pinned, state.locked].find((place) => isThere(spec, place));
    state.causes = causesOf(data, at);
    for (const grid of view.grids) grid.mark(state);
    drawThreads(state.causes);
    const text = at ? describe(data, at) : say("how to");
    if (view.readout.textContent !== text) {
      // The read-out grows with its longest text, and never shrinks: nothing around it moves.
      view.readout.style.minHeight = `${Math.ceil(view.readout.getBoundingClientRect().height)}px`;
      view.readout.textContent = text;
    }
    view.readout.classList.toggle("ax-hint", !at);
    clearTimeout(telling);
    if (at) telling = setTimeout(() => (view.live.textContent = text), QUIET);
    if (summed === state.pinned) return;
    summed = state.pinned;
    showSum(view.sum, data, summed, true);
    view.sum.scrollIntoView({ block: "nearest" }); // does nothing if it is in view, or hidden
  }

  controls.forEach((control, i) => control.on(`change:${spec.traits[i]}`, draw));
  draw();
  const stops = [
    dressSliders(el, spec, controls),
    shieldKeys(() => el.closest(".attention-explorer")),
    followTheme(view.root, draw),
  ];
  shareOf(view, data, state, showMarks);
  view.root.dataset.swept = spec.swept;
  view.root.dataset.ready = "true";
  return () => {
    clearTimeout(telling);
    stops.forEach((stop) => stop());
    controls.forEach((control, i) => control.off(`change:${spec.traits[i]}`, draw));
    // The page may hold on to `el` after it was shown, so leave nothing in it.
    view.root.remove();
    data.frames = data.moves = null;
  };
}
