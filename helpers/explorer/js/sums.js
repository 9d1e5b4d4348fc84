// The sum behind a cell: its terms in numbers, and the table of terms that a click opens.

import { brief } from "./colours.js";
import { make, makeButton, say, times } from "./elements.js";
import { isThere, nameOfCell, numberOf, valueOf } from "./film.js";
import { FILMED, stripOf } from "./strip.js";

const SIGNS = { times: "·", minus: "−" }; // sums of a single pair, cell by cell

// How this cell was computed: {kind, terms, scale, mine, a, b}; null if the notebook does not say.
// terms, without masked ones: {k, label, left, a, right, b} for "dot", "times" and "minus", {k, label, left, a} for
// "sum" and "softmax"; left and right are the [row, column] of the numbers a and b in their matrices. `mine` is the
// index of the softmax's own term; a and b are the matrices, as below.
export function sumOf(data, panel, { head, row, column }) {
  if (!panel.sum) return null;
  const { kind, cells, divisor, root } = panel.sum;
  const [a, b] = [panel.sum.a, panel.sum.b].map((name) => matrixNamed(data, name, head));
  const scale = divisor ? numberNamed(data, divisor, root) : null;
  const labelsOf = ({ down, across }, [i, j] = []) => (i === "k" ? down : j === "k" ? across : null);
  const term = (k) => {
    const index = { row, column, k };
    const [left, right] = [cells.a, cells.b].map((cell) => cell?.map((i) => index[i]));
    const label = labelsOf(a, cells.a)?.[k] ?? labelsOf(b, cells.b)?.[k];
    return { k, label, left, a: a.at(...left), right, b: right && b.at(...right) };
  };
  const count = cells.a.includes("k") ? (cells.a[0] === "k" ? a.tall : a.wide) : 1;
  const terms = times(count, term).filter((t) => !Number.isNaN(t.a) && !Number.isNaN(t.b ?? 0));
  for (const t of terms) t.label ||= SIGNS[kind] ? "" : `x${t.k + 1}`;
  return { kind, terms, scale, mine: terms.findIndex(({ k }) => k === column), a, b };
}

// A panel or an operand: {name, tall, wide, at(row, column)}, for a panel with it and its labels, down and across. A
// number acts as a matrix that is filled with it, as in "X * 2".
function matrixNamed(data, name, head) {
  const panel = data.spec.panels.find((p) => p.name === name);
  if (panel) {
    const { down, across } = panel;
    return { name, panel, tall: down.length, wide: across.length, down, across, at: (i, j) => valueOf(data, panel, head, i, j) };
  }
  const rows = data.spec.operands[name];
  if (!rows) return { name, at: () => numberNamed(data, name) };
  return { name, tall: rows.length, wide: rows[0].length, at: (i, j) => rows[i][j] };
}

// The sum of what is pointed at; null if that is no cell, or a masked one.
function sumAt(data, at) {
  if (!isThere(data.spec, at) || at.row < 0 || at.column < 0) return null;
  const panel = data.spec.panels[at.panel];
  return Number.isNaN(valueOf(data, panel, at.head, at.row, at.column)) ? null : sumOf(data, panel, at);
}

// The cells that stand in that sum, {panel, head, row, column, side}: those of its left and of its right operand.
// An operand that no panel shows has none.
export function causesOf(data, at) {
  const sum = sumAt(data, at);
  const cellsOf = ({ panel }, side) => (panel ? sum.terms : []).filter((term) => term[side]).map((term) => {
    const [row, column] = term[side];
    return { panel: panel.index, head: panel.heads ? at.head : 0, row, column, side };
  });
  return sum ? [...cellsOf(sum.a, "left"), ...cellsOf(sum.b, "right")] : [];
}

// A number that a sum refers to: a literal, one that compute returned, or a control's value.
function numberNamed(data, name, root = false) {
  const { spec, places } = data;
  const [returned, control] = [spec.numbers.indexOf(name), spec.controls[name]];
  let x = Number(name);
  if (returned >= 0) x = numberOf(data, returned);
  else if (control !== undefined) x = spec.values[control][places[control]];
  return root ? Math.sqrt(x) : x;
}

// -- the table --------------------------------------------------------------------------------

