// The colour scale under a panel. Where it would show next to nothing, Python has said so, and offers
// one that ends where the numbers do: for all heads of the panel, told in the read-out, and given back
// in the same way.

const CLOSER = "c"; // the key that does what the button does

function scaleOf(panel, changed) {
  const line = make("div", "ax-scale");
  const bar = make("i", "ax-bar");
  const oneSided = panel.role === "weights";
  const from = oneSided ? "#fff" : `${panel.low}, #fff`;
  bar.style.background = `linear-gradient(to right, ${from}, ${panel.high})`;
  const [low, high] = [make("span"), make("span")];
  line.append(low, bar, high);
  if (panel.masked) line.append(make("i", `ax-swatch ax-${MASKED}`), make("span", "", MASKED));
  const words = make("span");
  const button = makeButton("ax-closer", "", ""); // says below what it does
  const offer = make("div", "ax-offer");
  offer.append(button, words);

  const scale = {
    el: line,
    offer,
    end: panel.limit,
    closer: false,
    // Whether there is another scale to change to.
    toggle() {
      if (!panel.offer) return false;
      scale.closer = !scale.closer;
      show();
      changed();
      return true;
    },
  };

  function show() {
    const ends = [panel.limit, panel.offer?.end];
    if (scale.closer) ends.reverse();
    scale.end = ends[0];
    low.textContent = brief(oneSided ? 0 : -scale.end);
    high.textContent = brief(scale.end);
    if (!panel.offer) return;
    words.textContent = scale.closer ? panel.offer.taken : panel.offer.says;
    button.textContent = `colours to ${brief(ends[1])}`;
    button.title = `${panel.name}: ${button.textContent} (key ${CLOSER} in its cells)`;
    button.setAttribute("aria-label", button.title);
  }

  button.addEventListener("click", scale.toggle);
  show();
  return scale;
}
