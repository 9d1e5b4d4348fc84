// The Explorer on the page: panels with names and scales, the read-out, and the response to mouse and keys.

import { scalesOf } from "./colours.js";
import { fadeAtEdge, make, say, times } from "./elements.js";
import { ALL_HEADS } from "./film.js";
import { overviewOf } from "./overview.js";
import { pictureGrid } from "./picture.js";
import { answerTo } from "./pointing.js";
import { tableGrid } from "./table.js";
import { nameAxes, stageOf } from "./views.js";

// showMarks: called when the current cell or a marked cell changes; redraw: when colours or lines change.
export function build(data, el, state, { showMarks, redraw }) {
  const { spec } = data;
  const root = make("div", "ax-view");
  spec.series.forEach((colour, k) => root.style.setProperty(`--ax-series${k}`, colour));
  const panels = make("div", "ax-panels");
  const figures = spec.panels.map((panel) => panelOnPage(panel, data, state, showMarks, redraw));
  if (spec.overview) figures.unshift(overviewOf(data));
  panels.append(...figures.map((figure) => figure.el));
  root.append(panels);
  const beside = make("div", "ax-numbers");
  const numbers = spec.numbers.map((name) => beside.appendChild(make("div", "ax-number", `${name} = `)).appendChild(make("b")));
  if (numbers.length) panels.append(beside);
  const foot = make("div", "ax-foot");
  const readout = foot.appendChild(make("div", "ax-readout"));
  foot.append(scalesOf(spec.panels));
  const live = make("div", "ax-live"); // what a screen reader says: the read-out, once it is stable
  const sum = make("section", "ax-sum");
  const error = make("div", "ax-error", data.error);
  root.classList.toggle("ax-stale", Boolean(data.error));
  live.setAttribute("role", "status");
  error.setAttribute("role", "alert");
  sum.hidden = true;
  root.append(foot, live, sum, error, make("div", "ax-note", spec.note));
  if (!spec.swept) root.append(make("div", "ax-no-kernel", say("no kernel")));
  el.append(root);
  // The first one in the notebook, so far.
  document.querySelectorAll(".ax-view").forEach((view, i) => view.classList.toggle("ax-first", i === 0));
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    state.pinned = state.locked = null;
    showMarks();
  });
  sum.addEventListener("click", (event) => {
    if (!event.target.closest(".ax-close")) return;
    state.pinned = null;
    showMarks();
  });
  const grids = figures.flatMap((figure) => figure.grids);
  return { root, grids, numbers, foot, readout, live, sum };
}

function panelOnPage(panel, data, state, showMarks, redraw) {
  const { spec } = data;
  const box = make("div", `ax-panel${panel.keys ? " ax-keys" : ""}`);
  box.style.setProperty("--ax-wide", panel.wide);
  box.classList.toggle("ax-scaled", panel.picture || panel.masked !== "");
  const heads = make("div", "ax-heads");
  const kind = panel.picture ? pictureGrid : tableGrid;
  const answer = (grid, head) => answerTo(grid, panel, head, state, showMarks);
  const grids = times(Math.max(1, panel.heads), (head) => {
    const one = heads.appendChild(make("div", "ax-head"));
    if (panel.heads) one.append(make("div", "ax-head-name", panel.names[head]));
    const grid = answer(kind(panel, head, spec), head);
    one.append(grid.el);
    return grid;
  });
  const caption = box.appendChild(make("div", "ax-caption"));
  caption.append(make("span", panel.kind && `ax-is-${panel.kind}`, panel.name));
  if (panel.role === "probabilities") caption.append(make("span", "ax-reads", panel.reads));
  if (panel.sum) caption.append(make("span", "ax-formula", formulaOf(panel.sum)));
  box.append(heads);
  fadeAtEdge(heads);
  if (panel.views.length > 1) {
    const stage = stageOf(panel, data, box, (grid) => answer(grid, panel.heads ? ALL_HEADS : 0), redraw);
    grids.push(stage.grid);
    box.append(stage.el);
    caption.append(stage.buttons);
  }
  // After the buttons, which would else move when another view names its axes otherwise; as in all other panels.
  if (panel.keys && panel === spec.panels.find(({ keys }) => keys)) caption.append(make("span", "ax-axes"));
  nameAxes(caption, panel, spec);
  return { el: box, grids };
}

const formulaOf = ({ text }) => `= ${text.replaceAll(".T", "ᵀ").replaceAll("sqrt", "√")}`;
