// The Explorer's read-out: the content of a cell and the sum behind it, in one line of text.

import { brief, rounded } from "./colours.js";
import { say } from "./elements.js";
import { ALL_HEADS, isolated, nameOfCell, titleOf, valueOf } from "./film.js";
import { sumOf } from "./sums.js";

const FEW = 8; // the most terms, or cells of a row, that a line of text spells out

// The content of the current cell.
export function describe(data, at) {
  const panel = data.spec.panels[at.panel];
  if (at.column < 0 || at.row < 0) return describeWord(data, panel, at);
  const x = valueOf(data, panel, at.head, at.row, at.column);
  const cell = nameOfCell(panel, at);
  if (Number.isNaN(x) && data.spec.hatched) return `${cell}: ${data.spec.hatched}`;
  if (Number.isNaN(x)) return say("may not look", { cell, query: panel.down[at.row] || say("the query") });
  const sum = sumOf(data, panel, at);
  if (sum && !sum.terms.length) return say("nothing to add", { cell, x: brief(x) });
  const share = ["weights", "probabilities"].includes(panel.role) ? ` (${Math.round(100 * x)} %)` : "";
  return `${cell}${sum ? ` = ${inOneLine(sum)}` : ""} = ${brief(x)}${share}`;
}

// The row of a query or, in lines, the column of a key.
function describeWord(data, panel, { head, row, column }) {
  const isKey = row < 0;
  const [label, others] = isKey ? [panel.across[column], panel.down] : [panel.down[row], panel.across];
  const cells = (h) => others.map((other, k) =>
    [other, valueOf(data, panel, h, isKey ? k : row, isKey ? column : k)]);
  const kind = say(isKey ? "key" : panel.role === "vectors" ? "row" : "query");
  const title = `${titleOf(panel, head)}, ${kind} ${isolated(label)}: `;
  if (head !== ALL_HEADS) return title + describeCells(data, cells(head), FEW);
  return title + panel.names.map((name, h) => `${name} ${describeCells(data, cells(h), 1)}`).join("; ");
}

// All cells that are not masked or, if they are more than `most`, the largest.
function describeCells(data, cells, most) {
  const seen = cells.filter(([, x]) => !Number.isNaN(x));
  const named = seen.length > most ? seen.toSorted((a, b) => b[1] - a[1]).slice(0, most) : seen;
  const texts = named.map(([label, x]) => `${isolated(label)} ${rounded(x, Math.max(2, data.spec.decimals))}`).join(", ");
  const smaller = seen.length - named.length;
  if (smaller && most > 1) return say("smaller", { cells: texts, n: smaller });
  return texts || data.spec.hatched || say("masked");
}

// exp(1.2487 / 1) / (exp(0.7842 / 1) + …), or 0.53·0.29 + 0.34·0.54 + …
function inOneLine({ kind, terms, scale, mine }) {
  const over = scale === null ? "" : ` / ${brief(scale)}`;
  if (kind === "softmax") {
    const term = ({ a }) => `exp(${brief(a)}${over})`;
    return `${term(terms[mine])} / (${shortened(terms.map(term))})`;
  }
  const sign = { dot: "·", times: "·", minus: " − " }[kind];
  const text = shortened(terms.map(({ a, b }) => factor(a) + (sign ? sign + factor(b) : "")));
  return over && (terms.length > 1 || kind === "minus") ? `(${text})${over}` : text + over;
}

const factor = (x) => (brief(x).startsWith("−") ? `(${brief(x)})` : brief(x));

function shortened(texts) {
  if (texts.length <= FEW) return texts.join(" + ");
  return say("terms", { some: texts.slice(0, 3).join(" + "), n: texts.length });
}
