"""All that is measured and not tested, in one run: `make bench`. The figures go to build/bench.json."""

import json
from pathlib import Path

import bench_attention
import bench_notebooks
import bench_slider

PARTS = {
    "Slider to pixels": bench_slider,
    "Notebooks": bench_notebooks,
    "Attention layers": bench_attention,
}
OUT = Path(__file__).parent.parent / "build" / "bench.json"


def main():
    figures = {}
    for title, part in PARTS.items():
        print(f"\n{title}\n{part.__doc__.strip().splitlines()[0]}\n", flush=True)
        figures[title] = part.main()
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(figures, indent=1))
    print(f"\nsaved in {OUT.relative_to(OUT.parents[1])}")


if __name__ == "__main__":
    main()
