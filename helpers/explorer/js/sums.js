// The sum behind a cell: its terms in numbers, and the table of them that a click opens.

const ALL_TERMS = 24; // past this, the table names the largest and adds up the rest
const LARGEST = 8;
const SIGNS = { times: "·", minus: "−" }; // sums of a single pair, cell by cell

// {kind, terms, mine, scale}: what made this cell, or null where the notebook does not say.
// terms, without masked ones: {k, label, a, b} of "dot", "times" and "minus", {k, label, a} of "sum" and
// "softmax". `mine` is the place of the softmax's own term.
function sumOf(data, panel, { head, row, column }) {
  const claim = panel.sum;
  if (!claim) return null;
  const { kind, a, b, transposed } = claim;
  const scale = claim.divisor ? numberNamed(data, claim.divisor, claim.root) : null;
  const get = (name, i, j) => operand(data, name, head, i, j);
  const pair = () => ({ a: get(a, row, column), b: get(b, row, column) });
  const term = {
    dot: (k) => ({ a: get(a, row, k), b: transposed ? get(b, column, k) : get(b, k, column) }),
    softmax: (k) => ({ a: get(a, row, k) }),
    sum: (k) => ({ a: transposed ? get(a, k, column) : get(a, row, k) }),
    times: pair,
    minus: pair,
  }[kind];
  const count = SIGNS[kind] ? 1 : sizeOf(data.spec, a)[transposed && kind === "sum" ? 0 : 1];
  const labels = SIGNS[kind] ? [""] : labelsOfTerms(data.spec, claim);
  const terms = places(count, (k) => ({ k, label: labels?.[k] || (SIGNS[kind] ? "" : `x${k + 1}`), ...term(k) }))
    .filter((t) => !Number.isNaN(t.a) && !Number.isNaN(t.b ?? 0));
  return { kind, terms, scale, mine: terms.findIndex(({ k }) => k === column) };
}

// What the terms are called: the columns of a, which are the rows of b.
function labelsOfTerms(spec, { kind, a, b, transposed }) {
  const [of, by] = [panelNamed(spec, a), panelNamed(spec, b)];
  if (kind === "sum" && transposed) return of?.down;
  return of?.across ?? (transposed ? by?.across : by?.down);
}

const panelNamed = (spec, name) => spec.panels.find((p) => p.name === name);

// A number of a panel, of an operand, or a number that stands for a whole matrix.
function operand(data, name, head, i, j) {
  const panel = panelNamed(data.spec, name);
  if (panel) return valueOf(data, panel, head, i, j);
  const matrix = data.spec.operands[name];
  if (!matrix) return numberNamed(data, name);
  return Array.isArray(matrix[0][0]) ? matrix[head][i][j] : matrix[i][j];
}

// Rows and columns of a panel or an operand; null of a number.
function sizeOf(spec, name) {
  const panel = panelNamed(spec, name);
  if (panel) return [panel.down.length, panel.across.length];
  const matrix = spec.operands[name];
  if (!matrix) return null;
  const one = Array.isArray(matrix[0][0]) ? matrix[0] : matrix;
  return [one.length, one[0].length];
}

// A number as a sum names it: written out, one that compute returned, or a control's.
function numberNamed(data, name, root = false) {
  const { spec, places } = data;
  const [returned, control] = [spec.numbers.indexOf(name), spec.controls[name]];
  let x = Number(name);
  if (returned >= 0) x = numberOf(data, returned);
  else if (name in data.at) x = data.at[name];
  else if (control !== undefined) x = spec.values[control][places[control]];
  return root ? Math.sqrt(x) : x;
}

// -- the table --------------------------------------------------------------------------------

