// A quiet button that opens a menu: Enter, Space or an arrow key opens it, arrow keys move in it, Escape closes it.

import { make, makeButton } from "./elements.js";

// {el, button}: label names the button; choices has a function for each text of the menu.
export function menuOf(label, choices) {
  const el = make("div", "ax-menu");
  const button = el.appendChild(makeButton("ax-button", "⋯", label));
  const list = el.appendChild(make("div", "ax-choices"));
  button.ariaHasPopup = "menu";
  list.setAttribute("role", "menu");
  const items = Object.entries(choices).map(([text, act]) => {
    const item = list.appendChild(make("button", "ax-button", text));
    Object.assign(item, { type: "button", tabIndex: -1 });
    item.setAttribute("role", "menuitem");
    item.addEventListener("click", () => {
      close();
      act();
    });
    return item;
  });

  function show(isOpen) {
    list.hidden = !isOpen;
    button.ariaExpanded = String(isOpen);
  }

  function enter(k) {
    show(true);
    items.at(k % items.length).focus();
  }

  function close() {
    show(false);
    button.focus();
  }

  button.addEventListener("click", () => (list.hidden ? enter(0) : close()));
  el.addEventListener("mousedown", (event) => event.preventDefault()); // Safari would take the focus away
  el.addEventListener("focusout", (event) => el.contains(event.relatedTarget) || show(false));
  el.addEventListener("keydown", (event) => {
    const at = items.indexOf(event.target); // -1 for the button
    if (event.key === "ArrowDown") enter(at + 1);
    else if (event.key === "ArrowUp") enter(Math.max(at, 0) - 1);
    else if (event.key === "Escape" && !list.hidden) close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  show(false);
  return { el, button };
}
