// What ipywidgets' sliders need when an Explorer is on the page: names, and buttons that play them.

import { makeButton, say, within } from "./elements.js";
import { nearest } from "./film.js";

const WHOLE_FILM = 6000; // milliseconds from the first value to the last …
const SHOT = [50, 500]; // … but each is shown for at least and at most this long

// Give each slider a name, which ipywidgets does not do, and a button to play it. On a busy page, a slider may
// appear much later than this code runs, so keep looking, at longer and longer intervals.
// controls: the models of what is swept; spec.sliders: for each slider, the index of its control, or -1.
export function dressSliders(el, spec, controls) {
  let timer = null;
  const dressed = new Set();
  const leave = []; // what undoes it
  const look = (wait) => {
    const sliders = el.closest(".attention-explorer")?.querySelectorAll(".widget-slider") ?? [];
    sliders.forEach((slider, i) => {
      if (dressed.has(slider) || !nameSlider(slider)) return;
      dressed.add(slider);
      const control = spec.sliders[i];
      const [trait, stops] = [spec.traits[control], spec.stops[control]];
      if (stops?.length > 2) leave.push(addPlayer(slider, controls[control], trait, stops));
    });
    if (dressed.size < spec.sliders.length) timer = setTimeout(look, wait, Math.min(2000, 1.2 * wait));
  };
  look(100);
  return () => {
    clearTimeout(timer);
    for (const undo of leave) undo();
  };
}

// Whether the slider is complete and has its names.
function nameSlider(slider) {
  const label = slider.querySelector(".widget-label")?.textContent;
  const handle = slider.querySelector(".noUi-handle");
  const readout = slider.querySelector(".widget-readout"); // learners can type into it
  if (!label || !handle || !readout) return false;
  if (handle.hasAttribute("aria-label")) return true; // named by an earlier view
  handle.ariaLabel = label;
  sayReadout(handle, readout);
  readout.setAttribute("role", "textbox");
  readout.ariaLabel = say("type", { name: label });
  return true;
}

// ipywidgets' slider tells screen readers "0.30000000000000004" where it displays 0.3, and "1" for a word.
function sayReadout(handle, readout) {
  const sayIt = () => {
    if (handle.ariaValueText !== readout.textContent) handle.ariaValueText = readout.textContent;
  };
  new MutationObserver(sayIt).observe(handle, { attributeFilter: ["aria-valuetext"] });
  sayIt();
}

// A button that plays a slider: it changes the slider's model, and the slider, the picture and the numbers follow.
// Whoever asks the system for less motion sees no button: the arrow keys go step by step.
function addPlayer(slider, model, trait, stops) {
  const name = model.get("description");
  const last = stops.length - 1;
  const button = slider.appendChild(makeButton("ax-button ax-play", "", ""));
  const track = slider.querySelector(".noUi-connects"); // is filled up to the handle
  let timer = null;
  let mine = null; // the value that we set last: any other one is the learner's own
  const place = () => nearest(stops, Number(model.get(trait)));

  function go(i) {
    mine = i;
    model.set(trait, stops[mine]);
    model.save_changes();
  }

  function start() {
    if (place() === last) go(0);
    mine = place();
    timer = setInterval(() => {
      if (place() < last) go(place() + 1);
      if (place() >= last) pause();
    }, within(WHOLE_FILM / stops.length, ...SHOT));
    showWhat();
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    showWhat();
  }

  function showWhat() {
    const does = timer ? "pause" : "play";
    button.title = button.ariaLabel = say(does, { name });
    button.dataset.does = does;
  }

  function moved() {
    track.style.backgroundSize = `${(100 * place()) / last}% 100%`;
    // The slider writes 1.1400000000000001 back for 1.14, so compare indices to recognise the learner's hand.
    if (timer && place() !== mine) pause();
  }

  slider.classList.add("ax-control");
  button.addEventListener("click", () => (timer ? pause() : start()));
  model.on(`change:${trait}`, moved);
  showWhat();
  moved();
  return () => {
    clearInterval(timer);
    model.off(`change:${trait}`, moved);
    button.remove();
  };
}
