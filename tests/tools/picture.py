"""Takes the pictures for the README: an Explorer of notebook 01 in JupyterLab with the sum behind a
cell, and Inside of a small GPT that has learned to answer who has what; and the still of the one
picture, for where scripts do not run."""

import shutil
import tempfile

import torch
from lab import Notebook, chromium, jupyter_lab
from PIL import Image
from site_pages import Page, page_of_widget
from torch.nn import functional as F

from helpers.classroom.one_picture import STILL, html
from helpers.classroom.series import NOTEBOOKS, ROOT
from helpers.data.stories import Stories
from helpers.inside import Inside, watch
from helpers.models.gpt import GPT
from helpers.models.trained import train
from tests.tools.find_browser import find_browser

STORY = "mia has a golden car. sara has a black hat. mia? car. sara? hat.".split()
TOKENS = ["<start>", *STORY]  # as encode returns it
ASKED, ANSWER = TOKENS.index("sara?"), TOKENS.index("hat.")
STEPS, BATCH = 400, 64
WIDE, COLOURS = 900, 128  # pixels of the page; number of colours in the file


def take_explorer(browser, path):
    name = "01_hello_shiny_sun.ipynb"
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as config:
        shutil.copy(NOTEBOOKS / name, folder)
        with jupyter_lab(folder, config) as url:
            notebook = Notebook(browser, url, name)
            notebook.restart_and_run_all()
            explorer = notebook.explorer(notebook.cell_starting("blend = "))
            for _ in range(30):
                explorer.move_first_slider("ArrowLeft")
            explorer.cell("scores", 0, 2).click()
            notebook.page.mouse.move(5, 5)
            explorer.box.screenshot(path=path)


def take_inside(browser, path):
    language = Stories()
    torch.manual_seed(0)
    model = GPT(len(language.words), language.longest + 1, 64, 8, 3, d_ff=64, tied=False)
    ids = language.encode([STORY])

    def loss_of(step):
        texts = language.encode(language.sample(BATCH, seed=step))
        return F.cross_entropy(model(texts[:, :-1]).mT, texts[:, 1:], ignore_index=0)

    train(model, loss_of, STEPS, 0.005)
    with watch(model) as seen:
        model(ids)
    looks = torch.stack([call.weights[0, :, ASKED, ANSWER] for call in seen.calls])
    strongest = divmod(int(looks.argmax()), looks.shape[1])  # layer, head
    with tempfile.TemporaryDirectory() as folder:
        shown = page_of_widget(folder, Inside(model, ids, TOKENS, view="lines"))
        page = Page(browser, shown, viewport={"width": WIDE, "height": 900})
        (box,) = page.live()
        for menu, choice in zip(box.locator("select").all(), strongest):
            menu.select_option(index=choice)
        box.locator(".ax-drawn text[text-anchor=end]").nth(ASKED).click()
        page.page.mouse.move(2, 2)
        page.page.add_style_tag(content="body > :not(.bd-container), header { display: none }")
        # tall enough for all of it, so that nothing sticks
        page.page.set_viewport_size({"width": WIDE, "height": 1400})
        box.locator(".attention-explorer").screenshot(path=path)
    smaller(path)


def take_one_picture(browser, path):
    """The one picture at the end of its story: what sun listens to."""
    page = browser.new_page(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    page.set_content(html())
    page.locator("[data-word='2']").click()
    page.mouse.move(2, 2)
    page.add_style_tag(content=".one-bar { visibility: hidden }")
    page.locator(".one-picture").screenshot(path=path)
    smaller(path)


def smaller(path):
    Image.open(path).convert("RGB").quantize(COLOURS).save(path, optimize=True)


if __name__ == "__main__":
    with chromium(find_browser()) as browser:
        shown = ROOT / ".github"
        for take, path in {
            take_explorer: shown / "explorer.png",
            take_inside: shown / "inside.png",
            take_one_picture: STILL,
        }.items():
            take(browser, path)
            print(f"saved {path.relative_to(ROOT)}")
