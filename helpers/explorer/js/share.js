// What one takes along from an Explorer: the present view as a picture, copied or saved; and, on pages without a
// notebook around them, a link to these settings, #temperature=0.3. Each Explorer but the first view of a page puts
// its place before the names, #3.temperature=0.3.

import { drawingOf, pngOf } from "./drawing.js";
import { make, makeButton, makeIcon } from "./elements.js";
import { nearest } from "./film.js";
import { say } from "./phrases.js";

const VIEWS = "script[type='application/vnd.jupyter.widget-view+json']"; // one for each view of a saved page
const CHAIN = "M6.5 9.5l3-3M7 5l2-2a2.8 2.8 0 0 1 4 4l-2 2M9 11l-2 2a2.8 2.8 0 0 1-4-4l2-2";
const FRAME = "M2 3h12v10H2zM2 11l4-4 3 3 2-2 3 3M10.5 6h.01";
const READ = 2000; // milliseconds for which a button says what it has done

export function shareOf({ root, live }, data, setControl, isPage) {
  const row = root.appendChild(make("div", "ax-share"));
  addButton("copy picture", copyPicture, "", FRAME);
  for (const kind of ["svg", "png"]) addButton(kind, () => save(kind), kind.toUpperCase());
  if (!isPage || !data.spec.stops.length) return () => {};
  addButton("link", copyLink, "", CHAIN);
  const names = Object.keys(data.spec.controls);

  // A button; act does what it says, and returns what it then says has been done.
  function addButton(what, act, text, icon) {
    const button = row.appendChild(makeButton("ax-button", text, say(what)));
    if (icon) button.append(makeIcon(icon));
    button.addEventListener("click", async () => {
      live.textContent = button.title = button.ariaLabel = say(await act());
      button.classList.add("ax-done");
      setTimeout(() => {
        button.classList.remove("ax-done");
        button.title = button.ariaLabel = say(what);
      }, READ);
    });
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
