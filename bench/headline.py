#!/usr/bin/env python3
"""Draws docs/pictures/headline.svg from bench/results: rates of BLAKE3 digests and trees on each device, with the
device's bound where it is known, beside peers and the originals. 800 pixels wide; its colours follow light and dark.

    python bench/headline.py [--out FILE]

Needs the installed merklize package.
"""

import argparse
import math
import pathlib

from result_files import ROOT, newest

from merklize.bench.bounds import BLOCK, NODE, RATES
from merklize.bench.originals import ORIGINALS, V100

WIDTH, LEFT, RIGHT, STEP, TOP = 800, 212, 122, 30, 98
STYLE = """
svg { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
.ink { fill: #1f2328; } .soft { fill: #59636e; }
.ours { fill: #0b62a8; } .theirs { fill: #8c6d46; } .bound { fill: none; stroke: #0b62a8; stroke-width: 1.5; }
.grid { stroke: #d1d9e0; }
@media (prefers-color-scheme: dark) {
  .ink { fill: #f0f6fc; } .soft { fill: #a3adb8; }
  .ours { fill: #58a6ff; } .theirs { fill: #d2a86a; } .bound { stroke: #58a6ff; } .grid { stroke: #3d444d; }
}
"""


def resident(backend, job):
    """The rate of a job of bench/run_device.py on the H200, data in its memory."""
    for _, data in newest("device", lambda data: (data["backend"], data["device"], data["driver"])):
        if (data["backend"], data["device"]) == (backend, "NVIDIA H200"):
            rows = [row for row in data["rows"] if row["job"] == job and row["policy"] == "tuned"]
            if rows and not rows[0].get("skipped"):
                return rows[0]["rate"]
    return None


def on_cores(job, peer):
    """(our rate, the peer's) by 16 threads."""
    for _, data in newest("cpu", lambda data: (data["machine"], data["quick"])):
        for row in data["rows"]:
            if (row["job"], f"{row['peer']} {row['peer_version']}", row["threads"]) == (job, peer, 16):
                return row["our_rate"], row["peer_rate"]
    raise SystemExit(f"bench/results has no {job} beside {peer}")


def published(suite, hash):
    """The best rate that the originals published for a V100."""
    return max(2**o.log2 / o.kernel for o in ORIGINALS if (o.suite, o.hash, o.device) == (suite, hash, V100))


def panels():
    """(title, unit, bars), a bar being (label, rate, bound or None, ours)."""
    rates = RATES["NVIDIA H200"]
    of_digest = rates.compressions * BLOCK
    of_tree = min(rates.compressions, rates.memory_bytes / (3 * NODE))
    ours, crate = on_cores("digest of memory", "blake3 1.8.7")
    yield (
        "BLAKE3 digest, bytes a second",
        "B/s",
        [
            ("H200, CUDA", resident("cuda", "digest, resident, bytes 2^33"), of_digest, True),
            ("H200, OpenCL", resident("opencl", "digest, resident, bytes 2^33"), of_digest, True),
            ("16 CPU cores, AVX-512", ours, None, True),
            ("blake3 1.8.7, 16 cores", crate, None, False),
            ("original, Tesla V100", published("blake3-hash", "blake3"), None, False),
        ],
    )
    ours, winter = on_cores("blake3 tree of 2^22 leaves", "winter-crypto 0.13.1")
    yield (
        "BLAKE3 Merkle tree, leaves a second",
        "/s",
        [
            ("H200, CUDA", resident("cuda", "tree, resident, blake3, leaves 2^25"), of_tree, True),
            ("H200, OpenCL", resident("opencl", "tree, resident, blake3, leaves 2^25"), of_tree, True),
            ("16 CPU cores, AVX-512", ours, None, True),
            ("winter-crypto, 16 cores", winter, None, False),
            ("original, Tesla V100", published("blake3-merklize", "blake3"), None, False),
        ],
    )


def said(rate, unit):
    for scale, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if rate >= scale:
            return f"{rate / scale:.3g} {letter}{unit}"
    return f"{rate:.3g} {unit}"


def draw():
    lines, y = [], TOP
    for title, unit, bars in panels():
        bars = [bar for bar in bars if bar[1] is not None]
        least = 10 ** math.floor(math.log10(min(bar[1] for bar in bars)) - 0.3)
        most = max(bar[2] or bar[1] for bar in bars)
        scale = (WIDTH - LEFT - RIGHT) / math.log10(most / least)

        def at(rate, least=least, scale=scale):
            return LEFT + scale * math.log10(rate / least)

        lines.append(f'<text class="ink" x="16" y="{y}" font-size="16" font-weight="600">{title}</text>')
        top, bottom = y + 12, y + 14 + STEP * len(bars)
        decade = least
        while decade <= most:
            x = at(decade)
            lines.append(f'<line class="grid" x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}"/>')
            lines.append(text("soft", x, bottom + 15, 12, said(decade, unit), "middle"))
            decade *= 10
        for i, (label, rate, bound, is_ours) in enumerate(bars):
            row, end = y + 18 + STEP * i, at(bound or rate)
            lines.append(text("ink", LEFT - 8, row + 15, 14, label, "end"))
            lines.append(bar("ours" if is_ours else "theirs", LEFT, row, at(rate) - LEFT, 20))
            if bound:
                lines.append(bar("bound", LEFT, row, end - LEFT, 20))
            share = f", {rate / bound:.0%}" if bound else ""
            lines.append(text("ink", end + 6, row + 15, 13, said(rate, unit) + share))
        y = bottom + 50
    height = y - 24
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    about = "Rates of BLAKE3 digests and trees by device"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{about}">\n<style>{STYLE}</style>'
    return "\n".join([head, *legend(), *lines, "</svg>", ""])


def text(kind, x, y, size, what, anchor="start"):
    return f'<text class="{kind}" x="{x:.1f}" y="{y}" font-size="{size}" text-anchor="{anchor}">{what}</text>'


def bar(kind, x, y, width, height):
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{width:.1f}" height="{height}"/>'


def legend():
    kinds = (
        ("ours", 16, "merklize"),
        ("bound", 116, "bound of the device, and the share reached"),
        ("theirs", 470, "others, on what they ran on"),
    )
    for kind, x, what in kinds:
        yield bar(kind, x, 16, 14, 14)
        yield text("ink", x + 20, 28, 13, what)
    what = "data where it is hashed; GPUs: kernels alone; a step of the axis is a factor of ten"
    yield text("soft", 16, 48, 12, what)
    what = "original: the programs that merklize continues, as their author published them for a Tesla V100"
    yield text("soft", 16, 64, 12, what)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs" / "pictures" / "headline.svg")
    out = parser.parse_args().out
    out.write_text(draw())
    print(f"wrote {out}")


if __name__ == "__main__":
    main()
