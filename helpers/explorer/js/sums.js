// The sum behind a cell: its terms in numbers, and the table of them that a click opens.

const ALL_TERMS = 24; // past this, the table names the largest and adds up the rest
const LARGEST = 8;
const SIGNS = { times: "·", minus: "−" }; // sums of a single pair, cell by cell

// What made this cell: {kind, terms, scale, mine, a, b}; null where the notebook does not say.
// terms, without masked ones: {k, label, a, b} of "dot", "times" and "minus", {k, label, a} of "sum" and
// "softmax". `mine` is the place of the softmax's own term; a and b are the matrices, as below.
function sumOf(data, panel, { head, row, column }) {
  if (!panel.sum) return null;
  const { kind, transposed, divisor, root } = panel.sum;
  const [a, b] = [panel.sum.a, panel.sum.b].map((name) => matrixNamed(data, name, head));
  const scale = divisor ? numberNamed(data, divisor, root) : null;
  const pair = () => ({ label: "", a: a.at(row, column), b: b.at(row, column) });
  const term = {
    dot: (k) => ({ label: a.across?.[k] ?? (transposed ? b.across : b.down)?.[k], a: a.at(row, k), b: transposed ? b.at(column, k) : b.at(k, column) }),
    softmax: (k) => ({ label: a.across?.[k], a: a.at(row, k) }),
    sum: (k) => (transposed ? { label: a.down?.[k], a: a.at(k, column) } : { label: a.across?.[k], a: a.at(row, k) }),
    times: pair,
    minus: pair,
  }[kind];
  const count = SIGNS[kind] ? 1 : transposed && kind === "sum" ? a.tall : a.wide;
  const terms = places(count, (k) => ({ k, ...term(k) })).filter((t) => !Number.isNaN(t.a) && !Number.isNaN(t.b ?? 0));
  for (const t of terms) t.label ||= SIGNS[kind] ? "" : `x${t.k + 1}`;
  return { kind, terms, scale, mine: terms.findIndex(({ k }) => k === column), a, b };
}

// A panel or an operand: {name, tall, wide, at(row, column)}, and of a panel its labels, down and across. A
// number stands for a matrix of it, as in "X * 2".
function matrixNamed(data, name, head) {
  const panel = data.spec.panels.find((p) => p.name === name);
  if (panel) {
    const { down, across } = panel;
    return { name, tall: down.length, wide: across.length, down, across, at: (i, j) => valueOf(data, panel, head, i, j) };
  }
  const operand = data.spec.operands[name]; // rows, or the rows of each head
  if (!operand) return { name, at: () => numberNamed(data, name) };
  const rows = Array.isArray(operand[0][0]) ? operand[head] : operand;
  return { name, tall: rows.length, wide: rows[0].length, at: (i, j) => rows[i][j] };
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
  box.append(title, makeButton("ax-button ax-close", "×", say("close")), tableOfSum(panel, sum, at));
}

function tableOfSum(panel, sum, at) {
  const { heads, sizes, numbers, ends } = (sum.kind === "softmax" ? softmaxColumns : productColumns)(panel, sum, at);
  const terms = sum.terms.map((term, i) => ({ ...term, size: sizes[i], mine: i === sum.mine }));
  const total = sizes.reduce((all, x) => all + x, 0);
  const { shown, others } = largest(terms);
  const share = (x) => (sum.kind === "softmax" ? [brief(x / total)] : []);
  const blanks = Array(heads.length - 2 - share(total).length).fill("");
  const table = make("table", "ax-terms");
  addLine(table, heads, "th", "");
  for (const t of shown) {
    addLine(table, [t.label, ...numbers(t), brief(t.size), ...share(t.size)], "td", t.mine && sum.kind === "softmax" ? "ax-mine" : "");
  }
  if (others) addLine(table, [others.label, ...blanks, brief(others.size), ...share(others.size)], "td", "");
  for (const [label, x] of ends(total)) addLine(table, [label, ...blanks, brief(x), ...share(x)], "td", "ax-total");
  return table;
}

// {heads, sizes, numbers, ends}: what the columns are called, the size of each term, the numbers beside it, and
// the last lines, given what all terms add up to.
function softmaxColumns(panel, { terms, scale, a }) {
  const scaled = terms.map((t) => t.a / (scale ?? 1));
  const highest = Math.max(...scaled);
  const away = highest > 700 ? highest : 0; // exp would overflow; the shares are the same without it
  const beside = (x) => (scale === null ? [] : [x]);
  const power = away ? `exp(· − ${brief(away)})` : "exp";
  return {
    heads: [say(panel.role === "chances" ? "word" : "key"), a.name, ...beside(`/ ${brief(scale ?? 1)}`), power, say("share")],
    sizes: scaled.map((x) => Math.exp(x - away)),
    numbers: (t) => [brief(t.a), ...beside(brief(t.a / (scale ?? 1)))],
    ends: (total) => [[say("sum"), total]],
  };
}

function productColumns(panel, { kind, terms, scale, a, b }, { row, column }) {
  const { transposed } = panel.sum;
  const [down, across] = [panel.down[row], panel.across[column]];
  const mine = SIGNS[kind] || a.tall === 1 ? a.name : `${a.name}[${down}]`;
  const theirs = SIGNS[kind] ? b.name : transposed ? `${b.name}[${across}]` : `${b.name}[·, ${across}]`;
  const scaled = (total) => (scale === null ? [] : [[`${say("sum")} / ${brief(scale)}`, total / scale]]);
  const ends = (total) => (SIGNS[kind] && scale === null ? [] : [[say("sum"), total], ...scaled(total)]);
  if (kind === "sum") return { heads: ["", a.name], sizes: terms.map((t) => t.a), numbers: () => [], ends };
  return {
    heads: ["", mine, theirs, say(kind === "minus" ? "difference" : "product")],
    sizes: terms.map((t) => (kind === "minus" ? t.a - t.b : t.a * t.b)),
    numbers: (t) => [brief(t.a), brief(t.b)],
    ends,
  };
}

// The terms to show one by one, in their order, and the others added up. A softmax's own is always shown.
function largest(terms) {
  if (terms.length <= ALL_TERMS) return { shown: terms, others: null };
  const ranked = [...terms].sort((p, q) => Math.abs(q.size) - Math.abs(p.size));
  const kept = new Set(ranked.slice(0, LARGEST));
  const shown = terms.filter((term) => kept.has(term) || term.mine);
  const rest = terms.filter((term) => !shown.includes(term));
  return { shown, others: { label: say("others", { n: rest.length }), size: rest.reduce((s, t) => s + t.size, 0) } };
}

function addLine(table, texts, tag, className) {
  const tr = table.appendChild(make("tr", className));
  texts.forEach((text, i) => {
    const cell = tr.appendChild(make(i ? tag : "th", "", text));
    if (cell.tagName === "TH" && text) cell.scope = tag === "th" ? "col" : "row";
  });
}
