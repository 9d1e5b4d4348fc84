// What the frames hold: where each number is, whether a panel has a cell there at present, and what it is called.

export const ALL_HEADS = -1; // in place of the index of a head

// The bytes as float32, which must begin at a multiple of 4.
export function floats({ buffer, byteOffset, byteLength }) {
  if (byteOffset % 4) return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
  return new Float32Array(buffer, byteOffset, byteLength / 4);
}

// Give every panel its offset in a frame: all panels come first, then the numbers.
export function layOut(spec, chosen) {
  spec.size = 0;
  spec.panels.forEach((panel, index) => {
    if (panel.views.includes(chosen[panel.name])) panel.view = chosen[panel.name];
    panel.index = index;
    panel.offset = spec.size;
    spec.size += Math.max(1, panel.heads) * panel.tall * panel.wide;
  });
  spec.firstNumber = spec.size;
  spec.size += spec.numbers.length;
}

// Whether the present frame has such a cell, or token.
export function isThere(spec, at) {
  if (!at) return false;
  const { down, across } = spec.panels[at.panel];
  return at.row < down.length && at.column < across.length;
}

// Whether the k-th entry of a panel, which has room for its largest size, is a cell at present.
export const isCell = ({ down, across, wide }, k) => Math.floor(k / wide) < down.length && k % wide < across.length;

// The values of the sliders as one index; the last slider varies fastest.
export const indexOf = (places, spec) =>
  spec.stops.reduce((sum, stops, i) => sum * stops.length + places[i], 0);

// The reverse: a place for each slider.
export const placesOf = (index, { stops }) =>
  stops.map(({ length }, i) => Math.floor(index / stops.slice(i + 1).reduce((n, later) => n * later.length, 1)) % length);

export function nearest(stops, x) {
  const gaps = stops.map((stop) => Math.abs(stop - x));
  return gaps.indexOf(Math.min(...gaps));
}

// Where the cells of one head begin.
export function startOf({ spec, frame }, panel, head) {
  return frame * spec.size + panel.offset + (panel.heads ? head : 0) * panel.tall * panel.wide;
}

export function valueOf(data, panel, head, row, column) {
  return data.frames[startOf(data, panel, head) + row * panel.wide + column];
}

export const numberOf = ({ spec, frames, frame }, i) => frames[frame * spec.size + spec.firstNumber + i];

export const canLock = (panel) => panel.tall > 1 && panel.role !== "probabilities";

// The row of this panel that belongs to the current query, or -1.
export function rowOf(panel, at) {
  if (!at || !canLock(panel) || at.row >= at.names.length) return -1;
  return at.names.length === panel.down.length ? at.row : panel.down.indexOf(at.names[at.row]);
}

// "weights", or "weights, head 2"
export const titleOf = (panel, head) =>
  panel.heads && head !== ALL_HEADS ? `${panel.name}, ${panel.names[head]}` : panel.name;

// A label written from right to left must not reverse the arrow and the numbers around it.
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufeff]/;
export const isolated = (label) => (RIGHT_TO_LEFT.test(label) ? `\u2068${label}\u2069` : label);

// "scores(shiny → sun)", "context, head 2 (shiny, x1)"
export function nameOfCell(panel, { head, row, column }) {
  const between = ["vectors", "probabilities"].includes(panel.role) ? ", " : " → ";
  const where = [panel.down[row], panel.across[column]].filter(Boolean).map(isolated).join(between);
  return `${titleOf(panel, head)}${panel.heads ? " " : ""}${where && `(${where})`}`;
}
