"""Pictures of results. Needs matplotlib (merklize[plot]).

A panel draws on one pair of axes; plot() is the picture of `merklize bench --plot`. bench/pictures.py draws those of
the docs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .originals import ORIGINALS

Row = dict[str, Any]
Measured = list[tuple[dict[str, Any], Row]]
"""Rows, each with the run that it belongs to."""

COPIES = (
    ("to_device", "host to device", "#9ecae1"),
    ("kernel", "kernels", "#08519c"),
    ("to_host", "device to host", "#fdae6b"),
)


def plot(path: str, runs: list[dict[str, Any]]) -> None:
    """Draw one picture of all runs, with one column for each suite. The ending of the name gives the format.

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


# ---- Which rows ------------------------------------------------------------------------------------------------------


def measured(runs: list[dict[str, Any]]) -> Measured:
    """Return all rows with times."""
    return [(run, row) for run in runs for row in run["rows"] if "skipped" not in row]


def of_library(rows: Measured) -> Measured:
    """Return the rows of the library; of the CPU's two passes, the one by all threads."""
    most: dict[int, int] = {}
    for run, row in rows:
        most[id(run)] = max(row["threads"], most.get(id(run), 0))
    return [(run, row) for run, row in rows if "peer" not in row and row["threads"] == most[id(run)]]


def device_of(run: dict[str, Any]) -> str:
    """Return the name of a run's device in legends."""
    backend = run["device"].partition(":")[0]
    driver = f", {run['driver']}" if run["driver"] and "NVIDIA" not in run["name"] else ""
    return f"{run['name']} ({'native' if backend == 'cpu' else backend}{driver})"


def _seconds(row: Row) -> float:
    return float((row["kernel"] if "kernel" in row else row["end_to_end"])["median"])


def _unique(items: Iterator[Any]) -> list[Any]:
    return list(dict.fromkeys(items))


def _largest(rows: Measured, key: Callable[[dict[str, Any], Row], Any]) -> dict[Any, tuple[dict[str, Any], Row]]:
    """Return the row of the largest size for each key."""
    found: dict[Any, tuple[dict[str, Any], Row]] = {}
    for run, row in rows:
        at = key(run, row)
        if at not in found or row["log2"] >= found[at][1]["log2"]:
            found[at] = (run, row)
    return found


def largest_of_peers(rows: Measured) -> dict[Any, tuple[dict[str, Any], Row]]:
    """Return, for each peer, job and number of threads, the row of the largest size that both have done."""
    peers = [(run, row) for run, row in rows if "peer" in row]
    found = _largest(peers, lambda run, row: (run["name"], row["peer"], row["job"], row["hash"], row["threads"]))
    return dict(sorted(found.items()))


# ---- Panels ----------------------------------------------------------------------------------------------------------


def time_against_size(axes: Any, rows: Measured) -> None:
    """Draw lines on log axes, and the originals' points beside them."""
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
    """Draw stacked bars at the largest size of each device and policy, for jobs timed by a device's clock."""
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


# ---- Figures ---------------------------------------------------------------------------------------------------------


@contextmanager
def _figure(path: str, rows: int, columns: int, size: tuple[float, float]) -> Iterator[Any]:
    """Give axes to draw on, and write them to `path` at the end. The same results give the same file."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": "merklize", "font.size": 8}
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # nothing of a matplotlibrc, which is looked for in the working directory first
        matplotlib.rcParams.update(settings)
        figsize = (size[0] * columns, size[1] * rows)
        figure, axes = plt.subplots(rows, columns, figsize=figsize, squeeze=False, layout="constrained")
        try:
            yield axes
            dated = {"Date": None} if path.endswith(".svg") else {}
            figure.savefig(path, dpi=120, metadata=dated)
        finally:
            plt.close(figure)
