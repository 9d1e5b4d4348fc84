"""What runs in the browser: the Explorer's view, and all heads beside it."""

from pathlib import Path

from ..explorer.views import SCRIPTS, STYLES, MatrixView, joined

HERE = Path(__file__).parent


class InsideView(MatrixView):
    """The picture in the browser: the Explorer's view, and all heads beside it."""

    _esm = joined(SCRIPTS) + "\n" + joined(["js/film.js", "js/heads.js", "js/inside.js"], HERE)
    _css = joined(STYLES) + "\n" + joined(["css/inside.css"], HERE)
