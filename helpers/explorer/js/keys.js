// Keys: those of a grid, and those that JupyterLab must not take for its own.

import { within } from "./elements.js";

// A key with Ctrl or the like, or Shift+Enter, which runs a notebook's cell.
export const isCommand = (event) =>
  event.ctrlKey || event.metaKey || event.altKey || (event.shiftKey && event.key === "Enter");

// JupyterLab would take a plain key for a command ("x" deletes the cell), so hide the key from it. JupyterLab
// listens on the document, and the window receives a key before the document does.
// boxOf: gives the box within which keys are ours, or undefined as long as it is not on the page.
export function shieldKeys(boxOf) {
  const shield = (event) => {
    if (boxOf()?.contains(event.target)) event.target.toggleAttribute("data-lm-suppress-shortcuts", !isCommand(event));
  };
  window.addEventListener("keydown", shield, true);
  return () => window.removeEventListener("keydown", shield, true);
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
