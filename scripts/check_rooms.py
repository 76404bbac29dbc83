#!/usr/bin/env python3
"""Checks the rooms of src/ against the table in docs/architecture.md.

A room is a folder of src/, but not src/cmake. The table says what each may include: rooms by name, `core` for
include/merklize/core. A second table says in which room each public header begins: that room and those above it may
include the header, and so call its functions. Reported are

- an include of a room, or of a public header, that the tables do not allow; a public header without a row;
- a circle of includes, between files, public headers or rooms;
- a room without a README.md that begins with the room's name, without a row in the table, or with more than 24
  sources;
- more than 10 floors: a room stands one floor above the highest one that it may include;
- a row without a room;
- a path in that page, or in the two that go on from it, which does not exist;
- a header of include/merklize/sycl that includes other headers than public ones, or that the library or another header
  includes: the launch planner of SYCL programs stands on the public interface, and nothing stands on it;
- a use of Python's pending error in python/bindings outside of python_calls.cpp, where it becomes an exception at once;
- a static std::mutex outside of the drivers: a child of fork() may find it locked for ever.

Exits with 1 if there is anything to report.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
TABLE = ROOT / "docs" / "architecture.md"
MOST_FILES = 24
MOST_FLOORS = 10
EXTENSIONS = {".h", ".hpp", ".cpp", ".inc"}
SURFACES = {"c_api", "command"}  # they call the public interface


def read_table(text: str) -> dict[str, set[str]]:
    """Room -> the rooms that it may include: the first and the third column."""
    rooms: dict[str, set[str]] = {}
    for name, allowed in re.findall(r"^\| `(\w+)/` \|[^|\n]*\|([^|\n]*)\|", text, re.MULTILINE):
        rooms[name] = {word.strip(" `") for word in allowed.split(",")} - {""}
    return rooms


def read_public(text: str) -> dict[str, set[str]]:
    """Public header -> the rooms from which on it may be included; none: from all."""
    headers: dict[str, set[str]] = {}
    for names, rooms in re.findall(r"^\| ((?:`[\w.]+\.(?:hpp|h|def)`(?:, )?)+) \|([^|]*)\|$", text, re.MULTILINE):
        for name in names.split(", "):
            headers[name.strip("` ")] = {word.strip(" `") for word in rooms.split(",")} - {"", "all"}
    return headers


def reachable(rooms: dict[str, set[str]], room: str) -> set[str]:
    """The room itself, and every room that it may include, directly or through others."""
    found: set[str] = set()
    ahead = [room]
    while ahead:
        here = ahead.pop()
        if here not in found:
            found.add(here)
            ahead += rooms.get(here, ())
    return found


def floor_of(rooms: dict[str, set[str]], room: str) -> int:
    """The floor of a room: 1 if it may include no other room."""
    return 1 + max((floor_of(rooms, below) for below in rooms[room] & set(rooms)), default=0)


def room_of(path: str) -> str:
    """The room of a path, which is relative to src/ or written as in an include."""
    if path.startswith("merklize/core/"):
        return "core"
    return "" if path.startswith("merklize/") else path.split("/", maxsplit=1)[0]


def read_includes() -> dict[str, list[str]]:
    """What each source and public header includes, by its path below src/ or include/.

    Without headers of the system and files that a build makes.
    """
    includes = {}
    public = ROOT / "include"
    for path in sorted((public / "merklize").glob("*.h*")):
        found = re.findall(r'^#include ["<](merklize/[\w.]+)[">]', path.read_text(), re.MULTILINE)
        includes[str(path.relative_to(public))] = found
    for path in sorted(p for p in SOURCE.rglob("*") if p.suffix in EXTENSIONS):
        found = re.findall(r'^#include ["<]([\w./]+)[">]', path.read_text(), re.MULTILINE)
        includes[str(path.relative_to(SOURCE))] = [
            name for name in found if name.startswith("merklize/") or (SOURCE / name).exists()
        ]
    return includes


def find_circle(graph: dict[str, set[str]]) -> list[str]:
    """A circle as the names along it, the first one again at the end; empty if there is none."""
    done: set[str] = set()
    way: list[str] = []

    def visit(node: str) -> list[str]:
        if node in way:
            return [*way[way.index(node) :], node]
        if node in done:
            return []
        way.append(node)
        for other in sorted(graph.get(node, ())):
            if circle := visit(other):
                return circle
        way.pop()
        done.add(node)
        return []

    for node in sorted(graph):
        if circle := visit(node):
            return circle
    return []


def check_public(rooms: dict[str, set[str]], headers: dict[str, set[str]], includes: dict[str, list[str]]) -> list[str]:
    faults = []
    there = {path.name for path in (ROOT / "include" / "merklize").iterdir() if path.is_file()}
    faults += [f"include/merklize/{name}: no row in the table of {TABLE.name}" for name in sorted(there - set(headers))]
    faults += [f"{TABLE.name}: there is no include/merklize/{name}" for name in sorted(set(headers) - there)]
    for path, names in includes.items():
        here = room_of(path)
        if here not in rooms or here in SURFACES:
            continue
        below = reachable(rooms, here)
        for name in names:
            header = name.removeprefix("merklize/")
            begins = headers.get(header, set()) if name.startswith("merklize/") and "/" not in header else set()
            if begins and not begins & below:
                faults.append(
                    f"src/{path}: includes {name}, which begins above {here}/, in {', '.join(sorted(begins))}"
                )
    return faults


def check(rooms: dict[str, set[str]], includes: dict[str, list[str]]) -> list[str]:
    faults = []
    folders = {p.name for p in SOURCE.iterdir() if p.is_dir()} - {"cmake"}  # parts of the build
    faults += [
        f"{TABLE.name}: the table has {room}/, but there is no src/{room}" for room in sorted(set(rooms) - folders)
    ]
    for room in sorted(folders):
        if room not in rooms:
            faults.append(f"src/{room}: no row in the table of {TABLE.name}")
            continue
        page = SOURCE / room / "README.md"
        if not page.exists() or not page.read_text().startswith(f"# {room}/\n\n"):
            faults.append(f"src/{room}: README.md is missing, or does not begin with '# {room}/': what lives there")
        count = sum(1 for path in includes if room_of(path) == room and path.count("/") == 1)
        if count > MOST_FILES:
            faults.append(f"src/{room}: {count} sources, at most {MOST_FILES}: a room should be cut in two")
    between: dict[str, set[str]] = {room: set() for room in rooms}
    for path, names in includes.items():
        here = room_of(path)
        for name in names:
            there = room_of(name)
            if there in ("", here) or here not in rooms:
                continue
            if there not in rooms[here]:
                allowed = ", ".join(sorted(rooms[here])) or "no room"
                faults.append(f"src/{path}: includes {name}, but {here}/ may include {allowed}")
            between[here].add(there)
    for what, graph in (("files", {path: set(names) for path, names in includes.items()}), ("rooms", between)):
        if circle := find_circle(graph):
            faults.append(f"circle of {what}: {' -> '.join(circle)}")
    if not find_circle(rooms):
        faults += [
            f"{TABLE.name}: {room}/ stands on floor {floor}, {MOST_FLOORS} are enough"
            for room in sorted(rooms)
            if (floor := floor_of(rooms, room)) > MOST_FLOORS
        ]
    return faults


def check_paths(page: Path) -> list[str]:
    """Every path that the page names from the repository's root exists."""
    named = re.findall(
        r"`((?:include|src|python|rust|web|tests|bench|docs|scripts|packaging)/[\w./-]*)`", page.read_text()
    )
    return [f"{page.name}: there is no {path}" for path in dict.fromkeys(named) if not (ROOT / path).exists()]


