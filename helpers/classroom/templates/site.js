// The icons of the theme stand in the page from the start, so nobody need watch it for new ones.
var FontAwesomeConfig = { observeMutations: false };

// Where the loader of widgets finds a widget's package: beside the pages.
var require = { baseUrl: `${document.documentElement.dataset.content_root}_static/widgets` };

// In a frame of another page, an Explorer's page shows nothing but the Explorer.
document.documentElement.classList.toggle("embed", location.search === "?embed");

// The scripts that widgets share. (From the disk a page may not import a file, but it may import a text.)
const widgetScripts = {}, widgetModules = {};
const widgetModule = (name) =>
  (widgetModules[name] ??= import(URL.createObjectURL(new Blob([widgetScripts[name]], { type: "text/javascript" }))));
