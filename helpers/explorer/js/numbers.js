// Numbers in the cells of a picture, where these are large enough, and before that the hatching of
// masked ones: drawn for those in sight alone, on a canvas over the picture, in the pixels of the screen.

const NUMBER = 11; // pixels, the height of the letters
const AROUND = 6; // pixels, beside a number
const HATCHED = 8; // pixels, the side of a cell that has room for hatching

function numbersOver(panel, head, spec) {
  const sheet = Object.assign(make("canvas", "ax-numbers"), { hidden: true });
  sheet.setAttribute("aria-hidden", "true");
  const context = sheet.getContext("2d");
  const palette = paletteOf(panel);
  const fontOf = (box) => `${NUMBER}px ${getComputedStyle(box).fontFamily}`;
  let needs = 0; // once measured
  let stripes = null; // once there is a masked cell

  // The side of a cell that is large enough: for the ends of the scale, and so for most numbers.
  function needed(box) {
    if (needs) return needs;
    context.font = fontOf(box);
    const end = show(panel.role === "weights" ? panel.limit : -panel.limit, spec.decimals);
    return (needs = context.measureText(end).width + AROUND);
  }

  // side: of the cells; inSight() is the part of the picture that can be seen: {x, y, width, height}.
  function draw(data, box, side, inSight) {
    const written = side >= needed(box);
    sheet.hidden = !written && !(panel.masked && side >= HATCHED);
    if (sheet.hidden) return;
    const seen = inSight();
    const [rows, columns] = [panel.rows.length, panel.columns.length];
    const [top, left] = [Math.floor(seen.y / side), Math.floor(seen.x / side)];
    const bottom = Math.min(rows, Math.ceil((seen.y + seen.height) / side));
    const right = Math.min(columns, Math.ceil((seen.x + seen.width) / side));
    const [width, height] = [(right - left) * side, (bottom - top) * side];
    const ratio = window.devicePixelRatio;
    Object.assign(sheet, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    const at = { left: left * side, top: top * side, width, height };
    for (const [name, pixels] of Object.entries(at)) sheet.style[name] = `${pixels}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    Object.assign(context, { font: fontOf(box), textAlign: "center", textBaseline: "middle" });
    context.strokeStyle = "rgba(128, 128, 128, 0.35)";
    const start = startOf(data, panel, head);
    const { end } = data.scales[panel.index];
    for (let row = top; row < bottom; row++) {
      for (let column = left; column < right; column++) {
        const x = data.frames[start + row * panel.wide + column];
        const place = [(column - left) * side, (row - top) * side];
        if (Number.isNaN(x)) {
          context.fillStyle = stripes ??= hatching(context);
          context.fillRect(...place, side, side);
        } else if (written) {
          context.fillStyle = palette.ink[levelOf(x, end)];
          context.fillText(show(x, spec.decimals), place[0] + side / 2, place[1] + side / 2, side - 2);
        }
        if (written) context.strokeRect(...place, side, side);
      }
    }
  }

  return { el: sheet, draw, needed };
}

// As the style sheet's, for masked cells.
function hatching(context) {
  const tile = Object.assign(make("canvas"), { width: 8, height: 8 });
  const pen = tile.getContext("2d");
  Object.assign(pen, { fillStyle: "#e4e4e4", strokeStyle: "#8a8a8a" });
  pen.fillRect(0, 0, 8, 8);
  for (const from of [-8, 0, 8]) {
    pen.moveTo(from - 1, 9);
    pen.lineTo(from + 9, -1);
  }
  pen.stroke();
  return context.createPattern(tile, "repeat");
}
