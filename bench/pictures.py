#!/usr/bin/env python3
"""Draws docs/pictures from the newest rows of bench/results.

    python bench/pictures.py [--check]

With --check it only compares.

Needs the installed merklize package.
"""

import argparse
import math

from drawing import WIDTH, Log, bar, dot, legend, line, path, picture, said, steps, text
from result_files import ROOT, newest, newest_suites

from merklize.bench.originals import INTEGER_THROUGHPUT, ORIGINALS, V100
from merklize.bench.plots import largest_of_peers, measured, of_library

FOLDER = ROOT / "docs" / "pictures"
H200 = "NVIDIA H200"
# Bounds of an H100 a second: compressions of BLAKE3 if the busiest pipe never idles (64 bytes of a message each, or one
# merge), as docs/notes/gpu-instructions.md counts them for this chip, and bytes that PyTorch's copy reads and writes
# (bench/tensors.py). A merge moves three nodes of 32 bytes.
COMPRESSIONS, MEMORY_BYTES, BLOCK, MERGE = 36.7e9, 2.98e12, 64, 3 * 32


# ---- Rows ------------------------------------------------------------------------------------------------------------


def suite_rows():
    """Rows of the newest suites, each with its run."""
    return measured([run for _, runs in newest_suites() for run in runs])


def tuned():
    """Rows of the library without a policy."""
    return [(run, row) for run, row in of_library(suite_rows()) if row["policy"] == "tuned"]


def device_of(run):
    """The device of a run in few words: "H200, CUDA"."""
    backend = run["device"].partition(":")[0]
    name = "H200" if run["name"] == H200 else f"{run['cpus']} CPU cores"
    driver = {"cpu": "native", "cuda": "CUDA", "sycl": "SYCL"}.get(backend, "OpenCL")
    maker = (
        "" if backend in ("cpu", "cuda") or run["name"] == H200 else "PoCL " if "pthread" in run["name"] else "Intel "
    )
    return f"{name}, {maker}{driver}"


def job_of(row):
    return "digest" if row["job"] == "digest" else f"{row['job'].replace('_', ' ')}, {row['hash']}"


def kernel_seconds(row):
    return (row["kernel"] if "kernel" in row else row["end_to_end"])["median"]


def resident(job):
    """The rate of a job of bench/run_device.py on the H100 by CUDA, data in its memory."""
    for _, data in newest("device", lambda data: (data["backend"], data["device"], data["driver"])):
        if data["backend"] == "cuda" and data["device"].startswith("NVIDIA H100"):
            for row in data["rows"]:
                if row["job"] == job and row["policy"] == "tuned" and not row.get("skipped"):
                    return row["rate"]
    raise SystemExit(f"bench/results has no {job} on an H100")


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


# ---- Pictures --------------------------------------------------------------------------------------------------------


def headline():
    """Rates of BLAKE3 digests and trees on each device, with the device's bound where it is known."""
    ours, crate = on_cores("digest of memory", "blake3 1.8.7")
    digest = [
        ("H100, CUDA", True, resident("digest, resident, bytes 2^33"), COMPRESSIONS * BLOCK),
        ("16 CPU cores, AVX-512", True, ours, None),
        ("blake3 1.8.7, 16 cores", False, crate, None),
        ("original, Tesla V100", False, published("blake3-hash", "blake3"), None),
    ]
    ours, winter = on_cores("blake3 tree of 2^22 leaves", "winter-crypto 0.13.1")
    of_tree = min(COMPRESSIONS, MEMORY_BYTES / MERGE)
    tree = [
        ("H100, CUDA", True, resident("tree, resident, blake3, leaves 2^25"), of_tree),
        ("16 CPU cores, AVX-512", True, ours, None),
        ("winter-crypto, 16 cores", False, winter, None),
        ("original, Tesla V100", False, published("blake3-merklize", "blake3"), None),
    ]
    left, right, step, y = 196, 130, 32, 128
    entries = [("blue", False, "merklize"), ("blue", True, "bound of the device, and the share reached")]
    drawn = legend(14, [*entries, ("brown", False, "others, on the devices that they ran on")])
    drawn.append(text("soft", 16, 98, 15, "Data where it is hashed. A step of the axis is a factor of ten."))
    for title, unit, bars in (("BLAKE3 digest", "B/s", digest), ("BLAKE3 Merkle tree, leaves", "/s", tree)):
        least = 10 ** math.floor(math.log10(min(rate for _, _, rate, _ in bars)) - 0.3)
        scale = Log(least, max(bound or rate for _, _, rate, bound in bars), left, WIDTH - right)
        bottom = y + 14 + step * len(bars)
        drawn.append(text("ink", 16, y, 17, title, weight=600))
        for decade in scale.decades():
            drawn.append(line("grid", scale.at(decade), y + 12, scale.at(decade), bottom))
            drawn.append(text("soft", scale.at(decade), bottom + 17, 14, said(decade, unit), "middle"))
        for i, (label, is_ours, rate, bound) in enumerate(bars):
            row, end = y + 18 + step * i, scale.at(bound or rate)
            drawn.append(text("ink", left - 8, row + 16, 16, label, "end"))
            drawn.append(bar("blue" if is_ours else "brown", left, row, scale.at(rate) - left, 22))
            if bound:
                drawn.append(bar("blue", left, row, end - left, 22, outline=True))
            share = f", {rate / bound:.0%}" if bound else ""
            drawn.append(text("ink", end + 6, row + 16, 15, said(rate, unit) + share))
        y = bottom + 56
    return picture("Rates of BLAKE3 digests and trees by device", y - 28, drawn)


