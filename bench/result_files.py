#!/usr/bin/env python3
"""The files of bench/results, DATE-BENCH-MACHINE.json: the newest of each benchmark and machine, and those of pages.

    python bench/result_files.py [--check]

Removes the others, and writes each row on a line of its own, with ten digits of each fraction. With --check it only
looks.
"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
DATE = "[0-9]" * 4 + "-" + "[0-9]" * 2 + "-" + "[0-9]" * 2


def rounded(value):
    """The value with its fractions rounded to ten digits, because no clock is more exact."""
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return float(f"{value:.10g}") if isinstance(value, float) else value


def text(content):
    """JSON with one line for each row and for each fact beside the rows."""

    def lines(value):
        if isinstance(value, dict):
            return "{\n" + ",\n".join(f"{json.dumps(name)}: {lines(one)}" for name, one in value.items()) + "\n}"
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            return json.dumps(rounded(value))
        runs = any(isinstance(one.get("rows"), list) for one in value)
        return "[\n" + ",\n".join(lines(one) if runs else json.dumps(rounded(one)) for one in value) + "\n]"

    return lines(content) + "\n"


def write(path, content):
    """Write a file of results."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text(content))
    print(f"wrote {path}")


def newest(kind, key):
    """The newest file of a kind (DATE-KIND-NAME.json) for each value of key(content): pairs of path and content."""
    found = {}
    for path in sorted(RESULTS.glob(f"{DATE}-{kind}-*.json")):
        data = json.loads(path.read_text())
        found[key(data)] = (path, data)
    return list(found.values())


def newest_suites():
    """The newest files of `merklize bench --json`: pairs of path and list of runs.

    Without rows beside PyPI blake3 on machines where bench/calls.py has compared with it since.
    """
    files = newest("suites", lambda runs: tuple((run["device"], run["name"], run["driver"]) for run in runs[:1]))
    calls = [data for _, data in newest("calls", lambda data: (data["machine"], data["note"]))]
    for _, runs in files:
        for run in runs:
            machine = run["processor"], run["isa"]
            if any(
                (data["machine"], data["rows"][0]["isa"]) == machine and data["date"] > run["date"] for data in calls
            ):
                run["rows"] = [row for row in run["rows"] if row.get("peer") != "blake3 (PyPI)"]
    return files


def superseded():
    """Files that have a newer one and that no page names."""
    pages = subprocess.check_output(["git", "ls-files", "*.md"], cwd=ROOT, text=True).split()
    named = "".join((ROOT / page).read_text() for page in pages)
    paths = sorted(RESULTS.glob("*.json"))
    last = {path.stem[len("2026-01-01-") :]: path for path in paths}
    return [path for path in paths if path not in last.values() and path.stem not in named]


def main():
    found = 0
    for path in superseded():
        found += 1
        print(f"{path.name}: there is a newer one")
        if not sys.argv[1:]:
            path.unlink()
    for path in sorted(RESULTS.glob("*.json")):
        old = path.read_text()
        new = text(json.loads(old))
        if new != old:
            found += 1
            print(f"{path.name}: not as result_files.write() writes it")
            if not sys.argv[1:]:
                path.write_text(new)
    sys.exit(1 if sys.argv[1:] and found else 0)


if __name__ == "__main__":
    main()
