"""The output of the scripts that make a release. `make test-release` makes a whole one."""

import importlib.metadata
import json
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import check_licences  # noqa: E402
import identity  # noqa: E402
import release  # noqa: E402
import sbom  # noqa: E402


@pytest.fixture
def facts():
    return identity.facts()


def test_all_places_have_the_facts(facts):
    for name, pattern, value in identity.places(facts):
        text = (ROOT / name).read_text()
        assert identity.written(text, name, pattern, value) == text, name


def test_each_place_is_found_if_it_differs(facts):
    other = {**{name: f"another-{name}" for name in facts}, "version": "7.8.9"}
    changed = {}
    for name, pattern, value in identity.places(other):
        changed[name] = identity.written(changed.get(name) or (ROOT / name).read_text(), name, pattern, value)
    assert all(text != (ROOT / name).read_text() for name, text in changed.items())
    assert '"7.8.9"' in changed["include/merklize/version.h"]
    assert "MERKLIZE_VERSION_MINOR 8\n" in changed["include/merklize/version.h"]
    assert "7.8.9" not in changed["web/package.json"]  # web/build.py writes it


@pytest.mark.parametrize("text", ["", "version: 1\nversion: 2\n"])
def test_a_place_must_be_there_once(text):
    with pytest.raises(SystemExit, match="must match .* once"):
        identity.written(text, ".github/CITATION.cff", r"^version: (.*)$", "3")


def test_the_placeholder_is_known(facts):
    assert identity.is_placeholder({**facts, "repository": "https://repository.invalid/merklize"})
    known = {"contact": "a@a.org", "repository": "https://a.org/b", "documentation": "https://a.org/c"}
    assert not identity.is_placeholder({**facts, **known})


def test_links_of_pages():
    page = "[a](docs/a.md#b) ![p](../pictures/p.svg) [h](#here) [w](https://a.org/) [m](mailto:a@b.org)\n[c]: x\n"
    assert release.absolute_links(page, "web", "https://a.org/r", "1.2.3") == (
        "[a](https://a.org/r/blob/v1.2.3/web/docs/a.md#b) ![p](https://a.org/r/raw/v1.2.3/pictures/p.svg)"
        " [h](#here) [w](https://a.org/) [m](mailto:a@b.org)\n[c]: x\n"
    )


@pytest.mark.parametrize("name", release.READMES)
def test_pages_of_packages_have_no_relative_links(name):
    page = release.absolute_links(
        (ROOT / name).read_text(), str(pathlib.PurePosixPath(name).parent), "https://a.org", "1"
    )
    for link in release.LINK.finditer(page):
        assert link[3].startswith(("https://", "#")), link[0]
        if link[3].startswith("https://a.org/"):
            path = link[3].removeprefix("https://a.org/").split("/", 2)[2].split("#")[0]
            assert (ROOT / path).exists(), link[0]