// Fill `box` with the sum of the cell that is pinned; hide it where there is none.
function showSum(box, data, at) {
  const panel = isThere(data.spec, at) && at.row >= 0 && data.spec.panels[at.panel];
  const masked = panel && Number.isNaN(valueOf(data, panel, at.head, at.row, at.column));
  const sum = panel && !masked && sumOf(data, panel, at);
  box.hidden = !sum || sum.terms.length === 0;
  box.replaceChildren();
  if (box.hidden) return;
  const name = nameOfCell(panel, at);
  const title = make("div", "ax-sum-title", `${name}: ${panel.name} = ${panel.sum.text}`);
  box.ariaLabel = say("sum behind", { cell: name });
  box.append(title, makeButton("ax-button ax-close", "×", say("close")), tableOfSum(data.spec, panel, sum, at));
}

// What stands for any of the things that a softmax is over.
const wordFor = (panel) => say(panel.role === "chances" ? "word" : "key");

// {heads, size, numbers, ends}: what the columns are called, the size of a term, the numbers beside it, and the
// last lines, given what all terms add up to.
function columnsOf(spec, panel, { kind, terms, scale }, { row, column }) {
  const { a, b, transposed } = panel.sum;
  const [down, across] = [panel.down[row], panel.across[column]];
  const scaled = (x) => (scale === null ? [] : [x]);
  if (kind === "softmax") {
    const highest = Math.max(...terms.map((t) => t.a / (scale ?? 1)));
    const away = highest > 700 ? highest : 0; // exp would overflow; the shares are the same without it
    return {
      heads: [wordFor(panel), a, ...scaled(`/ ${brief(scale ?? 1)}`), away ? `exp(· − ${brief(away)})` : "exp", say("share")],
      size: (t) => Math.exp(t.a / (scale ?? 1) - away),
      numbers: (t) => [brief(t.a), ...scaled(brief(t.a / (scale ?? 1)))],
      share: true,
      ends: (total) => [[say("sum"), total]],
    };
  }
  const ends = (total) => [[say("sum"), total], ...scaled([`${say("sum")} / ${brief(scale ?? 1)}`, total / scale])];
  if (kind === "sum") return { heads: ["", a], size: (t) => t.a, numbers: () => [], ends };
  const mine = SIGNS[kind] || sizeOf(spec, a)[0] === 1 ? a : `${a}[${down}]`;
  const theirs = SIGNS[kind] ? b : transposed ? `${b}[${across}]` : `${b}[·, ${across}]`;
  return {
    heads: ["", mine, theirs, say(kind === "minus" ? "difference" : "product")],
    size: (t) => (kind === "minus" ? t.a - t.b : t.a * t.b),
    numbers: (t) => [brief(t.a), brief(t.b)],
    ends: SIGNS[kind] && scale === null ? () => [] : ends,
  };
}

function tableOfSum(spec, panel, sum, at) {
  const { heads, size, numbers, share, ends } = columnsOf(spec, panel, sum, at);
  const terms = sum.terms.map((t) => ({ ...t, size: size(t) }));
  const total = terms.reduce((all, t) => all + t.size, 0);
  const blanks = Array(heads.length - (share ? 3 : 2)).fill("");
  const line = (label, x, beside = blanks) => [label, ...beside, brief(x), ...(share ? [brief(x / total)] : [])];
  const { shown, others } = largest(terms, share && terms[sum.mine].k);
  const rows = shown.map((t) => line(t.label, t.size, numbers(t)));
  if (others) rows.push(line(others.label, others.size));
  const mine = share ? shown.indexOf(terms[sum.mine]) : -1;
  return tableOf(heads, rows, ends(total).map(([label, x]) => line(label, x)), mine);
}

// The terms to show one by one, in their order, and the others added up. `mine` is always shown.
function largest(terms, mine) {
  if (terms.length <= ALL_TERMS) return { shown: terms, others: null };
  const ranked = [...terms].sort((p, q) => Math.abs(q.size) - Math.abs(p.size));
  const kept = new Set(ranked.slice(0, LARGEST));
  const shown = terms.filter((term) => kept.has(term) || term.k === mine);
  const rest = terms.filter((term) => !shown.includes(term));
  return { shown, others: { label: say("others", { n: rest.length }), size: rest.reduce((s, t) => s + t.size, 0) } };
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
