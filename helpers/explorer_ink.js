// A table of many cells, while a slider moves: laying out a hundred texts takes a browser longer than
// a frame should, so the numbers are drawn on a canvas over the table, which follows when they rest.

// lines: a list of the row's token and its cells, for each row. seen(x): {text, level} of a number.
function inkOver(table, lines, palette, seen) {
  const box = make("div", "ax-inked");
  const canvas = make("canvas", "ax-ink");
  canvas.setAttribute("aria-hidden", "true");
  // By opacity, not display: its coming and going then needs neither layout nor painting.
  const appear = (there) => (canvas.style.opacity = there ? 1 : 0);
  canvas.width = canvas.height = 0;
  box.append(table, canvas);
  const columns = lines[0].length - 1;
  const count = lines.length * columns;
  const drawn = new Float32Array(count); // what the canvas holds, cell by cell …
  const marked = new Array(count); // … and how it is marked there
  let pen = null; // there once the canvas holds something
  let marks = new Array(count);
  let places = null;
  let measured = ""; // the same, to compare

  // Where the columns and rows are, in pixels of the screen; a canvas of another size or font is
  // begun anew, and until then there is nothing in it to show.
  function measure() {
    const from = lines[0][1].getBoundingClientRect();
    const end = lines.at(-1).at(-1).getBoundingClientRect();
    const home = box.getBoundingClientRect();
    const style = getComputedStyle(lines[0][1]);
    const ratio = window.devicePixelRatio;
    // A cell ends where the next begins: browsers may give numbers that differ by a hair.
    const spans = (starts, end, origin) => {
      const edges = [...starts, end].map((edge) => Math.round((edge - origin) * ratio));
      return starts.map((_, i) => [edges[i], edges[i + 1]]);
    };
    const across = lines[0].slice(1).map((cell) => cell.getBoundingClientRect().left);
    const down = lines.map((cells) => cells[1].getBoundingClientRect().top);
    const next = {
      x: spans(across, end.right, from.left),
      y: spans(down, end.bottom, from.top),
      at: [from.left - home.left, from.top - home.top],
      font: `${style.fontSize} ${style.fontFamily}`,
      ratio,
    };
    const key = JSON.stringify(next);
    if (key === measured) return;
    measured = key;
    places = next;
    pen = null;
    appear(false);
    [canvas.width, canvas.height] = [next.x.at(-1)[1], next.y.at(-1)[1]];
    Object.assign(canvas.style, {
      left: `${next.at[0]}px`,
      top: `${next.at[1]}px`,
      width: `${canvas.width / ratio}px`, // so that a pixel of it is one of the screen
      height: `${canvas.height / ratio}px`,
    });
  }

  // Whether a cell of the row is other than what the canvas holds, which is noted as drawn.
  function changes(row, values) {
    let changed = false;
    for (let k = row * columns; k < (row + 1) * columns; k++) {
      changed ||= !Object.is(drawn[k], values[k]) || marked[k] !== marks[k];
      [drawn[k], marked[k]] = [values[k], marks[k]];
    }
    return changed;
  }

  // Measured when the page has just been laid out: in the midst of a move, it would be once more.
  new ResizeObserver(measure).observe(table);

  return {
    el: box,
    // Whether there is a place to draw in: not before the page shows the table, nor while it hides
    // it, nor where it writes from right to left; and whether letters can be had.
    ready() {
      if (places && places.ratio !== window.devicePixelRatio) measure();
      return places?.x.at(-1)[1] > 0 && canBeRead();
    },
    // Only rows that have changed are drawn again.
    draw(values) {
      const anew = !pen;
      pen ??= penFor(canvas, places, palette);
      lines.forEach((_, row) => {
        if (!changes(row, values) && !anew) return;
        const from = row * columns;
        const cells = Array.from(values.subarray(from, from + columns), seen);
        cells.forEach((cell, column) => (cell.mark = marks[from + column]));
        pen.drawRow(row, cells);
      });
      pen.show();
      appear(true);
    },
    hide: () => appear(false),
    // [row or cell of the table, class], as the table marks them.
    mark(given) {
      marks = new Array(count);
      for (const name of Object.keys(MARKS)) {
        for (const [node, is] of given) {
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
