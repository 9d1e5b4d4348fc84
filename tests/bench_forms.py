"""The forms of a live picture that bench_slider.py compares, each in a JupyterLab notebook of its own."""

import json
from pathlib import Path

from lab import Notebook, write_notebook

BARE = "interact, bare imshow"  # no labels, no numbers
SLIDER = "bare slider"  # no picture at all: what JupyterLab and ipywidgets take by themselves
NUMBERED = 16  # tokens: up to here, pictures have numbers in their cells
LOOKS = 2  # presses that are looked at before the clock counts

SOURCE = """
import gc, io, ipywidgets, matplotlib.pyplot as plt, torch
from IPython.display import display
from helpers.explorer import Explorer
ipywidgets.Widget.close_all(); plt.close("all"); gc.collect()
Q, K = torch.randn(2, *{shape}, generator=torch.manual_seed(0))
tokens = [f"w{{i}}" for i in range({tokens})]

def attend(temperature=1.0):
    return torch.softmax(Q @ K.mT / 4 / temperature, dim=-1)

def figure(temperature=1.0, words=True):
    # A picture for each head: the figure of matplotlib, and [(image, numbers), ...].
    weights = attend(temperature).reshape(-1, {tokens}, {tokens})
    wide = 4 if len(weights) > 1 else 1
    fig, axes = plt.subplots(len(weights) // wide, wide, squeeze=False,
                             figsize=(8, 4) if wide > 1 else (3.5, 3.5))
    named = range(0, {tokens}, 1 if {tokens} <= {numbered} else {tokens} // (8 if wide == 1 else 4))
    drawn = []
    for ax, w in zip(axes.flat, weights):
        image, numbers = ax.imshow(w, vmin=0, vmax=1), []
        if words:
            ax.set_xticks(named, [tokens[i] for i in named])
            ax.set_yticks(named, [tokens[i] for i in named])
        if words and {tokens} <= {numbered}:
            numbers = [ax.text(j, i, f"{{x:.2f}}", ha="center", va="center", size=6)
                       for i, row in enumerate(w) for j, x in enumerate(row)]
        drawn.append((image, numbers))
    return fig, drawn

def renew(drawn, temperature):
    for (image, numbers), w in zip(drawn, attend(temperature).reshape(-1, {tokens}, {tokens})):
        image.set_data(w)
        for text, x in zip(numbers, w.ravel()):
            text.set_text(f"{{x:.2f}}")

slider = ipywidgets.FloatSlider(1.0, min=0.5, max=4.4, step=0.1)
"""
FORMS = {
    "Explorer": """
e = Explorer(attend, tokens, temperature=(0.5, 4.4, 0.1))
assert e.swept
e""",
    "interact": """
def draw(temperature):
    figure(temperature)
    plt.show()

ipywidgets.interact(draw, temperature=slider)
None""",
    BARE: """
def draw(temperature):
    figure(temperature, words=False)
    plt.show()

ipywidgets.interact(draw, temperature=slider)
None""",
    SLIDER: "slider",
    "Image + savefig": """
plt.ioff()
fig, drawn = figure()
picture = ipywidgets.Image(format="png")

def draw(change):
    renew(drawn, slider.value)
    file = io.BytesIO()
    fig.savefig(file, format="png")
    picture.value = file.getvalue()

slider.observe(draw, "value")
draw(None)
ipywidgets.VBox([slider, picture])""",
    "ipympl": """
%matplotlib widget
with plt.ioff():
    fig, drawn = figure()

def draw(change):
    renew(drawn, slider.value)
    fig.canvas.draw_idle()

slider.observe(draw, "value")
ipywidgets.VBox([slider, fig.canvas])""",
}
PICTURES = {  # what is there when a form has been drawn
    "Explorer": ".ax-view[data-ready=true]",
    "interact": ".jp-OutputArea .jp-OutputArea img",
    BARE: ".jp-OutputArea .jp-OutputArea img",
    SLIDER: ".widget-readout",
    "Image + savefig": "img.widget-image",
    "ipympl": ".jupyter-matplotlib canvas",
}
# What a picture is, to compare it with a later one; a slider alone has its number.
LOOKING = """cell => {
  const look = node => node.tagName === 'CANVAS' ? node.toDataURL()
    : node.tagName === 'IMG' ? node.src
    : node.textContent + node.style.backgroundColor + node.getAttribute('stroke-width');
  const view = cell.querySelector('.ax-view');
  const ours = '.ax-cell, .ax-word, .ax-sheet line, canvas';
  const nodes = [...(view ?? cell).querySelectorAll(view ? ours : '.jp-OutputArea img, canvas')];
  return (nodes.length ? nodes : [...cell.querySelectorAll('.widget-readout')]).map(look).join();
}"""
# Whether ipympl has drawn into its canvas; the others have no picture before it is drawn.
INKED = """cell => {
  const canvas = cell.querySelector('.jupyter-matplotlib canvas');
  const area = [0, 0, canvas?.width, canvas?.height];
  return !canvas || canvas.getContext('2d').getImageData(...area).data.some(Boolean);
}"""
# Press an arrow key on the slider; resolve when the browser has been given the new picture: to what
# is wrong, if it was looked at and something is.
PRESS = """async ([cell, looking]) => {
  const handle = cell.querySelector('.noUi-handle');
  const view = cell.querySelector('.ax-view');
  const at = name => Number(handle.getAttribute('aria-value' + name));
  if (at('now') >= at('max')) cell.benchKey = 'ArrowLeft';
  if (at('now') <= at('min') || !cell.benchKey) cell.benchKey = 'ArrowRight';
  const before = looking && LOOKING(cell);
  const changed = new Promise((done, failed) => {
    setTimeout(() => failed(Error('no new picture within 10 seconds')), 10000);
    const canvas = !view && cell.querySelector('.jupyter-matplotlib canvas');
    if (canvas) {
      const context = canvas.getContext('2d');
      context.drawImage = (...given) => {
        delete context.drawImage;
        context.drawImage(...given);
        done();
      };
      return;
    }
    const source = cell.querySelector('img')?.src;
    const alone = !view && !source && cell.querySelector('.widget-readout');
    const observer = new MutationObserver(records => {
      if (alone) {
        observer.disconnect();
        return done();
      }
      const image = cell.querySelector('img');
      if (view ? !records.some(r => r.attributeName === 'data-frame') : !image || image.src === source) return;
      observer.disconnect();
      if (view || image.complete) done();
      else image.addEventListener('load', done, { once: true });
    });
    observer.observe(view ?? (alone || cell), { subtree: !view, childList: true, attributes: true });
  });
  const frame = 17; // ms
  await new Promise(done => setTimeout(done, frame + 2 * frame * Math.random()));
  performance.mark('bench press');
  handle.dispatchEvent(new KeyboardEvent('keydown', { key: cell.benchKey, bubbles: true }));
  performance.mark('bench handled');
  await changed;
  performance.mark('bench changed');
  if (!looking) return new Promise(done => setTimeout(done, 2 * frame));
  const after = LOOKING(cell);
  if (before === after) return 'the clock stops, and the picture is the old one still';
  await new Promise(done => setTimeout(done, 200));
  if (after !== LOOKING(cell)) return 'the clock stops before the picture is all there';
}""".replace("LOOKING", f"({LOOKING})")
# Put this into the notebook's first cell, and run it.
RUN = """async source => {
  const { content } = window.jupyterapp.shell.currentWidget;
  content.activeCellIndex = 0;
  content.model.cells.get(0).sharedModel.setSource(source);
  await window.jupyterapp.commands.execute('notebook:run-cell');
  const failed = content.model.cells.get(0).toJSON().outputs.find(o => o.output_type === 'error');
  if (failed) throw Error(failed.ename + ': ' + failed.evalue);
}"""
KERNEL = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel"
BUSY = f"() => {{ {KERNEL}.requestExecute({{ code: 'while True: pass' }}); }}"


