// A matrix too large for a table: one pixel a cell, enlarged, its tokens named as far as there is room.
// It can be zoomed until there are numbers in its cells, and then scrolls under its tokens; it answers
// to the same calls as a table.

const LETTERS = { large: 12, small: 10 }; // pixels, of tokens
const LONGEST = 7; // times as long, in pixels: longer tokens are cut
const LINE = 1.25; // times as high: a token, and what is free around it
const ASIDE = 8; // pixels, beside a token
const EDGE = 4; // pixels, to the right of a picture and below: for the mark around its last cell

function pictureGrid(panel, head, spec) {
  const [rows, columns] = [panel.tall, panel.wide];
  const small = panel.heads > 1;
  const box = make("div", "ax-picture");
  const letters = LETTERS[small ? "small" : "large"];
  box.style.fontSize = `${letters}px`;
  const inside = make("div", "ax-inside"); // grows with the zoom; the box around it scrolls
  const canvas = make("canvas", "ax-canvas");
  Object.assign(canvas, { width: columns, height: rows, tabIndex: 0 });
  canvas.setAttribute("role", "application");
  const mark = (className) => Object.assign(make("div", className), { hidden: true });
  const marks = { over: mark("ax-marker"), pinned: mark("ax-marker ax-pin") };
  const bands = { over: mark("ax-band"), locked: mark("ax-band ax-lock") };
  const numbers = numbersOver(panel, head, spec);
  const frameBox = make("div", "ax-canvas-box");
  frameBox.append(canvas, numbers.el, bands.over, bands.locked, marks.over, marks.pinned);
  const [top, left] = [make("div", "ax-top"), make("div", "ax-left")];
  inside.append(make("div", "ax-blank"), top, left, frameBox);
  box.append(inside);
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  const palette = paletteOf(panel).pixel;
  const longest = {}; // of the tokens of a side, in pixels
  let shown = null; // the data that were drawn last
  let named = {}; // the labels that are on it
  let cursor = [0, 0];
  let cell = 0; // pixels, the side of one where nothing is zoomed: 0 before there is room
  let room = null; // pixels, for the box
  let zoom = 1;

  function lengthOf(side) {
    if (longest[side]) return longest[side];
    const pen = make("canvas").getContext("2d");
    pen.font = `${letters}px ${getComputedStyle(box).fontFamily}`;
    const lengths = (panel.moving?.[side].flat() ?? panel[side]).map((label) => pen.measureText(label).width);
    longest[side] = Math.min(LONGEST * letters, Math.ceil(Math.max(...lengths)));
    return longest[side];
  }

  const beside = () => lengthOf("rows") + ASIDE;

  // Every k-th token is named, across as down; those of the columns stand upright if they do not fit.
  function lay() {
    if (!cell) return;
    const side = cell * zoom;
    const step = Math.ceil((LINE * letters) / side);
    const level = step === 1 && lengthOf("columns") + ASIDE / 2 <= side;
    const above = level ? Math.ceil(1.5 * letters) : lengthOf("columns") + ASIDE;
    top.classList.toggle("ax-level", level);
    inside.style.padding = `0 ${EDGE}px ${EDGE}px 0`;
    inside.style.gridTemplate = `${above}px ${side * rows}px / ${beside()}px ${side * columns}px`;
    box.style.maxWidth = `${room.width + EDGE}px`;
    box.style.maxHeight = `${room.height + above + EDGE}px`;
    nameTokens(top, panel.columns, step, columns);
    nameTokens(left, panel.rows, step, rows);
    writeNumbers();
  }

  // Where labels move, there may be other ones, and more or fewer.
  function relabel() {
    if (named.rows === panel.rows && named.columns === panel.columns) return;
    named = { rows: panel.rows, columns: panel.columns };
    const size = `${panel.rows.length} rows, ${panel.columns.length} columns`;
    canvas.setAttribute("aria-label", `${titleOf(panel, head)}: ${size}; arrow keys move`);
    cursor = [Math.min(cursor[0], panel.rows.length - 1), Math.min(cursor[1], panel.columns.length - 1)];
    lay();
  }

  // The part of the picture that is not scrolled out of sight, nor under the tokens.
  const inSight = () => ({
    x: box.scrollLeft,
    y: box.scrollTop,
    width: box.clientWidth - left.offsetWidth,
    height: box.clientHeight - top.offsetHeight,
  });

  function writeNumbers() {
    if (shown && cell) numbers.draw(shown, box, cell * zoom, inSight);
  }

  function place(node, at, width) {
    node.hidden = !at || at.row < 0;
    if (node.hidden) return;
    node.style.top = `${(100 * at.row) / rows}%`;
    node.style.height = `${100 / rows}%`;
    node.style.left = width ? "0" : `${(100 * at.column) / columns}%`;
    node.style.width = width ?? `${100 / columns}%`;
  }

  function scrollTo(row, column) {
    const seen = inSight();
    const nearer = (from, k, size) => {
      const [start, end] = [k * cell * zoom, (k + 1) * cell * zoom];
      return start < from || end > from + size ? (start + end - size) / 2 : from;
    };
    box.scrollTo(nearer(seen.x, column, seen.width), nearer(seen.y, row, seen.height));
  }

  box.addEventListener("scroll", writeNumbers, { passive: true });

  const grid = {
    el: box,
    canvas,
    beside,
    locate(event) {
      const strip = event.target.closest(".ax-left");
      if (event.target !== canvas && !strip) return null;
      const { left: x0, top: y0, width, height } = canvas.getBoundingClientRect();
      const row = Math.floor(((event.clientY - y0) / height) * rows);
      const column = strip ? -1 : Math.floor(((event.clientX - x0) / width) * columns);
      if (row < 0 || row >= panel.rows.length || column >= panel.columns.length) return null;
      if (column >= 0) cursor = [row, column];
      return strip && !canLock(panel) ? null : [row, column];
    },
    focused: (event) => (event.target === canvas ? cursor : null),
    focus(row, column) {
      cursor = [row, column];
      scrollTo(row, Math.max(0, column));
    },
    mark(state) {
      const mine = (at) => (at && at.panel === panel.index && at.head === head ? at : null);
      const here = state.over ?? state.pinned;
      const cell = (at) => (at && at.column >= 0 ? at : null);
      place(marks.over, cell(mine(here)));
      place(marks.pinned, cell(mine(state.pinned)));
      place(bands.over, { row: rowOf(panel, here) }, "100%");
      place(bands.locked, { row: rowOf(panel, state.locked) }, "100%");
    },
    draw(data) {
      shown = data;
      relabel();
      const start = startOf(data, panel, head);
      const { end } = data.scales[panel.index];
      for (let k = 0; k < pixels.length; k++) {
        const x = data.frames[start + k];
        pixels[k] = Number.isNaN(x) ? hatch(k, columns) : palette[levelOf(x, end)];
      }
      if (panel.moving) pixels.forEach((_, k) => !isCell(panel, k) && (pixels[k] = 0));
      context.putImageData(image, 0, 0);
      writeNumbers();
    },
    // Cells of this side, in a box of at most so many pixels.
    fit(side, width, height) {
      [cell, room] = [side, { width, height }];
      lay();
    },
    zoomBy(by) {
      if (by > 0 && cell * zoom < numbers.needed(box)) zoom *= 2;
      if (by < 0 && zoom > 1) zoom /= 2;
      if (!by) zoom = 1;
      lay();
      scrollTo(cursor[0], Math.max(0, cursor[1]));
    },
    zoomKey(key) {
      const by = { "+": 1, "=": 1, "-": -1, 0: 0 }[key];
      if (by !== undefined) grid.zoomAll(by);
      return by !== undefined;
    },
  };
  return grid;
}