def sizes():
    """Rates of kernels against size: a panel a job, a line a device. GPUs and CPUs have a band each: a broken axis."""
    panels = (
        ("blake3-hash", "blake3", "BLAKE3 digest: bytes a second", "B/s", "bytes"),
        ("blake3-merklize", "blake3", "BLAKE3 tree: leaves a second", "/s", "leaves"),
        ("rescue-merklize", "rp64_256_v3", "Rescue Prime tree: leaves a second", "/s", "leaves"),
    )
    colours = {
        "H200, CUDA": "blue",
        "H200, OpenCL": "violet",
        "2 CPU cores, native": "brown",
        "2 CPU cores, Intel OpenCL": "green",
        "2 CPU cores, Intel SYCL": "red",
    }
    rows = tuned()
    left, right, tall, y = 84, 20, 190, 170
    drawn = legend(14, [(colour, False, name) for name, colour in colours.items()])
    for suite, hash, title, unit, what in panels:
        lines = {}
        for run, row in rows:
            if (row["suite"], row["hash"]) == (suite, hash) and device_of(run) in colours:
                lines.setdefault(device_of(run), {})[row["log2"]] = 2.0 ** row["log2"] / kernel_seconds(row)
        logs = [log2 for points in lines.values() for log2 in points]
        across = Log(2.0 ** min(logs), 2.0 ** max(logs), left, WIDTH - right)
        drawn.append(text("ink", 16, y, 17, f"{title}, against {what}", weight=600))
        middle = y + tall // 2
        for is_cpu, bottom, top in ((False, middle - 12, y + 14), (True, y + tall, middle + 12)):
            band = {device: points for device, points in lines.items() if ("CPU" in device) == is_cpu}
            rates = [rate for points in band.values() for rate in points.values()]
            marks = steps(min(rates), max(rates))
            up = Log(marks[0], marks[-1], bottom, top)
            for step in marks:
                drawn.append(line("grid", left, up.at(step), WIDTH - right, up.at(step)))
                drawn.append(text("soft", left - 6, up.at(step) + 5, 14, said(step, unit), "end"))
            for device, points in band.items():
                dashes = "6 4" if "OpenCL" in device and "H200" in device else None
                places = [(across.at(2.0**x), up.at(points[x])) for x in sorted(points)]
                drawn.append(path(colours[device], places, dashes))
        for x in (left - 8, WIDTH - right - 4):  # the axis is broken here
            drawn += [line("brown", x, middle + 4 + lower, x + 12, middle - 4 + lower) for lower in (-3, 3)]
        for log2 in range(min(logs), max(logs) + 1, 2):
            drawn.append(text("soft", across.at(2.0**log2), y + tall + 18, 14, f"2^{log2}", "middle"))
        y += tall + 58
    return picture("Rates of digests and trees against their size, by device", y - 34, drawn)


def ratios():
    """How many times faster than each peer, at the largest size that both did, with the spread."""
    rows = [row for _, row in largest_of_peers(suite_rows()).values()]
    left, right, step, y = 320, 66, 30, 86
    scale = Log(0.7, max(row["ratio"]["max"] for row in rows), left, WIDTH - right)
    bottom = y + step * len(rows)
    drawn = [
        text("ink", 16, 28, 17, "How many times as fast as other packages", weight=600),
        text("soft", 16, 52, 15, "bar: the median of the turns; whisker: the slowest to the fastest turn"),
    ]
    for decade in scale.decades():
        drawn.append(line("grid", scale.at(decade), y - 14, scale.at(decade), bottom))
        drawn.append(text("soft", scale.at(decade), bottom + 18, 14, f"{decade:g}", "middle"))
    for i, row in enumerate(rows):
        at, ratio = y + step * i, row["ratio"]
        by = "GPU" if row["peer"] in ("torch", "cupy") else f"{row['threads']} core{'s' * (row['threads'] > 1)}"
        label = f"{row['peer']}: {job_of(row)}, {by}".replace("winter-crypto", "winter").replace("hash_many", "loop")
        drawn.append(text("ink", left - 12, at + 5, 15, label, "end"))
        drawn.append(bar("blue", scale.at(1), at - 8, scale.at(ratio["median"]) - scale.at(1), 16))
        drawn.append(line("brown", scale.at(ratio["min"]), at, scale.at(ratio["max"]), at))
        drawn.append(text("ink", scale.at(ratio["max"]) + 6, at + 5, 15, f"{ratio['median']:.3g}"))
    return picture("How many times faster than each peer", bottom + 32, drawn)


