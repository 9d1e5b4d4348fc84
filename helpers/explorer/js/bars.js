// Chances as bars, their words beside them: a line for each word, in it a bar for each series. Either all
// words in place, or the largest of them by the first series, and then the others added up. It answers
// to the same calls as a table; a cell is [series, word].

function barsGrid(panel, head, spec) {
  const box = make("div", "ax-bars");
  box.setAttribute("role", "grid");
  box.ariaLabel = panel.name;
  box.style.setProperty("--ax-digits", spec.decimals + 2);
  const cut = panel.bars && panel.bars < panel.wide;
  const others = (n) => say("others", { n });
  const room = [...panel.columns.flat(), cut ? others(panel.wide) : ""];
  const series = panel.tall > 1 ? seriesLine(panel, spec, room, box) : null;
  const lines = places(cut ? panel.bars : panel.wide, () => wordLine(panel, spec, room, box));
  const rest = cut ? wordLine(panel, spec, room, box) : null;
  rest?.el.classList.add("ax-rest");
  box.append(lengthLine(panel, room));
  for (const { cells } of lines) cells.forEach((cell, row) => (Object.assign(cell, { tabIndex: -1 }).dataset.row = row));
  const enter = oneTabStop(lines[0].cells[0]);
  const mark = marker();
  let order = []; // the word of each line
  const locate = ({ target }) => {
    const cell = target.closest("[data-column]");
    return cell ? [Number(cell.dataset.row), Number(cell.dataset.column)] : null;
  };

  return {
    el: box,
    locate,
    focused: locate,
    order: () => order,
    focus: (row, column) => enter(lines[order.indexOf(column)].cells[row]),
    mark(state) {
      const cell = (at) => (at?.panel === panel.index ? lines[order.indexOf(at.column)]?.cells[at.row] : null);
      mark([[cell(state.over ?? state.pinned), "ax-at"], [cell(state.pinned), "ax-pinned"]]);
    },
    draw(data) {
      const x = (row, column) => valueOf(data, panel, 0, row, column);
      const all = panel.across.map((_, column) => column);
      const ranked = panel.bars ? [...all].sort((a, b) => x(0, b) - x(0, a) || a - b) : all;
      order = ranked.slice(0, panel.bars ?? all.length);
      series?.name(panel.down);
      lines.forEach((line, i) => {
        line.el.classList.toggle("ax-none", i >= order.length);
        if (i >= order.length) return;
        line.name(panel.across[order[i]]);
        line.cells.forEach((cell, row) => {
          cell.dataset.column = order[i];
          line.show(row, x(row, order[i]));
        });
      });
      const left = ranked.slice(order.length);
      rest?.el.classList.toggle("ax-none", !left.length);
      rest?.name(others(left.length));
      rest?.cells.forEach((_, row) => rest.show(row, left.reduce((sum, column) => sum + x(row, column), 0)));
    },
  };
}

function barLine(role, room, box) {
  const el = make("div", "ax-word");
  const token = makeToken(room);
  const stack = make("div", "ax-stack");
  el.setAttribute("role", "row");
  token.setAttribute("role", role);
  el.append(token, stack);
  box?.append(el);
  return { el, token, stack };
}

// A word, and a bar and a number for each series.
function wordLine(panel, spec, room, box) {
  const { el, token, stack } = barLine("rowheader", room, box);
  const cells = places(panel.tall, (row) => {
    const cell = stack.appendChild(make("div", "ax-chance"));
    cell.setAttribute("role", "gridcell");
    const track = cell.appendChild(make("i", "ax-track"));
    track.append(make("i", `ax-fill ax-pattern${row}`));
    track.style.setProperty("--ax-colour", spec.series[row]);
    cell.append(make("span", "ax-value"));
    return cell;
  });
  return {
    el,
    cells,
    name(label) {
      if (token.textContent !== label) token.textContent = token.title = label;
    },
    show(row, x) {
      const [track, number] = cells[row].children;
      number.textContent = show(x, spec.decimals);
      track.firstChild.style.clipPath = `inset(0 ${100 - 100 * within(x / panel.limit, 0, 1)}% 0 0)`;
    },
  };
}

// What the series are called, beside a sample of each.
function seriesLine(panel, spec, room, box) {
  const { stack } = barLine("presentation", room, box);
  stack.classList.add("ax-series");
  const texts = places(panel.tall, (row) => {
    const name = stack.appendChild(make("span", "ax-series-name"));
    name.setAttribute("role", "columnheader");
    const sample = name.appendChild(make("i", `ax-sample ax-pattern${row}`));
    sample.style.setProperty("--ax-colour", spec.series[row]);
    return name.appendChild(document.createTextNode(""));
  });
  return { name: (labels) => texts.forEach((text, row) => (text.data = labels[row])) };
}

// The scale under the bars.
function lengthLine(panel, room) {
  const { el, stack } = barLine("presentation", room);
  Object.assign(el, { role: null, ariaHidden: "true" });
  const cell = stack.appendChild(make("div", "ax-chance ax-lengths"));
  const ticks = cell.appendChild(make("span", "ax-ticks"));
  for (const share of [0, 0.5, 1]) ticks.append(make("span", "", brief(share * panel.limit)));
  cell.append(make("span", "ax-value"));
  return el;
}

// Bars have their scale under them, and no colours that could be closer.
const scaleOfBars = (data, panel) => ({ el: make("div"), end: panel.limit, closer: false, toggle: () => false });