def check_sycl(texts: dict[str, str]) -> list[str]:
    """Texts of headers and sources by their path from the repository's root."""
    faults = []
    for path, text in texts.items():
        is_planner = path.startswith("include/merklize/sycl")
        for name in re.findall(r'^#include ["<]([\w./]+)[">]', text, re.MULTILINE):
            of_planner = name.startswith("merklize/sycl")
            if of_planner and not is_planner:
                faults.append(f"{path}: includes {name}, which is for SYCL programs alone")
            if is_planner and "/" in name and name != "sycl/sycl.hpp" and f"include/{name}" not in texts:
                faults.append(f"{path}: includes {name}, which is no public header")
    return faults


def check_locks(texts: dict[str, str]) -> list[str]:
    """Drivers may have a static mutex, because a child never reaches them."""
    return [
        f"{path}: a static std::mutex: use MadeOnce (host/made_once.hpp) or ProcessMutex (host/forks.hpp)"
        for path, text in texts.items()
        if not path.startswith("src/backends/") and re.search(r"static std::(?:\w+_)*mutex", text)
    ]


def read_all() -> dict[str, str]:
    folders = ("include", "src", "python/bindings")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in EXTENSIONS]
    return {str(path.relative_to(ROOT)): path.read_text() for path in paths}


def check_bindings() -> list[str]:
    pending = re.compile(
        r"raise_python_error|python_error\(\)|PyErr_(?:Clear|Occurred|Fetch|Restore)|PyObject_GetBuffer"
    )
    return [
        f"{path.relative_to(ROOT)}: {found[0]} belongs to python_calls.cpp: use checked() or BufferView"
        for path in sorted((ROOT / "python" / "bindings").iterdir())
        if path.name != "python_calls.cpp" and (found := pending.search(path.read_text()))
    ]


def main() -> int:
    text = TABLE.read_text()
    rooms, includes = read_table(text), read_includes()
    faults = check(rooms, includes) + check_public(rooms, read_public(text), includes)
    for name in (TABLE.name, "inside.md", "decisions.md"):
        faults += check_paths(TABLE.with_name(name))
    texts = read_all()
    faults += check_bindings() + check_sycl(texts) + check_locks(texts)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
