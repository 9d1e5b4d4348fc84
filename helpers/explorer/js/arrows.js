// Vectors with two components as arrows in a plane; several planes stand side by side. Two arrows show the angle
// between them, in a corner where no name covers it. If `sums` says that a vector is a sum, its terms go from tip to
// tail: those of the row that is pointed at or locked, or of the only row.

import { brief } from "./colours.js";
import { make, makeSvg, shorten, times } from "./elements.js";
import { ALL_HEADS, rowOf, valueOf } from "./film.js";
import { causesIn, marker } from "./pointing.js";
import { sumOf } from "./sums.js";

const PLANE = 250; // pixels: the side of a plane …
const SMALL = 150; // … or of one of several
const TIP = 9; // pixels: the length of an arrow's head
const CLOSE = 20; // pixels: a shorter term has no name beside it, and of two tips as close, one name is lower or higher

export function arrowsGrid(panel, spec) {
  const box = make("div", "ax-planes");
  const planes = times(Math.max(1, panel.heads), (head) => planeOf(panel, head, spec));
  for (const { el } of planes) box.append(el);

  function locate({ target }) {
    const { row, head } = target.closest("[data-row]")?.dataset ?? {};
    return row === undefined ? null : [Number(row), -1, Number(head)];
  }

  return {
    el: box,
    draw: (data) => planes.forEach((plane) => plane.draw(data)),
    mark: (state) => planes.forEach((plane) => plane.mark(state)),
    locate,
    focused: () => null, // keys are for the table
  };
}

function planeOf(panel, head, spec) {
  const side = panel.heads > 1 ? SMALL : PLANE;
  const { low, high } = panel.plane;
  const at = ([x, y]) => [((x - low) / (high - low)) * side, ((high - y) / (high - low)) * side];
  const svg = makeSvg("svg", { class: "ax-plane", viewBox: `0 0 ${side} ${side}`, width: side, "aria-hidden": "true" });
  const [x0, y0] = at([0, 0]);
  const axes = makeSvg("path", { class: "ax-axis", d: `M0 ${y0}H${side}M${x0} 0V${side}` });
  const terms = makeSvg("g", { class: "ax-terms-drawn" });
  const angle = makeSvg("g", { class: "ax-angle" });
  svg.append(axes, ...ticksOf(panel.plane, at, side), ...namesOfAxes(panel, [x0, y0], side), terms, angle);
  const arrows = times(panel.tall, (row) => {
    const el = svg.appendChild(makeSvg("g", { class: "ax-arrow", "data-row": row, "data-head": head }));
    el.style.color = `var(--ax-${panel.kinds[row] || "vector"})`;
    const word = makeSvg("text", { class: "ax-halo" });
    el.append(makeSvg("path"), word);
    return { el, path: el.firstChild, word };
  });
  const el = make("figure", "ax-head");
  if (panel.heads) el.append(make("figcaption", "ax-head-name", panel.names[head]));
  el.append(svg);
  const light = marker();
  let data = null;
  let open = -1; // the row whose terms are drawn

  const vectorOf = (row) => [0, 1].map((column) => valueOf(data, panel, head, row, column));

  function draw(now) {
    data = now;
    arrows.forEach(({ el, path, word }, row) => {
      const stands = row < panel.down.length && !vectorOf(row).some(Number.isNaN);
      el.classList.toggle("ax-none", !stands);
      if (!stands) return;
      const tip = at(vectorOf(row));
      path.setAttribute("d", arrowOf([x0, y0], tip));
      writeBeyond(word, panel.down[row], tip, [x0, y0], side);
      const first = arrows[0].word;
      if (row === 1 && near(tip, at(vectorOf(0)))) word.setAttribute("y", Number(first.getAttribute("y")) + (tip[1] < side / 2 ? 13 : -13));
    });
    if (panel.down.length === 2 && panel.across.length === 2) drawAngle();
    drawTerms();
  }

  function drawAngle() {
    const [first, second] = [0, 1].map((row) => vectorOf(row)).map(([x, y]) => Math.atan2(y, x));
    const turn = Math.atan2(Math.sin(second - first), Math.cos(second - first)); // from −π to π
    const radius = side / 8;
    const on = (share, r) => [x0 + r * Math.cos(first + share * turn), y0 - r * Math.sin(first + share * turn)];
    const [from, to] = [on(0, radius), on(1, radius)];
    const arc = makeSvg("path", { d: `M${from}A${radius} ${radius} 0 0 ${turn > 0 ? 0 : 1} ${to}` });
    const tips = [0, 1].map((row) => at(vectorOf(row)));
    const free = ([x, y]) => tips.every((tip) => Math.hypot(x - tip[0], y - tip[1]) > side / 3);
    const corners = [[side - 4, side - 5], [4, side - 5], [side - 4, 24], [4, 24]];
    const [x, y] = corners.find(free) ?? corners[0]; // where no name covers it
    const text = makeSvg("text", { x, y, "text-anchor": x > 4 ? "end" : "start", class: "ax-halo" });
    text.textContent = `${Math.round((Math.abs(turn) * 180) / Math.PI)}°`;
    angle.replaceChildren(arc, text);
  }

  function drawTerms() {
    const row = panel.tall === 1 ? 0 : open;
    const sides = row < 0 || !panel.sum ? [] : [0, 1].map((column) => sumOf(data, panel, { head, row, column }));
    if (!sides.every((sum) => ["dot", "sum"].includes(sum?.kind))) return;
    terms.replaceChildren();
    if (!sides.length) return;
    let [x, y] = [0, 0];
    const share = ({ a, b = 1 }, scale) => (a * b) / (scale ?? 1);
    sides[0].terms.forEach((term, k) => {
      const start = at([x, y]);
      [x, y] = [x + share(term, sides[0].scale), y + share(sides[1].terms[k], sides[1].scale)];
      const end = at([x, y]);
      terms.append(makeSvg("path", { d: arrowOf(start, end) }));
      if (near(start, end)) return; // its name would cover others
      const word = terms.appendChild(makeSvg("text", { class: "ax-halo" }));
      writeBeyond(word, term.label, [(start[0] + end[0]) / 2, (start[1] + end[1]) / 2], [x0, y0], side);
    });
  }

  function mark(state) {
    const here = state.over ?? state.pinned ?? state.locked;
    const mine = here?.panel === panel.index && [head, ALL_HEADS].includes(here.head) ? here.row : rowOf(panel, here);
    const lit = causesIn(state, panel, head, (row) => arrows[row].el);
    const isKept = (el, row) => row === mine || lit.some(([node]) => node === el);
    light(lit);
    arrows.forEach(({ el }, row) => el.classList.toggle("ax-dim", mine >= 0 && mine < panel.down.length && !isKept(el, row)));
    if (mine === open || !data) return;
    open = mine;
    drawTerms();
  }

  return { el, draw, mark };
}

