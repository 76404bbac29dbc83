#!/usr/bin/env python3
"""Compares two files of `merklize bench --json` and shows the jobs that got faster or slower beyond the noise.

    python bench/compare.py BEFORE.json AFTER.json [--json] [--only-report]

Two rows are the same job if device, suite, job, hash, policy, size and threads agree. Peers are left out. A change
counts if the medians differ by more than 5 % and the ranges from minimum to maximum do not overlap. The exit code is 1
if something got slower, unless --only-report is given.
"""

import argparse
import json
import sys

KEY = ("suite", "job", "hash", "policy", "log2", "threads")
TIMES = ("kernel", "to_device", "to_host", "end_to_end")
LEAST_CHANGE = 0.05


def rows(path):
    with open(path, encoding="utf-8") as file:
        runs = json.load(file)
    return {
        (run["device"], *(row.get(name) for name in KEY)): row
        for run in runs
        for row in run["rows"]
        if "skipped" not in row and "peer" not in row
    }


def change(before, after):
    """The ratio of the times, or None if the change is within the noise."""
    ratio = after["median"] / before["median"]
    apart = after["min"] > before["max"] or after["max"] < before["min"]
    return ratio if apart and abs(ratio - 1) > LEAST_CHANGE else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only-report", action="store_true", help="exit with 0 even if something got slower")
    args = parser.parse_args()
    before, after = rows(args.before), rows(args.after)
    both = [key for key in after if key in before]
    if not both:
        sys.exit("the files have no job in common")
    found = []
    for key in both:
        for name in TIMES:
            # On the CPU the kernel's time is the time of the whole call: it is reported once.
            same = name == "kernel" and all(row[key].get(name) == row[key].get("end_to_end") for row in (before, after))
            if name in before[key] and name in after[key] and not same:
                ratio = change(before[key][name], after[key][name])
                if ratio is not None:
                    found.append({"job": key, "time": name, "ratio": round(ratio, 3)})
    if args.json:
        print(json.dumps({"compared": len(both), "changes": found}))
    else:
        for row in sorted(found, key=lambda row: row["ratio"]):
            word = "slower" if row["ratio"] > 1 else "faster"
            factor = max(row["ratio"], 1 / row["ratio"])
            print(f"{factor:.2f}x {word}: {row['time']} of {', '.join(map(str, row['job']))}")
        print(f"{len(both)} jobs compared, {len(found)} times differ beyond the noise")
    sys.exit(not args.only_report and any(row["ratio"] > 1 for row in found))


if __name__ == "__main__":
    main()
