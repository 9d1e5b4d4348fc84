// The panels as they look on the page, as one SVG that other programs open, too: each box and each line of text is
// drawn where the page has it. The PNG is made from it.

import { rgbOf } from "./colours.js";
import { make, makeSvg } from "./elements.js";

const AROUND = 12; // pixels around the picture
const FINE = 2; // pixels of the PNG for one of the page
const LETTERS = ["font-size", "font-weight", "font-style", "font-family"];
const PAINT = ["fill", "stroke"];
const STROKE = ["opacity", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "paint-order", "text-anchor"];

// The text of an SVG file. parts: the nodes to draw; below: a line of text under them.
export function drawingOf(parts, below) {
  for (const box of parts.flatMap((part) => [...part.querySelectorAll(".ax-heads, .ax-sheet, .ax-overview")])) box.scrollLeft = 0;
  const svg = makeSvg("svg");
  const from = parts[0].getBoundingClientRect();
  const [left, top] = [from.left - AROUND, from.top - AROUND];
  let [width, height] = [0, 0];

  function add(tag, area, attributes) {
    const node = svg.appendChild(makeSvg(tag));
    set(node, { x: area.left - left, y: area.top - top, ...attributes });
    if (tag !== "text") set(node, { width: area.width, height: area.height });
    [width, height] = [Math.max(width, area.right - left), Math.max(height, area.bottom - top)];
    return node;
  }

  function drawBox(node, style, area) {
    const { backgroundColor, backgroundImage, backgroundSize, boxShadow, clipPath, opacity } = style;
    const cut = Number(/^inset\(\S+ ([\d.]+)%/.exec(clipPath)?.[1] ?? 0); // a bar is as long as its number
    const [across, down] = backgroundSize.match(/[\d.]+(?=%)/g) ?? [100 - cut, 100]; // a matrix may be smaller than its canvas
    const shown = new DOMRect(area.left, area.top, (area.width * across) / 100, (area.height * down) / 100);
    if (node.matches(".ax-sheet")) shown.width = Math.max(area.width, node.scrollWidth); // the paper of a drawing that scrolls
    const draw = (attributes) => add("rect", shown, { rx: parseFloat(style.borderRadius) || 0, opacity, ...attributes });
    if (clipPath.startsWith("polygon")) { // the scale of widths is a wedge
      const [x, y, half] = [area.left - left, area.top - top, area.height / 2];
      add("path", area, { d: `M${x} ${y + half}l${area.width} ${-half}v${area.height}z`, fill: backgroundColor });
      return;
    }
    if (rgbOf(backgroundColor)[3]) draw({ fill: backgroundColor });
    const patterned = ["repeating", "radial"].includes(backgroundImage.split("-")[0]);
    if (patterned || node.matches(".ax-bar")) draw({ fill: fillOf(svg, backgroundImage) });
    const framed = boxShadow.includes(" 0px 0px 0px 1px");
    const thick = framed ? 1 : parseFloat(style.borderTopWidth);
    if (thick) draw({ fill: "none", stroke: framed ? boxShadow.split(" 0px")[0] : style.borderTopColor, "stroke-width": thick });
  }

  function write(text, style) {
    const pen = make("canvas").getContext("2d");
    pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const { fontBoundingBoxAscent: above, fontBoundingBoxDescent: under } = pen.measureText("x");
    const box = style.overflowX === "hidden" ? text.parentNode.getBoundingClientRect() : { width: Infinity, bottom: Infinity };
    const upright = style.writingMode.startsWith("vertical");
    for (const { area, words } of linesOf(text).filter((line) => line.area.top < box.bottom - 2)) {
      const fits = upright || area.width < box.width + 1 ? words.length : Math.floor((words.length * box.width) / area.width) - 2;
      const [x, y] = [area.left - left + (upright ? area.width / 2 : 0), area.top - top + area.height / 2];
      const node = add("text", area, { x, y: y + (above - under) / 2, fill: style.color });
      if (upright) set(node, { transform: `rotate(-90 ${x} ${y})`, "text-anchor": "middle" });
      set(node, styleOf(style, LETTERS));
      node.textContent = fits < words.length ? `${words.slice(0, fits)}…` : words;
    }
  }

  function draw(node) {
    if (node.nodeType === Node.TEXT_NODE) {
      const style = getComputedStyle(node.parentNode);
      if (node.data.trim() && style.visibility === "visible") write(node, style);
    } else if (!node.matches("button, input")) {
      const [style, area] = [getComputedStyle(node), node.getBoundingClientRect()];
      if (style.display === "none" || style.clipPath === "inset(50%)") return;
      const arrow = node.matches(".ax-flow") ? getComputedStyle(node, "::before").content.slice(1, -1) : "";
      if (arrow) add("text", area, { y: area.top - top + 15, fill: style.color, "font-size": 13 }).textContent = arrow;
      const seen = style.visibility === "visible" && area.width > 0;
      if (seen) drawBox(node, style, area);
      if (node.matches("canvas")) add("image", area, { href: node.toDataURL(), style: "image-rendering: pixelated", preserveAspectRatio: "none" });
      else if (!node.matches("svg")) node.childNodes.forEach(draw);
      else if (seen) set(add("svg", area, {}), { viewBox: node.getAttribute("viewBox") ?? `0 0 ${area.width} ${area.height}` }).append(...[...node.children].map(copyOf));
    }
  }

  const paper = add("rect", new DOMRect(from.left, from.top), { fill: getComputedStyle(parts[0].closest(".attention-explorer")).backgroundColor });
  parts.forEach(draw);
  const { color, fontFamily } = getComputedStyle(parts[0]);
  const line = add("text", new DOMRect(from.left, top + height, 0, AROUND + 6), { y: height + 16, fill: color, "font-size": 12 });
  line.textContent = below;
  const size = { width: Math.ceil(width + AROUND), height: Math.ceil(height + AROUND) };
  set(paper, { x: 0, y: 0, ...size });
  set(svg, { ...size, "font-family": fontFamily, viewBox: `0 0 ${size.width} ${size.height}` });
  return new XMLSerializer().serializeToString(svg);
}

// Attributes of a node; a colour and its opacity are two, which every program understands.
function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    const colour = /^rgb|^color/.test(value) ? rgbOf(value) : null;
    node.setAttribute(name, colour ? `rgb(${colour.slice(0, 3)})` : value);
    if (colour && colour[3] < 1) node.setAttribute(`${name}-opacity`, colour[3]);
  }
  return node;
}

