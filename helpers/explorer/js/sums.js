// The sum behind a cell: its terms in numbers, and the table of them that a click opens.

const ALL_TERMS = 24; // past this, the table names the largest and adds up the rest
const LARGEST = 8;
const PAIR_SIGNS = { times: "·", minus: "−" }; // sums of a single pair, which need no table

// {kind, terms, mine, scale}: what made this cell, or null where the notebook does not say.
// terms, without masked ones: {label, a, b} of "dot", "times" and "minus", {label, a} of "sum" and
// "softmax". `mine` is the softmax's own term.
function sumOf(data, panel, { head, row, column }) {
  const claim = panel.sum;
  if (!claim) return null;
  const { kind, a, b, transposed } = claim;
  const scale = claim.divisor ? numberNamed(data, claim.divisor, claim.root) : null;
  const get = (name, i, j) => operand(data, name, head, i, j);
  const term = {
    dot: (k) => ({ a: get(a, row, k), b: transposed ? get(b, column, k) : get(b, k, column) }),
    softmax: (k) => ({ a: get(a, row, k) }),
    sum: (k) => ({ a: transposed ? get(a, k, column) : get(a, row, k) }),
    times: () => ({ a: get(a, row, column), b: get(b, row, column) }),
    minus: () => ({ a: get(a, row, column), b: get(b, row, column) }),
  }[kind];
  const count = kind in PAIR_SIGNS ? 1 : sizeOf(data.spec, a)[transposed && kind === "sum" ? 0 : 1];
  const labels = labelsOfTerms(data.spec, claim) ?? [];
  const named = (k) => (kind in PAIR_SIGNS ? "" : labels[k] || `x${k + 1}`);
  const terms = Array.from({ length: count }, (_, k) => ({ k, label: named(k), ...term(k) }))
    .filter((t) => !Number.isNaN(t.a) && !Number.isNaN(t.b ?? 0));
  return { kind, terms, scale, mine: terms.findIndex(({ k }) => k === column) };
}

// What the terms are called: the columns of a, which are the rows of b.
function labelsOfTerms(spec, { kind, a, b, transposed }) {
  const [of, by] = [panelNamed(spec, a), panelNamed(spec, b)];
  if (kind === "sum" && transposed) return of?.rows;
  return of?.columns ?? (transposed ? by?.columns : by?.rows);
}

// A number of a panel, of an operand, or a number that stands for a whole matrix.
function operand(data, name, head, i, j) {
  const panel = panelNamed(data.spec, name);
  if (panel) return valueOf(data, panel, head, i, j);
  const matrix = data.spec.operands[name];
  if (!matrix) return numberNamed(data, name);
  return Array.isArray(matrix[0][0]) ? matrix[head][i][j] : matrix[i][j];
}

// Rows and columns of a panel or an operand.
function sizeOf(spec, name) {
  const panel = panelNamed(spec, name);
  if (panel) return [panel.rows.length, panel.columns.length];
  const matrix = spec.operands[name];
  const one = Array.isArray(matrix[0][0]) ? matrix[0] : matrix;
  return [one.length, one[0].length];
}

// A number as a sum names it: written out, one that compute returned, or a control's.
function numberNamed(data, name, root = false) {
  const { spec } = data;
  let x = Number(name);
  if (Number.isNaN(x)) {
    const [returned, control] = [spec.numbers.indexOf(name), spec.controls[name]];
    if (returned >= 0) x = numberOf(data, returned);
    else if (name in data.at) x = data.at[name];
    else {
      const after = spec.stops.slice(control + 1).reduce((n, stops) => n * stops.length, 1);
      x = spec.values[control][Math.floor(data.frame / after) % spec.stops[control].length];
    }
  }
  return root ? Math.sqrt(x) : x;
}

// -- the table --------------------------------------------------------------------------------

// Fill `box` with the sum of the cell that is pinned; hide it where there is none.
function showSum(box, data, at) {
  const panel = isThere(data.spec, at) && data.spec.panels[at.panel];
  const masked = panel && Number.isNaN(valueOf(data, panel, at.head, at.row, at.column));
  const sum = panel && !masked && sumOf(data, panel, at);
  box.hidden = !sum || sum.terms.length === 0;
  if (box.hidden) {
    box.replaceChildren();
    return;
  }
  const name = nameOfCell(panel, at);
  const close = makeButton("ax-close", "×", "close the sum");
  const title = make("div", "ax-sum-title", `${name} = ${inSymbols(data.spec, panel, at)}`);
  box.setAttribute("aria-label", `the sum behind ${name}`);
  box.replaceChildren(title, close, tableOfSum(data, panel, sum, at));
}

// The sum as a formula: "X[shiny] · X[sun]", "Σ weights(shiny → key) · V[key, x1]".
function inSymbols(spec, panel, { row, column }) {
  const { kind, a, b, transposed, divisor, root } = panel.sum;
  const [down, across] = [panel.rows[row], panel.columns[column]];
  const over = divisor ? (root ? ` / √${divisor}` : ` / ${divisor}`) : "";
  const rowName = (name) => (isRow(spec, name) ? name : `${name}[${down}]`);
  const cell = (name, key) => (isRow(spec, name) || !down ? `${name}(${key})` : `${name}(${down} → ${key})`);
  const overKeys = ["scores", "weights"].includes(panelNamed(spec, a)?.role);
  return {
    dot: transposed
      ? `${rowName(a)} · ${b}[${across}]`
      : overKeys
        ? `Σ ${cell(a, "key")} · ${b}[key, ${across}]`
        : `Σ ${isRow(spec, a) ? `${a}[k]` : `${a}[${down}, k]`} · ${b}[k, ${across}]`,
    softmax: `exp(${cell(a, across)}${over}) / Σ exp(${cell(a, wordFor(panel))}${over})`,
    sum: `Σ ${transposed ? `${a}[·, ${across}]` : rowName(a)}`,
    times: `${cell(a, across)} · ${operandSize(spec, b) ? cell(b, across) : b}`,
    minus: `${cell(a, across)} − ${cell(b, across)}`,
  }[kind] + (kind === "softmax" ? "" : over);
}

