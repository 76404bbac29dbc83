"""Pictures of results. Needs matplotlib (merklize[plot]).

A panel draws on one pair of axes; plot() is the picture of `merklize bench --plot`, pictures() are those of the docs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from .bounds import shares
from .originals import INTEGER_THROUGHPUT, ORIGINALS, V100, best_of

Row = dict[str, Any]
Measured = list[tuple[dict[str, Any], Row]]
"""Rows, each with its run."""

COPIES = (
    ("to_device", "host to device", "#9ecae1"),
    ("kernel", "kernels", "#08519c"),
    ("to_host", "device to host", "#fdae6b"),
)
COLORS = ("#08519c", "#d94801", "#238b45", "#6a51a3", "#cb181d", "#525252")


def plot(path: str, runs: list[dict[str, Any]]) -> None:
    """Draw one picture of all runs: a column a suite. The format follows the name's ending.

    Raises ImportError without matplotlib, OSError.
    """
    rows = of_library(measured(runs))
    suites = _unique(row["suite"] for _, row in rows)
    with _figure(path, 2, len(suites), (6.4, 4.8)) as axes:
        for column, suite in enumerate(suites):
            of_suite = [(run, row) for run, row in rows if row["suite"] == suite]
            time_against_size(axes[0][column], of_suite)
            axes[0][column].set_title(f"{suite}: kernels")
            where_it_goes(axes[1][column], of_suite)


def pictures(runs: list[dict[str, Any]]) -> Iterator[tuple[str, Callable[[str], None]]]:
    """What there is to draw of these runs: a name, and who draws it to a path."""
    rows = measured(runs)
    ours = of_library(rows)
    tuned = [(run, row) for run, row in ours if row["policy"] == "tuned"]
    for suite in ("blake3-hash", "blake3-merklize", "rescue-merklize"):
        of_suite = [(run, row) for run, row in ours if row["suite"] == suite]
        if of_suite:
            yield f"time-{suite}", partial(_a_device_each, of_suite)
    copied = [(run, row) for run, row in tuned if "to_device" in row and row["to_device"]["median"] > 0]
    lanes = [(run, row) for run, row in ours if row["policy"].endswith(" an item")]
    compared = [
        (run, row)
        for run, row in tuned
        if run["name"] in INTEGER_THROUGHPUT and best_of(row["suite"], row["hash"], row["log2"], V100)
    ]
    bounded = [(run, row) for run, row in tuned if shares(row, run["name"])]
    peers = [(run, row) for run, row in rows if "peer" in row]
    for name, some, panel in (
        ("where-it-goes", copied, where_it_goes),
        ("lanes", lanes, rate_by_lanes),
        ("originals", compared, speed_up),
        ("bounds", bounded, share_of_bounds),
        ("peers", peers, ratios_to_peers),
    ):
        if some:
            yield name, partial(_alone, some, panel)


# ---- Which rows ------------------------------------------------------------------------------------------------------


def measured(runs: list[dict[str, Any]]) -> Measured:
    """All rows with times."""
    return [(run, row) for run in runs for row in run["rows"] if "skipped" not in row]


def of_library(rows: Measured) -> Measured:
    """Without peers; of the CPU's two passes the one by all threads."""
    most: dict[int, int] = {}
    for run, row in rows:
        most[id(run)] = max(row["threads"], most.get(id(run), 0))
    return [(run, row) for run, row in rows if "peer" not in row and row["threads"] == most[id(run)]]


def device_of(run: dict[str, Any]) -> str:
    """What a legend calls the device of a run."""
    backend = run["device"].partition(":")[0]
    driver = f", {run['driver']}" if run["driver"] and "NVIDIA" not in run["name"] else ""
    return f"{run['name']} ({'native' if backend == 'cpu' else backend}{driver})"


def _seconds(row: Row) -> float:
    return float((row["kernel"] if "kernel" in row else row["end_to_end"])["median"])


