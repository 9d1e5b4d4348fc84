// Numbers as texts and as colours, and the colour scales. A scale belongs to its role, so that a colour means the
// same in every picture.

import { make } from "./elements.js";

const STEPS = 512; // the number of steps of the colour scale from 0 to each of its ends

const HUGE = 1e7; // from here on, all the digits would make a cell too wide to read

export function rounded(x, decimals) {
  if (Math.abs(x) >= HUGE) return brief(x);
  const text = x.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

// Four decimals, or four significant digits if the decimals would all be 0.
export function brief(x) {
  const size = Math.abs(x);
  const text = size >= 1e6 || (size > 0 && size < 5e-5) ? x.toPrecision(4) : String(Number(x.toFixed(4)));
  return (Number(text) === 0 ? "0" : text).replaceAll("-", "−").replace("e+", "e");
}

// [red, green, blue] of a colour as the browser tells it: rgb(…), or color(…) for a color-mix.
function rgbOf(colour) {
  const share = colour.startsWith("color(") ? 255 : 1;
  return colour.match(/[\d.]+/g).slice(0, 3).map((x) => Math.round(share * x));
}

const hex = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
const palettes = new Map();
const WHITE = [255, 255, 255];
let ground = WHITE; // the colour of 0: white or, in a dark theme, that of the page

// From low through the ground (at 0) to high (at the limit): the scale depends on the role, not on the data.
// {css, ink, pixel}: arrays of 2 * STEPS + 1 colours, the middle one for 0.
export function paletteOf(panel) {
  const [low, high] = ground === WHITE ? [panel.low, panel.high] : panel.dark;
  const key = [low, high, ground].join();
  if (!palettes.has(key)) {
    const levels = Array.from({ length: 2 * STEPS + 1 }, (_, i) => {
      const share = Math.abs(i - STEPS) / STEPS;
      return hex(i < STEPS ? low : high).map((c, k) => Math.round(ground[k] + (c - ground[k]) * share));
    });
    palettes.set(key, {
      css: levels.map((rgb) => `rgb(${rgb.join(", ")})`),
      ink: levels.map(inkOn),
      pixel: Uint32Array.from(levels, ([r, g, b]) => (255 << 24) | (b << 16) | (g << 8) | r),
    });
  }
  return palettes.get(key);
}

// Its ends, for styles, in light and dark.
export const endsOf = ({ low, high, dark }) => [`light-dark(${low}, ${dark[0]})`, `light-dark(${high}, ${dark[1]})`];

export const levelOf = (x, limit) => STEPS + Math.round(STEPS * Math.max(-1, Math.min(1, x / limit)));

function inkOn([r, g, b]) {
  const linear = [r, g, b].map((v) => ((v / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  return luminance > 0.18 ? "#000" : "#fff"; // the luminance at which black and white have the same contrast
}

// The colour scales of pictures, one for all that share it, and what is hatched. Tables need none: they have numbers.
export function scalesOf(panels) {
  const el = make("div", "ax-scales");
  const shared = new Map();
  for (const panel of panels.filter(({ picture }) => picture)) {
    const key = [panel.low, panel.high, panel.limit].join();
    const [low, high] = shared.get(key)?.span ?? [0, 0];
    shared.set(key, { panel, span: [Math.min(low, panel.span[0]), Math.max(high, panel.span[1])] });
  }
  for (const { panel, panel: { limit }, span: [low, high] } of shared.values()) {
    // Numbers beyond an end have the colour of that end, and the scale says so.
    const passes = (x) => x > limit * (1 + 1e-6);
    const [from, to] = endsOf(panel);
    const bar = make("i", "ax-bar");
    bar.style.background = `linear-gradient(to right, ${low < 0 ? `${from}, ` : ""}var(--ax-zero), ${to})`;
    const first = low < 0 ? (passes(-low) ? "≤ " : "") + brief(-limit) : "0";
    el.append(make("span", "", first), bar, make("span", "", (passes(high) ? "≥ " : "") + brief(limit)));
  }
  const hatched = panels.find(({ masked }) => masked)?.masked;
  if (hatched) el.append(make("i", "ax-swatch ax-masked"), make("span", "", hatched));
  return el;
}

// Follow the theme of the page: `changed` is called when it turns dark or light. Styles say light-dark(…).
export function followTheme(root, changed) {
  const look = () => {
    if (!root.isConnected) return;
    const { backgroundColor } = getComputedStyle(root.closest(".attention-explorer") ?? root);
    const rgb = rgbOf(backgroundColor);
    const dark = Math.max(...rgb) < 128;
    ground = dark ? rgb : WHITE;
    if (root.dataset.ground === String(ground)) return;
    root.dataset.ground = ground;
    root.style.colorScheme = dark ? "dark" : "light";
    changed();
  };
  const observer = new MutationObserver(look);
  for (const node of [document.documentElement, document.body]) observer.observe(node, { attributes: true });
  const appears = new ResizeObserver(look); // once it is on the page, which may be later
  appears.observe(root);
  return () => {
    observer.disconnect();
    appears.disconnect();
  };
}