// What stands for any of the things that a softmax is over.
const wordFor = (panel) => (panel.role === "chances" ? "word" : "key");
const panelNamed = (spec, name) => spec.panels.find((p) => p.name === name);
const operandSize = (spec, name) => (panelNamed(spec, name) || spec.operands[name] ? sizeOf(spec, name) : null);
const isRow = (spec, name) => operandSize(spec, name)?.[0] === 1;

function tableOfSum(data, panel, sum, at) {
  if (sum.kind === "softmax") return softmaxTable(panel, sum);
  if (sum.kind === "sum") return plainTable(panel, sum);
  return productTable(data.spec, panel, sum, at);
}

function plainTable(panel, sum) {
  const { shown, others } = largest(sum.terms.map((term) => ({ ...term, size: term.a })));
  const total = sum.terms.reduce((s, term) => s + term.a, 0);
  const rows = shown.map((t) => [t.label, brief(t.a)]);
  if (others) rows.push([others.label, brief(others.size)]);
  return tableOf(["", panel.sum.a], rows, endsOf(total, sum.scale, []), -1);
}

// The last lines: the sum, and what it is after the division.
function endsOf(total, scale, blanks) {
  const ends = [["sum", ...blanks, brief(total)]];
  if (scale !== null) ends.push([`sum / ${brief(scale)}`, ...blanks, brief(total / scale)]);
  return ends;
}

function productTable(spec, panel, sum, { row, column }) {
  const { a, b, transposed } = panel.sum;
  const [down, across] = [panel.rows[row], panel.columns[column]];
  const sign = PAIR_SIGNS[sum.kind];
  const theirs = sign ? b : transposed ? `${b}[${across}]` : `${b}[·, ${across}]`;
  const heads = ["", sign || isRow(spec, a) ? a : `${a}[${down}]`, theirs, sum.kind === "minus" ? "difference" : "product"];
  const size = (term) => (sum.kind === "minus" ? term.a - term.b : term.a * term.b);
  const { shown, others } = largest(sum.terms.map((term) => ({ ...term, size: size(term) })));
  const total = sum.terms.reduce((s, term) => s + size(term), 0);
  const rows = shown.map((t) => [t.label, brief(t.a), brief(t.b), brief(t.size)]);
  if (others) rows.push([others.label, "", "", brief(others.size)]);
  const ends = endsOf(total, sum.scale, ["", ""]);
  return tableOf(heads, rows, sign && sum.scale === null ? [] : ends, -1);
}

function softmaxTable(panel, sum) {
  const scale = sum.scale ?? 1;
  const scores = sum.terms.map(({ a }) => a / scale);
  const highest = Math.max(...scores);
  const away = highest > 700 ? highest : 0; // exp would overflow; the shares are the same without it
  const terms = sum.terms.map((t, i) => ({ ...t, scaled: scores[i], size: Math.exp(scores[i] - away) }));
  const total = terms.reduce((s, t) => s + t.size, 0);
  const mine = sum.terms[sum.mine].k;
  const { shown, others } = largest(terms, mine);
  const over = sum.scale === null ? [] : [`/ ${brief(scale)}`];
  const heads = [wordFor(panel), panel.sum.a, ...over, away ? `exp(· − ${brief(away)})` : "exp", "share"];
  const cells = (label, score, scaled, size) =>
    [label, score, ...(over.length ? [scaled] : []), brief(size), brief(size / total)];
  const rows = shown.map((t) => cells(t.label, brief(t.a), brief(t.scaled), t.size));
  if (others) rows.push(cells(others.label, "", "", others.size));
  return tableOf(heads, rows, [cells("sum", "", "", total)], shown.findIndex(({ k }) => k === mine));
}

// The terms to show one by one, in their order, and the others added up. `mine` is always shown.
function largest(terms, mine) {
  if (terms.length <= ALL_TERMS) return { shown: terms, others: null };
  const ranked = [...terms].sort((p, q) => Math.abs(q.size) - Math.abs(p.size));
  const kept = new Set(ranked.slice(0, LARGEST));
  const shown = terms.filter((term) => kept.has(term) || term.k === mine);
  const rest = terms.filter((term) => !shown.includes(term));
  const size = rest.reduce((s, term) => s + term.size, 0);
  return { shown, others: { label: `${rest.length} others`, size } };
}

function tableOf(heads, rows, ends, mine) {
  const table = make("table", "ax-terms");
  const line = (texts, tag, className) => {
    const tr = table.appendChild(make("tr", className));
    texts.forEach((text, i) => {
      const cell = tr.appendChild(make(i ? tag : "th", "", text));
      if (cell.tagName === "TH" && text) cell.scope = tag === "th" ? "col" : "row";
    });
  };
  line(heads, "th", "");
  rows.forEach((texts, i) => line(texts, "td", i === mine ? "ax-mine" : ""));
  for (const texts of ends) line(texts, "td", "ax-total");
  return table;
}
