#!/usr/bin/env python3
"""Runs merklize-device-bench on a device and writes one dated JSON file to bench/results.

    python bench/run_device.py --bench BUILD/bench/merklize-device-bench --device cuda:0 [--commit HASH] [--out FILE]
                               [-- FLAGS OF THE PROGRAM]

It also runs merklize-several-bench on several devices of a backend (--bench BUILD/bench/merklize-several-bench --device
cuda) and merklize-tree-bench, which times jobs on trees.

Prints a short table: median times of the kernels by the device's own clock.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

from result_files import RESULTS, write
from run import commit, processor

# Facts of the device, the same in all rows.
COMMON = ("device", "backend", "driver", "isa", "version")


def clocks():
    """Clocks of an NVIDIA GPU as nvidia-smi gives them, or None."""
    query = "clocks.max.sm,clocks.max.mem,clocks.sm,power.limit"
    try:
        out = subprocess.run(
            ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"], capture_output=True, text=True
        )
    except OSError:
        return None
    return out.stdout.strip().splitlines()[0] if out.returncode == 0 and out.stdout.strip() else None


def main():
    words = sys.argv[1:]
    flags = words[words.index("--") + 1 :] if "--" in words else []
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--commit", default=None)
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args(words[: words.index("--")] if "--" in words else words)

    rows = []
    status = 0
    with subprocess.Popen([args.bench, args.device, *flags], stdout=subprocess.PIPE, text=True) as program:
        for line in program.stdout:
            row = json.loads(line)
            rows.append(row)
            what = f"{row['job']}, {row.get('policy') or row['hash']}"
            if "skipped" in row:
                print(f"{what}: skipped: {row['skipped'][:200]}", flush=True)
                continue
            seconds = row.get("kernel") or row["wall"]
            linear = f"  {row['linear']:.1%} of linear" if row.get("linear") else ""
            cpu = f"  CPU {row['cpu'] * 1e6:.1f} us" if "cpu" in row else ""
            rate = f"{row['rate']:.4g} {row['unit']}/s"
            print(f"{seconds * 1e6:12.1f} us  {rate}  wall {row['wall'] * 1e6:.1f} us{cpu}{linear}  {what}", flush=True)
        status = program.wait()
    measured = [row for row in rows if "skipped" not in row]
    if not measured:
        sys.exit(status or "nothing was measured")
    facts = dict(measured[0])
    # Facts that are the same in all rows are written once.
    for row in measured:
        for key in (*COMMON, "cpu_isa", "commit"):
            row.pop(key, None)
    header = {
        "date": str(datetime.date.today()),
        **{key: facts[key] for key in COMMON},
        "processor": processor(),
        "cpus": os.cpu_count(),
        **({"cpu_isa": facts["cpu_isa"]} if "cpu_isa" in facts else {}),
        "clocks": clocks(),
        "system": platform.platform(),
        "commit": args.commit or commit(),
        "rows": rows,
    }
    out = args.out
    if out is None:
        name = re.sub(r"[^a-z0-9]+", "-", f"{args.device.split(':')[0]}-{header['device']}".lower()).strip("-")
        kind = "several" if "linear" in facts else "device" if "kernel" in facts else "trees"
        out = RESULTS / f"{datetime.date.today()}-{kind}-{name}.json"
    write(out, header)
    sys.exit(status)


if __name__ == "__main__":
    main()