def _unique(items: Iterator[Any]) -> list[Any]:
    return list(dict.fromkeys(items))


def _largest(rows: Measured, key: Callable[[dict[str, Any], Row], Any]) -> dict[Any, tuple[dict[str, Any], Row]]:
    """Of each key the row of the largest size."""
    found: dict[Any, tuple[dict[str, Any], Row]] = {}
    for run, row in rows:
        at = key(run, row)
        if at not in found or row["log2"] >= found[at][1]["log2"]:
            found[at] = (run, row)
    return found


def largest_of_peers(rows: Measured) -> dict[Any, tuple[dict[str, Any], Row]]:
    """Of each peer, job and count of threads the row of the largest size that both did."""
    peers = [(run, row) for run, row in rows if "peer" in row]
    found = _largest(peers, lambda run, row: (run["name"], row["peer"], row["job"], row["hash"], row["threads"]))
    return dict(sorted(found.items()))


# ---- Panels ----------------------------------------------------------------------------------------------------------


def time_against_size(axes: Any, rows: Measured) -> None:
    """Lines on log axes, and the originals' points beside them."""
    lines: dict[str, list[tuple[int, float]]] = {}
    devices = _unique(device_of(run) for run, _ in rows)
    hashes = _unique(row["hash"] for _, row in rows)
    jobs = _unique(row["job"] for _, row in rows)
    for run, row in rows:
        parts = [device_of(run)] if len(devices) > 1 else []
        parts += [row["job"]] if len(jobs) > 1 else []
        parts += [row["hash"]] if len(hashes) > 1 else []
        lines.setdefault(", ".join([*parts, row["policy"]]), []).append((row["log2"], _seconds(row)))
    sizes = {row["log2"] for _, row in rows}
    suite, unit = rows[0][1]["suite"], rows[0][1]["unit"]
    for label, points in lines.items():
        points.sort()
        axes.plot([2.0**x for x, _ in points], [1e3 * y for _, y in points], label=label, marker="o", markersize=3)
    published: dict[str, list[tuple[int, float]]] = {}
    for original in ORIGINALS:
        if original.suite == suite and original.hash in hashes and original.log2 <= max(sizes):
            label = f"original, {original.device}: {original.what}, {original.hash}"
            published.setdefault(label, []).append((original.log2, original.kernel))
    for (label, points), marker in zip(published.items(), "xv^s+d"):
        style = {"linestyle": ":", "color": "gray", "marker": marker, "markersize": 4}
        axes.plot([2.0**x for x, _ in points], [1e3 * y for _, y in points], label=label, **style)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("input, bytes" if unit == "bytes" else "leaves" if "merklize" in suite else "rows")
    axes.set_ylabel("time of kernels, ms")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize=6)


def where_it_goes(axes: Any, rows: Measured) -> None:
    """Stacked bars at the largest size of each device and policy; of jobs without a device's clock there are none."""
    timed = [(run, row) for run, row in rows if "kernel" in row]
    largest = _largest(timed, lambda run, row: (device_of(run), row["job"], row["hash"], row["policy"]))
    labels = [
        f"{device}: {job}, {hash}, 2^{row['log2']}, {policy}"
        for (device, job, hash, policy), (_, row) in largest.items()
    ]
    total = [sum(row[name]["median"] for name, _, _ in COPIES if name in row) for _, row in largest.values()]
    left = [0.0] * len(largest)
    for name, label, color in COPIES:
        share = [
            row[name]["median"] / whole if name in row else 0.0 for (_, row), whole in zip(largest.values(), total)
        ]
        axes.barh(labels, share, left=left, label=label, color=color)
        left = [done + more for done, more in zip(left, share)]
    for at, whole in enumerate(total):
        axes.text(1.01, at, f"{1e3 * whole:.3g} ms", va="center", fontsize=6)
    axes.set_xlim(0, 1.15)
    axes.set_xlabel("share of copies and kernels, which overlap; their sum")
    axes.tick_params(axis="y", labelsize=6)
    axes.invert_yaxis()
    axes.legend(fontsize=6, loc="lower left", bbox_to_anchor=(0, 1), ncols=len(COPIES), frameon=False)


