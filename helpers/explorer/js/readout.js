// The Explorer's read-out: what stands in a cell, and the sum behind it, in one line of text.

const FEW = 8; // terms that a line of text spells out
const MOST = 5; // keys that are named for a row with more of them

// The cell at hand, or else what one can do; and of a scale that is not the usual one, where it ends.
function readOutOf(data, at) {
  const closer = data.spec.panels.filter((panel) => data.scales[panel.index].closer);
  const ends = (panel) => `to ${brief(data.scales[panel.index].end)}`;
  if (!at) return [HOW_TO, ...closer.map((panel) => `Colours of ${panel.name} ${ends(panel)}.`)].join(" ");
  const mine = closer.find((panel) => panel.index === at.panel);
  return `${describe(data, at)}${mine ? `; colours ${ends(mine)}` : ""}`;
}

function describe(data, at) {
  const panel = data.spec.panels[at.panel];
  if (at.column < 0) return describeRow(data, panel, at);
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

// The row of a query: all its cells, or the largest of them.
function describeRow(data, panel, { head, row }) {
  const cells = panel.columns.map((label, column) => [label, valueOf(data, panel, head, row, column)]);
  const seen = cells.filter(([, x]) => !Number.isNaN(x));
  const many = seen.length > FEW;
  const named = many ? [...seen].sort((a, b) => b[1] - a[1]).slice(0, MOST) : seen;
  const texts = named.map(([label, x]) => `${isolated(label)} ${show(x, Math.max(2, data.spec.decimals))}`);
  const rest = many ? `, and ${seen.length - MOST} smaller` : "";
  const hidden = cells.length - seen.length ? `; ${cells.length - seen.length} ${MASKED}` : "";
  const kind = panel.role === "vectors" ? "row" : "query";
  return `${titleOf(panel, head)}, ${kind} ${isolated(panel.rows[row])}: ${texts.join(", ")}${rest}${hidden}`;
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
