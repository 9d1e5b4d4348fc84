// What ipywidgets' sliders and JupyterLab's keys need beside an Explorer.

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

// A slider gets a name, which ipywidgets does not give it, and buttons to play it. It may come after us, on
// a busy page much later: look for all, less and less often. swept: of each, which control it is; or -1.
function dressSliders(el, swept, players) {
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

// Whether the slider is all there, and has its names.
function nameSlider(slider) {
  const label = slider.querySelector(".widget-label")?.textContent;
  const handles = slider.querySelectorAll(".noUi-handle");
  const readout = slider.querySelector(".widget-readout"); // one can type into it
  if (!label || !handles.length || !readout) return false;
  if (handles[0].hasAttribute("aria-label")) return true; // by an earlier view
  for (const handle of handles) handle.ariaLabel = label;
  if (handles.length === 1) sayReadout(handles[0], readout);
  readout.setAttribute("role", "textbox");
  readout.ariaLabel = say("type", { name: label });
  return true;
}

// A slider of ipywidgets says "0.30000000000000004" where 0.3 stands beside it, and "1" for a word.
function sayReadout(handle, readout) {
  const sayIt = () => {
    if (handle.ariaValueText !== readout.textContent) handle.ariaValueText = readout.textContent;
  };
  new MutationObserver(sayIt).observe(handle, { attributeFilter: ["aria-valuetext"] });
  sayIt();
}