// Whether the k-th place of a panel, with room for its largest, is a cell now.
const isCell = ({ rows, columns, wide }, k) =>
  Math.floor(k / wide) < rows.length && k % wide < columns.length;

// Hatching, one cell to a pixel.
const hatch = (k, columns) =>
  (Math.floor(k / columns) + (k % columns)) % 4 < 2 ? 0xffe4e4e4 : 0xffaaaaaa;

// Every `step`-th token, beside the middle of its row or column.
function nameTokens(strip, labels, step, count) {
  strip.replaceChildren();
  for (let i = 0; i < labels.length; i += step) {
    const text = make("span", "ax-token", labels[i]);
    text.style.setProperty("--ax-place", `${(100 * (i + 0.5)) / count}%`);
    text.title = labels[i];
    text.dir = "auto";
    strip.append(text);
  }
}

// Buttons, and keys, that zoom all heads of a panel at once.
function zoomButtons(panel, grids) {
  const all = (by) => grids.forEach((grid) => grid.zoomBy(by));
  for (const grid of grids) grid.zoomAll = all;
  const box = make("span", "ax-zoom");
  const buttons = [["−", "zoom out (key −)", -1], ["+", "zoom in (key +)", 1]];
  for (const [sign, does, by] of buttons) {
    const button = box.appendChild(makeButton("", sign, `${panel.name}: ${does}`));
    button.addEventListener("click", () => all(by));
  }
  return box;
}
