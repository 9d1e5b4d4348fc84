"""Inside with a kernel, in JupyterLab: a text that changes, a cell that is run again, a kernel that is gone."""

import pytest
from lab import BUSY, Notebook, write_notebook
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.weekly]

SOURCE = """# live
import torch
from torch import nn
from helpers.inside import Inside
torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
model = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
table = 4 * torch.randn(64, 8)

def tokenize(text):
    words = text.split()
    return table[[sum(map(ord, word)) % 64 for word in words]][None], words

Inside(model, text="the cat sat on the mat", tokenize=tokenize)"""
COMPUTED = """# computed
from helpers.explorer import Explorer
Explorer(lambda word, t: [[t, len(word) / 10]], ["a", "b"], word="abc", t=(0.0, 1.0, 0.5),
         rows={"weights": ["q"]})"""
# The two seconds that anywidget gives a page to read a script are over at once.
BUSY_PAGE = (
    "const limit = AbortSignal.timeout; AbortSignal.timeout = () => limit.call(AbortSignal, 0)"
)


def words(box):
    return box.locator("table.ax-grid th[scope=row]")


def say(box, text):
    box.locator("input[type=text]").fill(text)
    box.locator("input[type=text]").press("Enter")


def test_on_a_busy_page_a_text_is_read_as_it_changes_and_all_else_needs_no_kernel(lab, browser):
    write_notebook(lab.folder / "inside.ipynb", SOURCE, COMPUTED)
    notebook = Notebook(browser, lab.url, "inside.ipynb")
    gave_up = []
    notebook.page.on("pageerror", lambda error: gave_up.append(BUSY in str(error)))
    notebook.page.add_init_script(BUSY_PAGE)
    notebook.open(notebook.page.url)
    notebook.restart_and_run_all()
    assert any(gave_up), "the page was not busy: this proves nothing of it"
    computed = notebook.named("computed")
    assert [what for what, move in computed.controls() if not computed.changes(move)] == []
    box, says = (explorer := notebook.explorer(0)).box, explorer.box.locator(".ax-says")
    expect(words(box)).to_have_text("the cat sat on the mat".split())
    box.locator(".ax-thumb").nth(3).click()
    expect(says).to_have_text("layers.1.self_attn, head 1")
    say(box, "a dog ran")
    expect(words(box)).to_have_text(["a", "dog", "ran"])
    expect(says).to_have_text("layers.1.self_attn, head 1")  # still open
    expect(box.locator(".ax-thumb.ax-open")).to_have_count(1)
    say(box, "")
    expect(box.locator(".ax-error")).to_contain_text("This text cannot be shown.")
    expect(words(box)).to_have_text(["a", "dog", "ran"])
    say(box, "one two three")
    expect(words(box)).to_have_text(["one", "two", "three"])
    expect(box.locator(".ax-error")).to_be_empty()
    notebook.run_again("live")
    box = notebook.explorer(0).box  # where it was left
    expect(words(box)).to_have_text(["one", "two", "three"])
    expect(box.locator(".ax-says")).to_have_text("layers.1.self_attn, head 1")
    assert notebook.errors == []
    notebook.shut_kernel_down()
    box.locator(".ax-thumb").nth(4).click()
    expect(box.locator(".ax-says")).to_have_text("layers.2.self_attn, head 0")
    notebook.page.close()
