"""All that is measured and not tested, as one table: `make bench`, saved in build/bench.json.

`python tests/bench.py slider imports` measures only these parts, and keeps the others' figures as
they were saved. A bar that is missed shows as ✗ and is counted; it does not fail the command.
"""

import argparse
import json
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from bench_table import heading

PARTS = "slider explorer imports notebooks attention writing views inside".split()
OUT = Path(__file__).parent.parent / "build" / "bench.json"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="part", help=f"any of: {', '.join(PARTS)}")
    parts = parser.parse_args(arguments).parts or PARTS
    if unknown := set(parts) - set(PARTS):
        parser.error(f"there is no {', '.join(unknown)}; the parts are {', '.join(PARTS)}")
    saved = json.loads(OUT.read_text(encoding="utf-8")) if OUT.exists() else {}
    print(heading(), flush=True)
    measured = []
    for part in parts:
        saved[part] = []
        for row in import_module(f"bench_{part}").rows():
            print(row, flush=True)
            measured.append(row)
            saved[part].append(asdict(row))
        OUT.parent.mkdir(exist_ok=True)
        OUT.write_text(json.dumps(saved, indent=1, ensure_ascii=False), encoding="utf-8")
    missed = sum(row.met is False for row in measured)
    barred = sum(row.met is not None for row in measured)
    print(f"{missed} of {barred} bars missed; saved in {OUT.relative_to(OUT.parents[1])}")


if __name__ == "__main__":
    main()
