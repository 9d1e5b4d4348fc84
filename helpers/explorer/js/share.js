// On pages without a notebook around them, a button copies a link to these settings, #temperature=0.3. Each Explorer
// but the first view of a page puts its place before the names, #3.temperature=0.3.

import { makeButton, makeIcon } from "./elements.js";
import { nearest } from "./film.js";
import { say } from "./phrases.js";

const VIEWS = "script[type='application/vnd.jupyter.widget-view+json']"; // one for each view of a saved page
const LINK = "M6 10l4-4M7 5l2-2a2.8 2.8 0 0 1 4 4l-2 2M9 11l-2 2a2.8 2.8 0 0 1-4-4l2-2";
const READ = 2000; // milliseconds for which the button says what has been done

export function shareOf({ root, foot, live }, data, setControl, isPage) {
  const names = Object.keys(data.spec.controls);
  if (!isPage || !names.length) return () => {};
  const button = foot.appendChild(makeButton("ax-button ax-link", "", say("link")));
  button.append(makeIcon(LINK));
  let told = null;

  // "" for the first view of the page, "3." for the third.
  function before() {
    const earlier = [...document.querySelectorAll(VIEWS)].filter((script) => script.compareDocumentPosition(root) & Node.DOCUMENT_POSITION_FOLLOWING);
    return earlier.length ? `${earlier.length + 1}.` : "";
  }

  // A number is told as such, a choice by its place among the choices, from 1.
  const valueAt = (i, place) => data.spec.values[i]?.[place] ?? place + 1;
  const placeOf = (i, x) => nearest(data.spec.values[i] ?? data.spec.stops[i].map((stop) => stop + 1), x);

  function open() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const mine = names.map((name) => wanted.get(before() + name));
    mine.forEach((x, i) => x !== null && Number.isFinite(Number(x)) && setControl(i, placeOf(i, Number(x))));
    if (mine.some((x) => x !== null)) root.closest(".attention-explorer").scrollIntoView({ block: "center" });
  }

  async function copyLink() {
    const settings = names.map((name, i) => [before() + name, valueAt(i, data.places[i])]);
    history.replaceState(null, "", `#${new URLSearchParams(settings)}`);
    const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    live.textContent = button.title = say(copied ? "link copied" : "link above");
    button.classList.add("ax-done");
    clearTimeout(told);
    told = setTimeout(() => {
      button.classList.remove("ax-done");
      button.title = say("link");
    }, READ);
  }

  button.addEventListener("click", copyLink);
  const appears = new ResizeObserver(() => {
    if (!root.isConnected) return;
    appears.disconnect();
    open();
  });
  appears.observe(root);
  return () => appears.disconnect();
}
