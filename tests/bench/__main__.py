"""All that is measured but not tested: `make bench`, or `python -m tests.bench slider layers`.

Each line is the time of ours divided by that of another. The two take turns in one run, so that a
busy machine slows down both alike. It shows the median of the ratios, and the bar that it should
meet. A missed bar is marked by ✗, but does not make the command fail.
"""

import argparse
from importlib import import_module

PARTS = ("slider", "layers")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=f"of {PARTS}")
    missed = measured = 0
    for part in parser.parse_args().parts or PARTS:
        for what, ratio, bar in import_module(f"tests.bench.{part}").ratios():
            kept = ratio <= bar
            print(f"{what:<60} {ratio:6.2f} × {'✓' if kept else '✗'} bar {bar:g}", flush=True)
            measured, missed = measured + 1, missed + (not kept)
    print(f"{missed} of {measured} bars missed")


if __name__ == "__main__":
    main()