def rate_by_lanes(axes: Any, rows: Measured) -> None:
    """Digests: bytes a second by the chunks that an item computes, at each device's largest size that has them all."""
    of_size: dict[tuple[str, int], dict[int, Row]] = {}
    for run, row in rows:
        of_size.setdefault((device_of(run), row["log2"]), {})[int(row["policy"].split()[0])] = row
    of_device: dict[str, tuple[int, dict[int, Row]]] = {}
    for (device, size), found in of_size.items():
        if device not in of_device or (len(found), size) > (len(of_device[device][1]), of_device[device][0]):
            of_device[device] = (size, found)
    for (device, (size, found)), color in zip(of_device.items(), COLORS):
        lanes = sorted(found)
        values = [found[count]["rate"] / 1e9 for count in lanes]
        axes.plot(lanes, values, label=f"{device}, 2^{size} bytes", marker="o", color=color)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")  # GPUs and processors are a hundredfold apart
    axes.set_xticks([1, 2, 4, 8, 16], ["1", "2", "4", "8", "16"])
    axes.set_xlabel("chunks that an item computes side by side")
    axes.set_ylabel("digest, kernels: GB/s")
    axes.set_title("lanes of an item")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize=7)


def speed_up(axes: Any, rows: Measured) -> None:
    """How many times faster than each published figure of the V100: a variant of theirs has points of its own.

    They are not joined: a variant was published at some sizes only, and the best of several variants is no program.
    """
    points: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for run, row in rows:
        for original in ORIGINALS:
            if (original.suite, original.hash, original.log2) != (row["suite"], row["hash"], row["log2"]):
                continue
            if original.device == V100:
                ours = f"{device_of(run)}: {row['job']}, {row['hash']}"
                points.setdefault((ours, original.what), []).append((row["log2"], original.kernel / _seconds(row)))
    # A colour is a job of ours, a marker a variant of theirs.
    colors = {ours: f"C{i}" for i, ours in enumerate(_unique(ours for ours, _ in points))}
    markers = dict(zip(_unique(what for _, what in points), "osv^Dx+*P"))
    for (ours, what), of_variant in points.items():
        style = {"linestyle": "none", "marker": markers.get(what, "."), "color": colors[ours], "markersize": 5}
        axes.plot([x for x, _ in of_variant], [y for _, y in of_variant], label=f"{ours}, beside: {what}", **style)
    axes.axhline(1, color="gray", linewidth=0.8)
    for name in _unique(run["name"] for run, _ in rows):
        if name in INTEGER_THROUGHPUT:
            ratio = INTEGER_THROUGHPUT[name] / INTEGER_THROUGHPUT[V100]
            axes.axhline(ratio, color="gray", linestyle=":", label=f"integer throughput, {name} / {V100}: {ratio:.2f}")
    axes.set_yscale("log")
    axes.set_xlabel("log2 of the bytes or leaves")
    axes.set_ylabel(f"times faster than each original on a {V100}, kernels")
    axes.set_title("beside the originals: other hardware")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize=6, loc="upper left", bbox_to_anchor=(1.01, 1))


def share_of_bounds(axes: Any, rows: Measured) -> None:
    """Which share of the pipe, the memory and the link a job reaches, against size."""
    lines: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for run, row in rows:
        for bound, share in shares(row, run["name"]).items():
            lines.setdefault((device_of(run), f"{row['job']}, {bound}"), []).append((row["log2"], share))
    # A colour is a bound, a kind of line a device.
    styles = dict(zip(_unique(device for device, _ in lines), ("-", "--", ":", "-.")))
    colors = {what: f"C{i}" for i, what in enumerate(_unique(what for _, what in lines))}
    for (device, what), points in lines.items():
        points.sort()
        style = {"linestyle": styles.get(device, "-"), "color": colors[what], "marker": "o", "markersize": 4}
        axes.plot([x for x, _ in points], [100 * y for _, y in points], label=f"{device}: {what}", **style)
    axes.axhline(100, color="gray", linewidth=0.8)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("log2 of the bytes or leaves")
    axes.set_ylabel("share of the bound, %")
    axes.set_title("pipe and memory: kernels; link: the whole call")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.01, 1))


