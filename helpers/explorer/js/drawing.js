// A panel drawn anew as an SVG, from its labels and numbers: what is saved stands alone, with no style
// sheet, no script and nothing from the network, and looks the same in either theme.

const PAPER = { ink: "#1b1b1b", line: "#8a8a8a", masked: "#e4e4e4" };
const FONT = "system-ui, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";
const LABEL_CUT = 16; // letters
const DRAWN = { high: 28, image: 480, bar: 200, barHigh: 14, join: 220, gap: 24 }; // pixels

const escaped = (text) =>
  String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

function element(name, attributes, inner = "") {
  const given = Object.entries(attributes).map(([key, x]) => ` ${key}="${escaped(x)}"`);
  return `<${name}${given.join("")}>${inner}</${name}>`;
}

const cutLabel = (label) => (label.length > LABEL_CUT ? `${label.slice(0, LABEL_CUT - 1)}…` : label);

// Text whose middle is at this height; `more` are attributes.
const textAt = (x, y, text, { size = 13, anchor = "start", ...more } = {}) =>
  element("text", { x, y: y + 0.36 * size, "font-size": size, "text-anchor": anchor, ...more }, escaped(text));

function widthOf(texts, size = 13, weight = 500) {
  const pen = make("canvas").getContext("2d");
  pen.font = `${weight} ${size}px ${FONT}`;
  return Math.ceil(Math.max(0, ...texts.map((text) => pen.measureText(text).width)));
}

const movedTo = (x, y, body) => element("g", { transform: `translate(${x} ${y})` }, body);

// The whole file; `where` says where the sliders stand.
function drawPanel(panel, grids, data, where) {
  const blocks = blocksOf(panel, grids, data);
  const across = Math.min(blocks.length, 4);
  const wide = Math.max(...blocks.map(({ width }) => width));
  const high = Math.max(...blocks.map(({ height }) => height));
  const title = textAt(0, 10, panel.name, { size: 15, "font-weight": 700 });
  let body = title + textAt(widthOf([panel.name], 15, 700) + 10, 10, readsOf(panel), { size: 12 });
  blocks.forEach((block, i) => {
    const [x, y] = [(i % across) * (wide + DRAWN.gap), 28 + Math.floor(i / across) * (high + DRAWN.gap)];
    body += movedTo(x, y, block.body);
  });
  let below = 28 + Math.ceil(blocks.length / across) * (high + DRAWN.gap) - DRAWN.gap + 16;
  const scale = panel.role === "chances" ? null : scaleBlock(panel, data);
  if (scale) body += movedTo(0, below, scale);
  if (scale) below += 24;
  if (where) body += textAt(0, below, where, { size: 12 });
  if (where) below += 16;
  const heading = widthOf([panel.name], 15, 700) + 10 + widthOf([readsOf(panel)], 12);
  const width = Math.max(across * (wide + DRAWN.gap) - DRAWN.gap, heading, widthOf([where], 12), 190) + 20;
  const height = below + 14;
  const named = element("title", {}, escaped([panel.name, where].filter(Boolean).join(": ")));
  return element("svg", {
    xmlns: SVG, width, height, viewBox: `-10 -10 ${width} ${height}`, role: "img",
    "font-family": FONT, fill: PAPER.ink,
  }, named + patterns(data.spec) + element("rect", { x: -10, y: -10, width, height, fill: "#fff" }) + body);
}

function blocksOf(panel, grids, data) {
  if (panel.role === "chances") return [barsBlock(panel, data)];
  if (panel.view === "lines") return [linesBlock(panel, data, grids.at(-1).heads)];
  return places(Math.max(1, panel.heads), (head) =>
    panel.picture ? imageBlock(panel, head, grids[head].canvas) : tableBlock(panel, head, data));
}

// Hatching for masked cells, and what tells bars of several series apart.
function patterns({ series }) {
  const pattern = (id, size, ground, body, turn) => element("pattern", {
    id, width: size, height: size, patternUnits: "userSpaceOnUse",
    ...(turn ? { patternTransform: `rotate(${turn})` } : {}),
  }, element("rect", { width: size, height: size, fill: ground }) + body);
  const stripe = (width, size, fill) => element("rect", { width, height: size, fill });
  return element("defs", {}, [
    pattern("masked", 6, PAPER.masked, stripe(1, 6, PAPER.line), 45),
    pattern("series1", 6, "#fff", stripe(4, 6, series[1]), 45),
    pattern("series2", 4, "#fff", stripe(2, 4, series[2])),
    pattern("series3", 4, "#fff", element("circle", { cx: 2, cy: 2, r: 1.7, fill: series[3] })),
  ].join(""));
}