function near([x, y], [right, down]) {
  return Math.hypot(right - x, down - y) < CLOSE;
}

// A line with a head at its end; a short arrow has a short head.
function arrowOf([x, y], [right, down]) {
  const length = Math.hypot(right - x, down - y) || 1;
  const [dx, dy] = [(right - x) / length, (down - y) / length];
  const tip = Math.min(TIP, length / 2);
  const wing = (side) => `${right - tip * (dx + side * 0.45 * dy)} ${down - tip * (dy - side * 0.45 * dx)}`;
  return `M${x} ${y}L${right} ${down}M${wing(1)}L${right} ${down}L${wing(-1)}`;
}

// A word beyond a point, seen from the middle of the plane, unless the edge would cut it.
function writeBeyond(text, label, [x, y], [x0, y0], side) {
  text.textContent = shorten(label);
  const wide = 8 * text.textContent.length;
  const right = x >= x0 ? x + wide < side : x < wide;
  text.setAttribute("x", x + (right ? 5 : -5));
  text.setAttribute("y", Math.min(Math.max(y + (y > y0 ? 14 : -4), 12), side - 4));
  text.setAttribute("text-anchor", right ? "start" : "end");
}

// The names of the two components, where the notebook has given some.
function namesOfAxes(panel, [x0, y0], side) {
  const [across, up] = panel.columns[0];
  if (across === "x1" || !(across && up)) return [];
  const left = x0 > side / 3; // there is room on the left of the axis
  const places = [
    { x: side - 3, y: y0 - 5, "text-anchor": "end" },
    { x: x0 + (left ? -4 : 4), y: 11, "text-anchor": left ? "end" : "start" },
  ];
  return [`${across} →`, `${up} ↑`].map((name, i) => {
    const text = makeSvg("text", { ...places[i], class: "ax-tick" });
    text.textContent = name;
    return text;
  });
}

function ticksOf({ low, high, tick }, at, side) {
  const [x0, y0] = at([0, 0]);
  return [-tick, tick].filter((x) => x > low && x < high).flatMap((x) => {
    const [right, up] = [at([x, 0])[0], at([0, x])[1]];
    const texts = [
      { x: right, y: Math.min(side - 3, y0 + 13), "text-anchor": "middle" },
      { x: Math.max(3, x0 - 4), y: up + 4, "text-anchor": x0 > 30 ? "end" : "start" },
    ].map((place) => {
      const text = makeSvg("text", { ...place, class: "ax-tick" });
      text.textContent = brief(x);
      return text;
    });
    return [makeSvg("path", { class: "ax-axis", d: `M${right} ${y0 - 3}v6M${x0 - 3} ${up}h6` }), ...texts];
  });
}
