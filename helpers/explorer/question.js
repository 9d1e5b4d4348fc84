// A question on the page: choices as buttons, or a field for a number. It judges an answer exactly as
// judge/predictions.py does, with the same data, so it needs no kernel; if there is one, it is informed. It is joined
// to the elements, keys and saving of js/, whose functions it uses.

function render({ model, el }) {
  const asks = model.get("asks");
  const told = model.get("told");
  const root = make("section", "question");
  root.ariaLabel = asks.title;
  const says = make("p", "question-says");
  says.setAttribute("role", "status");
  says.tabIndex = -1; // gets the focus when the button that was pressed disappears
  const form = make("form", "question-form");
  const field = asks.choices.length ? null : fieldOf(asks);
  const buttons = asks.choices.map((choice) => buttonOf(choice));
  form.append(...(field ? [field, buttonOf(asks.words.check, "submit")] : buttons));
  const waive = buttonOf(asks.words.waive);
  const folded = make("p", "question-folded");
  folded.append(make("span", "", `${asks.words.folded} `), waive);
  root.append(make("p", "question-asked", asks.question), ...asks.shown.map(tableOf), form, says, folded);
  el.append(root);
  folded.firstChild.hidden = true; // until something is folded
  const unfold = foldBelow(model, root, (node) => {
    node.dataset.question = asks.words.here;
    folded.firstChild.hidden = false;
  });

  // What to say about an answer; without an answer, the right one is shown.
  function show(answer) {
    const { right, say } = answer === null ? { right: true, say: told.why } : verdict(told, answer);
    const shown = answer === null ? `${told.shown} · ` : `${right ? "✓" : "✗"} `;
    says.replaceChildren(make("b", "", answer === null ? shown : shown + asks.words[right ? "right" : "wrong"]), ` ${say}`);
    root.dataset.state = answer === null ? "waived" : right ? "right" : "wrong";
    if (field && answer !== null) field.value = answer;
    asks.choices.forEach((choice, i) => (buttons[i].ariaPressed = String(choice === answer)));
    if (!right) return;
    folded.hidden = true;
    unfold();
  }

  function take(answer) {
    show(answer);
    keep(asks.name, answer);
    if (answer === null) says.focus();
    else tell(answer);
  }

  function tell(answer) {
    model.set("answer", answer);
    model.save_changes();
  }

  buttons.forEach((button, i) => button.addEventListener("click", () => take(asks.choices[i])));
  const submit = (event) => {
    event.preventDefault();
    if (field?.value.trim()) take(field.value.trim());
  };
  form.addEventListener("submit", submit);
  field?.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !isCommand(event)) submit(event); // JupyterLab prevents Enter from submitting
  });
  const stopShield = shieldKeys(() => root);
  waive.addEventListener("click", () => take(null));
  const before = model.get("answer") || kept(asks.name); // the kernel may know it from another time
  if (before !== undefined) {
    show(before);
    if (before !== null) tell(before);
  }
  root.dataset.ready = "true";
  return () => {
    stopShield();
    unfold();
  };
}

// -- judging ----------------------------------------------------------------------------------

const NUMBER = /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?$/i;

// Whether a text is right, and what to say about it.
export function verdict({ right, wrong, words, within, why, hint, form }, text) {
  const plain = text.trim();
  const number = NUMBER.test(plain) ? Number(plain) : null;
  const came = words.length ? plain.toLowerCase() : number;
  if (alike(came, right, within[0])) return { right: true, say: why };
  const foreseen = wrong.find(([answer]) => alike(came, answer, within[1]));
  const understood = words.length ? words.includes(came) : came !== null;
  return { right: false, say: foreseen?.[1] ?? (understood ? hint : form) };
}

function alike(came, other, within) {
  return typeof came === "number" ? Math.abs(came - other) <= within : came === other;
}

// -- the session ------------------------------------------------------------------------------

// An answer is remembered as long as this window is open; null means that the answer was shown.
function keep(name, answer) {
  try {
    sessionStorage.setItem(`question: ${name}`, JSON.stringify(answer));
  } catch {} // a browser may forbid storage: then the question is asked again
}

function kept(name) {
  try {
    return JSON.parse(sessionStorage.getItem(`question: ${name}`) ?? undefined);
  } catch {
    return undefined;
  }
}

// -- what gives the answer away ---------------------------------------------------------------

// Fold what follows a question, up to the next heading or question: on a web page all of it, in JupyterLab only
// text and outputs, because the code is there to be run. None of this is saved. Returns a function that unfolds.
function foldBelow(model, root, told) {
  const notebook = model.widget_manager.context?.model;
  const done = new Set();
  const clear = () => done.forEach((node) => node.classList.remove("question-below"));
  const mark = () => {
    const cell = root.closest(".jp-Notebook .jp-Cell, .bd-article div.cell");
    if (!cell) return;
    clear();
    for (let next = cell.nextElementSibling; next && !isEnd(next, notebook); next = next.nextElementSibling) {
      told(next);
      next.classList.add("question-below");
      done.add(next);
    }
    changes.observe(cell.parentElement, { childList: true });
  };
  const changes = new MutationObserver(mark); // JupyterLab removes cells from the page, and restores them
  const appears = new ResizeObserver(mark); // the question is drawn before it is on the page
  appears.observe(root);
  return () => {
    changes.disconnect();
    appears.disconnect();
    clear();
  };
}

// Whether there is a heading or another question: in JupyterLab its source says so, even if it is not drawn yet.
function isEnd(node, notebook) {
  const cell = notebook?.cells.get(Number(node.dataset.windowedListIndex));
  if (!cell) return node.matches("section") || node.querySelector(".asked") !== null;
  const { type, sharedModel: { source } } = cell;
  if (type === "markdown") return /^#{1,6} /m.test(source);
  return /^checks\.(predict|drill)\(/m.test(source) && !source.startsWith("# S");
}

// -- what it is made of -----------------------------------------------------------------------

function buttonOf(text, type = "button") {
  const button = make("button", "question-button", text);
  button.type = type;
  return button;
}

function fieldOf({ question, form }) {
  const field = make("input", "question-field");
  field.ariaLabel = `${question} ${form}`;
  field.placeholder = form;
  field.autocomplete = "off";
  field.spellcheck = false;
  return field;
}

// Rows of texts with a title; whatever differs from the other rows ends with ≠.
function tableOf([title, rows]) {
  const box = make("div", "question-shown");
  const table = make("table");
  table.append(make("caption", "", title));
  for (const row of rows) {
    const line = make("tr");
    line.append(...row.map((text) => make("td", text.endsWith("≠") ? "question-differs" : "", text)));
    table.append(line);
  }
  box.append(table);
  return box;
}

export default { initialize: saveWithNotebook, render }; // saved like an Explorer