const headTitle = (panel, head) =>
  panel.heads ? textAt(0, 6, `head ${head + 1}`, { size: 12 }) : "";

function tableBlock(panel, head, data) {
  const [down, across] = [panel.rows.map(cutLabel), panel.columns.map(cutLabel)];
  const { decimals } = data.spec;
  const x = (row, column) => valueOf(data, panel, head, row, column);
  const numbers = down.map((_, row) => across.map((_, column) => show(x(row, column), decimals)));
  const left = widthOf(down) + 8;
  const wide = Math.max(44, widthOf(numbers.flat()) + 12, widthOf(across) + 10);
  const top = (panel.heads ? 18 : 0) + 20;
  const { end } = data.scales[panel.index];
  const palette = paletteOf(panel);
  let body = headTitle(panel, head);
  across.forEach((label, column) => {
    body += textAt(left + (column + 0.5) * wide, top - 10, label, { anchor: "middle" });
  });
  down.forEach((label, row) => {
    const middle = top + (row + 0.5) * DRAWN.high;
    body += textAt(left - 8, middle, label, { anchor: "end" });
    across.forEach((_, column) => {
      const number = x(row, column);
      const masked = Number.isNaN(number);
      const level = masked ? 0 : levelOf(number, end);
      const place = { x: left + column * wide + 1, y: top + row * DRAWN.high + 1 };
      const size = { width: wide - 2, height: DRAWN.high - 2, rx: 2 };
      const fill = masked ? "url(#masked)" : palette.css[level];
      body += element("rect", { ...place, ...size, fill, stroke: PAPER.line, "stroke-opacity": 0.5 });
      if (masked) return;
      const at = left + (column + 0.5) * wide;
      body += textAt(at, middle, numbers[row][column], { anchor: "middle", fill: palette.ink[level] });
    });
  });
  return { width: left + across.length * wide, height: top + down.length * DRAWN.high, body };
}

function imageBlock(panel, head, canvas) {
  const side = Math.min(DRAWN.high, DRAWN.image / Math.max(panel.tall, panel.wide));
  const cells = { width: panel.columns.length, height: panel.rows.length };
  const picture = Object.assign(make("canvas"), cells); // without the room for cells that are not there
  picture.getContext("2d").drawImage(canvas, 0, 0);
  const [width, height] = [side * cells.width, side * cells.height];
  const step = Math.ceil(13 / side);
  const [down, across] = [panel.rows.map(cutLabel), panel.columns.map(cutLabel)];
  const left = widthOf(down, 11) + 6;
  const top = (panel.heads ? 18 : 0) + widthOf(across, 11) + 6;
  let body = headTitle(panel, head);
  const named = (labels, draw) => labels.forEach((label, k) => k % step || (body += draw(label, (k + 0.5) * side)));
  named(down, (label, y) => textAt(left - 6, top + y, label, { size: 11, anchor: "end" }));
  named(across, (label, x) => {
    const upright = { transform: `translate(${left + x} ${top - 6}) rotate(-90)` };
    return element("g", upright, textAt(0, 0, label, { size: 11 }));
  });
  const place = { x: left, y: top, width, height };
  const image = { href: picture.toDataURL(), preserveAspectRatio: "none", style: "image-rendering: pixelated" };
  body += element("image", { ...place, ...image });
  body += element("rect", { ...place, fill: "none", stroke: PAPER.line });
  return { width: left + width, height: top + height, body };
}

