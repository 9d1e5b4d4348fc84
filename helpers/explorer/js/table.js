// A matrix small enough for numbers: a real table, which screen readers read as one. It draws a
// frame, shows what is marked, says which cell an event is on, and takes the focus.

function tableGrid(panel, head, spec) {
  const table = make("table", panel.wide > 8 ? "ax-grid ax-dense" : "ax-grid");
  table.setAttribute("role", "grid");
  table.ariaLabel = titleOf(panel, head);
  const top = table.appendChild(make("tr"));
  const across = places(panel.wide, (k) => header("col", panel.columns.map((labels) => labels[k] ?? "")));
  top.append(make("td", "ax-corner"), ...across);
  const down = places(panel.tall, () => header("row", panel.rows.flat()));
  const cells = down.flatMap((token, row) => rowOfCells(panel, token, row, table));
  const palette = paletteOf(panel);
  const shown = new Float32Array(cells.length); // numbers; Infinity where there is no cell
  const levels = new Int16Array(cells.length).fill(-2);
  let fresh = true;
  let end = null; // of the colour scale that they were coloured by
  const mark = marker();
  const enter = oneTabStop(cells[0]);
  const cellAt = (row, column) => (column < 0 ? down[row] : cells[row * panel.wide + column]);
  const locate = ({ target }) => {
    const cell = target.closest("[data-row]");
    return cell ? [Number(cell.dataset.row), Number(cell.dataset.column)] : null;
  };

  // Where labels move, there may be other ones, and more or fewer.
  function relabel() {
    down.forEach((token, row) => nameHeader(token, panel.down[row]));
    across.forEach((token, column) => nameHeader(token, panel.across[column]));
    const entry = table.querySelector('[tabindex="0"]');
    if (entry.classList.contains("ax-none")) enter(cells[0], false);
  }

  function draw(data) {
    const start = startOf(data, panel, head);
    const scale = data.scales[panel.index];
    const recoloured = end !== scale.end;
    end = scale.end;
    for (let k = 0; k < cells.length; k++) {
      const x = isCell(panel, k) ? data.frames[start + k] : Infinity;
      if (!fresh && !recoloured && Object.is(shown[k], x)) continue;
      const cell = cells[k];
      const masked = Number.isNaN(x);
      const none = x === Infinity;
      if (none !== (shown[k] === Infinity)) cell.classList.toggle("ax-none", none);
      if (masked !== Number.isNaN(shown[k])) showMask(cell, masked);
      shown[k] = x;
      const text = none ? "" : masked ? "–" : show(x, spec.decimals);
      if (cell.firstChild.data !== text) cell.firstChild.data = text;
      const level = none || masked ? -1 : levelOf(x, end);
      if (levels[k] === level) continue;
      levels[k] = level;
      cell.style.backgroundColor = level < 0 ? "" : palette.css[level];
      cell.style.color = level < 0 ? "" : palette.ink[level];
    }
    fresh = false;
    relabel();
  }

  return {
    el: table,
    draw,
    locate,
    focused: locate,
    focus: (row, column) => enter(cellAt(row, column)),
    mark(state) {
      const here = state.over ?? state.pinned;
      const line = (at) => down[rowOf(panel, at)]?.parentNode;
      const cell = (at) => (at?.panel === panel.index && at.head === head && at.row >= 0 ? cellAt(at.row, at.column) : null);
      mark([[line(here), "ax-row"], [line(state.locked), "ax-locked"], [here?.column >= 0 && cell(here), "ax-at"],
        [cell(state.pinned), "ax-pinned"], [cell(state.locked), "ax-pressed"]]);
    },
  };
}

function showMask(cell, masked) {
  cell.classList.toggle("ax-masked", masked);
  if (masked) cell.ariaLabel = say("masked"); // few screen readers speak a dash
  else cell.removeAttribute("aria-label");
}

// The cells of a row, beside its token.
function rowOfCells(panel, token, row, table) {
  const cells = places(panel.wide, () => make("td", "ax-cell", "0"));
  const reached = canLock(panel) ? [token, ...cells] : cells;
  if (canLock(panel)) token.classList.add("ax-query");
  for (const node of reached) {
    node.tabIndex = -1;
    Object.assign(node.dataset, { row, column: cells.indexOf(node) }); // of the token: -1
  }
  table.appendChild(make("tr")).append(token, ...cells);
  return cells;
}

function header(scope, labels) {
  const th = make("th");
  th.scope = scope;
  th.append(makeToken(labels));
  return th;
}

// Write a label; without one, there is no such row or column.
function nameHeader(th, label) {
  if (th.title === label) return;
  th.classList.toggle("ax-none", label === undefined);
  th.title = th.firstChild.textContent = label ?? "";
}
