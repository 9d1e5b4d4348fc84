// The button beside a slider plays it. It changes the slider's model in the browser, and the slider, the picture and
// the numbers follow. Whoever asks the system for less motion sees no button: the arrow keys go step by step.

import { makeButton, within } from "./elements.js";
import { nearest } from "./film.js";
import { say } from "./phrases.js";

const WHOLE_FILM = 6000; // milliseconds from the first value to the last …
const SHOT = [50, 500]; // … but each is shown for at least and at most this long

// The player of a slider's model; it joins the slider on the page once the slider exists.
export function playerOf(model, trait, stops) {
  const name = model.get("description");
  const last = stops.length - 1;
  const button = makeButton("ax-button ax-play", "", "");
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

  let track = null; // the track of the slider, filled up to the handle
  const fill = () => track && (track.style.backgroundSize = `${(100 * place()) / last}% 100%`);
  const moved = () => {
    fill();
    // The slider writes 1.1400000000000001 back for 1.14, so compare indices to recognise the learner's hand.
    if (timer && place() !== mine) pause();
  };
  button.addEventListener("click", () => (timer ? pause() : start()));
  model.on(`change:${trait}`, moved);
  showWhat();
  return {
    join(slider) {
      if (stops.length < 3) return;
      slider.classList.add("ax-control");
      slider.append(button);
      track = slider.querySelector(".noUi-connects");
      fill();
    },
    leave() {
      clearInterval(timer);
      model.off(`change:${trait}`, moved);
      button.remove();
    },
  };
}
