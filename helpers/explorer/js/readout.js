// The Explorer's read-out: what stands in a cell, and the sum behind it, in one line of text.

const FEW = 8; // terms that a line of text spells out
const MOST = 5; // keys that are named for a row with more of them

// The cell at hand, or else what one can do; and of a scale that is not the usual one, where it ends.
function readOutOf(data, at) {
  const closer = data.spec.panels.filter((panel) => data.scales[panel.index].closer);
  const ends = (panel) => `to ${brief(data.scales[panel.index].end)}`;
  const howTo = data.spec.panels.some((panel) => panel.view === "lines") ? HOW_TO_LINES : HOW_TO;
  if (!at) return [howTo, ...closer.map((panel) => `Colours of ${panel.name} ${ends(panel)}.`)].join(" ");
  const mine = closer.find((panel) => panel.index === at.panel);
  return `${describe(data, at)}${mine ? `; colours ${ends(mine)}` : ""}`;
}

function describe(data, at) {
  const panel = data.spec.panels[at.panel];
  if (at.column < 0 || at.row < 0) return describeWord(data, panel, at);
  const x = valueOf(data, panel, at.head, at.row, at.column);
  const name = nameOfCell(panel, at);
  if (Number.isNaN(x)) return `${name}: masked, ${panel.rows[at.row] || "the query"} may not look there`;
  const sum = sumOf(data, panel, at);
  if (sum && !sum.terms.length) return `${name} = ${brief(x)}: nothing to add up, every term is masked`;
  const share = ["weights", "chances"].includes(panel.role) ? ` (${Math.round(100 * x)} %)` : "";
  return `${name}${sum ? ` = ${inOneLine(sum)}` : ""} = ${brief(x)}${share}`;
}

// A label written from right to left must not turn the arrow and the numbers around it.
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufeff]/;
const isolated = (label) => (RIGHT_TO_LEFT.test(label) ? `\u2068${label}\u2069` : label);

// "scores(shiny → sun)", "context, head 2 (shiny, x1)"
function nameOfCell(panel, { head, row, column }) {
  const between = ["vectors", "chances"].includes(panel.role) ? ", " : " → ";
  const where = [panel.rows[row], panel.columns[column]].filter(Boolean).map(isolated).join(between);
  return `${titleOf(panel, head)}${panel.heads ? " " : ""}(${where})`;
}

// The row of a query, or in lines the column of a key.
function describeWord(data, panel, { head, row, column }) {
  const [label, others] = row < 0 ? [panel.columns[column], panel.rows] : [panel.rows[row], panel.columns];
  const cells = (h) => others.map((other, k) =>
    [other, valueOf(data, panel, h, row < 0 ? k : row, row < 0 ? column : k)]);
  const kind = row < 0 ? "key" : panel.role === "vectors" ? "row" : "query";
  const title = `${titleOf(panel, head)}, ${kind} ${isolated(label)}: `;
  if (head !== ALL_HEADS) return title + describeCells(data, cells(head));
  const strongest = (h) => describeCells(data, cells(h), 1);
  return title + places(panel.heads, (h) => `head ${h + 1} ${strongest(h)}`).join("; ");
}

// All cells, or the largest of them.
function describeCells(data, cells, most = FEW) {
  const seen = cells.filter(([, x]) => !Number.isNaN(x));
  const many = seen.length > most;
  const few = Math.min(most, MOST);
  const named = many ? [...seen].sort((a, b) => b[1] - a[1]).slice(0, few) : seen;
  const texts = named.map(([label, x]) => `${isolated(label)} ${show(x, Math.max(2, data.spec.decimals))}`);
  if (most < MOST) return texts.join(", ") || MASKED;
  const rest = many ? `, and ${seen.length - few} smaller` : "";
  const hidden = cells.length - seen.length ? `; ${cells.length - seen.length} ${MASKED}` : "";
  return `${texts.join(", ")}${rest}${hidden}`;
}

// exp(1.2487 / 1) / (exp(0.7842 / 1) + …), or 0.53·0.29 + 0.34·0.54 + …
function inOneLine({ kind, terms, scale, mine }) {
  const over = scale === null ? "" : ` / ${brief(scale)}`;
  if (kind === "softmax") {
    const term = ({ a }) => `exp(${brief(a)}${over})`;
    return `${term(terms[mine])} / (${shortened(terms.map(term))})`;
  }
  const sign = { ...PAIR_SIGNS, dot: "·" }[kind];
  const spaced = kind === "minus" ? ` ${sign} ` : sign;
  const text = shortened(terms.map(({ a, b }) => (sign ? factor(a) + spaced + factor(b) : factor(a))));
  return over && terms.length * (kind === "minus" ? 2 : 1) > 1 ? `(${text})${over}` : text + over;
}

const factor = (x) => (brief(x).startsWith("−") ? `(${brief(x)})` : brief(x));

function shortened(texts) {
  if (texts.length <= FEW) return texts.join(" + ");
  return `${texts.slice(0, 3).join(" + ")} + … ${texts.length} terms`;
}
