// Chances as bars, their words beside them: a line for each word, in it a bar for each series. Either all
// words in place, or the largest of them by the first series, and then the others added up. It answers
// to the same calls as a table; a cell is [series, word].

function barsGrid(panel, head, spec) {
  const box = make("div", "ax-bars");
  box.setAttribute("role", "grid");
  box.setAttribute("aria-label", panel.name);
  box.style.setProperty("--ax-digits", spec.decimals + 2);
  const cut = panel.bars && panel.bars < panel.wide;
  const room = longestOf([...(panel.moving?.columns.flat() ?? panel.columns), cut ? OTHERS(panel.wide) : ""]);
  const series = panel.tall > 1 ? seriesLine(panel, spec, room) : null;
  if (series) box.append(series.el);
  const lines = places(cut ? panel.bars : panel.wide, () => wordLine(panel, spec, room));
  const rest = cut ? wordLine(panel, spec, room) : null;
  rest?.el.classList.add("ax-rest");
  box.append(...lines.map(({ el }) => el), ...(rest ? [rest.el] : []), lengthLine(panel, room));
  for (const { cells } of lines) {
    for (const [row, cell] of cells.entries()) Object.assign(cell, { tabIndex: -1 }).dataset.row = row;
  }
  let entry = lines[0].cells[0]; // where Tab enters
  entry.tabIndex = 0;
  let order = []; // the word of each line
  let marked = [];

  const cellAt = (row, column) => lines[order.indexOf(column)]?.cells[row];
  const place = (node) => {
    const cell = node.closest("[data-column]");
    return cell && box.contains(cell) ? [Number(cell.dataset.row), Number(cell.dataset.column)] : null;
  };

  function draw(data) {
    const x = (row, column) => valueOf(data, panel, 0, row, column);
    const ranked = rankedBars(panel, data);
    series?.name(panel.rows); // which may move with the controls
    order = ranked.order;
    lines.forEach((line, i) => {
      line.el.classList.toggle("ax-none", i >= order.length);
      if (i >= order.length) return;
      line.name(panel.columns[order[i]]);
      for (const [row, cell] of line.cells.entries()) {
        cell.dataset.column = order[i];
        line.show(row, x(row, order[i]));
      }
    });
    if (!rest) return;
    rest.el.classList.toggle("ax-none", !ranked.others);
    rest.name(OTHERS(ranked.others));
    ranked.sums.forEach((sum, row) => rest.show(row, sum));
  }

  return {
    el: box,
    draw,
    reorders: Boolean(panel.bars), // a word that is marked may stand elsewhere at the next frame
    locate: (event) => place(event.target),
    focused: (event) => place(event.target),
    focus(row, column) {
      entry.tabIndex = -1;
      entry = cellAt(row, column);
      entry.tabIndex = 0;
      entry.focus();
    },
    // Up and down lead along the words as they stand, left and right to the other series.
    after([row, column], key) {
      const at = order.indexOf(column);
      const [words, series] = [order.length - 1, panel.rows.length - 1];
      const moves = {
        ArrowUp: [row, at - 1],
        ArrowDown: [row, at + 1],
        ArrowLeft: [row - 1, at],
        ArrowRight: [row + 1, at],
        Home: [row, 0],
        End: [row, words],
      };
      if (!(key in moves)) return null;
      const [r, k] = moves[key];
      return [within(r, 0, series), order[within(k, 0, words)]];
    },
    mark(state) {
      for (const [node, name] of marked) {
        node.classList.remove(name);
        node.removeAttribute("aria-selected");
      }
      marked = [];
      for (const [at, name] of [[state.over ?? state.pinned, "ax-at"], [state.pinned, "ax-pinned"]]) {
        const mine = at && at.panel === panel.index;
        const cell = mine && cellAt(at.row, at.column);
        if (!cell) continue;
        cell.classList.add(name);
        if (name === "ax-pinned") cell.setAttribute("aria-selected", "true");
        marked.push([cell, name]);
      }
    },
  };
}

const OTHERS = (count) => `${count} others`;

// The words that get a bar, in order, as Python ranks them, the first of equals first; how many others
// there are, and what they add up to in each series.
function rankedBars(panel, data) {
  const x = (row, column) => valueOf(data, panel, 0, row, column);
  const all = panel.columns.map((_, column) => column);
  const ranked = panel.bars ? [...all].sort((a, b) => x(0, b) - x(0, a) || a - b) : all;
  const order = ranked.slice(0, panel.bars ?? all.length);
  const rest = ranked.slice(order.length);
  const sums = panel.rows.map((_, row) => rest.reduce((sum, column) => sum + x(row, column), 0));
  return { order, others: rest.length, sums };
}

function barLine(role, room) {
  const el = make("div", "ax-word");
  el.setAttribute("role", "row");
  const token = make("span", "ax-token");
  token.dir = "auto";
  token.dataset.room = room;
  token.setAttribute("role", role);
  const stack = make("div", "ax-stack");
  el.append(token, stack);
  return { el, token, stack };
}

// A word, and a bar and a number for each series.
function wordLine(panel, spec, room) {
  const { el, token, stack } = barLine("rowheader", room);
  const bars = places(panel.tall, (row) => {
    const cell = make("div", "ax-chance");
    cell.setAttribute("role", "gridcell");
    const track = make("i", "ax-track");
    const fill = track.appendChild(make("i", `ax-fill ax-pattern${row}`));
    fill.style.setProperty("--ax-colour", spec.series[row]);
    const number = make("span", "ax-value", "");
    cell.append(track, number);
    stack.append(cell);
    return { cell, fill, number, x: null };
  });
  return {
    el,
    cells: bars.map(({ cell }) => cell),
    name(label) {
      if (token.textContent === label) return;
      token.textContent = token.title = label;
    },
    show(row, x) {
      const bar = bars[row];
      if (bar.x === x) return;
      bar.x = x;
      bar.number.textContent = show(x, spec.decimals);
      bar.fill.style.clipPath = `inset(0 ${100 - 100 * within(x / panel.limit, 0, 1)}% 0 0)`;
    },
  };
}

// What the series are called, beside a sample of each.
function seriesLine(panel, spec, room) {
  const { el, token, stack } = barLine("presentation", room);
  token.classList.add("ax-blank-name");
  stack.classList.add("ax-series");
  const texts = places(panel.tall, (row) => {
    const name = make("span", "ax-series-name", "");
    name.setAttribute("role", "columnheader");
    const sample = make("i", `ax-sample ax-pattern${row}`);
    sample.style.setProperty("--ax-colour", spec.series[row]);
    name.append(sample, "");
    stack.append(name);
    return name.lastChild;
  });
  const name = (labels) => texts.forEach((text, row) => (text.data = labels[row]));
  return { el, name };
}

// The scale under the bars.
function lengthLine(panel, room) {
  const { el, token, stack } = barLine("presentation", room);
  el.removeAttribute("role");
  el.setAttribute("aria-hidden", "true");
  const cell = make("div", "ax-chance ax-lengths");
  const track = make("span", "ax-ticks");
  for (const share of [0, 0.5, 1]) track.append(make("span", "", brief(share * panel.limit)));
  cell.append(track, make("span", "ax-value"));
  stack.append(cell);
  token.classList.add("ax-blank-name");
  return el;
}

// Bars have their scale under them, and no colours that could be closer.
const scaleOfBars = (panel) => ({ el: make("span"), end: panel.limit, closer: false, toggle: () => false });
