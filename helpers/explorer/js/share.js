// On the site, each Explorer has a page of its own. "⋯" offers a link to it, the line that shows it in a frame of
// another page, and a picture. The address keeps settings, views, the followed word and the open sum:
// x/name.html#temperature=0.3&view.weights=arcs&open.sum=0.0.1.2

import { make, makeButton, say } from "./elements.js";
import { isThere, nearest } from "./film.js";

const READ = 2000; // milliseconds for which the button says what has been done
const [WIDE, HIGH] = [960, 540]; // of a frame: 16 : 9, or higher where the Explorer is
const OPEN = { locked: "open.word", pinned: "open.sum" }; // what `state` calls it: what the address does

// Nowhere else, in JupyterLab or an exported notebook, is there an address. It begins at the root of the site.
const homeOf = ({ address }) => address && new URL(document.documentElement.dataset.content_root + address, location);

// What the address of this page asks for, if it is the Explorer's own.
const askedOf = (spec) => new URLSearchParams(homeOf(spec)?.pathname === location.pathname ? location.hash.slice(1) : "");

export const viewsAsked = (spec) => Object.fromEntries([...askedOf(spec)]
  .filter(([name]) => name.startsWith("view.")).map(([name, view]) => [name.slice("view.".length), view]));

export function shareOf({ root, foot, live }, data, state, showMarks) {
  const { spec } = data, home = homeOf(spec), names = Object.keys(spec.controls);
  if (!home) return;
  const menu = foot.appendChild(make("details", "ax-share"));
  const top = menu.appendChild(make("summary", "ax-button", "⋯"));
  const items = menu.appendChild(make("div", "ax-shared"));
  offer("link", () => address());
  offer("frame", frame);
  const still = root.closest(".live").querySelector(".still img"); // none for an Explorer within a box of widgets
  if (still) {
    const picture = items.appendChild(make("a", "ax-button", say("still picture")));
    Object.assign(picture, { href: still.src, download: home.pathname.split("/").pop().replace(/html$/, "png") });
  }
  top.title = top.ariaLabel = say("offers");

  // A number is told as such, a choice by its place among the choices, from 1.
  const valueAt = (i, place) => spec.values[i]?.[place] ?? place + 1;
  const placeOf = (i, x) => nearest(spec.values[i] ?? spec.stops[i].map((stop) => stop + 1), x);

  function address(search = "") {
    const drawn = spec.panels.filter((panel) => panel.name in data.chosen);
    const open = Object.keys(OPEN).filter((kind) => state[kind]);
    const kept = [
      ...names.map((name, i) => [name, valueAt(i, data.places[i])]),
      ...drawn.map((panel) => [`view.${panel.name}`, panel.view]),
      ...open.map((kind) => [OPEN[kind], ["panel", "head", "row", "column"].map((part) => state[kind][part]).join(".")]),
    ];
    return `${home.href}${search}#${new URLSearchParams(kept)}`;
  }

  function frame() {
    const high = Math.max(HIGH, root.closest(".attention-explorer").scrollHeight + 24);
    return `<iframe src="${address("?embed")}" width="${WIDE}" height="${high}" style="border: 0"></iframe>`;
  }

  function offer(does, textOf) {
    const button = items.appendChild(makeButton("ax-button", say(does), say(does)));
    button.addEventListener("click", async () => {
      const copied = await navigator.clipboard?.writeText(textOf()).then(() => true, () => false);
      if (!copied) prompt(say(does), textOf());
      button.textContent = live.textContent = say("copied");
      setTimeout(() => (button.textContent = say(does)), READ);
    });
  }

  const asked = askedOf(spec);
  names.forEach((name, i) => {
    const x = asked.get(name);
    if (x !== null && Number.isFinite(Number(x))) data.setControl(i, placeOf(i, Number(x)));
  });
  for (const [kind, name] of Object.entries(OPEN)) {
    const [panel, head, row, column] = (asked.get(name) ?? "").split(".").map(Number);
    const at = { panel, head, row, column, names: spec.panels[panel]?.down };
    if (at.names && isThere(spec, at)) state[kind] = at;
  }
  showMarks();
}
