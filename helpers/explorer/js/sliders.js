// What ipywidgets' sliders and JupyterLab's keys need when an Explorer is on the page.

import { say } from "./phrases.js";

// Give each slider a name, which ipywidgets does not do, and a button to play it. On a busy page, a slider may
// appear much later than this code runs, so keep looking, at longer and longer intervals.
// swept: for each slider, the index of its control, or -1.
export function dressSliders(el, swept, players) {
  let timer = null;
  const dressed = new Set();
  const look = (wait) => {
    const sliders = el.closest(".attention-explorer")?.querySelectorAll(".widget-slider") ?? [];
    sliders.forEach((slider, i) => {
      if (dressed.has(slider) || !nameSlider(slider)) return;
      dressed.add(slider);
      players[swept[i]]?.join(slider);
    });
    if (dressed.size < swept.length) timer = setTimeout(look, wait, Math.min(2000, 1.2 * wait));
  };
  look(100);
  return () => {
    clearTimeout(timer);
    players.forEach((player) => player.leave());
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