class OneCell:
    """A notebook with a single cell, open in JupyterLab; what the cell says changes."""

    def __init__(self, name, browser, url, folder):
        file = f"{name}.ipynb"
        write_notebook(Path(folder) / file, "")
        self.notebook = Notebook(browser, url, file)
        self.page = self.notebook.page
        self.cell = self.page.locator('.jp-Cell[data-windowed-list-index="0"]')

    def run(self, source):
        """Run the cell with this source; raise what it raises."""
        self.page.evaluate(RUN, source)

    def said(self):
        """What the cell printed, as JSON."""
        (outputs,) = self.notebook.outputs()
        printed = (o["text"] for o in outputs if o["output_type"] == "stream")
        return json.loads("".join("".join(text) for text in printed))


class Form(OneCell):
    """One way to a live picture."""

    def __init__(self, name, browser, url, folder):
        super().__init__(name.replace(", ", "_").split()[0].lower(), browser, url, folder)
        self.name, self.browser = name, browser

    def show(self, heads, tokens):
        """Run the cell at this size, and wait for its picture."""
        shape = (heads, tokens, 16) if heads else (tokens, 16)
        source = SOURCE.format(shape=shape, tokens=tokens, numbered=NUMBERED)
        self.show_source(source + FORMS[self.name], PICTURES[self.name])

    def show_source(self, source, picture=PICTURES["Explorer"]):
        """Run this in the cell, and wait for its picture."""
        self.run(source)
        self.cell.locator(picture).first.wait_for(timeout=30_000)
        self.settle()
        for _ in range(LOOKS):
            self.look()

    def settle(self):
        """Wait until the picture is no longer blank, and stays as it is for a while."""
        self.page.wait_for_function(INKED, arg=self.cell.element_handle())
        looks = [None, None, ""]
        while len(set(looks[-3:])) > 1:
            self.page.wait_for_timeout(300)
            looks.append(self.cell.evaluate(LOOKING))

    def press(self):
        """Press once."""
        self.page.evaluate(PRESS, [self.cell.element_handle(), False])

    def look(self):
        """Press once, and raise if the clock stops too early for the picture."""
        if wrong := self.page.evaluate(PRESS, [self.cell.element_handle(), True]):
            raise RuntimeError(f"{self.name}: {wrong}")

    def keep_kernel_busy(self):
        self.page.evaluate(BUSY)
        self.page.wait_for_function(f"() => {KERNEL}.status === 'busy'")

    def let_kernel_rest(self):
        self.page.evaluate(f"() => {KERNEL}.interrupt()")
        self.page.wait_for_function(f"() => {KERNEL}.status === 'idle'")

    def shut_kernel_down(self):
        self.notebook.shut_kernel_down()
        self.page.wait_for_timeout(1500)  # JupyterLab itself is busy with that for a moment

    def start_kernel(self):
        """Start a kernel again where it was shut down."""
        self.page.evaluate(
            "() => window.jupyterapp.shell.currentWidget.sessionContext.changeKernel({ name: 'python3' })"
        )
        self.page.wait_for_function(f"() => {KERNEL}?.status === 'idle'")
