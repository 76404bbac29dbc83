#!/usr/bin/env python3
"""Writes the tables of README.md from bench/results: the newest file of each machine and device. --check compares."""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- bench/tables.py begins -->", "<!-- bench/tables.py ends -->"


def newest_by_machine():
    newest = {}
    for path in sorted((ROOT / "bench" / "results").glob("*-cpu-*.json")):
        data = json.loads(path.read_text())
        if not data["quick"]:
            newest[data["machine"]] = (path, data)
    return newest.values()


def rate(value, unit):
    if unit == "bytes":
        return f"{value / 1e9:.2f} GB/s"
    if unit == "runs":
        return f"{1000 / value:.1f} ms"
    for scale, letter in ((1e6, "M"), (1e3, "k")):
        if value >= scale:
            return f"{value / scale:.1f} {letter} {unit}/s"
    return f"{value:.0f} {unit}/s"


def table(path, data):
    isa = next(row["isa"] for row in data["rows"] if row["isa"])
    lines = [
        f"{data['machine']}, {data['cpus']} cores, {isa} ([{path.name}](bench/results/{path.name})):",
        "",
        "| job | threads | merklize | peer | peer's rate | ratio |",
        "|---|---|---|---|---|---|",
    ]
    for row in data["rows"]:
        peer = " ".join(str(part) for part in (row["peer"], row["peer_version"]) if part)
        ours, theirs = rate(row["our_rate"], row["unit"]), rate(row["peer_rate"], row["unit"])
        lines.append(f"| {row['job']} | {row['threads']} | {ours} | {peer} | {theirs} | {row['ratio']:.2f}x |")
    return "\n".join(lines)


def newest_by_device(kind):
    newest = {}
    for path in sorted((ROOT / "bench" / "results").glob(f"*-{kind}-*.json")):
        data = json.loads(path.read_text())
        newest[data["backend"], data["device"], data["driver"]] = (path, data)
    return newest.values()


def seconds(value):
    return f"{value * 1e3:.3g} ms" if value >= 1e-3 else f"{value * 1e6:.3g} us"


def device_rate(value, unit):
    return f"{value / 1e12:.2f} TB/s" if unit == "bytes" and value >= 1e12 else rate(value, unit)


def device_table(path, data):
    rows = [row for row in data["rows"] if not row.get("skipped") and row["policy"] == "tuned"]
    with_cpu = bool(rows) and all("cpu" in row for row in rows)  # older results have none
    cpu = f"; the same job by the CPU backend on {data['cpus']} cores ({data['cpu_isa']})" if with_cpu else ""
    lines = [
        f"{data['device']}, {data['backend']}, driver {data['driver']} ([{path.name}](bench/results/{path.name})); "
        f"kernels by the device's clock, the whole call by the host's{cpu}:",
        "",
        "| job | kernels | rate | whole call |" + (" CPU | whole call against it |" if with_cpu else ""),
        "|---|---|---|---|" + ("---|---|" if with_cpu else ""),
    ]
    for row in rows:
        shown = device_rate(row["rate"], row["unit"])
        lines.append(f"| {row['job']} | {seconds(row['kernel'])} | {shown} | {seconds(row['wall'])} |")
        if with_cpu:
            lines[-1] += f" {seconds(row['cpu'])} | {row['cpu'] / row['wall']:.2f}x |"
    return "\n".join(lines)


def several_table(path, data):
    """Of rows of one job on several counts of devices: its rate on each."""
    rows = [row for row in data["rows"] if not row.get("skipped")]
    counts = sorted({row["devices"] for row in rows})
    lines = [
        f"Several {data['device']}, {data['backend']}, driver {data['driver']} "
        f"([{path.name}](bench/results/{path.name})); the whole call by the host's clock, "
        "and the rate a device as a share of that of the smallest count:",
        "",
        f"| job | {' | '.join(f'{count} devices' for count in counts)} |",
        f"|---|{'---|' * len(counts)}",
    ]
    for job in dict.fromkeys(row["job"] for row in rows):
        cells = {
            row["devices"]: f"{device_rate(row['rate'], row['unit'])} ({row['linear']:.0%})"
            for row in rows
            if row["job"] == job
        }
        lines.append(f"| {job} | {' | '.join(cells.get(count, '') for count in counts)} |")
    return "\n".join(lines)


def main():
    readme = ROOT / "README.md"
    text = readme.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    parts = [device_table(path, data) for path, data in newest_by_device("device")]
    parts += [several_table(path, data) for path, data in newest_by_device("several")]
    parts += [table(path, data) for path, data in newest_by_machine()]
    tables = "\n\n".join(parts)
    new = f"{before}{BEGIN}\n{tables}\n{END}{after}"
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if new == text else "README.md: the tables are not what bench/tables.py writes")
    readme.write_text(new)


if __name__ == "__main__":
    main()
