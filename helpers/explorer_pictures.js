// A matrix too large for numbers: one pixel a cell, enlarged, every k-th token named. It can be
// zoomed, and then scrolls under its tokens; it answers to the same calls as a table.

const ZOOMS = [1, 2, 4, 8];
const NAMES = { large: { across: 6, down: 14 }, small: { across: 3, down: 7 } }; // tokens at zoom 1

function pictureGrid(panel, head, spec) {
  const [rows, columns] = [panel.rows.length, panel.columns.length];
  const small = panel.heads > 1;
  const box = make("div", small ? "ax-picture ax-small" : "ax-picture");
  const inside = make("div", "ax-inside"); // grows with the zoom; the box around it scrolls
  const canvas = make("canvas", "ax-canvas");
  Object.assign(canvas, { width: columns, height: rows, tabIndex: 0 });
  canvas.setAttribute("role", "application");
  const title = titleOf(panel, head);
  canvas.setAttribute("aria-label", `${title}: ${rows} rows, ${columns} columns; arrow keys move`);
  const mark = (className) => Object.assign(make("div", className), { hidden: true });
  const marks = { over: mark("ax-marker"), pinned: mark("ax-marker ax-pin") };
  const bands = { over: mark("ax-band"), locked: mark("ax-band ax-lock") };
  const frameBox = make("div", "ax-canvas-box");
  frameBox.append(canvas, bands.over, bands.locked, marks.over, marks.pinned);
  const [top, left] = [make("div", "ax-top"), make("div", "ax-left")];
  inside.append(make("div", "ax-blank"), top, left, frameBox);
  box.append(inside);
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  const palette = paletteOf(panel).pixel;
  let cursor = [0, 0];
  let zoom = 0;

  function nameTokens() {
    const most = NAMES[small ? "small" : "large"];
    thin(top, panel.columns, most.across * ZOOMS[zoom], 0); // from where its column begins
    thin(left, panel.rows, most.down * ZOOMS[zoom], 0.5); // beside the middle of its row
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
    const strip = { x: left.offsetWidth, y: top.offsetHeight }; // the tokens lie over the picture
    const [x, y] = [((column + 0.5) / columns) * canvas.offsetWidth, ((row + 0.5) / rows) * canvas.offsetHeight];
    const seen = { x: box.clientWidth - strip.x, y: box.clientHeight - strip.y };
    const nearer = (from, to, size) => (to < from || to > from + size ? to - size / 2 : from);
    box.scrollTo(nearer(box.scrollLeft, x, seen.x), nearer(box.scrollTop, y, seen.y));
  }

  const grid = {
    el: box,
    locate(event) {
      const strip = event.target.closest(".ax-left");
      if (event.target !== canvas && !strip) return null;
      const { left: x0, top: y0, width, height } = canvas.getBoundingClientRect();
      const row = Math.floor(((event.clientY - y0) / height) * rows);
      const column = strip ? -1 : Math.floor(((event.clientX - x0) / width) * columns);
      if (row < 0 || row >= rows || column >= columns) return null;
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
      const start = startOf(data, panel, head);
      for (let k = 0; k < pixels.length; k++) {
        const x = data.frames[start + k];
        pixels[k] = Number.isNaN(x) ? hatch(k, columns) : palette[levelOf(x, panel.limit)];
      }
      context.putImageData(image, 0, 0);
    },
    zoomBy(by) {
      zoom = by ? Math.max(0, Math.min(ZOOMS.length - 1, zoom + by)) : 0;
      box.style.setProperty("--ax-zoom", ZOOMS[zoom]);
      nameTokens();
      scrollTo(cursor[0], Math.max(0, cursor[1]));
    },
    zoomKey(key) {
      const by = { "+": 1, "=": 1, "-": -1, 0: 0 }[key];
      if (by !== undefined) grid.zoomAll(by);
      return by !== undefined;
    },
  };
  nameTokens();
  return grid;
}

// Hatching, one cell to a pixel.
const hatch = (k, columns) =>
  (Math.floor(k / columns) + (k % columns)) % 4 < 2 ? 0xffe4e4e4 : 0xffaaaaaa;

// Every k-th token, so that no two touch.
function thin(strip, labels, most, at) {
  const step = Math.ceil(labels.length / most);
  strip.style.setProperty("--ax-share", `${(100 * step) / labels.length}%`);
  strip.replaceChildren();
  for (let i = 0; i < labels.length; i += step) {
    const text = make("span", "ax-token", labels[i]);
    text.style.setProperty("--ax-place", `${(100 * (i + at)) / labels.length}%`);
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
  const buttons = [["−", "zoom out", -1], ["+", "zoom in", 1]];
  for (const [sign, does, by] of buttons) {
    const button = box.appendChild(makeButton("", sign, `${panel.name}: ${does}`));
    button.addEventListener("click", () => all(by));
  }
  return box;
}
