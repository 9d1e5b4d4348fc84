// The icons of the theme stand in the page from the start, so nobody need watch it for new ones.
var FontAwesomeConfig = { observeMutations: false };

// Where the loader of widgets finds a widget's package: beside the pages.
var require = { baseUrl: "_static/widgets" };

// The scripts that widgets share. (From the disk a page may not import a file, but it may import a text.)
const widgetScripts = {}, widgetModules = {};
const widgetModule = (name) =>
  (widgetModules[name] ??= import(URL.createObjectURL(new Blob([widgetScripts[name]], { type: "text/javascript" }))));

// Printed lines that have columns must not wrap on a phone: they scroll.
addEventListener("DOMContentLoaded", () => {
  for (const pre of document.querySelectorAll(".cell_output pre")) {
    const lines = pre.textContent.trimEnd().split("\n");
    pre.classList.toggle("aligned", lines.filter((line) => /\S {2,}\S/.test(line)).length > 1);
  }
});

// On paper, whatever is folded is open.
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  for (const fold of opened) fold.open = true;
});
addEventListener("afterprint", () => {
  for (const fold of opened) fold.open = false;
});
