"""A page of the site in the browser, its Explorers, and what Python computed for them."""

import base64
import json
import re
from math import prod
from pathlib import Path

import films
import numpy as np
import pytest
from ipywidgets.embed import embed_data
from lab import ANSWERED
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from pixels import cells_at, decoded, labels_at, shapes_in, text_of
from playwright.sync_api import TimeoutError

from helpers.classroom import site
from helpers.classroom.pages import VIEW
from helpers.classroom.series import notebooks

NOTEBOOKS = notebooks()
PAGES = ["index", *(path.stem for path in NOTEBOOKS)]


def page_of_widget(folder, shown):
    """The path of a page that shows a widget, created here, with no kernel."""
    data = embed_data(views=[shown], drop_defaults=False)
    outputs = [new_output("display_data", {VIEW: view}) for view in data["view_specs"]]
    title = new_markdown_cell("# Title\n\n**The question:** what is it?")
    book = new_notebook(cells=[title, new_code_cell("#", outputs=outputs)])
    book.metadata.widgets = {"application/vnd.jupyter.widget-state+json": data["manager_state"]}
    site.make_site(Path(folder), {Path("shown.ipynb"): book})
    return Path(folder) / "shown.html"


class Page:
    """A page in the browser, its requests to the outside, and what went wrong.

    blocked   requests that fail: a pattern for re.search on their address
    fast      whether films run many times faster than a person could follow
    answered  whether predictions are answered, so that nothing is folded
    """

    def __init__(self, browser, path, blocked=r"(?!)", fast=False, answered=True, **window):
        self.outside, self.errors, self.blocked = [], [], blocked
        self.page = browser.new_page(**window)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._hear)
        self.page.route("**/*", self._answer)
        if fast:
            self.page.add_init_script(films.FAST)
        if answered:
            self.page.add_init_script(ANSWERED)
        self.page.goto(path.as_uri())

    def _hear(self, message):
        if message.type == "error":
            self.errors.append(message.text)

    def _answer(self, route):
        address = route.request.url
        at_home = address.startswith(("file:", "data:", "blob:"))
        if not at_home:
            self.outside.append(address)
        if at_home and not re.search(self.blocked, address):
            route.continue_()
        else:
            route.abort()

    def live(self):
        """Every live output on the page, once it is drawn. Some answers hold one: all are opened."""
        self.page.evaluate("document.querySelectorAll('details').forEach((it) => (it.open = true))")
        boxes = self.page.locator(".live").all()
        try:
            for box in boxes:
                box.locator('.ax-view[data-ready="true"]').wait_for(timeout=20_000)
        except TimeoutError:
            pytest.fail(f"An Explorer was not drawn: {self.outside + self.errors}")
        return boxes

    def close(self):
        self.page.close()


# ---------------------------------------------------------------- what Python computed


def models(soup):
    """The models of a page's widgets, by their ids."""
    state = soup.find("script", type="application/vnd.jupyter.widget-state+json")
    return json.loads(state.string)["state"] if state else {}  # the first page has no widget


def views(soup):
    """(spec, buffers) of every Explorer and Inside on a page, in order, from its widget state."""
    kept = models(soup)
    for view in soup.find_all("script", type="application/vnd.jupyter.widget-view+json"):
        found = [kept[i] for i in inside(kept, json.loads(view.string)["model_id"])]
        for model in [m for m in found if "spec" in m["state"]]:  # a question has none
            yield (
                model["state"]["spec"],
                {
                    buffer["path"][0]: base64.b64decode(buffer["data"])
                    for buffer in model["buffers"]
                },
            )


def inside(models, name):
    """The id of a widget, and of everything inside it."""
    yield name
    for child in models[name]["state"].get("children", []):
        yield from inside(models, child.removeprefix("IPY_MODEL_"))


def tables_of(spec, buffers, index):
    """([(panel, its numbers) of each table], [other numbers]) at one setting of the controls."""
    pairs, numbers = decoded(spec, buffers["frames"], index)
    cells = [(panel, part.ravel()) for panel, part in pairs if not panel["picture"]]
    return cells, list(numbers.values())


