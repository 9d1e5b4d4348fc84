// Nodes of the page, their texts, and what all of them need.

let phrases = {}; // the texts in the learner's language, which Python sends

export function speak(words) {
  phrases = words;
}

export const say = (key, fields) => phrases[key].replace(/\{(\w+)\}/g, (_, name) => fields[name]);

const SVG = "http://www.w3.org/2000/svg";

export function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text; // never innerHTML: tokens are text
  return node;
}

export function makeSvg(tag, attributes = {}) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

export function makeButton(className, text, label) {
  const button = make("button", className, text);
  Object.assign(button, { type: "button", title: label, ariaLabel: label });
  return button;
}

// A token, in a box as wide as the widest token that can appear in it, so that nothing jumps. Letters differ in
// width, so the box is measured with several candidates, one per line.
export function makeToken(labels) {
  const token = make("span", "ax-token", "");
  token.dir = "auto";
  token.dataset.room = [...new Set(labels)].sort((a, b) => b.length - a.length).slice(0, 8).join("\n");
  return token;
}

export const times = (count, made) => Array.from({ length: count }, (_, k) => made(k));
export const within = (x, low, high) => Math.max(low, Math.min(high, x));

// The edge at which there is more to scroll fades.
export function fadeAtEdge(box) {
  const fade = () => box.classList.toggle("ax-more", box.scrollLeft + box.clientWidth < box.scrollWidth - 2);
  new ResizeObserver(fade).observe(box);
  box.addEventListener("scroll", fade);
}