@pytest.mark.parametrize(
    ("expression", "accepted"),
    [
        ("MIT", True),
        ("MIT/Apache-2.0", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-2.0 OR MIT", True),
        ("GPL-2.0 AND MIT OR MIT", True),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("GPL-3.0-only", False),
        ("MIT AND GPL-2.0", False),
        ("(MIT OR GPL-2.0) AND GPL-2.0", False),
        ("MIT MIT", False),
        ("(MIT", False),
        ("", False),
    ],
)
def test_licences(expression, accepted):
    assert check_licences.is_accepted(expression) is accepted


CHANGELOG = (
    "# Changelog\n\nText.\n\n## [1.1.0] - 2027-01-02\n\n### Added\n\n- New.\n\n## [1.0.0] - 2026-01-02\n\n- Old.\n"
)


def test_notes():
    assert release.notes(CHANGELOG, "1.1.0", dry=False) == "### Added\n\n- New.\n"
    assert release.notes(CHANGELOG, "9.9.9", dry=True) == "### Added\n\n- New.\n"
    for version, text in (("1.0.0", CHANGELOG), ("1.1.0", CHANGELOG.replace("2027-01-02", "unreleased"))):
        with pytest.raises(SystemExit, match=r"the first part of CHANGELOG.md must be"):
            release.notes(text, version, dry=False)


def test_a_release_refuses_placeholders(tmp_path, facts):
    if not identity.is_placeholder(facts):
        pytest.skip("the addresses are known")
    command = [sys.executable, str(ROOT / "scripts/release.py"), "--out", str(tmp_path / "out"), "source"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "the addresses in packaging/project.toml are placeholders" in done.stderr
    assert not (tmp_path / "out").exists()


def test_more_files(tmp_path):
    folder, out = tmp_path / "wheels", tmp_path / "out"
    folder.mkdir()
    out.mkdir()
    with pytest.raises(SystemExit, match=r"--more must name a folder with files, got '.*/wheels'"):
        release.add(folder, out)
    (folder / "a.whl").write_text("new")
    release.add(folder, out)
    assert (out / "a.whl").read_text() == "new"
    with pytest.raises(SystemExit, match=r"a.whl is already among the files of the release"):
        release.add(folder, out)


def test_contents_of_packages(facts):
    document = sbom.document(facts, "pkg:pypi/merklize@0.1.0", "86400", sbom.of_wheel("merklize", ["nanobind=2.4.0"]))
    assert document == json.loads(json.dumps(document))
    assert document["metadata"]["timestamp"] == "1970-01-02T00:00:00Z"
    assert document["metadata"]["component"]["name"] == "merklize"
    assert [(part["name"], part.get("version")) for part in document["components"]] == [
        ("numpy", None),
        ("nanobind", "2.4.0"),
    ]
    assert "timestamp" not in sbom.document(facts, "pkg:pypi/merklize@0.1.0", "", [])["metadata"]
    known = {part["bom-ref"] for part in document["components"]}
    assert set(document["dependencies"][0]["dependsOn"]) == known
    again = sbom.document(facts, "pkg:pypi/merklize@0.1.0", "86400", [])
    assert (
        again["serialNumber"] == document["serialNumber"] != sbom.document(facts, "pkg:npm/m@1", "", [])["serialNumber"]
    )


def test_contents_of_the_sycl_wheel():
    """What it requires is what its metadata require: merklize with its extra `sycl`."""
    extra = re.search(r"^sycl = \[(.*)\]$", (ROOT / "pyproject.toml").read_text(), flags=re.MULTILINE)[1]
    required = re.findall(r'"([\w-]+)==', extra)
    assert [part["name"] for part in sbom.of_wheel("merklize-sycl", [])] == ["merklize", *required]


def test_the_installed_package_tells_its_contents(facts):
    files = importlib.metadata.files("merklize")
    (file,) = [file for file in files if file.name == "merklize.cdx.json"]
    assert file.parts[-2] == "sboms"
    document = json.loads(file.read_text())
    assert document["metadata"]["component"]["version"] == facts["version"]
    parts = {part["name"]: part for part in document["components"]}
    assert {"numpy", "nanobind", "robin-map"} <= set(parts)
    assert parts["nanobind"]["version"][0].isdigit()
    (notice,) = [file for file in files if file.name == "LICENSE-nanobind"]
    assert "Wenzel Jakob" in notice.read_text()


def test_the_installed_package_has_its_licences():
    """LICENSE names the other two by their paths."""
    files = [str(file) for file in importlib.metadata.files("merklize")]
    for name in ("LICENSE", *re.findall(r"LICENSES/[\w.-]+txt", (ROOT / "LICENSE").read_text())):
        assert sum(file.endswith(f".dist-info/licenses/{name}") for file in files) == 1, name


def test_contents_of_crates():
    parts = {part["name"]: part["scope"] for part in sbom.of_crate(ROOT / "rust/merklize/Cargo.toml")}
    assert parts == {"merklize-sys": "required", "digest": "optional", "serde": "optional"}
