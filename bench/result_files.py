"""The files of bench/results: the newest file of each kind for each device."""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATE = "[0-9]" * 4 + "-" + "[0-9]" * 2 + "-" + "[0-9]" * 2


def newest(kind, key):
    """The newest file of a kind (DATE-KIND-NAME.json) for each value of key(content): pairs of path and content."""
    found = {}
    for path in sorted((ROOT / "bench" / "results").glob(f"{DATE}-{kind}-*.json")):
        data = json.loads(path.read_text())
        found[key(data)] = (path, data)
    return list(found.values())


def newest_suites():
    """The newest files of `merklize bench --json`: pairs of path and list of runs."""
    return newest("suites", lambda runs: tuple((run["device"], run["name"], run["driver"]) for run in runs[:1]))
