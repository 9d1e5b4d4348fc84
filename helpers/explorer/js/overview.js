// Small pictures of the first panel at every position of two controls; a click or Enter on one sets both.
// They are drawn from the frames that are there anyhow, and each is darkest at its own largest number.

const TILES = [[4, 44], [8, 36], [12, 30], [Infinity, 24]]; // up to so many in a row, so many pixels of the page
const BETWEEN = 3; // pixels of the page
const NO_PIXEL = 0xffd2d2d2; // where all is masked: hatching would not be seen

function overviewOf(data, state, showMarks, setControl) {
  const { spec } = data;
  const [first, second] = spec.overview;
  const [down, across] = [spec.choices[first], spec.choices[second]];
  const tile = TILES.find(([most]) => across.length <= most)[1];
  const size = { width: across.length * tile, height: down.length * tile };
  const title = say("overview", { rows: down.length, columns: across.length });
  const sheet = sheetOf(title, down.length, across.length, size);
  const sharp = Math.ceil(window.devicePixelRatio);
  Object.assign(sheet.canvas, { width: size.width * sharp, height: size.height * sharp });
  const context = sheet.canvas.getContext("2d");
  const marks = { open: sheet.mark("ax-marker ax-pin"), over: sheet.mark("ax-marker") };
  let over = null; // the place that is pointed at
  let drawn = null; // the frames, and where the other controls stood
  const box = make("div", "ax-panel ax-overview");
  box.append(sheet.el, make("div", "ax-reads", say("how to, overview")));

  function draw() {
    const others = data.places.filter((_, i) => i !== first && i !== second).join();
    if (drawn?.frames === data.frames && drawn.others === others) return;
    drawn = { frames: data.frames, others };
    sheet.name(down, across);
    const pixels = (tile - BETWEEN) * sharp;
    context.clearRect(0, 0, sheet.canvas.width, sheet.canvas.height);
    down.forEach((_, row) => across.forEach((_, column) => {
      const at = data.places.with(first, row).with(second, column);
      context.putImageData(small(data, indexOf(at, spec), pixels), column * tile * sharp, row * tile * sharp);
    }));
  }

  function point(place) {
    over = place;
    state.hint = place ? [down[place[0]], across[place[1]]].join(", ") : "";
    showMarks();
  }

  function open(place) {
    setControl(first, place[0]);
    setControl(second, place[1]);
  }

  const on = (name, act) => sheet.el.addEventListener(name, act);
  const located = (event) => {
    const place = sheet.locate(event);
    return place && place[1] >= 0 ? place : null;
  };
  on("pointermove", (event) => point(located(event)));
  on("pointerleave", () => point(null));
  on("focusout", () => point(null));
  on("focusin", (event) => event.target.matches(":focus-visible") && point(sheet.cursor));
  on("click", (event) => {
    const place = located(event);
    if (place) open((sheet.cursor = place));
  });
  on("keydown", (event) => {
    if (isCommand(event)) return;
    const next = step(sheet.cursor, event.key, [down.length, across.length]);
    if (next) point((sheet.cursor = next));
    else if (event.key === "Enter" || event.key === " ") open(sheet.cursor);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const placed = (at) => at && { row: at[0], column: at[1] };
  const mark = () => {
    marks.over(placed(over));
    marks.open(placed([data.places[first], data.places[second]]));
  };
  return { el: box, grids: [{ draw, mark }] };
}

// The first panel at a frame in at most side × side pixels, each as dark as the largest number in it.
function small({ spec, frames }, frame, side) {
  const [panel] = spec.panels;
  const [tall, wide] = (panel.at[frame] ?? panel.at[0]).map((k, i) => (i ? panel.columns : panel.rows)[k].length);
  const start = frame * spec.size + panel.offset;
  const scaled = (k, size) => Math.floor((k * size) / side);
  const step = [Math.max(1, tall / side), Math.max(1, wide / side)];
  const largest = new Float32Array(side * side).fill(NaN);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      for (let row = scaled(y, tall); row < scaled(y, tall) + step[0]; row++) {
        for (let column = scaled(x, wide); column < scaled(x, wide) + step[1]; column++) {
          const number = frames[start + row * panel.wide + column];
          const before = largest[y * side + x];
          if (!Number.isNaN(number) && !(Math.abs(before) >= Math.abs(number))) largest[y * side + x] = number;
        }
      }
    }
  }
  const end = largest.reduce((most, x) => (Math.abs(x) > most ? Math.abs(x) : most), 0) || 1;
  const image = new ImageData(side, side);
  const pixels = new Uint32Array(image.data.buffer);
  const palette = paletteOf(panel).pixel;
  largest.forEach((x, k) => (pixels[k] = Number.isNaN(x) ? NO_PIXEL : palette[levelOf(x, end)]));
  return image;
}
