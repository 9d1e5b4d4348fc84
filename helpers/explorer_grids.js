// The Explorer's matrices: small ones as tables with numbers, large ones as pictures. Each grid can
// draw a frame, mark a cell, say which cell an event is on, and take the focus.

function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text; // never innerHTML: tokens are text
  return node;
}

// A matrix small enough for numbers: a real table, read by screen readers as one.
function tableGrid(panel, head, decimals) {
  const table = make("table", panel.columns.length > 8 ? "ax-grid ax-dense" : "ax-grid");
  table.setAttribute("role", "grid");
  table.setAttribute("aria-label", panel.heads ? `${panel.name}, head ${head + 1}` : panel.name);
  const header = (label, scope) => {
    const th = make("th");
    const text = make("span", "ax-token", label);
    text.dir = "auto";
    th.scope = scope;
    th.title = label;
    th.append(text);
    return th;
  };
  const top = make("tr");
  top.append(make("td", "ax-corner"), ...panel.columns.map((label) => header(label, "col")));
  table.append(top);
  const cells = panel.rows.map((label, row) => {
    const tr = make("tr");
    tr.append(header(label, "row"));
    const tds = panel.columns.map((_, column) => {
      const td = make("td", "ax-cell", "0");
      td.tabIndex = row + column === 0 ? 0 : -1;
      td.dataset.row = row;
      td.dataset.column = column;
      tr.append(td);
      return td;
    });
    table.append(tr);
    return tds;
  });
  const place = (td) => (td ? [Number(td.dataset.row), Number(td.dataset.column)] : null);
  return {
    el: table,
    locate: (event) => place(event.target.closest(".ax-cell")),
    focused: (event) => place(event.target.closest(".ax-cell")) ?? [0, 0],
    focus(row, column) {
      for (const td of cells.flat()) td.tabIndex = -1;
      cells[row][column].tabIndex = 0;
      cells[row][column].focus();
    },
    mark(at, pinned) {
      const mine = (point) => point && point.panel === panel.index && point.head === head;
      cells.forEach((tds, row) => {
        tds[0].parentNode.classList.toggle("ax-row", sameRow(panel, at, row));
        tds.forEach((td, column) => {
          const is = (point) => mine(point) && point.row === row && point.column === column;
          td.classList.toggle("ax-at", Boolean(is(at)));
          td.classList.toggle("ax-pinned", Boolean(is(pinned)));
        });
      });
    },
    draw(frame) {
      cells.forEach((tds, row) =>
        tds.forEach((td, column) => {
          const x = valueOf(frame, panel, head, row, column);
          if (Object.is(td.shown, x)) return;
          td.shown = x;
          const masked = Number.isNaN(x);
          td.classList.toggle(`ax-${MASKED}`, masked);
          const rgb = masked ? null : colour(panel, x);
          td.firstChild.data = masked ? "–" : show(x, decimals);
          td.style.backgroundColor = masked ? "" : `rgb(${rgb})`;
          td.style.color = masked ? "" : inkOn(rgb);
        }),
      );
    },
  };
}

// The query of the cell at hand lights up in every panel that has a row for it.
function sameRow(panel, at, row) {
  if (!at || panel.rows.length === 1) return false;
  return at.names.length === panel.rows.length ? at.row === row : at.names[at.row] === panel.rows[row];
}

// A matrix too large for numbers: one pixel a cell, enlarged; every k-th token named.
function pictureGrid(panel, head) {
  const [rows, columns] = [panel.rows.length, panel.columns.length];
  const box = make("div", panel.heads > 1 ? "ax-picture ax-small" : "ax-picture");
  const canvas = make("canvas", "ax-canvas");
  canvas.width = columns;
  canvas.height = rows;
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-label", `${panel.name}: ${rows} rows, ${columns} columns; arrow keys move`);
  const marker = make("div", "ax-marker");
  const frameBox = make("div", "ax-canvas-box");
  frameBox.append(canvas, marker);
  const names = panel.heads > 1 ? 4 : 8;
  box.append(thinned(panel.columns, "ax-top", names), thinned(panel.rows, "ax-left", names), frameBox);
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  let cursor = [0, 0];
  return {
    el: box,
    locate(event) {
      if (event.target !== canvas) return null;
      const { left, top, width, height } = canvas.getBoundingClientRect();
      const row = Math.floor(((event.clientY - top) / height) * rows);
      const column = Math.floor(((event.clientX - left) / width) * columns);
      const inside = row >= 0 && row < rows && column >= 0 && column < columns;
      if (inside) cursor = [row, column];
      return inside ? cursor : null;
    },
    focused: () => cursor,
    focus(row, column) {
      cursor = [row, column];
    },
    mark(at) {
      const mine = at && at.panel === panel.index && at.head === head;
      marker.hidden = !mine;
      if (!mine) return;
      marker.style.left = `${(100 * at.column) / columns}%`;
      marker.style.top = `${(100 * at.row) / rows}%`;
      marker.style.width = `${100 / columns}%`;
      marker.style.height = `${100 / rows}%`;
    },
    draw(frame) {
      for (let k = 0; k < rows * columns; k++) {
        const [row, column] = [Math.floor(k / columns), k % columns];
        const x = valueOf(frame, panel, head, row, column);
        const stripe = (row + column) % 4 < 2 ? 228 : 170; // hatching, one cell to a pixel
        const rgb = Number.isNaN(x) ? [stripe, stripe, stripe] : colour(panel, x);
        image.data.set([...rgb, 255], 4 * k);
      }
      context.putImageData(image, 0, 0);
    },
  };
}

function thinned(labels, className, most) {
  const box = make("div", className);
  const step = Math.ceil(labels.length / most);
  labels.forEach((label, i) => {
    if (i % step) return;
    const text = make("span", "ax-token", label);
    text.style.setProperty("--ax-place", `${(100 * (i + 0.5)) / labels.length}%`);
    text.title = label;
    box.append(text);
  });
  return box;
}

function show(x, decimals) {
  const text = x.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

function brief(x) {
  const text = String(Number(x.toFixed(4))).replace("-", "−");
  return x < 0 && Number(x.toFixed(4)) !== 0 ? `(${text})` : text.replace("−0", "0");
}

const hex = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));

// From low through white (at 0) to high (at the limit): the scale belongs to the role, not the data.
function colour(panel, x) {
  const share = Math.min(1, Math.abs(x) / panel.limit);
  const end = x < 0 ? panel.lowRgb : panel.highRgb;
  return end.map((channel) => Math.round(255 + (channel - 255) * share));
}

function inkOn([r, g, b]) {
  const linear = [r, g, b].map((v) => ((v / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  return luminance > 0.18 ? "#000" : "#fff"; // the point where black and white contrast alike
}
