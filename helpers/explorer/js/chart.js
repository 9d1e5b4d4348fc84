// Numbers as curves over a slider, with a dot and its number where the slider stands. Other sliders move the curves.

import { brief, rounded } from "./colours.js";
import { make, makeSvg, shorten } from "./elements.js";
import { indexOf, nearest } from "./film.js";

const CHART = { width: 330, height: 180, left: 48, top: 18, below: 36 }; // pixels
const LONGEST = 14; // letters of a curve's name

export function chartGrid(panel, spec) {
  const { width, height, left, top, below } = CHART;
  const values = spec.values[spec.over];
  const names = curveNames(panel);
  const right = 24 + 7 * Math.max(...names.map((name) => Math.min(name.length, LONGEST)));
  const [low, high] = panel.span[0] === panel.span[1] ? [0, 1] : panel.span;
  const across = (x) => left + ((x - values[0]) / (values.at(-1) - values[0])) * (width - left - right);
  const up = (y) => top + ((high - y) / (high - low)) * (height - top - below);
  const svg = makeSvg("svg", { class: "ax-chart", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  const write = (text, place) => {
    const el = svg.appendChild(makeSvg("text", place));
    el.textContent = text;
    return el;
  };
  svg.append(makeSvg("path", { class: "ax-axis", d: `M${left} ${top}V${height - below}H${width - right}` }));
  for (const y of [low, (low + high) / 2, high]) {
    svg.append(makeSvg("path", { class: "ax-axis ax-faint", d: `M${left} ${up(y)}H${width - right}` }));
    write(brief(y), { x: left - 5, y: up(y) + 4, "text-anchor": "end", class: "ax-tick" });
  }
  for (const x of [values[0], values[Math.floor(values.length / 2)], values.at(-1)]) {
    write(brief(x), { x: across(x), y: height - below + 15, "text-anchor": "middle", class: "ax-tick" });
  }
  write(`${spec.names[spec.over]} →`, { x: (left + width - right) / 2, y: height - 5, "text-anchor": "middle", class: "ax-tick" });
  const rule = svg.appendChild(makeSvg("path", { class: "ax-axis" }));
  const curves = names.map((name, k) => {
    const el = svg.appendChild(makeSvg("g", { class: "ax-curve" }));
    el.style.color = `var(--ax-series${k})`;
    const path = makeSvg("path", { "stroke-dasharray": spec.dashes[k] || "none" });
    const word = makeSvg("text", { x: width - right + 8, class: "ax-halo" });
    const sample = makeSvg("tspan", { fill: `var(--ax-series${k})` });
    sample.textContent = name && "● ";
    const [dot, amount] = [makeSvg("circle", { r: 4.5 }), makeSvg("text", { class: "ax-halo ax-amount" })];
    el.append(path, dot, word, amount);
    word.append(sample, shorten(name, LONGEST));
    return { el, path, dot, word, amount, numbers: [] };
  });
  const box = make("div", "ax-planes");
  box.append(svg);
  let drawn = null; // the frames, and the settings of the other sliders

  function draw(data) {
    const others = data.places.with(spec.over, 0).join();
    if (drawn?.frames !== data.frames || drawn.others !== others) drawCurves(data);
    drawn = { frames: data.frames, others };
    const place = data.places[spec.over];
    rule.setAttribute("d", `M${across(values[place])} ${top}V${height - below}`);
    const x = across(values[place]);
    const isLeft = x < (left + width - right) / 2; // numbers stand where there is more room
    stack(({ numbers }) => numbers[place], ({ dot, amount, numbers }, y) => {
      for (const el of [dot, amount]) el.classList.toggle("ax-none", !Number.isFinite(numbers[place]));
      if (!Number.isFinite(numbers[place])) return;
      dot.setAttribute("cx", x);
      dot.setAttribute("cy", up(numbers[place]));
      amount.setAttribute("x", x + (isLeft ? 9 : -9));
      const rises = numbers[Math.min(place + 1, values.length - 1)] >= numbers[Math.max(place - 1, 0)];
      amount.setAttribute("y", Math.min(y + (rises === isLeft ? 10 : -10), height - below - 5)); // below the curve, or above it
      amount.setAttribute("text-anchor", isLeft ? "start" : "end");
      amount.textContent = rounded(numbers[place], spec.decimals);
    });
  }

  // Calls `write` for each curve from above to below, with a height for a text beside its number; texts that would
  // overlap move down.
  function stack(heightOf, write) {
    const height = (curve) => (Number.isFinite(heightOf(curve)) ? up(heightOf(curve)) : up(low));
    let last = -Infinity;
    for (const curve of [...curves].sort((a, b) => height(a) - height(b))) write(curve, (last = Math.max(height(curve) + 4, last + 13)));
  }

  // A curve ends where there is no number.
  function drawCurves(data) {
    const frames = values.map((_, place) => indexOf(data.places.with(spec.over, place), spec));
    curves.forEach((curve, k) => {
      curve.numbers = frames.map((frame) => data.frames[frame * spec.size + panel.offset + k]);
      const points = curve.numbers.map((y, i) => (Number.isFinite(y) ? `${across(values[i])} ${up(y)}` : ""));
      curve.path.setAttribute("d", points.map((p, i) => p && (i && points[i - 1] ? "L" : "M") + p).join(""));
    });
    stack(({ numbers }) => numbers.findLast(Number.isFinite), ({ word }, y) => word.setAttribute("y", y));
  }

  // The curve that is nearest to the pointer.
  function locate(event) {
    const area = svg.getBoundingClientRect();
    const [x, y] = [event.clientX - area.left, event.clientY - area.top].map((side) => (side * width) / area.width);
    if (!area.width || x < left - 5) return null;
    const place = nearest(values.map(across), x);
    const away = curves.map(({ numbers }) => (Number.isFinite(numbers[place]) ? Math.abs(up(numbers[place]) - y) : Infinity));
    const k = away.indexOf(Math.min(...away));
    return away[k] < 40 ? [Math.floor(k / panel.wide), k % panel.wide] : null;
  }

  function mark(state) {
    const at = state.over ?? state.pinned;
    const mine = at?.panel === panel.index ? at : null;
    const isMine = (k) => !mine || (mine.row === Math.floor(k / panel.wide) && (mine.column < 0 || mine.column === k % panel.wide));
    curves.forEach(({ el }, k) => el.classList.toggle("ax-dim", !isMine(k)));
  }

  return { el: box, draw, mark, locate, focused: () => null }; // keys are for the table
}

// A name for each curve: those of its row and column, as far as these tell curves apart.
function curveNames(panel) {
  const [rows, columns] = [panel.rows[0], panel.columns[0]].map((side) => (side.length > 1 ? side : side.map(() => "")));
  return rows.flatMap((row) => columns.map((column) => [row, column].filter(Boolean).join(" ")));
}
