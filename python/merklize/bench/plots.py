"""Pictures of results: time against size, and where the time goes. Needs matplotlib (merklize[plot])."""

from __future__ import annotations

from typing import Any

from .originals import ORIGINALS

COPIES = (
    ("to_device", "host to device", "#9ecae1"),
    ("kernel", "kernels", "#08519c"),
    ("to_host", "device to host", "#fdae6b"),
)


def plot(path: str, runs: list[dict[str, Any]]) -> None:
    """Draw one picture of all runs: a column a suite. The format follows the name's ending.

    Raises ImportError without matplotlib, OSError.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    measured = [(run, row) for run in runs for row in run["rows"] if "skipped" not in row]
    suites = list(dict.fromkeys(row["suite"] for _, row in measured))
    figure, axes = plt.subplots(2, len(suites), figsize=(6.4 * len(suites), 9.6), squeeze=False, layout="constrained")
    for column, suite in enumerate(suites):
        rows = [(run, row) for run, row in measured if row["suite"] == suite]
        _against_size(axes[0][column], suite, rows)
        _where_it_goes(axes[1][column], rows)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _against_size(axes: Any, suite: str, rows: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    lines: dict[str, list[tuple[int, float]]] = {}
    for run, row in rows:
        label = f"{run['name']} ({run['device']}): {row['job']}, {row['hash']}, {row['policy']}"
        lines.setdefault(label, []).append(
            (row["log2"], (row["kernel"] if "kernel" in row else row["end_to_end"])["median"])
        )
    hashes = {row["hash"] for _, row in rows}
    for original in ORIGINALS:
        if original.suite == suite and original.hash in hashes:
            label = f"original on a {original.device}: {original.hash}"
            lines.setdefault(label, []).append((original.log2, original.kernel))
    for label, points in lines.items():
        style = {"linestyle": ":", "color": "gray", "marker": "x"} if label.startswith("original") else {"marker": "o"}
        points.sort()
        axes.plot([2.0**x for x, _ in points], [1e3 * y for _, y in points], label=label, **style)
    unit = rows[0][1]["unit"]
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("input, bytes" if unit == "bytes" else "leaves or rows")
    axes.set_ylabel("time of kernels, ms")
    axes.set_title(f"{suite}: kernels")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize=6)


def _where_it_goes(axes: Any, rows: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    """Stacked bars at the largest size of each device and policy."""
    largest: dict[str, dict[str, Any]] = {}
    for run, row in rows:
        label = f"{run['device']}\n{row['job']}\n{row['hash']}\n{row['policy']}"
        if row["log2"] >= largest.get(label, row)["log2"]:
            largest[label] = row
    bottom = [0.0] * len(largest)
    for name, label, color in COPIES:
        heights = [1e3 * row[name]["median"] if name in row else 0.0 for row in largest.values()]
        axes.bar(range(len(largest)), heights, bottom=bottom, label=label, color=color)
        bottom = [b + h for b, h in zip(bottom, heights)]
    axes.set_xticks(range(len(largest)), [f"{name}\n2^{row['log2']}" for name, row in largest.items()], fontsize=5)
    axes.set_ylabel("time, ms (device's clock; copies and kernels overlap)")
    axes.set_title("where the time goes, largest size")
    axes.legend(fontsize=7)
