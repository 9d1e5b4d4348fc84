// Mouse, touch and keys on a grid: what is pointed at, pinned or locked.

import { within } from "./elements.js";
import { isCommand } from "./keys.js";

// How the grid of a panel responds: it shows what is pointed at, and a click or Enter pins a cell, or locks a
// query. A column of -1 is the query's word; in lines, a row of -1 is the key's. A drawing of several heads may say
// which head it was.
export function answerTo(grid, panel, ofHead, state, showMarks) {
  const at = ([row, column, head = ofHead]) => ({ panel: panel.index, head, row, column, names: panel.down });
  const point = (place) => {
    const over = place && at(place);
    if (same(state.over, over)) return;
    state.over = over;
    showMarks();
  };
  const choose = (place) => {
    const kind = place[0] < 0 || place[1] < 0 ? "locked" : "pinned";
    state[kind] = same(state[kind], at(place)) ? null : at(place);
    showMarks();
  };
  return listen(grid, point, choose);
}

// Mouse, touch and keys on a grid; when they leave it, nothing is pointed at.
export function listen(grid, point, choose) {
  const on = (name, act) => grid.el.addEventListener(name, act);
  const placeOf = grid.focused ?? grid.locate; // for keys: the cell that has the focus
  on("pointermove", (event) => {
    const place = grid.locate(event);
    if (place) point(place);
  });
  on("pointerleave", () => point(null));
  on("focusout", () => point(null));
  on("click", (event) => {
    const place = grid.locate(event);
    if (place) choose(place);
  });
  on("focusin", (event) => {
    const place = event.target.matches(":focus-visible") && placeOf(event);
    if (place) point(place);
  });
  on("keydown", (event) => {
    const place = placeOf(event);
    if (!place || isCommand(event)) return;
    const next = grid.next(place, event.key);
    if (next) point(next);
    else if (event.key === "Enter" || event.key === " ") choose(place);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return grid;
}

// The [row, column] that a key leads to, with columns counted from `first`; null for other keys.
export function stepFrom([row, column], key, [tall, wide], first = 0) {
  const moves = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    Home: [row, first],
    End: [row, wide - 1],
  };
  return key in moves ? [within(moves[key][0], 0, tall - 1), within(moves[key][1], first, wide - 1)] : null;
}

const same = (a, b) =>
  Boolean(a && b) && ["panel", "head", "row", "column"].every((key) => a[key] === b[key]);

// What marks the cells of a panel: the one that is pointed at, the pinned one, and those that stand in the sum of the
// number that is pointed at: [[node, class], …].
export function marksOf(state, panel, head, nodeAt) {
  const causes = state.causes.map((cause) => [cause, `ax-${cause.side}`]);
  return [[state.over ?? state.pinned, "ax-at"], [state.pinned, "ax-pinned"], ...causes]
    .filter(([at]) => at?.panel === panel.index && at.head === head && at.row >= 0 && at.column >= 0)
    .map(([at, name]) => [nodeAt(at.row, at.column), name]);
}

// Gives each node a class, and removes the classes set the last time.
export function marker() {
  let marked = [];
  return (wanted) => {
    for (const [node, name] of marked) {
      node.classList.remove(name);
      node.removeAttribute("aria-selected");
    }
    marked = wanted.filter(([node]) => node);
    for (const [node, name] of marked) {
      node.classList.add(name);
      if (["ax-pinned", "ax-pressed"].includes(name)) node.setAttribute("aria-selected", "true");
    }
  };
}
