"""Makes a lecture of every notebook, its sliders alive: `make slides`, or

    python -m helpers.classroom.slides [notebooks/01_hello_shiny_sun.ipynb …]

What is on which slide stands in the cells; solutions and checks are on none.
"""

import sys

from nbconvert.nbconvertapp import NbConvertApp

from . import series

SIZE = ("--SlidesExporter.reveal_width=1280", "--SlidesExporter.reveal_height=800")
FOLDER = series.ROOT / "build" / "slides"


def main() -> None:
    paths = sys.argv[1:] or [str(path) for path in series.notebooks()]
    how = ["--to=slides", "--execute", "--SlidesExporter.reveal_scroll=True", *SIZE]
    NbConvertApp.launch_instance([*how, f"--output-dir={FOLDER}", *paths])


if __name__ == "__main__":
    main()
