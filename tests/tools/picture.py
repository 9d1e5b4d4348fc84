"""Takes the README's picture: an Explorer of notebook 01, in JupyterLab, with the sum behind a cell."""

import shutil
import tempfile
from pathlib import Path

from find_browser import find_browser
from lab import Notebook, chromium, jupyter_lab

ROOT = Path(__file__).parent.parent
NOTEBOOK = ROOT / "notebooks" / "01_hello_shiny_sun.ipynb"
PICTURE = ROOT / ".github" / "explorer.png"


def main():
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as config:
        shutil.copy(NOTEBOOK, folder)
        with jupyter_lab(folder, config) as url, chromium(find_browser()) as browser:
            notebook = Notebook(browser, url, NOTEBOOK.name)
            notebook.restart_and_run_all()
            explorer = notebook.explorer(notebook.cell_starting("blend = "))
            for _ in range(30):
                explorer.move_first_slider("ArrowLeft")
            explorer.cell("scores", 0, 2).click()
            notebook.page.mouse.move(5, 5)
            explorer.box.screenshot(path=PICTURE)
    print(f"saved in {PICTURE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
