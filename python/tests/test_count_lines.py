"""scripts/count_lines.py counts each file of the product once, and only lines that people write."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import count_lines  # noqa: E402


def test_each_file_of_the_product_has_one_purpose():
    found, faults = count_lines.placed()
    assert faults == []
    assert list(found) == ["engine", "subjects", "below", "command", "faces", "beside"]
    names = [name for parts in found.values() for part in parts.values() for name in part]
    assert len(names) == len(set(names)) > 800
    assert not [name for name in names if name.startswith(("web/test/", "rust/bench/"))]


@pytest.mark.parametrize(("purpose", "extra"), [("faces", "src/host/**"), ("beside", "src/no_room/**")])
def test_a_file_of_two_parts_and_a_part_without_files_are_faults(monkeypatch, purpose, extra):
    parts = count_lines.PURPOSES[purpose] | {"another": (extra,)}
    monkeypatch.setitem(count_lines.PURPOSES, purpose, parts)
    assert count_lines.placed()[1]


def test_a_file_of_no_part_is_a_fault(monkeypatch):
    monkeypatch.setitem(count_lines.PURPOSES, "command", {"the command line": ("src/command/*",)})
    assert any("belongs to 0 parts" in fault for fault in count_lines.placed()[1])


def test_lines_that_a_script_writes_are_counted_apart():
    lines, code, made = count_lines.count("rust/merklize-sys/src/bindings.rs")
    assert (lines, code) == (0, 0)
    assert made > 1000
    lines, code, made = count_lines.count("include/merklize/core/hashes/rescue_prime.h")
    text = (ROOT / "include/merklize/core/hashes/rescue_prime.h").read_text()
    table = text[text.index("/* Written by scripts/") : text.index("/* clang-format on */\n")]
    assert made == table.count("\n") + 1
    assert 0 < code < lines == text.count("\n") - made
