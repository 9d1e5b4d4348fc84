// The Explorer's read-out: what stands in a cell, and the sum behind it, in words and numbers.

function describe(spec, frame, { panel: index, head, row, column }, frameNumber) {
  const panel = spec.panels[index];
  const [down, across] = [panel.rows[row], panel.columns[column]];
  const x = valueOf(frame, panel, head, row, column);
  const where = (panel.heads ? `head ${head + 1}, ` : "") + (down ? `${down} ` : "");
  if (Number.isNaN(x)) return `${panel.name}: ${where}→ ${across}: masked, ${down || "the query"} may not look there`;
  const sum = panel.sum ? ` = ${arithmetic(spec, frame, panel, head, row, column, frameNumber)}` : "";
  const arrow = panel.role === "vectors" ? `${where}· ${across}` : `${where}→ ${across}`;
  const share = panel.role === "weights" ? ` (${Math.round(100 * x)} %)` : "";
  return `${panel.name}: ${arrow}${sum} = ${brief(x).replace(/[()]/g, "")}${share}`;
}

// The sum in this cell's numbers: 0.53·0.29 + 0.34·0.54 + …
function arithmetic(spec, frame, panel, head, row, column, frameNumber) {
  const claim = panel.sum;
  const get = (name, i, j) => operand(spec, frame, name, head, i, j);
  let scale = claim.divisor ? Number(claim.divisor) : 1;
  if (Number.isNaN(scale)) scale = scalar(spec, frame, claim.divisor, frameNumber);
  if (claim.root) scale = Math.sqrt(scale);
  const over = claim.divisor ? ` / ${brief(scale)}` : "";
  if (claim.kind === "softmax") {
    const shown = panel.columns.map((_, j) => get(claim.a, row, j)).filter((x) => !Number.isNaN(x));
    const term = (x) => `exp(${brief(x).replace(/[()]/g, "")}${over})`;
    return `${term(get(claim.a, row, column))} / (${shorten(shown.map(term), " + ")})`;
  }
  const terms = [];
  for (let k = 0; k < width(spec, claim.a); k++) {
    const [a, b] = [get(claim.a, row, k), claim.transposed ? get(claim.b, column, k) : get(claim.b, k, column)];
    if (!Number.isNaN(a)) terms.push(`${brief(a)}·${brief(b)}`);
  }
  const text = shorten(terms, " + ");
  return over ? `(${text})${over}` : text;
}

function shorten(terms, joint) {
  if (terms.length <= 8) return terms.join(joint);
  return `${terms.slice(0, 3).join(joint)}${joint}… ${terms.length} terms`;
}

function operand(spec, frame, name, head, i, j) {
  const panel = spec.panels.find((p) => p.name === name);
  if (panel) return valueOf(frame, panel, head, i, j);
  const matrix = spec.operands[name];
  return Array.isArray(matrix[0][0]) ? matrix[head][i][j] : matrix[i][j];
}

function width(spec, name) {
  const panel = spec.panels.find((p) => p.name === name);
  if (panel) return panel.columns.length;
  const matrix = spec.operands[name];
  return (Array.isArray(matrix[0][0]) ? matrix[0][0] : matrix[0]).length;
}

// A number that the sum is divided by: one that compute returned, or where a control stands.
function scalar(spec, frame, name, frameNumber) {
  const at = spec.numbers.indexOf(name);
  if (at >= 0) return frame[frame.length - spec.numbers.length + at];
  const control = spec.controls[name];
  const after = spec.stops.slice(control + 1).reduce((n, stops) => n * stops.length, 1);
  return spec.values[control][Math.floor(frameNumber / after) % spec.stops[control].length];
}