def where():
    """Copies and kernels of calls on host memory, at the largest size of each job on an H200."""
    parts = (
        ("to_device", "host to device", "green"),
        ("kernel", "kernels", "blue"),
        ("to_host", "device to host", "brown"),
    )
    largest = {}
    for run, row in tuned():
        is_shown = run["name"] == H200 and run["device"].startswith("cuda") and row["hash"] != "rp64_256_v1"
        if is_shown and "kernel" in row and "to_device" in row:
            key = (row["suite"], job_of(row))
            if key not in largest or row["log2"] >= largest[key]["log2"]:
                largest[key] = row
    left, right, step, y = 280, 80, 32, 132
    drawn = [text("ink", 16, 26, 17, "Where the time goes: an H200, pageable host memory", weight=600)]
    drawn += legend(40, [(colour, False, what) for _, what, colour in parts])
    for i, ((_, job), row) in enumerate(sorted(largest.items())):
        times = [row[name]["median"] if name in row else 0.0 for name, _, _ in parts]
        whole, x, at = sum(times), left, y + step * i
        drawn.append(text("ink", left - 10, at + 16, 16, f"{job}, 2^{row['log2']}", "end"))
        for seconds, (_, _, colour) in zip(times, parts):
            wide = (WIDTH - left - right) * seconds / whole
            drawn.append(bar(colour, x, at, wide, 22))
            x += wide
        drawn.append(text("ink", WIDTH - right + 8, at + 16, 15, said(whole, "s")))
    return picture("Where the time of calls on host memory goes", y + step * len(largest) + 14, drawn)


def originals():
    """How many times faster than each published figure of the V100, beside the ratio of integer throughput."""
    groups = {}
    for run, row in tuned():
        if run["name"] == H200 and run["device"].startswith("cuda"):
            for o in ORIGINALS:
                if (o.suite, o.hash, o.log2, o.device) == (row["suite"], row["hash"], row["log2"], V100):
                    groups.setdefault(f"{job_of(row)}: {o.what}", []).append(o.kernel / kernel_seconds(row))
    ratio = INTEGER_THROUGHPUT[H200] / INTEGER_THROUGHPUT[V100]
    left, right, step, y = 330, 60, 32, 92
    scale = Log(1, 1.2 * max(max(values) for values in groups.values()), left, WIDTH - right)
    bottom = y + step * len(groups)
    drawn = [
        text("ink", 16, 28, 17, "Times as fast as the original on a V100; a dot is a size", weight=600),
        text("red", 16, 52, 15, f"dashed: what the newer hardware alone gives, {ratio:.2f}"),
        line("red", scale.at(ratio), y - 18, scale.at(ratio), bottom, "5 4"),
    ]
    for decade in scale.decades():
        drawn.append(line("grid", scale.at(decade), y - 18, scale.at(decade), bottom))
        drawn.append(text("soft", scale.at(decade), bottom + 18, 14, f"{decade:g}", "middle"))
    for i, (what, values) in enumerate(groups.items()):
        drawn.append(text("ink", left - 12, y + step * i + 5, 15, what, "end"))
        drawn += [dot("blue", scale.at(value), y + step * i) for value in values]
    return picture("How many times faster than the originals", bottom + 32, drawn)


PICTURES = (headline, sizes, ratios, where, originals)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    names = {f"{draw.__name__}.svg": draw for draw in PICTURES}
    wrong = {path.name for path in FOLDER.glob("*.svg")} - set(names)
    for name, draw in names.items():
        drawn, at = draw(), FOLDER / name
        if not at.exists() or at.read_text() != drawn:
            wrong.add(name)
            if not check:
                at.write_text(drawn)
    if wrong:
        print(
            "docs/pictures: " + ", ".join(sorted(wrong)) + (" differ: run bench/pictures.py" if check else " written")
        )
    return 1 if check and wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
