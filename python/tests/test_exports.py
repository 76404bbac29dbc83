"""The symbols that the extension module shows to other libraries of its process."""

import subprocess

import merklize._native

import judges


@judges.needs("nm")
def test_the_extension_exports_nothing_but_its_module():
    # A statically linked C++ library would give its locales to every library that is loaded later.
    names = subprocess.run(
        [judges.find("nm")[0], "--dynamic", "--defined-only", "--format=posix", merklize._native.__file__],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
    assert [line.split()[0] for line in names if line] == ["PyInit__native"]
