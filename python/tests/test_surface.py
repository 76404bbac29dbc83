"""scripts/surface.py makes the types of all languages as they are checked in, finds any difference, and refuses a
description that is wrong."""

import pathlib
import re
import shutil
import subprocess
import sys
from unittest import mock

import pytest

pytest.importorskip("tomllib")
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import surface  # noqa: E402

# The files that are made, each with a made line and another line in its place.
PLANTED = {
    "include/merklize/c/errors.h": ("MERKLIZE_IO = 4,", "MERKLIZE_IO = 7,"),
    "include/merklize/c/forests.h": ("uint64_t n_trees;", "uint64_t trees;"),
    "include/merklize/c/bao.h": ("    uint32_t group_log;", "    uint64_t group_log;"),
    "include/merklize/c/forms.h": ("the leaf that the rule pad adds", "a leaf"),
    "include/merklize/c/values.h": ("/* The same for bytes that a call writes. */\n", ""),
    "rust/merklize/src/types.rs": (
        "sys::MERKLIZE_PROOF_MULTI => Self::Multi,",
        "sys::MERKLIZE_PROOF_MULTI => Self::Single,",
    ),
}


@pytest.fixture
def copy(tmp_path):
    """The description, the script and what it makes, in a folder of their own."""
    for name in [surface.DESCRIPTION, "scripts/surface.py", *surface.made()]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def run(copy, *arguments):
    """What the script says in the folder; nothing if it ends well."""
    with mock.patch.object(surface, "ROOT", copy), mock.patch.object(sys, "argv", ["surface.py", *arguments]):
        try:
            surface.main()
        except SystemExit as error:
            return error.code
    return ""


