// The views of a panel, chosen by named buttons. A view other than the table is drawn in its place, once it is first
// chosen. The table then remains on the page, invisible, for keys and screen readers; what they reach is marked in
// the drawing.

import { make, makeButton, say } from "./elements.js";
import { shapesGrid } from "./shapes.js";

// Where queries and keys lie in the present view.
export function nameAxes(box, panel, spec) {
  const [query, key] = spec.views[panel.view].axes;
  box.querySelector(".ax-axes")?.replaceChildren(make("span", "ax-is-query", query), " ", make("span", "ax-is-key", key));
}

// {el, buttons, grid}: the place for the drawings, the buttons, and a grid that acts for the present drawing.
export function stageOf(panel, data, box, answer, redraw) {
  const el = make("div", "ax-stage");
  const buttons = make("span", "ax-views");
  buttons.setAttribute("role", "group");
  buttons.ariaLabel = say("views", { panel: panel.name });
  const made = {};
  const now = () => {
    if (!(panel.view in panel.scenes)) return null;
    return (made[panel.view] ??= answer(shapesGrid(panel, data)));
  };
  const all = panel.views.map((view) => {
    const { name } = data.spec.views[view];
    const button = makeButton("ax-button", name, say("show as", { panel: panel.name, view: name }));
    button.addEventListener("click", () => {
      panel.view = data.chosen[panel.name] = view;
      show();
      redraw();
    });
    buttons.append(button);
    return { view, button };
  });

  function show() {
    const drawing = now();
    box.classList.toggle("ax-drawn", Boolean(drawing));
    box.dataset.view = panel.view;
    nameAxes(box, panel, data.spec);
    el.replaceChildren(...(drawing ? [drawing.el] : []));
    for (const { view, button } of all) button.ariaPressed = String(view === panel.view);
  }

  show();
  return { el, buttons, grid: { draw: () => now()?.draw(data), mark: (state) => now()?.mark(state) } };
}
