#!/usr/bin/env python3
"""Draws docs/pictures from bench/results: for each device the newest file of `merklize bench --json` (*-suites-*.json).

    python bench/pictures.py [--out FOLDER]

Needs the installed merklize package and matplotlib (merklize[plot]).
"""

import argparse
import pathlib
import re
import xml.etree.ElementTree as ET
from xml.sax.saxutils import escape, quoteattr

from result_files import ROOT, newest_suites

from merklize.bench import plots

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
LINK = "{http://www.w3.org/1999/xlink}"
FONTS = "'DejaVu Sans', Verdana, sans-serif"


def compact(text):
    """An SVG of matplotlib in a tenth of the lines: one for each tick, line and text; each style once."""
    used, classes = set(re.findall(r"#(\w+)", text)), {}

    def attributes(element):
        for name, value in element.items():
            if name == "style":
                value = re.sub(r"font-family: [^;]*", f"font-family: {FONTS}", value)
                yield f' class="{classes.setdefault(value, f"s{len(classes)}")}"'
            elif name != "id" or value in used:
                value = re.sub(r"\d+\.\d\d+", lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), value)
                value = " ".join(re.sub(r"rotate\(-0 .*?\)", "", value).split())
                if value:
                    yield f" {name.replace(LINK, 'xlink:')}={quoteattr(value)}"

    def shown(element):
        tag = element.tag.partition("}")[2]
        own = "".join(attributes(element))
        inner = escape((element.text or "").strip()) + "".join(map(shown, element))
        if re.match("[xy]tick", element.get("id", "")):
            inner = inner.replace("\n", "")
        if "<text" in inner or re.match("line2d|patch", element.get("id", "")):
            inner = "\n" + inner.lstrip("\n") if tag == "g" else inner
        if tag in ("metadata", "style") or (tag in ("g", "defs") and not inner):
            return ""
        return inner if tag == "g" and not own else f"<{tag}{own}>{inner}</{tag}>" if inner else f"<{tag}{own}/>"

    root = ET.fromstring(text)
    size = "".join(f' {name}="{root.get(name)}"' for name in ("width", "height", "viewBox"))
    body = "".join(map(shown, root))
    style = "\n".join([root.find(".//{*}style").text, *(f".{name}{{{style}}}" for style, name in classes.items())])
    return f"{HEAD}{size}>\n<style>{style}</style>{body}\n</svg>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs" / "pictures")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    runs = [run for _, runs in newest_suites() for run in runs]
    for name, draw in plots.pictures(runs):
        path = args.out / f"{name}.svg"
        draw(str(path))
        path.write_text(compact(path.read_text()))
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
