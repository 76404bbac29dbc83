#!/usr/bin/env python3
"""Lists of what a package contains and needs (SBOM), in the form of CycloneDX 1.6.

scripts/sbom.py PACKAGE NAME[=VERSION]... >FILE    of a wheel of merklize or merklize-sycl with these parts compiled in

The serial number comes from the package's name and version, and the time is SOURCE_DATE_EPOCH or left out. So a second
build writes the same bytes.
"""

from __future__ import annotations

import datetime
import json
import os
import re
import sys
import urllib.parse
import uuid
from pathlib import Path

import identity

Component = dict[str, object]
# Packages that a wheel requires, and licences of parts that are compiled in.
REQUIRED = {
    "merklize": ["numpy"],
    "merklize-sycl": ["merklize", "intel-sycl-rt", "intel-opencl-rt", "intel-cmplr-lib-rt"],
}
LICENSES = {"nanobind": "BSD-3-Clause", "robin-map": "MIT", "libc++": "Apache-2.0 WITH LLVM-exception"}


def component(name: str, version: str, purl: str, scope: str, expression: str = "") -> Component:
    found: Component = {"type": "library", "bom-ref": purl, "name": name, "scope": scope, "purl": purl}
    if version:
        found["version"] = version
    if expression:
        found["licenses"] = [{"expression": expression}]
    return found


def document(facts: dict[str, str], purl: str, epoch: str, components: list[Component]) -> Component:
    name = re.split(r"[/@]", purl)[1]
    root = component(name, facts["version"], purl, "required", facts["license"])
    del root["scope"]
    root["externalReferences"] = [
        {"type": "vcs", "url": facts["repository"]},
        {"type": "documentation", "url": facts["documentation"]},
    ]
    metadata: Component = {"authors": [{"name": facts["authors"]}], "component": root}
    if epoch:
        moment = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc)
        metadata["timestamp"] = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, purl)}",
        "version": 1,
        "metadata": metadata,
        "components": components,
        "dependencies": [{"ref": purl, "dependsOn": [part["bom-ref"] for part in components]}],
    }


def of_crate(manifest: Path) -> list[Component]:
    """Dependencies and build-dependencies of the crate, without versions, which the build of a program chooses."""
    found = []
    for section, table in re.findall(
        r"^\[([\w-]+)\]\n(.*?)(?=^\[|\Z)", manifest.read_text(), flags=re.MULTILINE | re.DOTALL
    ):
        if section in ("dependencies", "build-dependencies"):
            for name, rest in re.findall(r"^([\w-]+)(?:\.workspace)? = (.*)$", table, flags=re.MULTILINE):
                scope = "optional" if "optional = true" in rest else "required"
                found.append(component(name, "", f"pkg:cargo/{name}", scope))
    return found


def of_wheel(package: str, parts: list[str]) -> list[Component]:
    found = [component(name, "", f"pkg:pypi/{name}", "required") for name in REQUIRED[package]]
    for part in parts:
        name, _, version = part.partition("=")
        purl = f"pkg:generic/{urllib.parse.quote(name)}" + (f"@{version}" if version else "")
        found.append(component(name, version, purl, "required", LICENSES[name]))
    return found


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in REQUIRED:
        sys.exit(__doc__)
    package, parts = sys.argv[1], sys.argv[2:]
    facts = identity.facts()
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    bom = document(facts, f"pkg:pypi/{package}@{facts['version']}", epoch, of_wheel(package, parts))
    print(json.dumps(bom, indent=2))


if __name__ == "__main__":
    main()
