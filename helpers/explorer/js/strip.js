// A sum as a film of less than a second, above its table: the two numbers of each term come together, their products
// stand as bars, and each bar moves to where the one before ends, up to the number. Of a softmax, the exponentials
// share one length. Whoever wants no motion sees the end; a sum of many terms has its table alone.

import { brief, endsOf } from "./colours.js";
import { make } from "./elements.js";

export const FILMED = 24; // terms, at most
const NAMED = 0.08; // the least share that has room for a name

// terms: as in sumOf; parts: what each adds to the number, or its share of the softmax.
export function stripOf(panel, { kind, terms, mine }, parts) {
  const strip = make("div", "ax-strip");
  strip.ariaHidden = "true"; // the table says all of it
  const [minus, plus] = endsOf(panel);
  const add = (className, texts) => {
    const el = strip.appendChild(make("div", className));
    el.append(...texts.map((text, side) => make("span", `ax-of-${side ? "right" : "left"}`, text)));
    return el.appendChild(make("div", "ax-stand")).appendChild(make("i"));
  };

  if (kind === "softmax") {
    terms.forEach(({ label }, k) => {
      const bar = add(`ax-part${k === mine ? " ax-own" : ""}`, [parts[k] < NAMED ? "\u00a0" : label]);
      bar.style.background = plus;
      bar.closest(".ax-part").style.setProperty("--ax-part", parts[k]);
    });
    return strip;
  }
  let sum = 0;
  const sums = [0, ...parts.map((part) => (sum += part))]; // after so many terms
  const [low, high] = [Math.min(...sums, ...parts), Math.max(...sums, ...parts)];
  const down = (x) => `${(100 * (high - x)) / (high - low || 1)}%`;
  const stand = (bar, from, part) => {
    const top = (x) => down(Math.max(x, x + part));
    Object.assign(bar.style, { top: top(from), height: `calc(${down(high - Math.abs(part))} + 1px)`, background: part < 0 ? minus : plus });
    bar.style.setProperty("--ax-first", top(0));
    bar.style.transformOrigin = part < 0 ? "top" : "bottom";
  };
  strip.style.setProperty("--ax-none", down(0));
  const sign = kind === "minus" ? "−" : "·";
  terms.forEach(({ a, b }, k) => {
    const pair = kind === "sum" ? [brief(a)] : [brief(a), `${sign} ${brief(b)}`];
    stand(add("ax-step", pair), sums[k], parts[k]);
  });
  stand(add("ax-step ax-end-of-sum", [`= ${brief(sum)}`]), 0, sum);
  return strip;
}
