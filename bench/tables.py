#!/usr/bin/env python3
"""Writes the tables of pages from bench/results: the newest file of each machine and device.

README.md and docs/benchmarks.md have the summaries, docs/scale.md the tables of clusters, docs/benchmark-tables.md all
others.

With --check it only compares. Needs the installed merklize package.
"""

import math
import re
import sys

from result_files import ROOT, newest, newest_suites

from merklize.bench.originals import DEVICES, INTEGER_THROUGHPUT, ORIGINALS, V100, best_of
from merklize.bench.plots import device_of, largest_of_peers, measured, of_library
from merklize.bench.report import human_time

BEGIN, END = "<!-- bench/tables.py begins -->", "<!-- bench/tables.py ends -->"


def rate(value, unit):
    if unit == "bytes":
        return f"{value / 1e9:.2f} GB/s"
    if unit == "runs":
        return f"{1000 / value:.1f} ms"
    for scale, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= scale:
            return f"{value / scale:.1f} {letter} {unit}/s"
    return f"{value:.0f} {unit}/s"


def link(path, up=""):
    """up  path from the page to the project's root."""
    return f"[{path.name}]({up}bench/results/{path.name})"


def size_of(row):
    """The size of a job on bytes, for jobs without a size in their name."""
    named = row["unit"] != "bytes" or re.search(r"\d", row["job"])
    return "" if named else f", {row['n'] / 2**30:g} GiB" if row["n"] >= 2**30 else f", {row['n'] / 2**20:g} MiB"


def table(path, data, up=""):
    isa = next(row["isa"] for row in data["rows"] if row["isa"])
    note = f"; {data['note']}" if data.get("note") else ""
    lines = [
        f"{data['machine']}, {data['cpus']} cores, {isa} ({link(path, up)}{note}):",
        "",
        "| job | threads | merklize | peer | peer's rate | ratio |",
        "|---|---|---|---|---|---|",
    ]
    for row in data["rows"]:
        if "command line" in row["job"]:  # of the command that was Python's; bench/command.py has the program's
            continue
        peer = " ".join(str(part) for part in (row["peer"], row["peer_version"]) if part)
        ours, theirs = rate(row["our_rate"], row["unit"]), rate(row["peer_rate"], row["unit"])
        job = row["job"] + size_of(row)
        lines.append(f"| {job} | {row['threads']} | {ours} | {peer} | {theirs} | {row['ratio']:.2f}x |")
    return "\n".join(lines)


def newest_by_device(kind):
    return newest(kind, lambda data: (data["backend"], data["device"], data["driver"]))


def seconds(value):
    return f"{value * 1e3:.3g} ms" if value >= 1e-3 else f"{value * 1e6:.3g} us"


def device_rate(value, unit):
    return f"{value / 1e12:.2f} TB/s" if unit == "bytes" and value >= 1e12 else rate(value, unit)


