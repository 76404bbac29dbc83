"""Every fenced block of every page runs as it stands, or is marked with the reason why it does not.

If a block shows its output, the real output must be the same. `text` is a drawing or an output, `hexdump` and `toml`
are data. A comment on the line before a block, `<!-- not run: REASON -->`, marks one that a reader's machine may not
run. Python marked `needs a GPU` runs here on an OpenCL device.
"""

import doctest
import importlib
import inspect
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import numpy as np
import pytest

import merklize

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import public_names  # noqa: E402

BLOCK = re.compile(r"^(?:<!-- not run: ([^\n]+) -->\n)?(```[^\n]*\n)(.*?)^```$", re.MULTILINE | re.DOTALL)
DATA = ("text", "hexdump", "toml")
# Those that need no extras.
MODULES = ["bao", "blake3", "extensions", "formats", "manifests", "parts", "prover", "sharded", "stores", "tuning"]
MODULES += ["xmss"]
HERE = ("python", "console")
NEEDS_GPU = "needs a GPU"

# The files that run the blocks of these languages on these pages. Each file names its page.
ELSEWHERE = {
    ("README.md", "cpp"): "tests/CMakeLists.txt",
    ("docs/add-a-type.md", "c"): "python/tests/test_surface.py",
    ("docs/c.md", "c"): "tests/CMakeLists.txt",
    ("docs/async.md", "cpp"): "tests/CMakeLists.txt",
    ("docs/cpp.md", "cpp"): "tests/CMakeLists.txt",
    ("docs/sycl-headers.md", "cpp"): "tests/sycl_headers/CMakeLists.txt",
    ("docs/how-to/kernel.md", "cuda"): "tests/core/source_text.py",
    ("docs/how-to/several-gpus.md", "python"): "python/tests/test_several.py",
    ("docs/scale.md", "python"): "python/tests/test_ray.py",
    ("include/merklize/core/README.md", "cpp"): "tests/core/test_other_kernels.py",
    ("include/merklize/core/README.md", "opencl"): "tests/core/test_other_kernels.py",
    ("rust/merklize/README.md", "rust"): "rust/merklize/src/lib.rs",
    ("rust/merklize-plonky3/README.md", "rust"): "rust/merklize-plonky3/src/lib.rs",
    ("rust/merklize-winterfell/README.md", "rust"): "rust/merklize-winterfell/src/lib.rs",
    ("docs/rust.md", "rust"): "python/tests/test_docs.py",  # test_rust_page
    ("web/README.md", "js"): "web/test/readme.test.mjs",
}


def pages():
    listed = subprocess.check_output(["git", "ls-files", "*.md"], cwd=ROOT, text=True)
    return [page for page in listed.splitlines() if page != "CHANGELOG.md"]


def all_blocks(page):
    """(language, text, why it does not run or "") of each block, in order."""
    found = BLOCK.findall((ROOT / page).read_text())
    return [(fence[3:].strip(), text, mark) for mark, fence, text in found]


def blocks(page, *languages, marks=("",)):
    """Texts of the blocks that run, or that have one of these marks."""
    return [text for language, text, mark in all_blocks(page) if language in languages and mark in marks]


def with_gpu(page):
    """The page's Python, with what needs a GPU."""
    return "\n".join(blocks(page, "python", marks=("", NEEDS_GPU)))


def run_here():
    return [
        page
        for page in pages()
        if any(blocks(page, language) and (page, language) not in ELSEWHERE for language in HERE)
    ]


def test_every_block_runs_or_says_why_not():
    seen = set()
    for page in pages():
        fences = re.findall(r"^ *```", (ROOT / page).read_text(), re.MULTILINE)
        assert len(fences) == 2 * len(all_blocks(page)), f"{page}: a block that is not at the begin of a line"
        for language, text, mark in all_blocks(page):
            seen.add((page, language))
            runs = language in (*DATA, *HERE) or (page, language) in ELSEWHERE
            assert runs or mark, f"{page}: nothing runs this block, and it does not say why:\n{text}"
    for (page, language), test in ELSEWHERE.items():
        assert (page, language) in seen, f"{page} has no {language}"
        assert page.rpartition("/")[2] in (ROOT / test).read_text(), f"{test} does not name {page}"