def edit(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1, f"{path} has {old!r} {text.count(old)} times"
    path.write_text(text.replace(old, new))


def test_what_is_checked_in_is_what_is_made(copy):
    assert run(copy, "--check") == ""


def test_the_program_says_what_differs(copy):
    edit(copy / "include/merklize/c/errors.h", "MERKLIZE_IO = 4,", "MERKLIZE_IO = 7,")
    command = [sys.executable, copy / "scripts/surface.py"]
    found = subprocess.run([*command, "--check"], capture_output=True, text=True, timeout=60)
    assert (found.returncode, found.stderr.split(":")[0]) == (1, "include/merklize/c/errors.h")
    assert subprocess.run(command, timeout=60).returncode == 0
    assert subprocess.run([*command, "--check"], timeout=60).returncode == 0
    found = subprocess.run([*command, "--chek"], capture_output=True, text=True, timeout=60)
    assert (found.returncode, found.stderr) == (1, "surface.py takes --check or nothing, got --chek\n")


@pytest.mark.parametrize("name", PLANTED)
def test_a_difference_is_found_and_mended(copy, name):
    kept = (copy / name).read_text()
    edit(copy / name, *PLANTED[name])
    found = run(copy, "--check")
    assert found.startswith(f"{name}: not what scripts/surface.toml describes")
    assert run(copy) == ""
    assert (copy / name).read_text() == kept


def test_constants_are_added_where_their_place_is(copy):
    with (copy / surface.DESCRIPTION).open("a") as file:
        file.write(
            """
[enum.forests.weather]
doc = "The weather over a forest."
rust = { name = "Weather", derive = "Debug, Default", default = "wet", makes = ["from_c", "to_c"] }
[enum.forests.weather.constants]
dry = { value = 0, doc = "no rain" }
wet = { value = 3, doc = "rain" }
"""
        )
    # Named are the row, the header and what to write there.
    assert run(copy) == (
        "scripts/surface.toml: enum.forests.weather: include/merklize/c/forests.h must have one place for it; "
        "write there: enum { MERKLIZE_WEATHER_DRY };"
    )
    header = copy / "include/merklize/c/forests.h"
    edit(header, "\n#endif\n", "\nenum { MERKLIZE_WEATHER_DRY };\n\n#endif\n")
    assert run(copy) == ""
    assert header.read_text().endswith(
        """
/* The weather over a forest. */
enum {
    MERKLIZE_WEATHER_DRY = 0, /* no rain */
    MERKLIZE_WEATHER_WET = 3  /* rain */
};

#endif
"""
    )
    rust = """
/// The weather over a forest.
#[derive(Debug, Default)]
pub enum Weather {
    /// No rain.
    Dry,
    /// Rain.
    #[default]
    Wet,
}

impl Weather {
    pub(crate) fn from_c(c: u32) -> Self {
        match c {
            sys::MERKLIZE_WEATHER_DRY => Self::Dry,
            _ => Self::Wet,
        }
    }

    pub(crate) fn to_c(self) -> u32 {
        match self {
            Self::Dry => sys::MERKLIZE_WEATHER_DRY,
            Self::Wet => sys::MERKLIZE_WEATHER_WET,
        }
    }
}
"""
    assert rust in (copy / surface.RUST).read_text()
    # A constant before the others stands at the same place.
    edit(copy / surface.DESCRIPTION, "dry = {", 'fog = { value = 1, doc = "one sees nothing" }\ndry = {')
    assert run(copy) == ""
    assert "enum {\n    MERKLIZE_WEATHER_FOG = 1, /* one sees nothing */\n    MERK" in header.read_text()


def test_a_struct_is_added_as_the_page_says(copy):
    page = (ROOT / "docs/add-a-type.md").read_text()
    rows, place = re.findall(r"```(?:toml|c)\n(.*?)```", page, re.DOTALL)
    with (copy / surface.DESCRIPTION).open("a") as file:
        file.write(f"\n{rows}")
    assert place.strip() in run(copy)
    header = copy / "include/merklize/c/forests.h"
    edit(header, "\n#endif\n", f"\n{place}\n#endif\n")
    assert run(copy) == ""
    assert header.read_text().endswith(
        """
/* Facts of a ring. */
typedef struct merklize_ring_info {
    uint64_t n_leaves;  /* number of leaves */
    uint32_t on_device; /* 1: the nodes are in the memory of a device; 0: on the host */
} merklize_ring_info;

#endif
"""
    )
    rust = """
/// Facts of a ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RingInfo {
    /// Number of leaves.
    pub n_leaves: u64,
    /// True: the nodes are in the memory of a device; false: on the host.
    pub on_device: bool,
}

impl RingInfo {
    pub(crate) fn from_c(c: &sys::merklize_ring_info) -> Self {
        Self { n_leaves: c.n_leaves, on_device: c.on_device != 0 }
    }
}
"""
    assert rust in (copy / surface.RUST).read_text()


@pytest.mark.parametrize(
    "declaration",
    ["typedef struct merklize_bare {\n    int32_t field;\n} merklize_bare;", "enum { MERKLIZE_BARE = 1 };"],
)
def test_a_type_without_a_row_is_found(copy, declaration):
    edit(copy / "include/merklize/c/forests.h", "\n#endif\n", f"\n{declaration}\n\n#endif\n")
    found = run(copy, "--check")
    name = re.search(r"merklize_bare|MERKLIZE_BARE", declaration)[0]
    assert found == f"include/merklize/c/forests.h: scripts/surface.toml must have a row for {name}"


# A row, another in its place, and what the refusal says.
STATUS, OK, IO = "enum.errors.status", "ok = { value = 0 }", "io = { value = 4,"
TREES = 'n_trees = { type = "u64"'
TWICE = '[struct.values.status]\nrust = { by_hand = "a test" }\n[struct.values.status.fields]\na = { type = "u8" }\n'
FILE_DIGEST = "[struct.digests.file_digest]"
NOWHERE = '[struct.nowhere.thing]\nrust = { by_hand = "a test" }\n[struct.nowhere.thing.fields]\na = { type = "u8" }\n'
AREA = 'rust = { name = "DmVerityArea", derive'
WRONG = [
    ("[struct.values.digest]", "[struct.values.digest", ""),
    ("[struct.values.digest]", "[stract.a]\n[struct.values.digest]", "stract: must be kind, by_hand, enum or struct"),
    (
        "[struct.values.digest]",
        f"{TWICE}[struct.values.digest]",
        "struct.values.status: must have a name that no other row has",
    ),
    (
        "[struct.values.digest]",
        "[struct.values.Digest]",
        "struct.values: a name must be of small letters, digits and _, got 'Digest'",
    ),
    ('of = "int32_t"', "of = 7", f"{STATUS}: of must be of type str, got 7"),
    (
        "[struct.values.digest]",
        "[struct.virtues.digest]\nfields = {}\n[struct.values.digest]",
        "struct.virtues.digest: needs rust",
    ),
    (FILE_DIGEST, f"{NOWHERE}{FILE_DIGEST}", "struct.nowhere.thing: there must be include/merklize/c/nowhere.h"),
    ("[by_hand]\n", '[by_hand]\nmerklize_ring = "gone"\n', "by_hand.merklize_ring: no header has it"),
    (OK, "ok = 0", f"{STATUS}.constants.ok: must be a table, got 0"),
    (OK, "ok = { }", f"{STATUS}.constants.ok: needs value"),
    (IO, "io = { value = 3,", f"{STATUS}.constants.io: value must be a number of its own, got 3"),
    (IO, "io = { value = true,", f"{STATUS}.constants.io: value must be of type int, got True"),
    (IO, 'io = { value = "4",', f"{STATUS}.constants.io: value must be of type int, got '4'"),
    (IO, "io = { value = 4, dog = 1,", f"{STATUS}.constants.io: has no key 'dog'; it takes doc,"),
    (
        TREES,
        'n_trees = { type = "u63"',
        "struct.forests.forest_info.fields.n_trees: type must be a pointer, a type of C, or one",
    ),
    (
        TREES,
        'n_trees = { type = "void *"',
        "struct.forests.forest_info.fields.n_trees: type 'void *' has no form in Rust",
    ),
    (TREES, 'n_trees = { typ = "u64"', "struct.forests.forest_info.fields.n_trees: needs type"),
    (
        TREES,
        'n_trees = { length_of = "n", type = "u64"',
        "struct.forests.forest_info.fields.n_trees: length_of must be one of the",
    ),
    (
        'doc = "number of trees"',
        'doc = ""',
        "struct.forests.forest_info.fields.n_trees: needs a doc without names of C, or a",
    ),
    (
        'doc = "number of trees"',
        'doc = "merklize_trees"',
        "struct.forests.forest_info.fields.n_trees: needs a doc without names",
    ),
    ('doc = "Facts of a forest."\n', "", "struct.forests.forest_info: needs a doc without names of C, or a rust_doc"),
    (
        'doc = "The root hash."',
        f'doc = "The {"root " * 30}."',
        "struct.dm_verity.dm_verity_root: doc must have lines of at most 117",
    ),
    (
        'doc = "The root hash."',
        'doc = "The */ hash."',
        "struct.dm_verity.dm_verity_root: doc must not end the comment of C",
    ),
    (
        'default = "natural"',
        'default = "random"',
        "enum.matrices.row_order.rust: default must be one of the constants, got 'random'",
    ),
    (AREA, "rust = { derive", "struct.dm_verity.dm_verity_area.rust: needs a name, or by_hand with the reason"),
    (
        AREA,
        'rust = { x = 1, name = "A", derive',
        "struct.dm_verity.dm_verity_area.rust: has no key 'x'; it takes by_hand,",
    ),
    (
        'derive = "Debug, Clone, Copy, Default"',
        "grows = 1",
        "struct.options.timings.rust: grows must be of type bool, got 1",
    ),
    (
        'makes = ["from_c"] }\n[struct.options.timings',
        'makes = ["c"] }\n[struct.options.timings',
        "struct.options.timings.rust: makes must be of",
    ),
]


@pytest.mark.parametrize(("old", "new", "refusal"), WRONG)
def test_a_wrong_description_is_refused(copy, old, new, refusal):
    edit(copy / surface.DESCRIPTION, old, new)
    kept = {name: (copy / name).read_text() for name in surface.made()}
    for arguments in ["--check"], []:
        found = run(copy, *arguments)
        assert found.startswith(f"scripts/surface.toml: {refusal}"), found
    assert kept == {name: (copy / name).read_text() for name in kept}
