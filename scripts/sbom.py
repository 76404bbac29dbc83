#!/usr/bin/env python3
"""Lists of what a package contains and needs (SBOM), in the form of CycloneDX 1.6.

scripts/sbom.py wheel NAME[=VERSION]... >FILE    of a wheel with these parts compiled in, whose licences LICENSES has

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


def of_wheel(parts: list[str]) -> list[Component]:
    found = [component("numpy", "", "pkg:pypi/numpy", "required")]
    for part in parts:
        name, _, version = part.partition("=")
        purl = f"pkg:generic/{urllib.parse.quote(name)}" + (f"@{version}" if version else "")
        found.append(component(name, version, purl, "required", LICENSES[name]))
    return found


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] != "wheel":
        sys.exit(__doc__)
    facts = identity.facts()
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    bom = document(facts, f"pkg:pypi/merklize@{facts['version']}", epoch, of_wheel(sys.argv[2:]))
    print(json.dumps(bom, indent=2))


if __name__ == "__main__":
    main()
