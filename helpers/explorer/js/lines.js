// Weights as lines: queries on the left, keys on the right, and between them a line for each weight, as
// thick as it is large. All heads are in one drawing, each with its colour and its dashes. The table stays
// on the page, unseen: keys and screen readers walk in it, and what they are on shows in the lines.

const PITCH = 26; // pixels from word to word
const THICKEST = { one: 9, many: 4 }; // pixels, of a line at the end of the scale: with one head, or more
const APART = { each: 5, all: 18 }; // pixels between the lines of two heads; of all of them, at most
const NEAR = 5; // pixels from a line, so that it is pointed at
const SEEN = 0.25; // pixels: thinner lines are not pointed at
const SVG = "http://www.w3.org/2000/svg";

function linesGrid(panel, head, spec) {
  const count = Math.max(1, panel.heads);
  const box = make("div", "ax-lines");
  const sheet = make("div", "ax-sheet");
  sheet.setAttribute("aria-hidden", "true"); // the table says it all
  const words = { rows: wordColumn(panel, "rows"), columns: wordColumn(panel, "columns") };
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("height", PITCH * Math.max(panel.tall, panel.wide));
  const heads = places(count, (h) => headOf(panel, spec, h, count, svg));
  sheet.append(words.rows.el, svg, words.columns.el);
  if (panel.heads) box.append(legend(panel, heads));
  box.append(sheet);
  const thickest = THICKEST[count > 1 ? "many" : "one"];
  let shown = null; // the data that were drawn last
  let state = null;

  function draw(data) {
    shown = data;
    if (panel.view !== "lines") return;
    words.rows.name(panel.rows);
    words.columns.name(panel.columns);
    const { end } = data.scales[panel.index];
    for (const { h, lines } of heads) {
      const start = startOf(data, panel, h);
      for (let k = 0; k < lines.length; k++) {
        const x = isCell(panel, k) ? data.frames[start + k] : NaN;
        const line = lines[k];
        if (Object.is(line.x, x) && line.end === end) continue;
        [line.x, line.end] = [x, end];
        const thick = Number.isNaN(x) ? 0 : Math.round(1000 * thickest * within(x / end, 0, 1)) / 1000;
        if (thick === line.thick) continue;
        line.thick = thick;
        line.el.setAttribute("stroke-width", thick);
      }
    }
  }

  // The line nearest to the pointer, or the word under it.
  function locate(event) {
    const word = event.target.closest(".ax-end");
    if (word) return word.dataset.side === "rows" ? [Number(word.dataset.k), -1] : [-1, Number(word.dataset.k)];
    const { left, top, width } = svg.getBoundingClientRect();
    const [across, y] = [(event.clientX - left) / width, event.clientY - top];
    if (across < 0 || across > 1) return null;
    let best = null;
    for (const { h, lines, el } of heads) {
      if (el.classList.contains("ax-off")) continue;
      for (const line of lines) {
        if (line.thick < SEEN) continue;
        const away = Math.abs(line.from + (line.to - line.from) * across - y) - line.thick / 2;
        if (away < (best?.away ?? NEAR)) best = { away, place: [line.row, line.column, h] };
      }
    }
    return best?.place ?? null;
  }

  // Of what is pointed at, or else pinned or locked, the lines are alone.
  function mark(now) {
    state = now;
    if (panel.view !== "lines") return;
    const at = [now.over, now.pinned, now.locked].find((place) => isThere(spec, place));
    const mine = at?.panel === panel.index;
    const row = rowOf(panel, at);
    const column = mine ? at.column : -1;
    const only = mine && at.column >= 0 && at.row >= 0 && panel.heads ? at.head : ALL_HEADS;
    const alone = row >= 0 || column >= 0;
    for (const { h, lines } of heads) {
      for (const line of lines) {
        const kept = (row < 0 || line.row === row) && (column < 0 || line.column === column) && (only < 0 || only === h);
        line.el.classList.toggle("ax-dim", alone && !kept);
      }
    }
    words.rows.mark(row, rowOf(panel, now.locked));
    words.columns.mark(column, now.locked?.panel === panel.index && now.locked.row < 0 ? now.locked.column : -1);
  }

  return {
    el: box,
    draw,
    mark,
    locate,
    focused: () => null, // keys are for the table
    heads,
    // Another view of the panel was chosen.
    renew() {
      if (shown) draw(shown);
      if (state) mark(state);
    },
  };
}

