"""scripts/surface.py makes the types of all languages as they are checked in, finds any difference, and refuses a
description that is wrong."""

import pathlib
import re
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("tomllib")
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import surface  # noqa: E402

# The files that are made, each with a made line and another one in its place.
PLANTED = {
    "include/merklize/c/errors.h": ("MERKLIZE_IO = 4,", "MERKLIZE_IO = 7,"),
    "include/merklize/c/forests.h": ("    uint64_t n_trees;\n", ""),
    "include/merklize/c/bao.h": ("    uint32_t group_log;", "    uint64_t group_log;"),
    "include/merklize/c/forms.h": ("the leaf that the rule pad adds", "a leaf"),
    "include/merklize/c/values.h": ("/* The same for bytes that a call writes. */\n", ""),
}


@pytest.fixture
def copy(tmp_path):
    """The description, the script and what it makes, in a folder of their own."""
    for name in [surface.DESCRIPTION, "scripts/surface.py", *surface.made()]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def run(copy, *arguments):
    command = [sys.executable, copy / "scripts/surface.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def edit(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1, f"{path} has {old!r} {text.count(old)} times"
    path.write_text(text.replace(old, new))


def test_what_is_checked_in_is_what_is_made(copy):
    found = run(copy, "--check")
    assert (found.returncode, found.stderr) == (0, "")


@pytest.mark.parametrize("name", PLANTED)
def test_a_difference_is_found_and_mended(copy, name):
    kept = (copy / name).read_text()
    edit(copy / name, *PLANTED[name])
    found = run(copy, "--check")
    assert found.returncode == 1
    assert found.stderr.startswith(f"{name}: not what surface/types.toml describes")
    assert run(copy).returncode == 0
    assert (copy / name).read_text() == kept


def test_a_type_is_added_where_its_place_is(copy):
    header = copy / "include/merklize/c/forests.h"
    with (copy / surface.DESCRIPTION).open("a") as file:
        file.write(
            """
[enum.weather]
header = "forests"
doc = "The weather over a forest."
[enum.weather.constants]
dry = { value = 0, doc = "no rain" }
wet = { value = 3, doc = "rain" }

[struct.tree_ring]
header = "forests"
doc = "One year of a tree."
[struct.tree_ring.fields]
year = { type = "u32" }
width = { type = "f64", doc = "of the ring" }
owners = { type = "text[8]" }
"""
        )
    # Named are the row, the header and what to write there.
    found = run(copy)
    assert found.stderr == (
        "surface/types.toml: enum.weather: include/merklize/c/forests.h must have one place for it; write there: "
        "enum { MERKLIZE_WEATHER_DRY };\n"
    )
    edit(header, "\n#endif\n", "\nenum { MERKLIZE_WEATHER_DRY };\n\n#endif\n")
    place = re.search(r"write there: (.*)", run(copy).stderr)[1]
    edit(header, "\n#endif\n", f"\n{place}\n\n#endif\n")
    assert run(copy).returncode == 0
    assert header.read_text().endswith(
        """
/* The weather over a forest. */
enum {
    MERKLIZE_WEATHER_DRY = 0, /* no rain */
    MERKLIZE_WEATHER_WET = 3  /* rain */
};

/* One year of a tree. */
typedef struct merklize_tree_ring {
    uint32_t year;
    double width; /* of the ring */
    char owners[8];
} merklize_tree_ring;

#endif
"""
    )


@pytest.mark.parametrize(
    "declaration",
    ["typedef struct merklize_bare {\n    int32_t field;\n} merklize_bare;", "enum { MERKLIZE_BARE = 1 };"],
)
def test_a_type_without_a_row_is_found(copy, declaration):
    edit(copy / "include/merklize/c/forests.h", "\n#endif\n", f"\n{declaration}\n\n#endif\n")
    found = run(copy, "--check")
    name = re.search(r"merklize_bare|MERKLIZE_BARE", declaration)[0]
    assert found.stderr == f"include/merklize/c/forests.h: surface/types.toml must have a row for {name}\n"


@pytest.mark.parametrize(
    ("old", "new", "refusal"),
    [
        ("[struct.digest]", "[struct.digest", "surface/types.toml: "),
        ("[struct.digest]", "[stract.a]\n[struct.digest]", "stract: must be kind, by_hand, enum or struct"),
        ('header = "errors"\n', "", "enum.status: needs header"),
        (
            'header = "errors"',
            'header = "horrors"',
            "enum.status: header must be one of include/merklize/c, got 'horrors'",
        ),
        ("ok = { value = 0 }", "ok = 0", "enum.status.constants.ok: must be a table, got 0"),
        ("ok = { value = 0 }", "ok = { }", "enum.status.constants.ok: needs value"),
        (
            "io = { value = 4,",
            "io = { value = 3,",
            "enum.status.constants.io: value must be a number of its own, got 3",
        ),
        (
            "io = { value = 4,",
            "io = { value = true,",
            "enum.status.constants.io: value must be a number of its own, got True",
        ),
        (
            "io = { value = 4,",
            "io = { value = 4, dog = 1,",
            "enum.status.constants.io: has no key 'dog'; it takes doc,",
        ),
        (
            'n_trees = { type = "u64"',
            'n_trees = { type = "u63"',
            "struct.forest_info.fields.n_trees: type 'u63' must be ",
        ),
        ('n_trees = { type = "u64"', 'n_trees = { typ = "u64"', "struct.forest_info.fields.n_trees: needs type"),
        (
            'doc = "The root hash."',
            f'doc = "The {"root " * 30}."',
            "struct.dm_verity_root: doc must have lines of at most 114",
        ),
        ('doc = "The root hash."', 'doc = "The root */ hash."', "struct.dm_verity_root: doc must not end the comment"),
    ],
)
def test_a_wrong_description_is_refused(copy, old, new, refusal):
    edit(copy / surface.DESCRIPTION, old, new)
    kept = {name: (copy / name).read_text() for name in surface.made()}
    for arguments in ["--check"], []:
        found = run(copy, *arguments)
        assert found.returncode == 1
        assert found.stderr.startswith("surface/types.toml: ")
        assert refusal in found.stderr
    assert kept == {name: (copy / name).read_text() for name in kept}
