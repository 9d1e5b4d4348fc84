"""Takes the pictures for the README: a film of the one picture, a slider and a check; and Inside of
a small GPT that has learned to answer who has what. It also takes the still of the one picture, for
where scripts do not run."""

import tempfile
from html import escape
from io import BytesIO

import torch
from lab import chromium
from PIL import Image
from site_pages import Page, page_of_widget
from torch.nn import functional as F

from helpers import checks
from helpers.classroom.one_picture import STILL, html
from helpers.classroom.series import ROOT
from helpers.data.sentences import SUNNY, SUNNY_TOKENS
from helpers.data.stories import Stories
from helpers.explorer import Explorer
from helpers.inside import Inside, watch
from helpers.judge.card import card
from helpers.models.gpt import GPT
from helpers.models.trained import train
from tests.tools.find_browser import find_browser

FILM = {"width": 840, "height": 510}  # pixels
FRAME, HOLD = 100, 1300  # milliseconds: of a frame, and of the last one of a scene
SLIP = """def my_softmax(scores):
    e = scores.exp()
    return e / e.sum(dim=0, keepdim=True)

checks.softmax(my_softmax)"""
STORY = "mia has a golden car. sara has a black hat. mia? car. sara? hat.".split()
TOKENS = ["<start>", *STORY]  # as encode returns it
ASKED, ANSWER = TOKENS.index("sara?"), TOKENS.index("hat.")
STEPS, BATCH = 400, 64
WIDE, COLOURS = 900, 128  # pixels of the page; number of colours in the file


def take_film(browser, path):
    """Three scenes, each a list of frames whose last one stays for a while."""
    scenes = [follow_a_word(browser), move_a_slider(browser), name_a_mistake(browser)]
    frames = [frame for scene in scenes for frame in with_few_colours(scene)]
    times = [t for scene in scenes for t in [FRAME] * (len(scene) - 1) + [HOLD]]
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=times, loop=0)


def with_few_colours(scene):
    """The frames of a scene with one palette, so that nothing flickers."""
    seen = (scene[0], scene[len(scene) // 2], scene[-1])
    sheet = Image.new("RGB", (FILM["width"], FILM["height"] * len(seen)))
    for row, frame in enumerate(seen):
        sheet.paste(frame, (0, row * FILM["height"]))
    # The most frequent colours are grounds, which stay as they are; others cover what is rare.
    counted = sorted(sheet.getcolors(sheet.width * sheet.height), reverse=True)
    colours = [part for _count, colour in counted[:COLOURS] for part in colour]
    others = sheet.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE).getpalette()
    palette = Image.new("P", (1, 1))
    palette.putpalette(colours + others)
    return [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in scene]


def shot(page):
    return Image.open(BytesIO(page.screenshot())).convert("RGB")


def follow_a_word(browser):
    """The story of sun in the one picture, on a clock that waits for each frame."""
    page = browser.new_page(viewport={"width": 1260, "height": 765})
    page.clock.install()
    page.set_content(html())
    page.add_style_tag(content=".one-bar { visibility: hidden } body { padding-top: 48px }")
    page.locator("[data-word='2']").click()
    page.mouse.move(2, 2)
    frames = []
    for _ in range(24):
        page.clock.run_for(1.5 * FRAME)  # faster than on the page
        frames.append(shot(page).resize(tuple(FILM.values()), Image.Resampling.LANCZOS))
    return frames


def move_a_slider(browser):
    """The temperature, from high to low, and the sum behind a weight."""

    def attend(temperature=3.0):
        scores = SUNNY @ SUNNY.T
        weights = torch.softmax(scores / temperature, dim=1)
        return {"scores": scores, "weights": weights, "context": weights @ SUNNY}

    sums = {"weights": "softmax(scores / temperature)"}
    with tempfile.TemporaryDirectory() as folder:
        shown = Explorer(attend, SUNNY_TOKENS, temperature=(0.2, 3.0, 0.2), sums=sums)
        shown_on = Page(browser, page_of_widget(folder, shown), viewport=FILM)
        shown_on.live()
        page = shown_on.page
        page.evaluate(
            "document.body.replaceChildren(document.querySelector('.attention-explorer'))"
        )
        page.locator("table.ax-grid .ax-cell").nth(13).click()
        page.locator(".noUi-handle").focus()
        frames = []
        for _ in range(14):
            page.keyboard.press("ArrowLeft")
            frames.append(shot(page))
    return frames


def name_a_mistake(browser):
    """A wrong answer, line by line, and its card."""
    names = {"checks": checks}
    exec(SLIP.rpartition("\n")[0], names)
    told = card(checks.softmax(names["my_softmax"]))
    page = browser.new_page(viewport=FILM)
    frames, lines = [], SLIP.split("\n")
    for count in range(1, len(lines) + 1):
        code = escape("\n".join(lines[:count]))
        done = told if count == len(lines) else ""
        page.set_content(f"""<body style="font: 16px system-ui; margin: 24px"><pre style="padding: 12px;
            background: #f5f5f5; min-height: 110px; font-size: 16px">{code}</pre>{done}""")
        frames += [shot(page)] * 3
    return frames


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
        shown = page_of_widget(folder, Inside(model, ids, TOKENS, view={"weights": "lines"}))
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
            take_film: shown / "film.gif",
            take_inside: shown / "inside.png",
            take_one_picture: STILL,
        }.items():
            take(browser, path)
            print(f"saved {path.relative_to(ROOT)}")
