"""Drawing for bench/pictures.py: SVG with text as text, and with colours for light and dark mode."""

import math
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH = 640  # pixels: about as wide as a page of the docs; letters of 16 are legible at 400 too
LIGHT = {"paper": "#ffffff", "ink": "#1f2328", "soft": "#59636e", "grid": "#d1d9e0"}
DARK = {"paper": "#0d1117", "ink": "#f0f6fc", "soft": "#a3adb8", "grid": "#3d444d"}
SERIES = {  # light, dark
    "blue": ("#0b62a8", "#58a6ff"),
    "brown": ("#8c5a1f", "#d2a86a"),
    "green": ("#1a7f37", "#56d364"),
    "violet": ("#7a3fb5", "#c297ff"),
    "red": ("#b3261e", "#ff8a80"),
}


def style():
    def rules(colours, series):
        inks = "".join(f".{name}{{fill:{colour}}}" for name, colour in {**colours, **series}.items())
        lines = "".join(f".{name}-line{{fill:none;stroke:{colour}}}" for name, colour in series.items())
        return f"{inks}{lines}.grid-line{{stroke:{colours['grid']}}}"

    light = rules(LIGHT, {name: pair[0] for name, pair in SERIES.items()})
    dark = rules(DARK, {name: pair[1] for name, pair in SERIES.items()})
    fonts = 'system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif'
    return f"svg{{font-family:{fonts}}}\n{light}\n@media(prefers-color-scheme:dark){{{dark}}}"


def text(colour, x, y, size, what, anchor="start", weight=None):
    bold = f' font-weight="{weight}"' if weight else ""
    at = f'x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{bold}'
    return f'<text class="{colour}" {at}>{escape(what)}</text>'


def bar(colour, x, y, width, height, outline=False):
    name = f"{colour}-line" if outline else colour
    return f'<rect class="{name}" x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" height="{height:.1f}"/>'


def line(colour, x1, y1, x2, y2, dashes=None):
    broken = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<line class="{colour}-line" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"{broken}/>'


def dot(colour, x, y, radius=4):
    return f'<circle class="{colour}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>'


def path(colour, points, dashes=None):
    broken = f' stroke-dasharray="{dashes}"' if dashes else ""
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline class="{colour}-line" stroke-width="2" points="{joined}"{broken}/>'


def legend(y, entries):
    """A legend with one line for each (colour, outline, text)."""
    drawn = []
    for i, (colour, outline, what) in enumerate(entries):
        drawn += [bar(colour, 16, y + 24 * i, 14, 14, outline), text("ink", 38, y + 13 + 24 * i, 16, what)]
    return drawn


def picture(title, height, drawn):
    """The whole file. Screen readers read the title."""
    size = f'width="{WIDTH}" height="{height:.0f}" viewBox="0 0 {WIDTH} {height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(title)}">'
    paper = f'<rect class="paper" width="{WIDTH}" height="{height:.0f}" rx="6"/>'
    return "\n".join([head, f"<style>{style()}</style>", paper, *drawn, "</svg>", ""])


def said(value, unit=""):
    """1.9e12 bytes a second as 1.9 TB/s, 0.00143 s as 1.43 ms."""
    for scale, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"), (1e-6, "u")):
        if value >= scale:
            return f"{value / scale:.3g} {letter}{unit}".rstrip()
    return f"{value:.3g} {unit}"


def steps(least, most):
    """1, 2 and 5 of each decade: from the last one that is not above `least` to the first that is not below `most`."""
    powers = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    values = [step * 10.0**power for power in powers for step in (1, 2, 5)]
    first = max(i for i, value in enumerate(values) if value <= least)
    last = min(i for i, value in enumerate(values) if value >= most)
    return values[first : last + 1]


@dataclass
class Log:
    """A logarithmic scale: `least` at pixel `start`, `most` at `end`."""

    least: float
    most: float
    start: float
    end: float

    def at(self, value):
        return self.start + (self.end - self.start) * math.log(value / self.least) / math.log(self.most / self.least)

    def decades(self):
        first, last = math.ceil(math.log10(self.least) - 1e-9), math.floor(math.log10(self.most) + 1e-9)
        return [10.0**power for power in range(first, last + 1)]
