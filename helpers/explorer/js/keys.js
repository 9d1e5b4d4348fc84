// Keys that JupyterLab must not take for its own.

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