# ---- Files that pages need -------------------------------------------------------------------------------------------


def small_files(folder):
    """The files of docs/cli.md."""
    random = np.random.default_rng(3)
    (folder / "dataset").mkdir()
    for name, size in (("model.bin", 70_000), ("notes.txt", 999), ("dataset/a", 5), ("disk.img", 1 << 24)):
        (folder / name).write_bytes(random.bytes(size))
    (folder / "more.img").write_bytes(random.bytes(1 << 17))
    shutil.copy(folder / "disk.img", folder / "later.img")


SET_UP = {"docs/cli.md": small_files}


# ---- Running ---------------------------------------------------------------------------------------------------------


def run(arguments, folder):
    done = subprocess.run(arguments, cwd=folder, env=os.environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def run_console(text, folder):
    """Run the commands of a block in one shell. They must print the output that the block shows."""
    lines = text.splitlines()
    commands = "\n".join(line[2:] for line in lines if line.startswith("$ "))
    shown = [line for line in lines if not line.startswith("$ ")]
    functions = f'python() {{ {shlex.quote(sys.executable)} "$@"; }}\nmerklize() {{ python -m merklize "$@"; }}\n'
    printed = run(["bash", "-euc", functions + commands], folder)
    assert not shown or printed == shown, "\n".join(("printed:", *printed, "on the page:", *shown))


def run_and_compare(code, folder):
    """Run the code. Each print() must print the comment after it."""
    expected = re.findall(r"^ *print\(.*\)\s+# (.*)$", code, re.MULTILINE)
    assert len(expected) == len(re.findall(r"^ *print\(", code, re.MULTILINE)), "a print() without its output"
    assert run([sys.executable, "-c", code], folder) == expected


def in_order(page):
    """The page's blocks, from the first to the last, as one program."""
    parts = [f"import sys; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r}); import test_docs"]
    for language, text, mark in all_blocks(page):
        if not mark and language in HERE and (page, language) not in ELSEWHERE:
            parts.append(text if language == "python" else f"test_docs.run_console({text!r}, '.')\n")
    return "\n".join(parts)


@pytest.mark.parametrize("page", run_here())
def test_examples(page, tmp_path, request):
    """All blocks of a page, in its order, in one folder and one session of Python."""
    code = in_order(page)
    assert '"cuda' not in code, f"{page}: a block for a GPU has the mark '<!-- not run: {NEEDS_GPU} -->'"
    if "s3://" in code:
        store = request.getfixturevalue("s3_client")
        store.put_object(Bucket="bucket", Key="data", Body=bytes(range(256)) * 4096)
    SET_UP.get(page, lambda folder: None)(tmp_path)
    run_and_compare(code, tmp_path)


PAGES_WITH_GPU = [
    page for page in pages() if blocks(page, "python", marks=(NEEDS_GPU,)) and (page, "python") not in ELSEWHERE
]


@pytest.mark.parametrize("page", PAGES_WITH_GPU)
def test_examples_for_a_gpu(page, tmp_path, opencl):
    run_and_compare(with_gpu(page).replace('"cuda', f'"{opencl.partition(":")[0]}'), tmp_path)


def test_tables():
    """Every row belongs to its table and has as many cells as the head, and every column has a head."""
    for page in pages():
        text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(), flags=re.MULTILINE | re.DOTALL)
        for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
            rows = [len(re.sub(r"\\\||`[^`]*`", "", row).split("|")) for row in table.splitlines()]
            assert re.match(r"\|[ :-]+\|", table.splitlines()[1]), f"{page}: a row outside of its table: {table}"
            assert set(rows) == {rows[0]}, f"{page}: rows of {set(rows)} cells: {table}"
            heads = table.splitlines()[0].strip()[1:-1].split("|")
            assert all(head.strip() for head in heads), f"{page}: a column without a head: {table}"


FIRST_TEN = {"C++": "docs/cpp.md", "C": "docs/c.md", "Python": "docs/python.md", "Rust": "docs/rust.md"}
FIRST_TEN["JavaScript"] = "web/README.md"


