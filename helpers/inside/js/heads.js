// All heads of a model as small pictures, a row for each layer: buttons that open their map. One of them
// takes Tab; the arrow keys lead to the others.

const SIDES = [[4, 44], [8, 36], [12, 30], [Infinity, 24]]; // up to so many heads, so many pixels of the page
const AT_ONCE = 40; // milliseconds of drawing, before the page may do something else
const HOW_TO_OPEN = "Each is darkest at its own largest weight. Click one, or reach it with Tab and the arrow keys.";

// open(map, head): called with the places of what was chosen, in spec.maps and its heads.
function headsGrid(spec, film, step, open) {
  const el = make("div", "ax-all-heads");
  const palette = paletteOf(spec).pixel;
  const most = Math.max(...spec.maps.map(({ heads }) => heads.length));
  const [, thumb] = SIDES.find(([heads]) => most <= heads);
  el.style.setProperty("--ax-thumb", `${thumb}px`);
  const buttons = []; // by row: those of a layer
  const waiting = [];
  const sheet = make("canvas");
  const maps = spec.grid.map((steps) => steps[step]).filter((map) => map >= 0);
  spec.groups.forEach((group, g) => {
    const mine = maps.filter((map) => spec.maps[map].group === g);
    if (!mine.length) return;
    el.append(make("div", "ax-stack-name", group.title));
    const grid = el.appendChild(make("div", "ax-thumbs"));
    grid.setAttribute("role", "grid");
    grid.setAttribute("aria-label", `all heads, ${group.title}`);
    const labels = rowLabels(mine.map((map) => spec.maps[map].name));
    grid.append(numbersOfHeads(spec.maps[mine[0]].heads));
    mine.forEach((map, i) => grid.append(rowOfThumbs(map, labels[i])));
  });
  if (waiting.length) el.append(make("div", "ax-hint", HOW_TO_OPEN));
  let marked = []; // the button of the head that is open, or those of its layer
  let entry = buttons[0]?.[0];
  if (entry) entry.tabIndex = 0;
  let timer = setTimeout(drawSome);

  function rowOfThumbs(map, label) {
    const { name, heads, at, group } = spec.maps[map];
    const [tall, wide] = [spec.groups[group].rows.length, spec.groups[group].columns.length];
    const row = make("div", "ax-thumb-row");
    row.setAttribute("role", "row");
    const header = row.appendChild(make("span", "ax-thumb-name", label));
    header.setAttribute("role", "rowheader");
    header.title = name;
    buttons.push(heads.map((number, head) => {
      const cell = row.appendChild(make("span"));
      cell.setAttribute("role", "gridcell");
      const button = cell.appendChild(makeButton("ax-thumb", "", `${name}, head ${number}`));
      Object.assign(button, { tabIndex: -1 });
      Object.assign(button.dataset, { map, head });
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => open(map, head));
      const picture = button.appendChild(Object.assign(make("img"), { alt: "" })); // the button says it
      waiting.push([picture, at + head * tall * wide, { tall, wide }]);
      return button;
    }));
    return row;
  }

  function drawSome() {
    const side = Math.round(thumb * Math.max(1, window.devicePixelRatio));
    const end = performance.now() + AT_ONCE;
    while (waiting.length && performance.now() < end) {
      const [picture, start, size] = waiting.shift();
      const image = thumbnail(film, start, size, side, palette);
      Object.assign(sheet, { width: image.width, height: image.height });
      sheet.getContext("2d").putImageData(image, 0, 0);
      picture.src = sheet.toDataURL(); // hundreds of canvases would be painted anew in every frame
    }
    if (waiting.length) timer = setTimeout(drawSome);
    else el.dataset.drawn = "true";
  }

  el.addEventListener("keydown", (event) => {
    const row = buttons.findIndex((line) => line.includes(event.target));
    if (row < 0 || isCommand(event)) return;
    const column = buttons[row].indexOf(event.target);
    const places = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [row, 0],
      End: [row, Infinity],
    };
    if (!(event.key in places)) return;
    const [to, k] = places[event.key];
    const line = buttons[within(to, 0, buttons.length - 1)];
    enterAt(line[within(k, 0, line.length - 1)]);
    entry.focus();
    event.preventDefault();
    event.stopPropagation();
  });

  function enterAt(button) {
    entry.tabIndex = -1;
    entry = button;
    entry.tabIndex = 0;
  }

  return {
    el,
    // The map that is open: of one head, or of all heads of a layer.
    mark(map, head) {
      for (const button of marked) {
        button.setAttribute("aria-pressed", "false");
        button.classList.remove("ax-open");
      }
      const line = buttons.find(([{ dataset }]) => Number(dataset.map) === map) ?? [];
      marked = line[head] ? [line[head]] : line;
      for (const button of marked) button.classList.add("ax-open");
      line[head]?.setAttribute("aria-pressed", "true");
      if (!marked.length || el.contains(document.activeElement)) return;
      if (line[head]) enterAt(line[head]);
      bringIntoSight(el, marked[0]);
    },
    stop: () => clearTimeout(timer),
  };
}

// Within the box, where it scrolls; the page stays where it is.
function bringIntoSight(box, node) {
  const [around, here] = [box.getBoundingClientRect(), node.getBoundingClientRect()];
  const beyond = here.top < around.top || here.bottom > around.bottom;
  if (beyond) box.scrollTop += here.top - around.top - (around.height - here.height) / 2;
}

// The line above: what the heads are called.
function numbersOfHeads(heads) {
  const line = make("div", "ax-thumb-row");
  line.setAttribute("aria-hidden", "true"); // each button says it
  line.append(make("span", "ax-thumb-name"), ...heads.map((head) => make("span", "ax-thumb-number", head)));
  return line;
}

// What tells the layers of a stack apart: the numbers in their names, or else the end of the name.
function rowLabels(names) {
  const numbers = names.map((name) => name.match(/\d+/g) ?? []);
  const differ = numbers[0].map((first, i) => numbers.some((of) => of[i] !== first));
  return names.map((name, k) =>
    numbers[k].filter((_, i) => differ[i]).join(".") || numbers[k].at(-1) || name.split(".").at(-1));
}
