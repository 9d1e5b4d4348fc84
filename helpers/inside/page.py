"""One file of HTML in which the menus of an Inside work without a kernel and without a network."""

import base64
import gzip
import html
import json
from pathlib import Path

SCRIPT = Path(__file__).with_name("page.js")
PAGE = """<!doctype html>
<html lang="{language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ margin: 1rem; font: 14px system-ui, sans-serif; }}
.ax-controls {{ display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; }}
{style}
</style>
<main class="attention-explorer"><div class="ax-controls"></div><div id="view"></div></main>
<noscript><pre>{text}</pre></noscript>
<script type="application/json" id="given">{given}</script>
<script type="module">{script}</script>
"""


def page(explorer, note, language):
    """The page of an Explorer with menus; its other controls keep their present values."""
    view = explorer.view
    menus = [c for c in explorer.controls if c.positions is not None]
    given = {
        "spec": view.spec | {"note": note, "sliders": []},
        "frames": base64.b64encode(gzip.compress(view.frames, 1)).decode(),
        "script": str(view._esm),
        "menus": [{"name": c.name, "labels": c.labels, "index": c.position} for c in menus],
    }
    text = repr(explorer)
    return PAGE.format(
        language=language,
        title=html.escape(text.partition("\n")[0]),
        style=view._css,
        text=html.escape(text),
        given=json.dumps(given).replace("<", "\\u003c"),  # no word can end the script
        script=SCRIPT.read_text(encoding="utf-8"),
    )
