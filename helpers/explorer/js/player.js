// The buttons beside a slider: one step back, play or pause, one step forward. They change the slider's model in
// the browser, and the slider, the picture and the numbers follow.

import { make, makeButton, makeIcon, times, within } from "./elements.js";
import { nearest } from "./film.js";
import { say } from "./phrases.js";

const WHOLE_FILM = 6000; // milliseconds from the first value to the last …
const SHOT = [50, 500]; // … but each is shown for at least and at most this long
const ICONS = {
  back: "M10 3 4 8l6 5zM3 3h1.6v10H3z",
  play: "M4 2.5 13 8l-9 5.5z",
  pause: "M4 3h3v10H4zm5 0h3v10H9z",
  on: "M6 3l6 5-6 5zm5.4 0H13v10h-1.6z",
};

// The player of a slider's model; it joins the slider on the page once the slider exists.
export function playerOf(model, trait, stops) {
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  const name = model.get("description");
  const last = stops.length - 1;
  const box = make("div", "ax-player");
  const [back, play, on] = times(3, () => box.appendChild(makeButton("ax-button", "", "")));
  box.setAttribute("role", "group");
  box.ariaLabel = say("play", { name });
  let timer = null;
  let mine = null; // the value that we set last: any other one is the learner's own
  const place = () => nearest(stops, Number(model.get(trait)));

  function go(i) {
    mine = within(i, 0, last);
    model.set(trait, stops[mine]);
    model.save_changes();
  }

  function start() {
    if (place() === last) go(0);
    mine = place();
    timer = setInterval(() => {
      if (document.hidden) return;
      if (place() < last) go(place() + 1);
      if (place() >= last) pause();
    }, within(WHOLE_FILM / stops.length, ...SHOT));
    showButtons();
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    showButtons();
  }

  function step(by) {
    pause();
    go(place() + by);
  }

  function showButtons() {
    showIcon(back, "back", name);
    showIcon(play, timer ? "pause" : "play", name);
    showIcon(on, "on", name);
    if (still.matches) play.title = say("still");
    play.disabled = still.matches;
  }

  let track = null; // the track of the slider, filled up to the handle
  const fill = () => track && (track.style.backgroundSize = `${(100 * place()) / last}% 100%`);
  const moved = () => {
    fill();
    // The slider writes 1.1400000000000001 back for 1.14, so compare indices to recognise the learner's hand.
    if (timer && place() !== mine) pause();
  };
  const motionChanged = () => (still.matches ? pause() : showButtons());
  back.addEventListener("click", () => step(-1));
  play.addEventListener("click", () => (timer ? pause() : start()));
  on.addEventListener("click", () => step(1));
  model.on(`change:${trait}`, moved);
  still.addEventListener("change", motionChanged);
  showButtons();
  return {
    join(slider) {
      if (stops.length < 3) return;
      slider.classList.add("ax-control");
      slider.append(box);
      track = slider.querySelector(".noUi-connects");
      fill();
    },
    leave() {
      clearInterval(timer);
      model.off(`change:${trait}`, moved);
      still.removeEventListener("change", motionChanged);
      box.remove();
    },
  };
}

function showIcon(button, does, name) {
  button.title = button.ariaLabel = say(does, { name });
  if (button.dataset.icon === does) return;
  button.dataset.icon = does;
  button.replaceChildren(makeIcon(ICONS[does]));
}
