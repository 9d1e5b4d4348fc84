"""Pictures beside Explorers follow the theme: no white box in the dark, and words that stand out."""

import io

import numpy as np
import pytest
from PIL import Image

from helpers.pictures.tables import in_the_dark
from tests.pictures.words_drawn import contrast

pytestmark = pytest.mark.browser


def assert_follows(picture, dark):
    """Its ground is that of the page, its emptiest cell hardly differs, and its words stand out."""
    picture.scroll_into_view_if_needed()
    pixels = np.asarray(Image.open(io.BytesIO(picture.screenshot())).convert("RGB")) / 255
    ground = pixels[2, 2]
    assert (ground.max() < 0.2) == dark
    high, wide = pixels.shape[:2]
    title = pixels[: high // 8, : wide // 2].reshape(-1, 3)  # words and nothing else
    assert (
        max(contrast(pixel, ground) for pixel in np.unique(title, axis=0)) >= 4.4
    )  # it is drawn smaller
    empty = [row for row in np.unique(pixels.reshape(-1, 3), axis=0) if contrast(row, ground) > 12]
    seen = sum((pixels == colour).all(axis=-1).mean() for colour in empty)
    assert seen < 0.1, "a white box, or a black one"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_page(page, scheme):
    page.page.emulate_media(color_scheme=scheme)
    assert_follows(page.page.locator(".text_html > img"), scheme == "dark")
    page.page.emulate_media(color_scheme="light")


def test_colours_in_the_dark_are_as_we_compute_them(browser):
    look = "background: rgb(166 97 26); filter: invert(0.93) hue-rotate(180deg); height: 9px"
    shown = browser.new_page()
    shown.set_content(f'<div style="{look}"></div>')
    pixel = np.asarray(Image.open(io.BytesIO(shown.locator("div").screenshot())))[4, 4, :3]
    shown.close()
    np.testing.assert_allclose(pixel / 255, in_the_dark(np.array([166, 97, 26]) / 255), atol=0.01)
