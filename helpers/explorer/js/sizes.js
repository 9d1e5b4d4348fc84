// How large the cells of pictures are: as the width there is allows, and no picture higher than a
// window shows at once. Cells are square; where two pictures stand abreast, theirs are alike.

const CELL = 36; // pixels of the page, the side of a cell before it is zoomed
const LOWEST = 280; // pixels: of a window however small, a picture may be so high …
const HIGHEST = 560; // … and of one however large
const OF_WINDOW = 0.6; // in between, this share of the window
const OF_HEADS = 0.6; // heads, which stand together, are so much lower
const HEADS = 4; // in a line, at most …
const HEAD_WIDTH = 140; // … and each at least so wide
const WORTH = 0.5; // abreast, cells may be smaller than alone by this factor
const STRIP = { least: 4, cell: 12, all: 40 }; // pixels: a strip's cells, and its shorter side
// Pixels, as in the style sheet: around a picture, between heads, and between panels.
const GAPS = { edge: 14, heads: 20, panels: 38 };

// figures: {panel, grids, narrowest}, the last in pixels. Sizes their pictures now, and when `box` changes.
function keepSizes(box, figures) {
  const pictures = figures.filter(({ panel }) => panel.picture);
  const observer = new ResizeObserver(() => {
    const width = box.clientWidth - GAPS.edge;
    if (width > 0) fit(pictures, width, Math.max(LOWEST, Math.min(HIGHEST, OF_WINDOW * innerHeight)));
  });
  if (pictures.length) observer.observe(box);
  return observer;
}

function fit(pictures, width, height) {
  const single = pictures.filter(({ grids }) => grids.length === 1);
  const several = pictures.filter(({ grids }) => grids.length > 1);
  for (const { panel, grids } of several) fitHeads(panel, grids, width, OF_HEADS * height);
  const alone = ({ panel, grids: [grid] }) => cellIn(panel, width - grid.beside(), height);
  const least = WORTH * Math.max(...single.map(alone));
  const across = ({ panel, grids: [grid], narrowest }, side) =>
    Math.max(narrowest, grid.beside() + side * panel.wide);
  const spare = (side) =>
    width + GAPS.panels - single.reduce((all, one) => all + across(one, side) + GAPS.panels, 0);
  let side = Math.min(...single.map(alone)); // abreast
  while (spare(side) < 0 && side >= least) side = whole(0.97 * side);
  for (const one of single) {
    const [grid] = one.grids;
    if (side < least) grid.fit(alone(one), width, height);
    else grid.fit(side, across(one, side) + spare(side) / single.length, height);
  }
}

function fitHeads(panel, grids, width, height) {
  const room = Math.floor((width + GAPS.heads) / (HEAD_WIDTH + GAPS.heads));
  const across = Math.max(1, Math.min(room, HEADS, grids.length));
  const each = (width + GAPS.heads) / across - GAPS.heads;
  for (const grid of grids) grid.fit(cellIn(panel, each - grid.beside(), height), each, height);
}

// The side of a cell, so that all fit into so many pixels; a long strip, which would vanish, scrolls.
function cellIn({ tall, wide }, width, height) {
  const side = whole(Math.min(CELL, width / wide, height / tall));
  const strip = Math.min(STRIP.cell, STRIP.all / Math.min(tall, wide));
  return side >= STRIP.least ? side : Math.max(side, strip);
}

// Whole pixels look even; of a few, none can be spared.
const whole = (side) => (side >= 6 ? Math.floor(side) : side);
