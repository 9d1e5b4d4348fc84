// The button that saves a panel's picture. The browser draws it and writes the file: no kernel is asked.

const ICON = "M8 2v7m0 0L5 6m3 3 3-3M3 10v3h10v-3";

function saveButton(panel, grids, data) {
  const label = `${panel.name}: save picture (SVG)`;
  const button = makeButton("ax-tool ax-save", "", label);
  const icon = document.createElementNS(SVG, "svg");
  icon.setAttribute("viewBox", "0 0 16 16");
  icon.setAttribute("aria-hidden", "true");
  icon.append(document.createElementNS(SVG, "path"));
  icon.firstChild.setAttribute("d", ICON);
  button.append(icon);
  button.addEventListener("click", () => {
    save(`${fileName(panel.name)}.svg`, drawPanel(panel, grids, data, data.where()));
  });
  return button;
}

const fileName = (text) => text.replace(/[^\p{L}\p{N}_-]+/gu, "_");

function save(name, svg) {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000); // once it has been read
}

// Where the controls stand, in words: "step = 3, word = sun".
function whereStand(controls, { traits, controls: names }) {
  return Object.keys(names).map((name, i) => {
    const x = controls[i].get(traits[i]);
    const said = controls[i].get("_options_labels")?.[x] ?? (typeof x === "boolean" ? (x ? "on" : "off") : brief(Number(x)));
    return `${name.replaceAll("_", " ")} = ${said}`;
  }).join(", ");
}
