// Beginnings of sentences as a tree: the labels of a panel of probabilities are paths of words, and paths that begin
// alike share their branches. A branch is as thick as the probabilities of all paths along it. Each node has one place
// for all settings, so that the tree grows without moving. What belongs to the second series alone is struck through.

import { rounded } from "./colours.js";
import { fadeAtEdge, make, makeSvg, times } from "./elements.js";
import { valueOf } from "./film.js";

const ROW = 26; // pixels from leaf to leaf
const WORD_LETTER = 8;
const GAP = 28; // … from a word to the next
const NUMBER = 46; // … for a number behind a word
const TRUNK = 9; // the width of a branch of probability 1

export function treeGrid(panel, spec) {
  const root = { path: "", depth: -1, end: 6, children: [] };
  const nodes = new Map([["", root]]);
  for (const label of new Set(panel.columns.flat())) label.split(" ").reduce(grow, root);
  const all = [...nodes.values()].slice(1);
  const depth = Math.max(...all.map((node) => node.depth));
  const starts = [GAP];
  for (let k = 0; k <= depth; k++) starts.push(starts[k] + GAP + WORD_LETTER * Math.max(...all.filter((node) => node.depth === k).map(({ word }) => word.length)));
  let leaves = 0;
  place(root);
  root.y = root.children[0].y;
  const size = { width: starts.at(-1) + NUMBER, height: ROW * leaves };
  const svg = makeSvg("svg", { class: "ax-tree", "aria-hidden": "true", ...size });
  for (const node of all) svg.append(drawn(node));
  const box = make("div", "ax-lines");
  const sheet = box.appendChild(make("div", "ax-sheet"));
  sheet.append(svg);
  fadeAtEdge(sheet);

  function grow(parent, word) {
    const path = parent === root ? word : `${parent.path} ${word}`;
    if (!nodes.has(path)) {
      nodes.set(path, { path, word, parent, depth: parent.depth + 1, children: [] });
      parent.children.push(nodes.get(path));
    }
    return nodes.get(path);
  }

  function place(node) {
    node.children.forEach(place);
    const [first, last] = [node.children[0], node.children.at(-1)];
    node.y = first ? (first.y + last.y) / 2 : ROW * (leaves++ + 0.5);
  }

  function drawn(node) {
    const [x, from] = [starts[node.depth], node.parent];
    node.end = x + 6 + WORD_LETTER * node.word.length;
    const half = (from.end + x) / 2;
    node.el = makeSvg("g", { class: "ax-branch", "data-path": node.path });
    node.branch = makeSvg("path", { d: `M${from.end} ${from.y}C${half} ${from.y} ${half} ${node.y} ${x - 5} ${node.y}` });
    const text = makeSvg("text", { x, y: node.y + 4.5 });
    [node.text, node.number] = times(2, (k) => text.appendChild(makeSvg("tspan", k ? { class: "ax-amount", dx: 6 } : {})));
    node.text.textContent = node.word;
    node.el.append(node.branch, text);
    return node.el;
  }

  function draw(data) {
    for (const node of all) node.sums = null;
    panel.across.forEach((label, k) => {
      const numbers = times(panel.down.length, (series) => valueOf(data, panel, 0, series, k));
      for (let node = nodes.get(label); node !== root; node = node.parent) {
        node.sums = numbers.map((x, series) => x + (node.sums?.[series] ?? 0));
      }
    });
    for (const { el, sums, branch, number, path } of all) {
      el.classList.toggle("ax-none", !sums);
      if (!sums) continue;
      const series = sums.findIndex((x) => x > 0);
      const total = sums.reduce((sum, x) => sum + x);
      el.classList.toggle("ax-dropped", series > 0);
      el.style.color = `var(--ax-series${Math.max(0, series)})`;
      branch.setAttribute("stroke-width", Math.max(0.75, TRUNK * total));
      branch.setAttribute("stroke-dasharray", series > 0 ? "3 3" : "none");
      number.textContent = panel.across.includes(path) ? rounded(total, spec.decimals) : "";
    }
    sheet.scrollLeft = Math.max(...all.map(({ sums, end }) => (sums ? end : 0))) + NUMBER - sheet.clientWidth; // on a phone, to where it grows
  }

  // The path that ends at a word: [series, path].
  function locate({ target }) {
    const { path } = target.closest("[data-path]")?.dataset ?? {};
    const k = panel.across.indexOf(path);
    return k < 0 ? null : [Math.max(0, nodes.get(path).sums.findIndex((x) => x > 0)), k];
  }

  function mark(state) {
    const at = state.over ?? state.pinned;
    const path = at?.panel === panel.index ? panel.across[at.column] : undefined;
    for (const node of all) node.el.classList.toggle("ax-dim", path !== undefined && !`${path} `.startsWith(`${node.path} `));
  }

  return { el: box, draw, mark, locate, focused: () => null }; // keys are for the bars
}
