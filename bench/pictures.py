#!/usr/bin/env python3
"""Draws docs/pictures from bench/results: for each device the newest file of `merklize bench --json` (*-suites-*.json).

    python bench/pictures.py [--out FOLDER]

Needs the installed merklize package and matplotlib (merklize[plot]).
"""

import argparse
import pathlib

from result_files import ROOT, newest_suites

from merklize.bench import plots


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs" / "pictures")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    runs = [run for _, runs in newest_suites() for run in runs]
    for name, draw in plots.pictures(runs):
        path = args.out / f"{name}.svg"
        draw(str(path))
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