@pytest.mark.parametrize("language", FIRST_TEN)
def test_the_first_ten_functions(language):
    """Each language has a table of ten, before the others, and all names in it are public."""
    section = (ROOT / FIRST_TEN[language]).read_text().split("\n## The first ten functions\n")[1].split("\n## ")[0]
    names = re.findall(r"^\| `(?:new )?(?:tree|[\w:]+(?=[.:]))?[.:]*(\w+)", section, re.MULTILINE)
    assert len(names) == 10
    public = public_names.names(language)
    assert [name for name in names if name not in public] == []


def test_rust_page():
    """The program of docs/rust.md is the one in the crate's README, which scripts/test_crate_readmes.py runs."""
    assert blocks("docs/rust.md", "rust") == blocks("rust/merklize/README.md", "rust")


def test_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 90


def test_the_top_level_is_small():
    """Recipes of packages lie in packaging/, licence texts in LICENSES/, parts of the build in scripts/ and src/."""
    listed = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines()
    entries = {path.split("/")[0] for path in listed}
    assert len(entries) <= 24, sorted(entries)


def test_the_changelog_is_short_until_the_first_release():
    text = (ROOT / "CHANGELOG.md").read_text()
    assert re.search(r"^## \[[\d.]+\] - \d{4}-", text, re.MULTILINE) or len(text.splitlines()) <= 40


def test_size_of_wheels():
    """docs/install.md has the size of the wheel for x86-64, within a quarter of the size of `make wheel`'s."""
    wheels = list((ROOT / "build" / "dist").glob("merklize-*x86_64.whl"))
    if not wheels:
        pytest.skip("no wheels: make wheel")
    (said,) = re.findall(r"about ([\d.]+) MB for x86-64", (ROOT / "docs" / "install.md").read_text())
    for wheel in wheels:
        assert wheel.stat().st_size / 1e6 == pytest.approx(float(said), rel=0.25), wheel


def test_the_headline_has_others_in_their_own_colour():
    """A bar of the picture on README is blue if it is merklize's, else brown; the legend says so."""
    drawn = (ROOT / "docs" / "pictures" / "headline.svg").read_text()
    bars = re.findall(r'text-anchor="end">([^<]+)</text>\n<rect class="(\w+)"', drawn)
    assert {label.partition(",")[0]: colour for label, colour in bars} == {
        "H100": "blue",
        "16 CPU cores": "blue",
        "blake3 1.8.7": "brown",
        "winter-crypto": "brown",
        "original": "brown",
    }


def test_pictures():
    """Each picture is on a page, has text as text, and has colours for dark pages."""
    drawn = sorted((ROOT / "docs" / "pictures").glob("*.svg"))
    assert 1 <= len(drawn) <= 6
    texts = "".join((ROOT / page).read_text() for page in pages())
    for path in drawn:
        assert f"pictures/{path.name})" in texts
        assert "<text" in path.read_text()
        assert "prefers-color-scheme:dark" in path.read_text()
    subprocess.run([sys.executable, ROOT / "bench" / "pictures.py", "--check"], check=True)


@pytest.mark.parametrize("module", ["", *MODULES])
def test_examples_of_docstrings(module, tmp_path, monkeypatch):
    """The examples run as they stand, beside a small file. Each function and class at the top has one."""
    monkeypatch.chdir(tmp_path)
    pathlib.Path("data.bin").write_bytes(bytes(range(256)) * 16)
    found = importlib.import_module(f"merklize.{module}" if module else "merklize")
    for name in getattr(found, "__all__", ()):
        thing = getattr(found, name)
        if not callable(thing) or name.startswith("_"):
            continue
        text = inspect.getdoc(thing) or ""
        is_made = inspect.isclass(thing) and name in ("DeviceArray", "DeviceInfo", "Manifest", "TreeFacts")
        is_exception = inspect.isclass(thing) and issubclass(thing, Exception)
        assert module or is_made or is_exception or ">>>" in text, f"help() of {name} has no example"
        examples = doctest.DocTestParser().get_doctest(text, {"merklize": merklize, "np": np}, name, None, 0)
        assert doctest.DocTestRunner().run(examples).failed == 0
