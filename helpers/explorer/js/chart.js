// A number as a curve over a slider, with a dot and the number where the slider stands. Other sliders move the curve.

import { brief, rounded } from "./colours.js";
import { make, makeSvg } from "./elements.js";
import { indexOf, nearest } from "./film.js";

const CHART = { width: 330, height: 180, left: 48, right: 24, top: 18, below: 36 }; // pixels
const NEAR = 40; // pixels from the curve within which one points at it

export function chartGrid(panel, spec) {
  const { width, height, left, right, top, below } = CHART;
  const values = spec.values[spec.over];
  const [low, high] = panel.span[0] === panel.span[1] ? [0, 1] : panel.span;
  const across = (x) => left + ((x - values[0]) / (values.at(-1) - values[0])) * (width - left - right);
  const up = (y) => top + ((high - y) / (high - low)) * (height - top - below);
  const svg = makeSvg("svg", { class: "ax-chart", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  const write = (text, place) => {
    svg.appendChild(makeSvg("text", { ...place, class: "ax-tick" })).textContent = text;
  };
  svg.append(makeSvg("path", { class: "ax-axis", d: `M${left} ${top}V${height - below}H${width - right}` }));
  for (const y of [low, (low + high) / 2, high]) {
    svg.append(makeSvg("path", { class: "ax-axis ax-faint", d: `M${left} ${up(y)}H${width - right}` }));
    write(brief(y), { x: left - 5, y: up(y) + 4, "text-anchor": "end" });
  }
  for (const x of [values[0], values[Math.floor(values.length / 2)], values.at(-1)]) {
    write(brief(x), { x: across(x), y: height - below + 15, "text-anchor": "middle" });
  }
  write(`${spec.names[spec.over]} →`, { x: (left + width - right) / 2, y: height - 5, "text-anchor": "middle" });
  const rule = svg.appendChild(makeSvg("path", { class: "ax-axis" }));
  const curve = svg.appendChild(makeSvg("g", { class: "ax-curve" }));
  const [path, dot, amount] = [makeSvg("path"), makeSvg("circle", { r: 4.5 }), makeSvg("text", { class: "ax-halo ax-amount" })];
  curve.append(path, dot, amount);
  const box = make("div", "ax-planes");
  box.append(svg);
  let numbers = []; // at the stops of the slider, for the present values of the others

  function draw(data) {
    const frames = values.map((_, place) => indexOf(data.places.with(spec.over, place), spec));
    numbers = frames.map((frame) => data.frames[frame * spec.size + panel.offset]);
    path.setAttribute("d", numbers.map((y, i) => `${i ? "L" : "M"}${across(values[i])} ${up(y)}`).join(""));
    const place = data.places[spec.over];
    const [x, y] = [across(values[place]), up(numbers[place])];
    rule.setAttribute("d", `M${x} ${top}V${height - below}`);
    dot.setAttribute("cx", x);
    dot.setAttribute("cy", y);
    const isLeft = x < (left + width - right) / 2; // the number stands where there is more room, …
    const rises = numbers[Math.min(place + 1, values.length - 1)] >= numbers[Math.max(place - 1, 0)];
    amount.setAttribute("x", x + (isLeft ? 9 : -9));
    amount.setAttribute("y", Math.min(y + (rises === isLeft ? 14 : -6), height - below - 5)); // … below the curve, or above it
    amount.setAttribute("text-anchor", isLeft ? "start" : "end");
    amount.textContent = rounded(numbers[place], spec.decimals);
  }

  function locate(event) {
    const area = svg.getBoundingClientRect();
    const [x, y] = [event.clientX - area.left, event.clientY - area.top].map((side) => (side * width) / area.width);
    if (!area.width || x < left - 5) return null;
    return Math.abs(up(numbers[nearest(values.map(across), x)]) - y) < NEAR ? [0, 0] : null;
  }

  return { el: box, draw, mark() {}, locate, focused: () => null }; // keys are for the table
}