def device_table(path, data, up=""):
    rows = [row for row in data["rows"] if not row.get("skipped") and row["policy"] == "tuned"]
    with_cpu = bool(rows) and all("cpu" in row for row in rows)  # older results have none
    cpu = f"; the same job by the CPU backend on {data['cpus']} cores ({data['cpu_isa']})" if with_cpu else ""
    lines = [
        f"{data['device']}, {data['backend']}, driver {data['driver']} ({link(path, up)}); "
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


def several_table(path, data, up=""):
    """Rates of each job on different numbers of devices."""
    rows = [row for row in data["rows"] if not row.get("skipped")]
    # Devices alone by their number, then the CPU alone and beside them.
    beside = {row["policy"]: row["devices"] for row in rows if row["policy"].startswith("cpu")}
    counts = sorted({row["devices"] for row in rows if row["policy"] not in beside})
    heads = [f"{count} device{'s' * (count > 1)}" for count in counts] + sorted(beside, key=beside.get)
    lines = [
        f"Several {data['device']}, {data['backend']}, driver {data['driver']} "
        f"({link(path, up)}); the whole call by the host's clock, "
        "and the rate per device as a share of the same rate with the fewest devices:",
        "",
        f"| job | {' | '.join(heads)} |",
        f"|---|{'---|' * len(heads)}",
    ]
    for job in dict.fromkeys(row["job"] for row in rows):
        cells = {}
        for row in rows:
            if row["job"] != job:
                continue
            rate = device_rate(row["rate"], row["unit"])
            is_beside = row["policy"] in beside
            cells[row["policy"] if is_beside else row["devices"]] = (
                rate if is_beside else f"{rate} ({row['linear']:.0%})"
            )
        lines.append(f"| {job} | {' | '.join(cells.get(head, '') for head in counts + heads[len(counts) :])} |")
    return "\n".join(lines)


def energy_table(path, data, up=""):
    """Joules of each job, and the watts of the device meanwhile and idle."""
    lines = [
        f"{data['device']}, {data['backend']}, driver {data['driver']} ({link(path, up)}), by the driver's counter; "
        "each job is repeated for two seconds:",
        "",
        "| job | joules a GiB or a million merges | watts | idle watts |",
        "|---|---|---|---|",
    ]
    for row in data["rows"]:
        if row.get("joules") is None:
            continue
        each = row["joules"] / row["n"] * (1 << 30 if row["unit"] == "bytes" else 1e6)
        lines.append(f"| {row['job']}, `{row['hash']}` | {each:.3g} | {row['watts']:.0f} | {row['idle_watts']:.0f} |")
    return "\n".join(lines)


def originals_tables(runs):
    """Tuned kernels on each device beside the best published times, for each suite of the original programs."""
    rows = [(run, row) for run, row in of_library(measured(runs)) if row["policy"] == "tuned" and "kernel" in row]
    for suite, hash, what in (
        ("blake3-hash", "blake3", "Digest by `blake3`, bytes"),
        ("blake3-merklize", "blake3", "Tree by `blake3`, leaves"),
        ("rescue-merklize", "rp64_256_v1", "Tree by `rp64_256_v1`, leaves"),
    ):
        ours = [(run, row) for run, row in rows if (row["suite"], row["hash"]) == (suite, hash)]
        if not ours:
            continue
        times = {(row["log2"], device_of(run)): row["kernel"]["median"] for run, row in ours}
        theirs = [original for original in ORIGINALS if (original.suite, original.hash) == (suite, hash)]
        times |= {(o.log2, o.device): best_of(suite, hash, o.log2, o.device).kernel for o in theirs}
        columns = list(dict.fromkeys([device_of(run) for run, _ in ours] + [o.device for o in theirs]))
        heads = [what, *(f"original: {column}" if column in DEVICES else column for column in columns)]
        yield "\n".join(
            [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
            + [
                f"| 2^{log2} | "
                + " | ".join(human_time(times[log2, c]) if (log2, c) in times else "" for c in columns)
                + " |"
                for log2 in sorted({log2 for log2, _ in times})
            ]
        )


def hardware_line():
    ratios = [
        f"{name}: {rate / INTEGER_THROUGHPUT[V100]:.2f}" for name, rate in INTEGER_THROUGHPUT.items() if name != V100
    ]
    return f"Integer throughput (multiprocessors times clock) against the {V100}: {', '.join(ratios)}."


def peers_table(path, runs):
    rows = list(largest_of_peers(measured(runs)).values())
    if not rows:
        return
    run = rows[0][0]
    lines = [
        f"{device_of(run)}, {run['cpus']} cores, {run['isa']} ({link(path, '../')}):",
        "",
        "| job | size | threads | merklize | peer | peer's time | ratio | least to most |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for _, row in rows:
        peer, ratio = f"{row['peer']} {row['peer_version']}", row["ratio"]
        times = human_time(row["ours"]["median"]), peer, human_time(row["end_to_end"]["median"])
        spread = f"{ratio['min']:.3g} to {ratio['max']:.3g}"
        start = f"{row['job']}, `{row['hash']}` | 2^{row['log2']} | {row['threads']}"
        lines.append(f"| {start} | {' | '.join(times)} | {ratio['median']:.3g}x | {spread} |")
    yield "\n".join(lines)


def turns_table(path, data, what):
    lines = [
        f"{what} on {data['machine']}, {data['cpus']} cores, {data['isa']} ({link(path, '../')}; {data['note']}):",
        "",
        "| job | size | merklize | beside | ratio | least to most | seconds of processors |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in data["rows"]:
        spread = f"{row['ratio_min']:.2f} to {row['ratio_max']:.2f}"
        used = f"{row['ours_processors']:.2f} beside {row['theirs_processors']:.2f}"
        start = f"{row['job']} | {row['bytes'] / 2**20:.0f} MiB | {rate(row['rate'], 'bytes')} | {row['peer']}"
        lines.append(f"| {start} | {row['ratio']:.2f}x | {spread} | {used} |")
    return "\n".join(lines)


def memory_table(path, data):
    lines = [
        f"The most memory, without pages of mapped files ({link(path, '../')}, {data['cpus']} cores):",
        "",
        "| job | threads | merklize | beside |",
        "|---|---|---|---|",
    ]
    for row in data["rows"]:
        lines.append(f"| {row['job']} | {row['threads']} | {row['our_mib']:.1f} MiB | {row['peer_mib']:.1f} MiB |")
    return "\n".join(lines)


def suites_tables():
    files = newest_suites()
    runs = [run for _, runs in files for run in runs]
    names = ", ".join(link(path, "../") for path, _ in files)
    yield f"Kernels, policy `tuned`, medians, from {names}; data in the device's memory. {hardware_line()}"
    yield from originals_tables(runs)
    yield "## Beside published packages"
    for path, some in files:
        yield from peers_table(path, some)
    yield "## Jobs on each device"
    for kind in ("device", "pinned-trees"):
        yield from (device_table(path, data, "../") for path, data in newest_by_device(kind))
    yield "## Weights and verified streaming"
    for kind, what in (("weights", "Weights"), ("bao", "Verified streaming")):
        yield from (turns_table(path, data, what) for path, data in newest(kind, lambda data: data["machine"]))


def whole_calls():
    """Tables of the library's calls beside the peers', on each CPU."""
    whole = newest("cpu", lambda data: (data["machine"], data["quick"]))
    yield from (table(path, data, "../") for path, data in whole if not data["quick"])


def machine_and_note(data):
    return data["machine"], data["note"].split("; load of the machine")[0]


def newest_build(data):
    """The rows of the last build, for files that have several."""
    return {**data, "rows": [row for row in data["rows"] if row["build"] == data["rows"][-1]["build"]]}


def all_tables():
    yield from suites_tables()
    yield "## Several devices"
    yield from (several_table(path, data, "../") for path, data in newest_by_device("several"))
    yield "## Energy"
    yield from (energy_table(path, data, "../") for path, data in newest_by_device("energy"))
    yield "## Whole calls and processes on CPUs"
    yield from whole_calls()
    yield "## Hashes and formats of others"
    yield from (table(path, data, "../") for path, data in newest("formats-cpu", machine_and_note))
    yield "## Calls from Python on CPUs"
    yield from (table(path, data, "../") for path, data in newest("calls", machine_and_note))
    yield from (table(path, newest_build(data), "../") for path, data in newest("small-digests", machine_and_note))
    yield "## The command"
    yield from (table(path, data, "../") for path, data in newest("command", lambda data: data["machine"]))
    yield from (memory_table(path, data) for path, data in newest("memory", lambda data: data["machine"]))


# The summary. Beside others: (the machine's file, job, peer, threads, name on the page).
PROOFS = (
    ("plonky3 goldilocks", "Plonky3 proof of keccak-air, 2^16 rows, Goldilocks"),
    ("plonky3 koalabear", "Plonky3 proof of keccak-air, 2^16 rows, KoalaBear"),
)
BESIDE_OTHERS = (
    ("command-cpu", "4096 files of 16 KiB", "b3sum 1.8.7", 16, "`merklize hash` of 4096 files of 16 KiB"),
    ("cpu", "blake3 tree of 2^22 leaves", "winter-crypto 0.13.1", 16, "`MerkleTree` by BLAKE3, 2^22 leaves"),
    ("cpu", "rp64_256_v3 tree of 2^16 leaves", "winter-crypto 0.13.1", 16, "`MerkleTree` by Rescue Prime, 2^16 leaves"),
    ("cpu", "blake3 tree of 2^22 leaves", "blake3 hash_many 1.8.7", 16, "`build_tree` by BLAKE3, 2^22 leaves"),
    ("formats-cpu", "poseidon2_goldilocks_8, tree of 2^14 leaves", "Plonky3 0.8.0", 1, "Poseidon2 tree, Goldilocks"),
    ("cpu", "digest of memory", "blake3 1.8.7", 16, "BLAKE3 digest of 1 GiB"),
    ("command-cpu", "one file in the page cache", "b3sum 1.8.7", 16, "`merklize hash` of a file of 1 GiB"),
    (
        "formats-cpu",
        "poseidon2_koalabear_24, digests of 2^9 rows of 256 words",
        "Plonky3 0.8.0",
        1,
        "Poseidon2 of rows, KoalaBear, width 24",
    ),
    ("command-cpu", "one file of 16 MiB in the page cache", "b3sum 1.8.7", 16, "`merklize hash` of a file of 16 MiB"),
    ("cpu", "blake3 tree of 2^20 leaves", "blake3 hash_many 1.8.7", 1, "`build_tree` by BLAKE3, 2^20 leaves"),
)
# Beside the processors of the same host: a kind of results, the name of the job in its rows, and its name on the page.
ON_GPU = (
    ("device", "digest, resident, bytes 2^26", "BLAKE3 digest of 64 MiB"),
    ("device", "digest, resident, bytes 2^33", "BLAKE3 digest of 8 GiB"),
    ("device", "tree, resident, blake3, leaves 2^25", "BLAKE3 tree of 2^25 leaves"),
    ("hashes", "level, resident, keccak256, merges 2^22", "Keccak, 2^22 merges"),
    ("hashes", "level, resident, poseidon2_koalabear_16, merges 2^22", "Poseidon2 over KoalaBear, 2^22 merges"),
    ("device", "tree, resident, rp64_256_v3, leaves 2^24", "Rescue Prime tree of 2^24 leaves"),
)


def three_digits(value, unit):
    for scale, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= scale:
            digits = 2 - int(math.log10(value / scale))
            return f"{value / scale:.{digits}f} {letter}{'B' if unit == 'bytes' else f' {unit}'}/s"
    raise ValueError(value)


def times(ours, theirs):
    quotient = ours / theirs
    return f"{quotient:.0f}x" if quotient >= 10 else f"{quotient:.1f}x" if quotient >= 1 else f"{quotient:.2f}x"


def newest_on_cuda(kind):
    return max((data for _, data in newest_by_device(kind) if data["backend"] == "cuda"), key=lambda data: data["date"])


def name_of_device(data):
    return " ".join(data["device"].split()[:2])  # without the memory's size and kind


def on_gpu():
    """(job, device, rate, rate of its host's processors, unit) of each row of ON_GPU."""
    for kind, job, label in ON_GPU:
        data = newest_on_cuda(kind)
        row = next(row for row in data["rows"] if row["job"] == job and row["policy"] == "tuned")
        yield label, name_of_device(data), row["n"] / row["wall"], row["n"] / row["cpu"], row["unit"]


def resident_on_gpu():
    """The device, and how many times as fast as its host's processors it is: all jobs on data in its memory."""
    files = [newest_on_cuda(kind) for kind in dict.fromkeys(kind for kind, _, _ in ON_GPU)]
    (device,) = {name_of_device(data) for data in files}
    rows = [row for data in files for row in data["rows"] if row["policy"] == "tuned" and ", resident, " in row["job"]]
    return device, [row["cpu"] / row["wall"] for row in rows]


def beside_others():
    """Whole calls, whole processes and whole proofs beside those of other projects, what is slower last."""
    lines = []  # (how many times as fast, the row)
    data = max((data for _, data in newest("proofs", lambda data: data["device"])), key=lambda data: data["date"])
    device = name_of_device(data)
    for job, label in PROOFS:
        proofs = {row["by"]: row["seconds"] for row in data["rows"] if (row["job"], row["what"]) == (job, "proof")}
        ours, theirs = proofs["cuda:0 merklize prove"], proofs["stock"]
        cells = f"{label} | {device}, 16 cores | {ours:.2f} s | stock Plonky3 0.8, 16 cores | {theirs:.2f} s"
        lines.append((theirs / ours, f"| {cells} | {times(theirs, ours)} |"))
    for kind, job, peer, threads, label in BESIDE_OTHERS:
        row = next(
            row
            for _, data in newest(kind, lambda data: (data["machine"], data.get("quick")))
            if data["cpus"] == 16 and not data.get("quick")
            for row in data["rows"]
            if (row["job"], row["threads"]) == (job, threads) and f"{row['peer']} {row['peer_version']}" == peer
        )
        ours, theirs = row["our_rate"], row["peer_rate"]
        shown = f"{three_digits(ours, row['unit'])} | {peer} | {three_digits(theirs, row['unit'])}"
        cores = f"{threads} core{'s' * (threads > 1)}"
        lines.append((ours / theirs, f"| {label} | {cores} | {shown} | {times(ours, theirs)} |"))
    head = ["| job | on | merklize | beside | its time or rate | times as fast |", "|---|---|---|---|---|---|"]
    return "\n".join(head + [line for _, line in sorted(lines, reverse=True)])


def readme_table():
    yield beside_others()
    device, quotients = resident_on_gpu()
    least, most = f"{min(quotients):.0f}", f"{max(quotients):.0f}"
    yield (
        f"On data in its memory, an {device} is {least} (64 MiB) to {most} times (Poseidon2) as fast as the 16 cores "
        "of its host."
    )


def summary_table():
    yield beside_others()
    lines = ["The GPU beside the 16 cores of its host, both by merklize:", ""]
    lines += ["| job | on | rate | rate of 16 cores | times as fast |", "|---|---|---|---|---|"]
    for label, device, ours, theirs, unit in on_gpu():
        rates = f"{three_digits(ours, unit)} | {three_digits(theirs, unit)}"
        lines.append(f"| {label} | {device} | {rates} | {times(ours, theirs)} |")
    yield "\n".join(lines)


def scale_tables():
    """Results of bench/scale.py, and of bench/simulate_cluster.py for clusters that are too large to measure."""
    for path, data in newest("scale", lambda data: data["machine"]):
        lines = [f"{data['machine']}, {data['cpus']} cores ({link(path, '../')}), medians of turns:", ""]
        lines += ["| job | time | rate | against | ratio |", "|---|---|---|---|---|"]
        for row in data["rows"]:
            if "ratio" in row:
                speed = rate(row["bytes"] / row["seconds"], "bytes") if row["bytes"] else ""
                least, middle, most = (f"{row[name]:.2g}" for name in ("ratio_min", "ratio", "ratio_max"))
                ratio = f"{middle}x ({least} to {most})"
                lines.append(f"| {row['job']} | {human_time(row['seconds'])} | {speed} | {row['peer']} | {ratio} |")
            else:
                lines.append(f"| {row['job']} | {row['value']:.3g} {row['unit']} | | | |")
        yield "\n".join(lines)
    for path, data in newest("simulated", lambda data: data["program"]):
        lines = [f"Simulated ({link(path, '../')}), with {data['driver'] * 1e3:.2g} ms of the driver a task:", ""]
        lines += ["| job | time | of the bound | tasks | workers lost | driver at work |", "|---|---|---|---|---|---|"]
        for row in data["rows"]:
            share, busy = f"{row['ideal'] / row['seconds']:.0%}", f"{row['driver']:.0%}"
            counts = f"{row['tasks']:,} | {row['deaths']:,}"
            lines.append(f"| {row['job']} | {row['seconds']:,.0f} s | {share} | {counts} | {busy} |")
        lines += ["", "Checked against what was measured:", ""]
        lines += ["| job | measured | simulated | difference |", "|---|---|---|---|"]
        for row in data["checked"]:
            times = f"{seconds(row['measured'])} | {seconds(row['simulated'])}"
            lines.append(f"| {row['job']} | {times} | {row['error']:+.0%} |")
        yield "\n".join(lines)


PAGES = {
    "README.md": readme_table,
    "docs/benchmarks.md": summary_table,
    "docs/benchmark-tables.md": all_tables,
    "docs/scale.md": scale_tables,
}


def main():
    stale = []
    for name, tables in PAGES.items():
        file = ROOT / name
        text = file.read_text()
        before, rest = text.split(BEGIN)
        after = rest.split(END)[1]
        tables_text = "\n\n".join(tables())
        new = f"{before}{BEGIN}\n{tables_text}\n{END}{after}"
        if sys.argv[1:] == ["--check"]:
            stale += [file.name] * (new != text)
        else:
            file.write_text(new)
    if stale:
        sys.exit(f"{', '.join(stale)}: the tables are not what bench/tables.py writes")


if __name__ == "__main__":
    main()