// Fill `box` with the sum of the pinned cell, or hide it if no cell is pinned. plays: whether it has just been opened.
export function showSum(box, data, at, plays) {
  const sum = sumAt(data, at);
  const count = sum?.terms.length ?? 0;
  const hasFilm = count > 0 && count <= FILMED;
  box.hidden = !count;
  box.parentNode.classList.toggle("ax-plays", plays && hasFilm);
  box.replaceChildren();
  if (box.hidden) return;
  const panel = data.spec.panels[at.panel];
  const name = nameOfCell(panel, at);
  const title = make("div", "ax-sum-title", `${name}: ${panel.name} = ${panel.sum.text}`);
  box.ariaLabel = say("sum behind", { cell: name });
  const isSoftmax = sum.kind === "softmax";
  const told = isSoftmax ? linesOfSoftmax(sum) : linesOfProducts(panel, sum, at);
  const close = makeButton("ax-button ax-close", "×", say("close"));
  box.append(title, close);
  if (hasFilm) box.append(stripOf(panel, sum, told.parts));
  box.append(tableOfSum(told, isSoftmax ? sum.mine : -1));
}

function tableOfSum({ heads, lines, ends }, mine) {
  const table = make("table", "ax-terms");
  addLine(table, heads, "th", "");
  lines.forEach((texts, i) => addLine(table, texts, "td", i === mine ? "ax-mine" : ""));
  for (const [label, ...numbers] of ends) {
    const blanks = Array(heads.length - 1 - numbers.length).fill("");
    addLine(table, [label, ...blanks, ...numbers], "td", "ax-total");
  }
  return table;
}

// {heads, lines, ends, parts}: the names of the columns, the texts of each term, the last lines, without empty ones,
// and what each term adds to the number.
function linesOfSoftmax({ terms, scale, a }) {
  const scaled = terms.map((t) => t.a / (scale ?? 1));
  const highest = Math.max(...scaled);
  const away = highest > 700 ? highest : 0; // exp would overflow; without the highest score, the quotients are the same
  const powers = scaled.map((x) => Math.exp(x - away));
  const total = sumUp(powers);
  const divided = (text) => (scale === null ? [] : [text]);
  const power = away ? `exp(· − ${brief(away)})` : "exp";
  return {
    heads: [say("key"), a.name, ...divided(`/ ${brief(scale ?? 1)}`), power, say("share")],
    lines: terms.map((t, i) => [t.label, brief(t.a), ...divided(brief(scaled[i])), brief(powers[i]), brief(powers[i] / total)]),
    ends: [[say("sum"), brief(total), "1"]],
    parts: powers.map((x) => x / total),
  };
}

function linesOfProducts(panel, { kind, terms, scale, a, b }, { row, column }) {
  const results = terms.map((t) => (kind === "sum" ? t.a : kind === "minus" ? t.a - t.b : t.a * t.b));
  const total = sumUp(results);
  const parts = results.map((x) => x / (scale ?? 1));
  const isPair = kind in SIGNS;
  const ends = isPair && scale === null ? [] : [[say("sum"), brief(total)]];
  if (scale !== null) ends.push([`${say("sum")} / ${brief(scale)}`, brief(total / scale)]);
  if (kind === "sum") return { heads: ["", a.name], lines: terms.map((t) => [t.label, brief(t.a)]), ends, parts };
  const [down, across] = [panel.down[row], panel.across[column]];
  const mine = isPair || a.tall === 1 ? a.name : `${a.name}[${down}]`;
  const theirs = isPair ? b.name : panel.sum.transposed ? `${b.name}[${across}]` : `${b.name}[·, ${across}]`;
  return {
    heads: ["", mine, theirs, say(kind === "minus" ? "difference" : "product")],
    lines: terms.map((t, i) => [t.label, brief(t.a), brief(t.b), brief(results[i])]),
    ends,
    parts,
  };
}

const sumUp = (numbers) => numbers.reduce((sum, x) => sum + x, 0);

function addLine(table, texts, tag, className) {
  const tr = table.appendChild(make("tr", className));
  texts.forEach((text, i) => {
    const cell = tr.appendChild(make(i ? tag : "th", "", text));
    if (cell.tagName === "TH" && text) cell.scope = tag === "th" ? "col" : "row";
  });
}
