// The numbers of the one picture: all that it draws comes from these. x: (3 words, 3 numbers).
const told = (a) => (a < 0 ? "\u2212" : "") + Math.abs(a).toFixed(2);
const short = (a) => told(a).replace("0.", ".");
const total = (numbers) => numbers.reduce((sum, a) => sum + a, 0);
const dot = (a, b) => total(a.map((x, t) => x * b[t]));
const transposed = (A) => A[0].map((_, c) => A.map((row) => row[c]));
const mul = (A, B) => A.map((row) => transposed(B).map((column) => dot(row, column)));
const softmax = (row) => {
  const e = row.map((s) => Math.exp(s - Math.max(...row)));
  return e.map((x) => x / total(e));
};
function attend(x, masked) {
  const heads = HEADS.map((h) => {
    const [q, k, v] = [W.q, W.k, W.v].map((matrices) => mul(x, matrices[h]));
    const s = mul(q, transposed(k)).map((row) => row.map((a) => a / Math.SQRT2));
    const w = s.map((row, i) => softmax(row.map((a, j) => (masked && j > i ? -Infinity : a))));
    return { q, k, v, s, w, c: mul(w, v) };
  });
  const joined = ALL.map((i) => heads.flatMap(({ c }) => c[i]));
  return { heads, out: mul(joined, W.o) };
}

// What a number is computed from: its left operands, and its right ones, as ids.
// Each id is a kind, and where it stands: head, word (or row), number (or column).
const ids = (howMany, id) => [0, 1, 2, 3].slice(0, howMany).map(id);
function operands(kind, h, i, c, masked) {
  const seen = masked ? i + 1 : 3;
  if (NAMES[kind])
    return [ids(3, (d) => `x.${i}.${d}`), ids(3, (d) => `w${kind}.${h}.${d}.${c}`)];
  if (kind === "s") return [ids(2, (d) => `q.${h}.${i}.${d}`), ids(2, (d) => `k.${h}.${c}.${d}`)];
  if (kind === "w") return [[`s.${h}.${i}.${c}`], ids(seen, (j) => `s.${h}.${i}.${j}`)];
  if (kind === "c") return [ids(3, (j) => `w.${h}.${i}.${j}`), ids(3, (j) => `v.${h}.${j}.${c}`)];
  if (kind === "o") // of word h
    return [ids(4, (m) => `c.${m >> 1}.${h}.${m % 2}`), ids(4, (m) => `wo.${m}.${i}`)];
  return [[], []];
}
