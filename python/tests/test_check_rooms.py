"""scripts/check_rooms.py keeps the launch planner of SYCL programs apart."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import check_rooms  # noqa: E402


def test_the_planner_of_sycl_programs_stands_on_public_headers():
    texts = check_rooms.read_all()
    assert check_rooms.check_sycl(texts) == []
    planner, public = "include/merklize/sycl/launch.hpp", "include/merklize/policy.hpp"
    assert {planner, public} <= texts.keys()
    for path, line, fault in [
        (planner, "queue/kernels.hpp", f"{planner}: includes queue/kernels.hpp, which is no public header"),
        (planner, "merklize/none.hpp", f"{planner}: includes merklize/none.hpp, which is no public header"),
        (public, "merklize/sycl.hpp", f"{public}: includes merklize/sycl.hpp, which is for SYCL programs alone"),
        ("src/host/a.cpp", "merklize/sycl/launch.hpp", "src/host/a.cpp: includes merklize/sycl/launch.hpp, which is"),
    ]:
        (found,) = check_rooms.check_sycl({**texts, path: f'{texts.get(path, "")}\n#include "{line}"\n'})
        assert found.startswith(fault)
