// A matrix too large for a table: one pixel a cell, enlarged, its tokens named as far as there is room.
// It answers to the same calls as a table.

const CELL = 36; // pixels of the page, the longer side of a cell, at most
const SIDE = { one: 460, head: 200 }; // pixels of the page, of a picture alone, or of one head of several
const LINE = 15; // pixels from token to token, at least
const LETTER = 7; // pixels, about

// A canvas of `tall` × `wide` places, its labels at the top and left, and marks over its places.
function sheetOf(title, tall, wide, size) {
  const box = make("div", "ax-picture");
  const canvas = make("canvas", "ax-canvas");
  Object.assign(canvas, { tabIndex: 0, ariaLabel: title });
  canvas.setAttribute("role", "application");
  const [top, left] = [make("div", "ax-top"), make("div", "ax-left")];
  const frame = make("div", "ax-canvas-box");
  frame.append(canvas);
  box.append(make("div"), top, left, frame);
  box.style.gridTemplate = `auto ${size.height}px / auto minmax(0, ${size.width}px)`;
  let named = [[], []]; // the labels that are on it
  const observer = new ResizeObserver(lay);
  observer.observe(frame);

  // Every k-th token is named; those of the columns stand upright if they do not fit.
  function lay() {
    const [down, across] = named;
    const side = frame.clientWidth / wide;
    const longest = Math.max(0, ...across.map((label) => label.length));
    top.classList.toggle("ax-upright", side < Math.max(LINE, LETTER * longest));
    nameTokens(top, across, side, wide);
    nameTokens(left, down, size.height / tall, tall);
  }

  return {
    el: box,
    canvas,
    cursor: [0, 0],
    name(down, across) {
      if (named[0] === down && named[1] === across) return;
      named = [down, across];
      lay();
    },
    // The [row, column] under an event; beside the picture, column -1.
    locate(event) {
      const beside = left.contains(event.target);
      if (event.target !== canvas && !beside) return null;
      const area = canvas.getBoundingClientRect();
      const row = Math.floor(((event.clientY - area.top) / area.height) * tall);
      const column = beside ? -1 : Math.floor(((event.clientX - area.left) / area.width) * wide);
      return row < 0 || row >= named[0].length || column >= named[1].length ? null : [row, column];
    },
    // A mark around a place, or around a whole row: place(at) shows it, place(null) hides it.
    mark(className) {
      const node = Object.assign(frame.appendChild(make("div", className)), { hidden: true });
      const part = (k, count) => `${(100 * k) / count}%`;
      return (at) => {
        node.hidden = !at;
        if (!at) return;
        const [from, across] = at.column === undefined ? [0, wide] : [at.column, 1];
        Object.assign(node.style, { top: part(at.row, tall), height: part(1, tall), left: part(from, wide), width: part(across, wide) });
      };
    },
  };
}

// Every `step`-th token, beside the middle of its row or column.
function nameTokens(strip, labels, side, count) {
  const step = Math.ceil(LINE / Math.max(side, 0.1));
  strip.dataset.room = labels.reduce((a, b) => (b.length > a.length ? b : a), "");
  strip.replaceChildren();
  for (let i = 0; i < labels.length; i += step) {
    const text = strip.appendChild(make("span", "ax-token", labels[i]));
    text.style.setProperty("--ax-place", `${(100 * (i + 0.5)) / count}%`);
    Object.assign(text, { title: labels[i], dir: "auto" });
  }
}

function pictureGrid(panel, head, spec) {
  const { tall, wide } = panel;
  const longer = panel.heads > 1 ? SIDE.head : SIDE.one;
  const size = { width: Math.min(CELL * wide, longer), height: Math.min(CELL * tall, longer) };
  const title = say("picture", { panel: titleOf(panel, head), rows: tall, columns: wide });
  const sheet = sheetOf(title, tall, wide, size);
  Object.assign(sheet.canvas, { width: wide, height: tall });
  const context = sheet.canvas.getContext("2d");
  const image = context.createImageData(wide, tall);
  const pixels = new Uint32Array(image.data.buffer);
  const palette = paletteOf(panel).pixel;
  const bands = { over: sheet.mark("ax-band"), locked: sheet.mark("ax-band ax-lock") };
  const marks = { over: sheet.mark("ax-marker"), pinned: sheet.mark("ax-marker ax-pin") };
  const row = (at) => (rowOf(panel, at) < 0 ? null : { row: rowOf(panel, at) });

  return {
    el: sheet.el,
    locate(event) {
      const place = sheet.locate(event);
      if (place && place[1] >= 0) sheet.cursor = place;
      return place && place[1] < 0 && !canLock(panel) ? null : place;
    },
    focused: (event) => (event.target === sheet.canvas ? sheet.cursor : null),
    focus: (...place) => (sheet.cursor = place),
    mark(state) {
      const here = state.over ?? state.pinned;
      const mine = (at) => (at && at.panel === panel.index && at.head === head && at.column >= 0 ? at : null);
      marks.over(mine(here));
      marks.pinned(mine(state.pinned));
      bands.over(row(here));
      bands.locked(row(state.locked));
    },
    draw(data) {
      sheet.name(panel.down, panel.across);
      sheet.cursor = [Math.min(sheet.cursor[0], panel.down.length - 1), Math.min(sheet.cursor[1], panel.across.length - 1)];
      const start = startOf(data, panel, head);
      const { end } = data.scales[panel.index];
      for (let k = 0; k < pixels.length; k++) {
        const x = data.frames[start + k];
        pixels[k] = !Number.isNaN(x) ? palette[levelOf(x, end)] : isCell(panel, k) ? hatch(k, wide) : 0;
      }
      context.putImageData(image, 0, 0);
    },
  };
}

// Hatching, one cell to a pixel.
const hatch = (k, wide) => ((Math.floor(k / wide) + (k % wide)) % 4 < 2 ? 0xffe4e4e4 : 0xffaaaaaa);
