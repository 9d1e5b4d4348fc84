// What one takes along from an Explorer, by its menu: the present view as a picture, copied or saved; and, on pages
// without a notebook around them, a link to these settings, #temperature=0.3. Each Explorer but the first view of a
// page puts its place before the names, #3.temperature=0.3.

import { drawingOf, pngOf } from "./drawing.js";
import { make } from "./elements.js";
import { nearest } from "./film.js";
import { menuOf } from "./menu.js";
import { say } from "./phrases.js";

const VIEWS = "script[type='application/vnd.jupyter.widget-view+json']"; // one for each view of a saved page
const READ = 2000; // milliseconds for which the button says what has been done

export function shareOf({ root, foot, live }, data, setControl, isPage) {
  const names = Object.keys(data.spec.controls);
  const isLinked = isPage && names.length > 0;
  const choices = { [say("copy picture")]: telling(copyPicture), [say("svg")]: telling(() => save("svg")) };
  if (isLinked) choices[say("link")] = telling(copyLink);
  const { el, button } = menuOf(say("menu"), choices);
  foot.append(el);
  let told = null;
  if (!isLinked) return () => {};

  // Does it, and lets the button tell for a while what has been done.
  function telling(act) {
    return async () => {
      quiet();
      live.textContent = button.title = say(await act());
      button.classList.add("ax-done");
      told = setTimeout(quiet, READ);
    };
  }

  function quiet() {
    clearTimeout(told);
    button.classList.remove("ax-done");
    button.title = say("menu");
  }

  // The panels and numbers, and below them the settings.
  function drawn() {
    const settings = data.spec.names.map((name, i) => `${name} = ${data.spec.choices[i][data.places[i]]}`);
    return drawingOf([...root.querySelectorAll(".ax-panels, .ax-number")], settings.join(" · "));
  }

  async function copyPicture() {
    const png = pngOf(drawn());
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
      return "picture copied";
    } catch { // the browser does not allow it, or has no clipboard for pictures
      return save("png");
    }
  }

  async function save(kind) {
    const file = kind === "png" ? await pngOf(drawn()) : new Blob([drawn()], { type: "image/svg+xml" });
    const link = Object.assign(make("a"), { href: URL.createObjectURL(file), download: `${data.spec.panels.map(({ name }) => name).join(", ")}.${kind}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), READ);
    return "picture saved";
  }

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
    return copied ? "link copied" : "link above";
  }

  const appears = new ResizeObserver(() => {
    if (!root.isConnected) return;
    appears.disconnect();
    open();
  });
  appears.observe(root);
  return () => appears.disconnect();
}
