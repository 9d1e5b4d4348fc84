"""Takes the README's second picture: Inside of a small GPT that has learned to answer who has what."""

import sys
import tempfile
from pathlib import Path

import nbformat
import torch
from ipywidgets.embed import embed_data
from PIL import Image
from torch.nn import functional as F

sys.path += [str(Path(__file__).parents[i]) for i in (1, 2)]
import make_site  # noqa: E402
from find_browser import find_browser  # noqa: E402
from lab import chromium  # noqa: E402
from site_pages import Page  # noqa: E402

from helpers.data.stories import Stories
from helpers.inside import Inside
from helpers.models.gpt import GPT

PICTURE = Path(__file__).resolve().parents[2] / ".github" / "inside.png"
STORY = "mia has a golden car. sara has a black hat. mia? car. sara? hat.".split()
TOKENS = ["<start>", *STORY]  # as encode writes it
ASKED, ANSWER = "sara?", "hat."
STEPS, BATCH = 400, 64
WIDE, COLOURS = 900, 128  # pixels of the page; of the file


def trained(language):
    """As in notebook 11, with more heads to look at."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = GPT(len(language.words), language.longest + 1, 64, 8, 3, d_ff=64, tied=False)
    book = language.draw(BATCH * STEPS, seed=0)
    optimiser = torch.optim.AdamW(model.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 0.005, total_steps=STEPS)
    for step in range(STEPS):
        ids = language.encode(book[BATCH * step : BATCH * (step + 1)])
        loss = F.cross_entropy(model(ids[:, :-1]).mT, ids[:, 1:], ignore_index=0)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    return model


def strongest(view):
    """(layer, head), by their places, that looks most from the question to its answer."""
    query, key = TOKENS.index(ASKED), TOKENS.index(ANSWER)
    found = [
        (weights[query, key], layer, head)
        for layer, seen in enumerate(view._layers.values())
        for head, weights in enumerate(seen.weights)
    ]
    return max(found)[1:]


def page_with(folder, shown):
    """The path of a page that shows this widget, with no kernel."""
    data = embed_data(views=[shown], drop_defaults=False)
    (view,) = data["view_specs"]
    output = nbformat.v4.new_output("display_data", {make_site.VIEW: view})
    title = nbformat.v4.new_markdown_cell("# Inside\n\n**The question:** what is inside?")
    cells = [title, nbformat.v4.new_code_cell("#", outputs=[output])]
    book = nbformat.v4.new_notebook(cells=cells)
    book.metadata.widgets = {"application/vnd.jupyter.widget-state+json": data["manager_state"]}
    scripts = make_site.scripts_beside()
    shared = {"run": {}, "scripts": make_site.BESIDE if scripts else make_site.PUBLIC}
    path = Path(folder) / "inside.html"
    page = make_site.page_of(path, book, shared)
    make_site.write(path.parent, scripts | {path.name: page.encode()})
    return path


def main():
    language = Stories()
    view = Inside(trained(language), language.encode([STORY]), TOKENS, view="lines")
    menus = {control.name: control.widget for control in view.controls}
    menus["layer"].index, menus["head"].index = strongest(view)
    with tempfile.TemporaryDirectory() as folder, chromium(find_browser()) as browser:
        page = Page(browser, page_with(folder, view), viewport={"width": WIDE, "height": 900})
        (box,) = page.live()
        asked = f'.ax-end[data-side="rows"][data-k="{TOKENS.index(ASKED)}"]'
        box.locator(asked).click()
        page.page.mouse.move(2, 2)
        box.locator(".attention-explorer").screenshot(path=PICTURE)
    Image.open(PICTURE).convert("RGB").quantize(COLOURS).save(PICTURE, optimize=True)
    print(f"saved in {PICTURE.relative_to(PICTURE.parents[1])}")


if __name__ == "__main__":
    main()
