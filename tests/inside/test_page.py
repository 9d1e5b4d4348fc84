"""What an Inside shows beside one text: a batch, a tokenizer's words, a page without a kernel."""

import json
import re

import numpy as np
import pytest
import torch
from watched import gpt

from helpers.inside import Inside, watch

IDS = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 8]])


class Tokenizer:
    """As those of Hugging Face."""

    def convert_ids_to_tokens(self, ids):
        return [f"<{i}>" for i in ids]


def shown(view):
    ((panel, array),), _ = view._shown()
    return panel, array


def test_a_menu_of_the_batch_with_the_words_of_each():
    model = gpt()
    with torch.no_grad(), watch(model.eval()) as seen:
        model(IDS)
    for view in (
        Inside(model, IDS, Tokenizer(), sequence=None),
        Inside(model, {"ids": IDS}, [["<1>", "<2>", "<3>", "<4>"], list("abcd")], sequence=None),
    ):
        menus = {control.name: control.widget for control in view.controls}
        for sequence, last in ((0, "<4>"), (1, "<8>" if view.tokenize is None else "d")):
            menus["sequence"].index = sequence
            panel, array = shown(view)
            assert panel.rows[-1] in (last, "d")
            wanted = next(iter(seen.weights.values()))[sequence, 0]
            np.testing.assert_allclose(np.nan_to_num(array), wanted, atol=1e-6)
    view = Inside(model, IDS, Tokenizer(), sequence=1)
    assert shown(view)[0].rows == ["<5>", "<6>", "<7>", "<8>"]


def test_a_tokenizer_needs_ids():
    with pytest.raises(TypeError, match="tokens=tokenizer.convert_ids_to_tokens"):
        Inside({"a": torch.rand(1, 2, 2)}, tokens=Tokenizer())


def test_a_page_holds_all_that_it_needs(tmp_path):
    words = ["</script><b>", "&", "c", "d"]
    view = Inside(gpt(), IDS, words)
    view.save(tmp_path / "seen.html")
    text = (tmp_path / "seen.html").read_text()
    assert not re.search(r"""(src|href)=["']|https?://(?!www.w3.org)""", text)
    given = json.loads(
        re.search(r'<script type="application/json".*?>(.*?)</script>', text, re.S)[1]
    )
    assert words == given["spec"]["panels"][0]["rows"][0]


@pytest.mark.browser
def test_a_page_is_alive_without_a_kernel(tmp_path, browser):
    view = Inside(gpt(), IDS, list("abcd"))
    view.save(tmp_path / "seen.html")
    page, errors = browser.new_page(), []
    page.on("pageerror", lambda error: errors.append(error))
    page.on("request", lambda it: it.url.startswith("http") and errors.append(it.url))
    page.goto((tmp_path / "seen.html").as_uri())
    page.locator('.ax-view[data-ready="true"]').wait_for()
    menus = {c.name: c.widget for c in view.controls}
    for head in ("1", "average"):
        menus["head"].label = head
        page.locator("label", has_text="head").locator("select").select_option(head)
        cells = page.locator("td.ax-cell").all_inner_texts()
        _, array = shown(view)
        assert float(cells[4]) == pytest.approx(array[1, 0], abs=0.006), head
    page.locator(".ax-overview canvas, .ax-overview").last.click()
    assert errors == []
    page.screenshot(path=tmp_path / "seen.png", full_page=True)
    page.close()
