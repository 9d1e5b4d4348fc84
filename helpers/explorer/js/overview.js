// Small pictures of the first panel at every setting of two controls, in a table; a click or Enter on one of
// them selects its setting. They use the frames that exist anyway; in each, its own largest number has the full colour.

import { paletteOf } from "./colours.js";
import { fadeAtEdge, make, say } from "./elements.js";
import { indexOf, startOf } from "./film.js";
import { paint } from "./picture.js";
import { listen } from "./pointing.js";
import { gridOf, nameHeader } from "./table.js";

const PIXELS = 36; // of a small picture at most: more cells than that are blended

export function overviewOf(data) {
  const { spec } = data;
  const [first, second] = spec.overview;
  const [down, across] = [spec.choices[first], spec.choices[second]];
  const title = say("overview", { rows: down.length, columns: across.length });
  const each = (labels) => labels.map((label) => [label]);
  const grid = gridOf(title, "ax-small", each(down), each(across));
  grid.down.forEach((th, row) => nameHeader(th, down[row]));
  grid.across.forEach((th, column) => nameHeader(th, across[column]));
  for (const cell of grid.cells.flat()) {
    const [row, column] = grid.locate({ target: cell });
    cell.className = "ax-tile";
    cell.title = cell.ariaLabel = `${down[row]}, ${across[column]}`;
    cell.append(make("canvas"));
  }
  let drawn = null; // the frames, and the settings of the other controls
  const box = make("div", "ax-panel ax-overview");
  box.append(grid.el, make("div", "ax-reads", say("how to, overview")));
  fadeAtEdge(box);

  function draw() {
    const others = data.places.filter((_, i) => i !== first && i !== second).join();
    const palette = paletteOf(spec.panels[0]);
    if (drawn?.frames === data.frames && drawn.others === others && drawn.palette === palette) return;
    drawn = { frames: data.frames, others, palette };
    grid.cells.forEach((line, row) => line.forEach((cell, column) => {
      const at = data.places.with(first, row).with(second, column);
      drawSmall(cell.firstChild, data, indexOf(at, spec));
    }));
  }

  const mark = () => grid.mark([[grid.cells[data.places[first]][data.places[second]], "ax-pinned"]]);

  function choose([row, column]) {
    data.setControl(first, row);
    data.setControl(second, column);
  }

  listen(grid, () => {}, choose);
  return { el: box, grids: [{ draw, mark }] };
}

// The first panel in one frame.
function drawSmall(canvas, { spec, frames }, frame) {
  const [panel] = spec.panels;
  const start = startOf({ spec, frame }, panel, 0);
  const numbers = frames.subarray(start, start + panel.tall * panel.wide);
  const largest = numbers.reduce((most, x) => Math.max(most, Math.abs(x) || 0), 0); // 0 for NaN
  canvas.classList.toggle("ax-fine", panel.wide > PIXELS);
  paint(canvas, numbers, panel.wide, paletteOf(panel), largest || 1);
}
