// A link to this page with these settings, #temperature=0.3, on pages without a notebook around them. Each Explorer
// but the first view of a page puts its place before the names, #3.temperature=0.3.

import { makeButton, makeIcon } from "./panel.js";
import { nearest, say } from "./view.js";

const VIEWS = "script[type='application/vnd.jupyter.widget-view+json']"; // one for each view of a saved page
const CHAIN = "M6.5 9.5l3-3M7 5l2-2a2.8 2.8 0 0 1 4 4l-2 2M9 11l-2 2a2.8 2.8 0 0 1-4-4l2-2";
const READ = 2000; // milliseconds for which the button says what it has done

export function shareOf(root, data, setControl, isPage) {
  if (!isPage || !data.spec.stops.length) return () => {};
  const { spec } = data;
  const names = Object.keys(spec.controls);
  const button = makeButton("ax-button ax-share", "", say("link"));
  button.append(makeIcon(CHAIN));

  // "" for the first view of the page, "3." for the third.
  function before() {
    const earlier = [...document.querySelectorAll(VIEWS)].filter((script) => script.compareDocumentPosition(root) & Node.DOCUMENT_POSITION_FOLLOWING);
    return earlier.length ? `${earlier.length + 1}.` : "";
  }

  // A number is told as such, a choice by its place among the choices, from 1.
  const valueAt = (i, place) => spec.values[i]?.[place] ?? place + 1;
  const placeOf = (i, x) => (spec.values[i] ? nearest(spec.values[i], x) : nearest(spec.stops[i], x - 1));

  function open() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const mine = names.map((name) => wanted.get(before() + name));
    mine.forEach((x, i) => x !== null && Number.isFinite(Number(x)) && setControl(i, placeOf(i, Number(x))));
    if (mine.some((x) => x !== null)) root.closest(".attention-explorer").scrollIntoView({ block: "center" });
  }

  button.addEventListener("click", async () => {
    const settings = names.map((name, i) => [before() + name, valueAt(i, data.places[i])]);
    history.replaceState(null, "", `#${new URLSearchParams(settings)}`);
    const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    button.title = button.ariaLabel = say(copied ? "link copied" : "link above");
    button.classList.add("ax-done");
    setTimeout(() => {
      button.classList.remove("ax-done");
      button.title = button.ariaLabel = say("link");
    }, READ);
  });
  root.append(button);
  const appears = new ResizeObserver(() => {
    if (!root.isConnected) return;
    appears.disconnect();
    open();
  });
  appears.observe(root);
  return () => appears.disconnect();
}
