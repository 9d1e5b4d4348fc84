// The buttons beside a slider. They move its model in the browser: no kernel is asked, and the
// slider, the picture and the numbers follow.

const WHOLE_FILM = 6000; // milliseconds from the first position to the last …
const SHOT = [50, 500]; // … but each is seen at least, and at most, so long
const ICONS = {
  back: "M10 3 4 8l6 5zM3 3h1.6v10H3z",
  play: "M4 2.5 13 8l-9 5.5z",
  pause: "M4 3h3v10H4zm5 0h3v10H9z",
  on: "M6 3l6 5-6 5zm5.4 0H13v10h-1.6z",
};

export default { render };

async function render({ model, el }) {
  const [reference] = model.get("controls");
  const slider = await model.widget_manager.get_model(reference.slice("IPY_MODEL_".length));
  const [trait, stops, words] = ["trait_moved", "stops", "words"].map((name) => model.get(name));
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  const wait = Math.min(Math.max(WHOLE_FILM / stops.length, SHOT[0]), SHOT[1]);
  const last = stops.length - 1;
  let timer = null;
  let mine = index(); // the position that we asked for last: any other is the learner's own

  const root = document.createElement("div");
  root.className = "ax-player";
  root.setAttribute("role", "group");
  root.ariaLabel = words.play;
  const play = button("play", () => (timer ? pause() : start()));
  root.append(button("back", () => step(-1)), play, button("on", () => step(1)));
  el.append(root);

  function index() {
    const at = Number(slider.get(trait));
    const gaps = stops.map((stop) => Math.abs(stop - at));
    return gaps.indexOf(Math.min(...gaps));
  }

  function go(i) {
    mine = i;
    slider.set(trait, stops[i]);
    slider.save_changes();
  }

  function step(by) {
    pause();
    go(Math.max(0, Math.min(last, index() + by)));
  }

  function start() {
    if (index() === last) go(0);
    timer = setInterval(() => {
      if (document.hidden) return;
      if (index() < last) go(index() + 1);
      if (index() >= last) pause();
    }, wait);
    showButton();
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    showButton();
  }

  function showButton() {
    name(play, timer ? "pause" : "play");
    if (still.matches) play.title = words.still;
    play.disabled = still.matches;
  }

  function button(does, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "ax-button";
    made.addEventListener("click", act);
    name(made, does);
    return made;
  }

  function name(made, does) {
    made.title = made.ariaLabel = words[does];
    if (made.dataset.icon === does) return;
    made.dataset.icon = does;
    made.innerHTML = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[does]}"/></svg>`;
  }

  const moved = () => {
    // The slider writes 1.1400000000000001 back for 1.14: what tells the learner's hand is the place.
    if (timer && index() !== mine) pause();
  };
  const motionChanged = () => (still.matches ? pause() : showButton());
  slider.on(`change:${trait}`, moved);
  still.addEventListener("change", motionChanged);
  showButton();
  return () => {
    clearInterval(timer);
    slider.off(`change:${trait}`, moved);
    still.removeEventListener("change", motionChanged);
    root.remove(); // the page may keep `el`
  };
}
