// A table of many cells, while a slider moves: laying out a hundred texts takes a browser longer than
// a frame should, so the numbers are drawn on a canvas over the table, which follows when they rest.

const FRAMES = { "ax-row": "#5a5a5a", "ax-locked": "#0072b2", "ax-at": "#1b1b1b", "ax-pinned": "#e69f00" };

// lines: a list of the row's token and its cells, for each row. seen(x): {text, level} of a number.
function inkOver(table, lines, palette, seen) {
  const box = make("div", "ax-inked");
  const canvas = make("canvas", "ax-ink");
  canvas.setAttribute("aria-hidden", "true");
  // Unseen, not display: none: coming and going need no layout then, and text is drawn sooner.
  const appear = (seen) => (canvas.style.visibility = seen ? "visible" : "hidden");
  appear(false);
  canvas.width = canvas.height = 0;
  box.append(table, canvas);
  const pen = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
  const columns = lines[0].length - 1;
  const count = lines.length * columns;
  const drawn = new Float32Array(count); // what the canvas holds, cell by cell …
  const framed = new Array(count); // … and how it is marked there
  let stale = true; // whether it holds nothing yet
  let marks = new Array(count);
  let places = null;
  let measured = ""; // the same, to compare

  // Where the cells are; a canvas of another size or font is begun anew.
  function measure() {
    const from = lines[0][1].getBoundingClientRect();
    const end = lines.at(-1).at(-1).getBoundingClientRect();
    const home = box.getBoundingClientRect();
    const style = getComputedStyle(lines[0][1]);
    const across = lines[0].slice(1).map((cell) => cell.getBoundingClientRect());
    const down = lines.map((cells) => cells[1].getBoundingClientRect());
    const next = {
      x: across.map(({ left, width }) => [left - from.left, width]),
      y: down.map(({ top, height }) => [top - from.top, height]),
      at: [from.left - home.left, from.top - home.top],
      size: [end.right - from.left, end.bottom - from.top],
      font: `${style.fontSize} ${style.fontFamily}`,
      ratio: window.devicePixelRatio,
    };
    const key = JSON.stringify(next);
    if (key === measured) return;
    measured = key;
    places = next;
    canvas.width = Math.round(next.size[0] * next.ratio);
    canvas.height = Math.round(next.size[1] * next.ratio);
    Object.assign(canvas.style, {
      left: `${next.at[0]}px`,
      top: `${next.at[1]}px`,
      width: `${next.size[0]}px`,
      height: `${next.size[1]}px`,
    });
    pen.setTransform(next.ratio, 0, 0, next.ratio, 0, 0);
    pen.font = next.font;
    pen.textAlign = "center";
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: below } = pen.measureText("0");
    places.baseline = (up - below) / 2; // from the middle of a cell
    stale = true;
  }

  function drawCell(k, { text, level }, mark) {
    const [[x, width], [y, height]] = [places.x[k % columns], places.y[Math.floor(k / columns)]];
    pen.fillStyle = level < 0 ? "#e4e4e4" : palette.css[level];
    pen.fillRect(x, y, width, height);
    if (level < 0) hatchCell(x + 1, y + 1, width - 2, height - 2);
    pen.strokeStyle = mark ? FRAMES[mark] : "rgba(128, 128, 128, 0.35)";
    const thick = mark ? 2 : 1;
    pen.lineWidth = thick;
    pen.strokeRect(x + thick / 2, y + thick / 2, width - thick, height - thick);
    pen.fillStyle = level < 0 ? "#1b1b1b" : palette.ink[level];
    pen.fillText(text, x + width / 2, Math.floor(y + height / 2 + places.baseline));
  }

  function hatchCell(x, y, width, height) {
    pen.save();
    pen.beginPath();
    pen.rect(x, y, width, height);
    pen.clip();
    pen.strokeStyle = "#8a8a8a";
    pen.lineWidth = 1;
    pen.beginPath();
    // As the style sheet's stripes: 6 apart, the first through the lower left corner.
    for (let at = Math.SQRT1_2 - height; at < width; at += 6 * Math.SQRT2) {
      pen.moveTo(x + at, y);
      pen.lineTo(x + at + height, y + height);
    }
    pen.stroke();
    pen.restore();
  }

  // Measured when the page has just been laid out: in the midst of a move, it would be once more.
  new ResizeObserver(measure).observe(table);

  return {
    el: box,
    // Whether there is a place to draw in: not before the page shows the table, nor while it hides it.
    ready() {
      if (places && places.ratio !== window.devicePixelRatio) measure();
      return Boolean(places && places.size[0] > 0);
    },
    // Only what has changed is drawn again.
    draw(values) {
      for (let k = 0; k < count; k++) {
        if (!stale && Object.is(drawn[k], values[k]) && framed[k] === marks[k]) continue;
        drawCell(k, seen(values[k]), marks[k]);
        [drawn[k], framed[k]] = [values[k], marks[k]];
      }
      stale = false;
      appear(true);
    },
    hide: () => appear(false),
    // [row or cell of the table, class], as the table marks them; the later ones over the earlier.
    mark(marked) {
      marks = new Array(count);
      for (const name of Object.keys(FRAMES)) {
        for (const [node, is] of marked) {
          if (is !== name) continue;
          const row = lines.findIndex((cells) => cells[0].parentNode === node.closest("tr"));
          const column = lines[row].indexOf(node) - 1; // -2 for a whole row
          const whole = column === -2;
          for (let c = 0; c < columns; c++) if (whole || c === column) marks[row * columns + c] = name;
        }
      }
    },
  };
}