def expected(spec, buffers, index):
    """What the tables and the numbers must say at one setting of the controls."""
    tables, numbers = tables_of(spec, buffers, index)
    return {
        "cells": [
            text_of(x, spec["decimals"]) if there else ""
            for panel, part in tables
            for x, there in zip(part, cells_at(panel, index).ravel())
        ],
        "numbers": [
            text_of(x, 0 if whole else spec["decimals"]) for x, whole in zip(numbers, spec["whole"])
        ],
        "bars": [
            pytest.approx(min(1, x / panel["limit"]), abs=1e-6)
            for panel, part in tables
            for x, there in zip(part, cells_at(panel, index).ravel())
            if there and panel["role"] == "probabilities"
        ],
        "shapes": [
            [shape["kind"], word, pytest.approx(width_of(shape["kind"], numbers), abs=6e-4)]
            for panel in spec["panels"]
            for scene in panel["scenes"].get(panel["view"], [])
            for shapes in shapes_in(spec, buffers["frames"], buffers["moves"], [scene], index)
            for shape, numbers, word in shapes
            if "active" not in shape
        ],
    }


def width_of(kind, numbers):
    return numbers[-2] if kind in ("line", "path") else 0


# ---------------------------------------------------------------- what the browser shows

CONTROLS = ".widget-slider .noUi-handle, .widget-dropdown select, .widget-checkbox input"
# Take the controls to these places.
GO = """(box, [selector, places]) => [...box.querySelectorAll(selector)].forEach((control, i) => {
  const press = key => control.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  if (control.type === 'checkbox') {
    if (Number(control.checked) !== places[i]) control.click();
  } else if (control.tagName === 'SELECT') {
    control.selectedIndex = places[i];
    control.dispatchEvent(new Event('change', { bubbles: true }));
  } else {
    press('Home');
    for (let k = 0; k < places[i]; k++) press('ArrowRight');
  }
})"""


def settings(spec):
    """The first, the last and two between of all settings, as {index: the place of each control}."""
    sizes = [len(stops) for stops in spec["stops"]]
    count = prod(sizes)
    few = sorted({0, count // 3, 2 * count // 3, count - 1})
    return {k: [int(place) for place in np.unravel_index(k, sizes)] if sizes else [] for k in few}


def go_to(box, places, index):
    """Take the controls of an Explorer to these places, at which it has the frame of this index."""
    box.evaluate(GO, [CONTROLS, places])
    assert box.locator(".ax-view").get_attribute("data-frame") == str(index)


def assert_numbers_are_pythons(box, spec, buffers):
    """At some settings of the controls, every visible number is Python's."""
    assert box.locator(CONTROLS).count() == len(spec["stops"])
    for index, places in settings(spec).items():
        go_to(box, places, index)
        shown = box.locator(".ax-view").evaluate(films.STANDS)
        assert shown == expected(spec, buffers, index), f"at {places}"


def assert_cell_answers(box, spec, buffers):
    """The last cell of each table, when pointed at, says its number, which is Python's."""
    index = int(box.locator(".ax-view").get_attribute("data-frame"))
    for panel, numbers in tables_of(spec, buffers, index)[0]:
        k = int(np.flatnonzero(~np.isnan(numbers))[-1])
        place = box.locator(".ax-panel:not(.ax-overview)").nth(spec["panels"].index(panel))
        cell = place.locator(".ax-cell").nth(k)
        if panel["view"] != "table":  # the table exists, but is invisible
            cell.dispatch_event("pointermove")
        else:
            cell.hover()
        said = box.locator(".ax-readout").text_content()
        assert said.startswith(panel["name"])
        assert labels_at(panel, index)[1][k % panel["wide"]] in said
        last = float(re.findall(r"−?[\d.]+(?:e−?\d+)?", said.split(" = ")[-1])[0].replace("−", "-"))
        assert last == pytest.approx(numbers[k], abs=5.1e-5)
        if panel["view"] != "table":
            cell.locator("xpath=ancestor::table").dispatch_event("pointerleave")