def ratios_to_peers(axes: Any, rows: Measured) -> None:
    """How many times faster than each peer, at the largest size that both did, with the spread."""
    largest = largest_of_peers(rows)
    labels, middles, lows, highs = [], [], [], []
    for (_, peer, job, hash, threads), (_, row) in largest.items():
        ratio = row["ratio"]
        labels.append(
            f"{peer} {row['peer_version']}: {job}, {hash}, 2^{row['log2']}, {threads} thread{'s' * (threads > 1)}"
        )
        middles.append(ratio["median"])
        lows.append(ratio["median"] - ratio["min"])
        highs.append(ratio["max"] - ratio["median"])
    colors = [COLORS[0] if middle >= 1 else COLORS[1] for middle in middles]
    axes.barh(labels, [middle - 1 for middle in middles], left=1, color=colors)
    axes.errorbar(
        middles, range(len(middles)), xerr=[lows, highs], fmt="none", ecolor="gray", elinewidth=0.8, capsize=2
    )
    axes.axvline(1, color="gray", linewidth=0.8)
    axes.set_xscale("log")
    least, most = min([*middles, 1]), max([*middles, 1])
    powers = [2.0**x for x in range(-10, 11) if least / 2 <= 2.0**x <= 2 * most]
    axes.set_xticks(powers, [f"{power:g}" for power in powers], minor=False)
    axes.set_xticks([], minor=True)
    axes.set_xlabel("times as fast as the peer, call by call in turns; lines: least to most")
    axes.grid(True, axis="x", alpha=0.3)
    axes.set_title(", ".join(_unique(run["name"] for run, _ in rows)))
    axes.tick_params(axis="y", labelsize=6)
    axes.invert_yaxis()


# ---- Figures ---------------------------------------------------------------------------------------------------------


@contextmanager
def _figure(path: str, rows: int, columns: int, size: tuple[float, float], sharey: bool = False) -> Iterator[Any]:
    """Axes to draw on, written to `path` at the end. The same results make the same file."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": "merklize", "font.size": 8}
    with matplotlib.rc_context(settings):
        figsize = (size[0] * columns, size[1] * rows)
        figure, axes = plt.subplots(rows, columns, figsize=figsize, squeeze=False, sharey=sharey, layout="constrained")
        try:
            yield axes
            dated = {"Date": None} if path.endswith(".svg") else {}
            figure.savefig(path, dpi=120, metadata=dated)
        finally:
            plt.close(figure)


def _alone(rows: Measured, panel: Callable[[Any, Measured], None], path: str) -> None:
    with _figure(path, 1, 1, (7.2, 4.2)) as axes:
        panel(axes[0][0], rows)
        if axes[0][0].yaxis_inverted():  # a list of bars
            axes[0][0].figure.set_figheight(1.2 + 0.19 * len(axes[0][0].get_yticks()))


def _a_device_each(rows: Measured, path: str) -> None:
    devices = _unique(device_of(run) for run, _ in rows)
    columns = min(3, len(devices))
    with _figure(path, -(-len(devices) // columns), columns, (4.6, 4.0), sharey=True) as axes:
        for panel in axes.flat[len(devices) :]:
            panel.axis("off")
        for device, panel in zip(devices, axes.flat):
            time_against_size(panel, [(run, row) for run, row in rows if device_of(run) == device])
            panel.set_title(f"{rows[0][1]['suite']}\n{device}", fontsize=8)
