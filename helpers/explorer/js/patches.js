// The picture that a model has seen, with the weights of one query over its patches: of the query that was pointed
// at or chosen last. The largest weight has full colour, and a line below says how large it is.

import { brief } from "./colours.js";
import { make } from "./elements.js";
import { valueOf } from "./film.js";
import { say } from "./phrases.js";

const COVER = 0.85; // opacity of the colour over a patch of the largest weight

export function patchesOf(data) {
  const { spec } = data;
  const [panel] = spec.panels;
  const [[high, wide], [rows, columns]] = [spec.patches.size, spec.patches.shape];
  const box = make("div", "ax-patches");
  const frame = make("div", "ax-photo");
  const image = make("img");
  const canvas = make("canvas");
  const told = make("div", "ax-reads");
  Object.assign(image, { src: spec.patches.src, alt: "" });
  Object.assign(canvas, { width: columns, height: rows });
  canvas.setAttribute("role", "img");
  frame.style.aspectRatio = `${wide} / ${high}`;
  frame.append(image, canvas);
  box.append(frame, told);
  let chosen = -1; // the row that was pointed at or chosen last

  function draw() {
    const known = spec.patches.keys[spec.patches.at[data.frame]] ?? [];
    const keys = Math.max(...known) < panel.across.length ? known : []; // a map may be missing, as rollout is
    const weights = (row) => keys.map((key) => valueOf(data, panel, 0, row, key) || 0); // NaN: masked
    const seen = (row) => weights(row).some((x) => x > 0);
    const last = panel.down.length - 1;
    const row = chosen >= 0 && chosen <= last ? chosen : seen(0) ? 0 : last;
    const over = weights(row);
    const most = Math.max(0, ...over);
    const pixels = new ImageData(columns, rows);
    const colour = [1, 3, 5].map((i) => parseInt(panel.high.slice(i, i + 2), 16));
    over.forEach((x, k) => pixels.data.set([...colour, most && (255 * COVER * x) / most], 4 * k));
    canvas.getContext("2d").putImageData(pixels, 0, 0);
    const share = Math.round(100 * over.reduce((a, b) => a + b, 0));
    const text = keys.length ? say("on picture", { query: panel.down[row], share, most: brief(most) }) : say("no patches");
    if (told.textContent !== text) canvas.ariaLabel = told.textContent = text;
  }

  function mark(state) {
    const at = [state.over, state.pinned, state.locked].find((place) => place?.row >= 0);
    if (!at || at.row === chosen) return;
    chosen = at.row;
    draw();
  }

  return { el: box, grids: [{ draw, mark }] };
}
