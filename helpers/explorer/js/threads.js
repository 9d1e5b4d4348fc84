// Threads from the cells that stand in a sum to its number, as long as they are few and all of them are in sight.

import { makeSvg } from "./elements.js";

const FEW_ENOUGH = 12; // threads: more could not be told apart

// A function that draws them for these causes. They lie above the panels, which do not know of them.
export function threadsOf(root) {
  const svg = root.appendChild(makeSvg("svg", { class: "ax-threads", "aria-hidden": "true" }));
  const shown = (names) => [...root.querySelectorAll(names)].filter((node) => !node.closest(".ax-drawn .ax-heads"));
  let drawn = [];

  function draw(causes) {
    if (svg.firstChild) svg.replaceChildren();
    drawn = causes;
    if (!causes.length || causes.length > FEW_ENOUGH) return;
    const number = shown(".ax-at");
    const ends = ["left", "right"].flatMap((side) => shown(`.ax-${side}`).map((node) => ({ node, side })));
    if (ends.length < causes.length || ![...number, ...ends.map(({ node }) => node)].every(isInSight)) return;
    const corner = root.getBoundingClientRect();
    for (const { node, side } of number.length ? ends : []) {
      svg.append(makeSvg("path", { "data-side": side, d: threadOf(boxOf(node, corner), boxOf(number[0], corner)) }));
    }
  }

  const again = () => drawn.length && draw(drawn);
  root.addEventListener("scroll", again, true); // of a box within it
  new ResizeObserver(() => requestAnimationFrame(again)).observe(root); // by then, the page has scrolled, too
  return draw;
}

// Whether its middle is on the screen, and nothing covers it.
function isInSight(node) {
  const { left, top, width, height } = node.getBoundingClientRect();
  return node.parentNode.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}

function boxOf(node, corner) {
  const { left, right, top, bottom } = node.getBoundingClientRect();
  const [x, y] = [(left + right) / 2 - corner.left, (top + bottom) / 2 - corner.top];
  return { x, y, wide: (right - left) / 2, tall: (bottom - top) / 2 };
}

// A curve that strikes few numbers through: between cells of one column it swings out to the right, from far above or
// below it goes straight there, and else over the tops of a row.
function threadOf(from, to) {
  const [across, down] = [to.x - from.x, to.y - from.y];
  if (Math.abs(across) < from.wide + to.wide) {
    const out = Math.max(from.x + from.wide, to.x + to.wide) + 10 + Math.abs(down) / 10;
    return `M${from.x + from.wide} ${from.y}C${out} ${from.y} ${out} ${to.y} ${to.x + to.wide} ${to.y}`;
  }
  if (Math.abs(down) > Math.abs(across)) {
    const [start, end] = [from.y + Math.sign(down) * from.tall, to.y - Math.sign(down) * to.tall];
    return `M${from.x} ${start}C${from.x} ${(start + end) / 2} ${to.x} ${(start + end) / 2} ${to.x} ${end}`;
  }
  const [left, top, end] = [from.x + Math.sign(across) * from.wide, from.y - from.tall, to.y - to.tall];
  const over = Math.min(top, end) - Math.min(50, 12 + Math.abs(across) / 8);
  return `M${left} ${top}C${left + across / 4} ${over} ${to.x} ${over} ${to.x} ${end}`;
}
