// Cells of a table as pixels. A canvas has fills and texts of its own, but takes three times as long
// for a few hundred of them.

const OPAQUE = 0xff << 24;
const GREY = 0x808080; // colours are 0xBBGGRR, as a canvas keeps them
const HIDDEN = { ground: 0xe4e4e4, stripe: 0x8a8a8a, apart: 6, ink: 0x1b1b1b };
const LINE = 90; // how much grey is in the line around a cell, in 256ths
// The line around a marked cell, and how thick it is; the later marks over the earlier.
const MARKS = {
  "ax-row": [0x5a5a5a, 1],
  "ax-locked": [0xb27200, 2],
  "ax-at": [0x1b1b1b, 2],
  "ax-pinned": [0x009fe6, 3],
};

// The colour with a share of another over it, in 256ths; red and blue in one go, for speed.
function mixed(under, over, share) {
  const [both, green] = [under & 0xff00ff, under & 0xff00];
  const bothMixed = both + (Math.imul((over & 0xff00ff) - both, share) >> 8);
  const greenMixed = green + (Math.imul((over & 0xff00) - green, share) >> 8);
  return OPAQUE | (bothMixed & 0xff00ff) | (greenMixed & 0xff00);
}

// places: {x, y}, lists of [from, to] for columns and rows, and `ratio` and `font`, in pixels of the
// screen. Call drawRow for rows that change, then show.
function penFor(canvas, places, palette) {
  const side = canvas.width;
  const context = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
  const image = context.createImageData(side, canvas.height);
  const pixels = new Int32Array(image.data.buffer);
  const letters = lettersOf(places.font, places.ratio);

  const fill = (x0, x1, y, colour) => pixels.fill(colour, y * side + x0, y * side + x1);

  // The colours and the line of a cell: {text, level, ground, line, thick}.
  function look({ text, level, mark }) {
    const ground = OPAQUE | (level < 0 ? HIDDEN.ground : palette.pixel[level]);
    const [colour, thick] = MARKS[mark] ?? [mixed(ground, GREY, LINE), 1];
    return { text, level, ground, line: OPAQUE | colour, thick: Math.max(1, Math.round(thick * places.ratio)) };
  }

  // One line of pixels is drawn and copied down to the others: filling cell by cell takes five times
  // as long. Then comes what differs at the top and the bottom, and within the cells.
  function drawRow(row, cells) {
    const [y0, y1] = places.y[row];
    const looks = cells.map(look);
    looks.forEach(({ ground, line, thick }, column) => {
      const [x0, x1] = places.x[column];
      fill(x0, x1, y0, line);
      fill(x0 + thick, x1 - thick, y0, ground);
    });
    for (let y = y0 + 1; y < y1; y++) pixels.copyWithin(y * side, y0 * side, (y0 + 1) * side);
    looks.forEach(({ text, level, line, thick }, column) => {
      const [x0, x1] = places.x[column];
      for (let k = 0; k < thick; k++) {
        fill(x0, x1, y0 + k, line);
        fill(x0, x1, y1 - 1 - k, line);
      }
      if (level < 0) hatch(places.x[column], places.y[row], thick);
      const ink = level < 0 ? HIDDEN.ink : palette.ink[level] === "#000" ? 0 : 0xffffff;
      write(text, (x0 + x1) / 2, (y0 + y1) / 2, ink);
    });
  }

  // As the style sheet's stripes: hard-edged, the first near the lower left corner, found by trial.
  function hatch([x0, x1], [y0, y1], thick) {
    const corner = x0 - y1 + Math.round(2.25 * places.ratio);
    const step = places.ratio * Math.SQRT2; // a pixel of the page across a stripe, along a row
    for (let y = y0 + thick; y < y1 - thick; y++) {
      for (let x = x0 + thick; x < x1 - thick; x++) {
        const across = (x - y - corner) / step;
        if (across - HIDDEN.apart * Math.floor(across / HIDDEN.apart) >= 1) continue;
        pixels[y * side + x] = OPAQUE | HIDDEN.stripe;
      }
    }
  }

  function write(text, middle, centre, colour) {
    let width = 0;
    for (let i = 0; i < text.length; i++) width += letters.letterAt(text[i], 0).advance;
    let start = middle - width / 2;
    const top = Math.floor(centre + letters.lower) - letters.rise;
    for (let i = 0; i < text.length; i++) {
      const { advance, x, y, cover } = letters.letterAt(text[i], start);
      const left = Math.floor(start);
      for (let k = 0; k < x.length; k++) {
        if (left + x[k] < 0 || left + x[k] >= side) continue;
        const pixel = (top + y[k]) * side + left + x[k];
        pixels[pixel] = mixed(pixels[pixel], colour, cover[k]);
      }
      start += advance;
    }
  }

  return { drawRow, show: () => context.putImageData(image, 0, 0) };
}

// Whether a canvas can be read: some browsers give noise or white instead, to keep pages from knowing
// them again.
function canBeRead() {
  if (shared.canvasIsTrue === null) {
    const blank = make("canvas").getContext("2d", { willReadFrequently: true });
    shared.canvasIsTrue = !blank.getImageData(0, 0, 8, 8).data.some(Boolean);
  }
  return shared.canvasIsTrue;
}

// Letters as the browser draws them: letterAt(letter, start) is {advance, x, y, cover}, its width and
// the pixels that it covers, from the one in which it starts, each by `cover` 256ths. The baseline is
// `rise` pixels below the first, and `lower` than the middle of a line.
function lettersOf(font, ratio) {
  const PHASES = 4; // places within a pixel where a letter may start
  const MARGIN = 2; // a letter may reach out to its left
  const masks = new Map();
  const pen = make("canvas").getContext("2d", { willReadFrequently: true });
  pen.font = font;
  const { fontBoundingBoxAscent, fontBoundingBoxDescent } = pen.measureText("0");
  const [up, down] = [fontBoundingBoxAscent * ratio, fontBoundingBoxDescent * ratio];
  const rise = Math.ceil(up);
  const height = rise + Math.ceil(down);

  function mask(letter, phase) {
    const advance = pen.measureText(letter).width * ratio;
    const width = Math.ceil(advance) + 2 * MARGIN;
    Object.assign(pen.canvas, { width, height }); // clear again, its settings forgotten
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = font;
    pen.fillText(letter, (MARGIN + phase / PHASES) / ratio, rise / ratio);
    const { data } = pen.getImageData(0, 0, width, height);
    const cover = (k) => Math.ceil((data[4 * k + 3] * 256) / 255);
    const covered = Array.from({ length: width * height }, (_, k) => k).filter(cover);
    return {
      advance,
      x: Int16Array.from(covered, (k) => (k % width) - MARGIN),
      y: Int16Array.from(covered, (k) => Math.floor(k / width)),
      cover: Int16Array.from(covered, cover),
    };
  }

  function letterAt(letter, start) {
    const phase = Math.floor((start - Math.floor(start)) * PHASES);
    const key = PHASES * letter.charCodeAt(0) + phase;
    if (!masks.has(key)) masks.set(key, mask(letter, phase));
    return masks.get(key);
  }

  return { letterAt, rise, lower: (up - down) / 2 };
}