const styleOf = (style, names) => ({
  ...Object.fromEntries(names.map((name) => [name, style.getPropertyValue(name)])),
  "text-decoration": style.textDecorationLine, // the property itself also names a colour
});

// A node of a drawing on the page, with its style in attributes; "" if it is hidden.
function copyOf(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.cloneNode();
  const style = getComputedStyle(node);
  if (style.display === "none" || style.visibility === "hidden") return "";
  const copy = node.cloneNode();
  for (const name of ["class", "style"]) copy.removeAttribute(name);
  set(copy, styleOf(style, [...PAINT, ...STROKE, ...(node.matches("text") ? LETTERS : [])]));
  copy.append(...[...node.childNodes].map(copyOf));
  return copy;
}

// The lines into which the page breaks a text: {area, words}.
function linesOf(text) {
  const range = document.createRange();
  range.selectNodeContents(text);
  if (range.getClientRects().length < 2) return [{ area: range.getBoundingClientRect(), words: text.data }];
  const lines = [];
  for (let i = 0; i < text.length; i++) {
    range.setStart(text, i);
    range.setEnd(text, i + 1);
    const { left, top, right, width, height } = range.getBoundingClientRect();
    const line = lines.at(-1);
    if (line && Math.abs(top - line.area.top) < 2) {
      line.area = new DOMRect(line.area.left, top, right - line.area.left, height);
      line.words += text.data[i];
    } else if (width) lines.push({ area: new DOMRect(left, top, width, height), words: text.data[i] });
  }
  return lines;
}

// The fill of a box that CSS paints: colours of a scale, which blend, or the lines or dots of a pattern.
function fillOf(svg, image) {
  const id = `fill${svg.childElementCount}`;
  const colours = image.match(/(?:rgba?|color)\([^()]*\)/g);
  if (image.startsWith("linear")) {
    const scale = svg.appendChild(makeSvg("linearGradient", { id }));
    colours.forEach((colour, k) => scale.append(set(makeSvg("stop"), { offset: k / (colours.length - 1), "stop-color": colour })));
  } else {
    const lengths = image.match(/[\d.]+(?=px)/g).map(Number);
    const dots = image.startsWith("radial");
    const slant = image.includes("45deg");
    const side = dots ? 4 : lengths.at(-1) * (slant ? Math.SQRT2 : 1);
    const pattern = svg.appendChild(makeSvg("pattern", { id, width: side, height: side, patternUnits: "userSpaceOnUse" }));
    const path = slant ? `M-1 -1L${side + 1} ${side + 1}M-1 ${side - 1}l2 2M${side - 1} -1l2 2` : dots ? "M2 2h.01" : `M${lengths[1] / 2} 0V${side}`;
    pattern.append(set(makeSvg("rect"), { width: side, height: side, fill: colours.at(-1) }));
    pattern.append(set(makeSvg("path"), { d: path, stroke: colours[0], "stroke-width": dots ? 2 * lengths[2] : lengths[1], "stroke-linecap": "round" }));
  }
  return `url(#${id})`;
}

// The same as a PNG, a Blob.
export async function pngOf(text) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = Object.assign(make("canvas"), { width: FINE * image.width, height: FINE * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done));
}