function linesBlock(panel, data, heads) {
  const [down, across] = [panel.rows.map(cutLabel), panel.columns.map(cutLabel)];
  const left = widthOf(down) + 8;
  const shown = heads.filter(({ el }) => !el.classList.contains("ax-off"));
  const top = panel.heads ? 26 : 0;
  let body = "";
  let x = 0;
  for (const { h, el } of panel.heads ? shown : []) {
    body += element("line", { x1: x, x2: x + 34, y1: 8, y2: 8, "stroke-width": 3, ...strokeOf(el) });
    body += textAt(x + 40, 8, `head ${h + 1}`, { size: 12 });
    x += 46 + widthOf([`head ${h + 1}`], 12) + 10;
  }
  down.forEach((label, k) => (body += textAt(left - 8, top + PITCH * (k + 0.5), label, { anchor: "end" })));
  across.forEach((label, k) => (body += textAt(left + DRAWN.join + 8, top + PITCH * (k + 0.5), label)));
  for (const { el, lines } of shown) {
    const drawn = lines.filter(({ thick, el: line }) => thick > 0 && !line.classList.contains("ax-dim"));
    body += element("g", { ...strokeOf(el), opacity: 0.85 }, drawn.map(({ from, to, thick }) =>
      element("line", { x1: left, x2: left + DRAWN.join, y1: top + from, y2: top + to, "stroke-width": thick })).join(""));
  }
  const width = Math.max(x, left + DRAWN.join + 8 + widthOf(across));
  return { width, height: top + PITCH * Math.max(down.length, across.length), body };
}

function strokeOf(el) {
  const names = ["stroke", "stroke-dasharray"].filter((name) => el.hasAttribute(name));
  return Object.fromEntries(names.map((name) => [name, el.getAttribute(name)]));
}

function barsBlock(panel, data) {
  const { spec } = data;
  const { order, others, sums } = rankedBars(panel, data);
  const words = order.map((column) => [panel.columns[column], panel.rows.map((_, row) => valueOf(data, panel, 0, row, column))]);
  if (others) words.push([OTHERS(others), sums]);
  const left = widthOf(words.map(([word]) => cutLabel(word))) + 8;
  const fills = [spec.series[0], "url(#series1)", "url(#series2)", "url(#series3)"];
  let [body, y, x] = ["", 0, left];
  if (panel.tall > 1) {
    panel.rows.forEach((label, row) => {
      body += element("rect", { x, y: 1, width: 14, height: 11, fill: fills[row], stroke: PAPER.line });
      body += textAt(x + 19, 7, label, { size: 12 });
      x += 19 + widthOf([label], 12) + 12;
    });
    y = 22;
  }
  for (const [word, numbers] of words) {
    const high = numbers.length * (DRAWN.barHigh + 4);
    body += textAt(left - 8, y + high / 2, cutLabel(word), { anchor: "end" });
    numbers.forEach((number, row) => {
      const bar = { x: left, y: y + row * (DRAWN.barHigh + 4) + 2, height: DRAWN.barHigh };
      body += element("rect", { ...bar, width: DRAWN.bar, fill: "#fff", stroke: PAPER.line });
      body += element("rect", { ...bar, width: DRAWN.bar * within(number / panel.limit, 0, 1), fill: fills[row] });
      body += textAt(left + DRAWN.bar + 8, bar.y + DRAWN.barHigh / 2, show(number, spec.decimals));
    });
    y += high + (numbers.length > 1 ? 6 : 2);
  }
  const ends = [[0, "start"], [0.5, "middle"], [1, "end"]];
  for (const [share, anchor] of ends) body += textAt(left + share * DRAWN.bar, y + 9, brief(share * panel.limit), { size: 12, anchor });
  return { width: Math.max(x, left + DRAWN.bar + 8 + widthOf([show(1, spec.decimals)])), height: y + 18, body };
}

// The colours, or in lines how thick they are, from end to end.
function scaleBlock(panel, data) {
  const { end } = data.scales[panel.index];
  const low = brief(panel.role === "weights" ? 0 : -end);
  const at = widthOf([low], 12, 400) + 6;
  const fill = panel.view === "lines" ? "#808080" : "url(#scale)";
  const points = `${at},5 ${at + 90},0 ${at + 90},10`;
  const bar = panel.view === "lines"
    ? element("polygon", { points, fill })
    : element("rect", { x: at, y: 0, width: 90, height: 10, fill, stroke: PAPER.line });
  const stops = (panel.role === "weights" ? ["#fff", panel.high] : [panel.low, "#fff", panel.high]);
  const gradient = element("linearGradient", { id: "scale" }, stops.map((colour, k) =>
    element("stop", { offset: k / (stops.length - 1), "stop-color": colour })).join(""));
  let body = gradient + textAt(0, 5, low, { size: 12 }) + bar + textAt(at + 96, 5, brief(end), { size: 12 });
  if (panel.masked && panel.view !== "lines") {
    const x = at + 96 + widthOf([brief(end)], 12) + 12;
    body += element("rect", { x, y: 0, width: 14, height: 10, fill: "url(#masked)" });
    body += textAt(x + 20, 5, MASKED, { size: 12 });
  }
  return body;
}