// The lines of one head, from each query to each key.
function headOf(panel, spec, h, count, svg) {
  const el = document.createElementNS(SVG, "g");
  const shift = (h - (count - 1) / 2) * Math.min(APART.each, APART.all / count);
  paintHead(el, spec, h);
  const lines = places(panel.tall * panel.wide, (k) => {
    const [row, column] = [Math.floor(k / panel.wide), k % panel.wide];
    const [from, to] = [row, column].map((place) => PITCH * (place + 0.5) + shift);
    const line = document.createElementNS(SVG, "line");
    const ends = { x1: "0", x2: "100%", y1: from, y2: to, "stroke-width": 0 };
    for (const [name, value] of Object.entries(ends)) line.setAttribute(name, value);
    el.append(line);
    return { el: line, row, column, from, to, thick: 0, x: null, end: null };
  });
  svg.append(el);
  return { h, el, lines };
}

// Colour and dashes of a head: past eight, colours begin anew with other dashes.
function paintHead(el, spec, h) {
  const round = Math.floor(h / spec.series.length);
  el.setAttribute("stroke", spec.series[h % spec.series.length]);
  const dashes = spec.dashes[(h + round) % spec.dashes.length];
  if (dashes) el.setAttribute("stroke-dasharray", dashes);
}

// The words of one side, one below the other.
function wordColumn(panel, side) {
  const el = make("div", `ax-ends ax-${side}`);
  const room = longestOf(panel.moving?.[side].flat() ?? panel[side]);
  const words = places(side === "rows" ? panel.tall : panel.wide, (k) => {
    const word = make("span", "ax-end");
    const text = word.appendChild(make("span", "ax-token"));
    text.dir = "auto";
    Object.assign(word.dataset, { side, k });
    text.dataset.room = room;
    el.append(word);
    return word;
  });
  let named = null;
  return {
    el,
    name(labels) {
      if (named === labels) return;
      named = labels;
      words.forEach((word, k) => {
        word.classList.toggle("ax-none", k >= labels.length);
        word.firstChild.textContent = word.title = labels[k] ?? "";
      });
    },
    mark(over, locked) {
      words.forEach((word, k) => {
        word.classList.toggle("ax-over", k === over);
        word.classList.toggle("ax-kept", k === locked);
      });
    },
  };
}

// A button for each head, with a sample of its line; it hides and shows the head.
function legend(panel, heads) {
  const el = make("div", "ax-legend");
  el.setAttribute("role", "group");
  el.setAttribute("aria-label", `${panel.name}: heads that are shown`);
  for (const { h, el: lines } of heads) {
    const button = makeButton("ax-head-button", "", `head ${h + 1}`);
    button.title = `${panel.name}: hide or show head ${h + 1}`;
    const sample = document.createElementNS(SVG, "svg");
    sample.setAttribute("aria-hidden", "true");
    const line = document.createElementNS(SVG, "line");
    for (const name of ["stroke", "stroke-dasharray"]) {
      if (lines.hasAttribute(name)) line.setAttribute(name, lines.getAttribute(name));
    }
    const ends = { x1: 0, x2: 34, y1: 6, y2: 6, "stroke-width": 3 };
    for (const [name, value] of Object.entries(ends)) line.setAttribute(name, value);
    sample.append(line);
    button.append(sample, make("span", "", `head ${h + 1}`));
    button.setAttribute("aria-pressed", "true");
    button.addEventListener("click", () => {
      const off = lines.classList.toggle("ax-off");
      button.setAttribute("aria-pressed", String(!off));
    });
    el.append(button);
  }
  return el;
}

// The button that changes between table and lines.
function linesButton(panel, box, grid, chosen, changed) {
  const button = makeButton("ax-tool", "", "");
  const reads = box.querySelector(".ax-reads");
  const show = () => {
    const lined = panel.view === "lines";
    box.classList.toggle("ax-lined", lined);
    reads.textContent = readsOf(panel);
    button.textContent = lined ? "table" : "lines";
    button.title = `${panel.name}: show as ${button.textContent}`;
    button.setAttribute("aria-label", button.title);
  };
  button.addEventListener("click", () => {
    panel.view = chosen[panel.name] = panel.view === "lines" ? "table" : "lines";
    show();
    grid.renew();
    changed();
  });
  show();
  return button;
}
