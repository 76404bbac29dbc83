"""Several devices for one job, parts on several devices, and the choice of "auto".

A machine with one device runs the tests of several in a process of its own, on two OpenCL runtimes at once: the
system's and Intel's.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import merklize
import test_docs
from cli_helpers import merklize as command
from waiting import HANG


def several():
    """Ids of two or more devices of one backend, or no ids."""
    for backend in ("cuda", "opencl"):
        ids = [device.id for device in merklize.devices() if device.backend == backend]
        if len(ids) > 1:
            return ids
    return []


@pytest.fixture
def ids():
    found = several()
    if not found:
        pytest.skip("this machine has no two devices of one backend")
    return found


def test_in_a_process_of_two_runtimes(tmp_path):
    if several():
        pytest.skip("this machine has several devices")
    named = os.environ.get("MERKLIZE_INTEL_OPENCL")
    intel = Path(named) if named else Path(sys.prefix, "lib", "libintelocl.so")
    system = list(Path("/etc/OpenCL/vendors").glob("*.icd"))
    if not intel.is_file() or not system:
        required = os.environ.get("MERKLIZE_REQUIRE_RUNTIMES") == "1"
        (pytest.fail if required else pytest.skip)("not both of the system's OpenCL and the package intel-opencl-rt")
    for icd in system:
        (tmp_path / icd.name).write_text(icd.read_text())
    (tmp_path / "merklize-intel.icd").write_text(f"{intel}\n")
    path = os.pathsep.join([str(Path(merklize.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "OCL_ICD_VENDORS": f"{tmp_path}/", "PYTHONPATH": path}
    environment.pop("MERKLIZE_OPENCL_LIBRARY", None)
    pytest_again = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", __file__]
    done = subprocess.run(pytest_again, env=environment, capture_output=True, text=True, timeout=HANG, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert "1 skipped" in done.stdout, done.stdout  # this one


class TestNames:
    def test_wrong(self, ids):
        first, second = ids[:2]
        for device in (f"{first},{first}", [first, second, first]):
            with pytest.raises(merklize.InvalidArgument, match=f"{first} is in it twice"):
                merklize.hash(b"", device=device)
        with pytest.raises(merklize.InvalidArgument, match="cpu is in it twice"):
            merklize.hash(b"", device=["cpu", first, "cpu"])
        data = np.random.default_rng(2).bytes(40 << 20)
        assert merklize.hash(data, device=["cpu", first]) == merklize.hash(data, device="cpu")
        with pytest.raises(merklize.Unavailable, match="no memory or queues of its own"):
            merklize.DeviceArray.from_numpy(np.zeros((2, 32), np.uint8), ",".join(ids))

    def test_command_line(self, ids, tmp_path):
        data = np.random.default_rng(1).bytes(3 << 20)
        (tmp_path / "data").write_bytes(data)
        for device in (",".join(ids), ids[0].split(":")[0] + ":all"):
            done = command("hash", "--no-names", "--device", device, tmp_path / "data")
            assert done.stdout.decode().split() == [merklize.hash(data, device="cpu").hex()], done.stderr


class TestHostData:
    def test_digest(self, ids):
        data = np.random.default_rng(2).bytes((3 << 20) + 5)
        for device in (ids, tuple(ids), ",".join(ids), ids[0].split(":")[0] + ":all"):
            assert merklize.hash(data, device=device) == merklize.hash(data, device="cpu")

    def test_rows(self, ids):
        rows = np.random.default_rng(3).integers(0, 256, (50_000, 64), np.uint8)
        expected = merklize.hash_rows(rows, device="cpu")
        assert (merklize.hash_rows(rows, device=ids) == expected).all()
        merged = merklize.merge(expected[::2], expected[1::2], device=ids)
        assert (merged == merklize.hash_rows(expected.reshape(-1, 64), device="cpu")).all()

    def test_tree(self, ids):
        leaves = np.random.default_rng(4).integers(0, 256, (1 << 16, 32), np.uint8)
        tree = merklize.MerkleTree(leaves, device=",".join(ids))
        assert tree.device == ",".join(ids)
        assert (np.asarray(tree.nodes) == np.asarray(merklize.MerkleTree(leaves, device="cpu").nodes)).all()
        assert tree.prove(77).verify(tree.root)


def test_the_page(ids, tmp_path):
    """docs/how-to/several-gpus.md, on the first two devices here."""
    code = test_docs.with_gpu("docs/how-to/several-gpus.md")
    test_docs.run_and_compare(code.replace("cuda", ids[0].split(":")[0]), tmp_path)


class TestParts:
    def parts(self, ids, data, cuts):
        pieces = np.split(np.frombuffer(data, np.uint8), cuts)
        return [merklize.DeviceArray.from_numpy(piece, ids[k % len(ids)]) for k, piece in enumerate(pieces)]

    @pytest.mark.parametrize("cuts", [[1 << 19], [1024], [3 * 1024, 5 * 1024, 1 << 19], []])
    def test_digest(self, ids, cuts):
        data = np.random.default_rng(5).bytes((1 << 20) + 7)
        timings = merklize.tuning.Timings()
        parts = self.parts(ids, data, cuts)
        with merklize.tuning.options(timings=timings):
            digest = merklize.parts.hash_parts(parts)
        assert digest == merklize.hash(data, device="cpu")
        assert timings.kernel > 0
        key = bytes(range(32))
        long = {"key": key, "length": 99, "seek": 5}
        assert merklize.parts.hash_parts(iter(parts), **long) == merklize.hash(data, device="cpu", **long)

    def test_root(self, ids):
        leaves = np.random.default_rng(6).integers(0, 256, (64, 32), np.uint8)
        parts = [merklize.DeviceArray.from_numpy(part, ids[k % 2]) for k, part in enumerate(np.split(leaves, 4))]
        assert merklize.parts.merkle_root_parts(parts) == merklize.merkle_root(leaves, device="cpu")
        with pytest.raises(merklize.InvalidArgument, match="count of parts must be a power of two, got 3"):
            merklize.parts.merkle_root_parts(parts[:3])
        with pytest.raises(merklize.InvalidArgument, match="must be alike"):
            merklize.parts.merkle_root_parts([parts[0], merklize.DeviceArray.from_numpy(leaves, ids[0])])

    def test_wrong(self, ids):
        odd = merklize.DeviceArray.from_numpy(np.zeros(1000, np.uint8), ids[0])
        with pytest.raises(merklize.InvalidArgument, match="multiple of 1024 bytes; the one before part 1 has 1000"):
            merklize.parts.hash_parts([odd, odd])
        with pytest.raises(merklize.InvalidArgument, match="part 1 is on the host"):
            merklize.parts.hash_parts([odd, b"abc"])
        with pytest.raises(TypeError):
            merklize.parts.hash_parts([odd, None])


def test_calibrated(tmp_path):
    """The CPU is calibrated in new processes. The kept figures are shown, and "auto" still chooses right."""
    own = {"MERKLIZE_CACHE_DIR": str(tmp_path), "OCL_ICD_VENDORS": "/nowhere/", "MERKLIZE_DEVICE": ""}
    environment = {**os.environ, **own}
    assert b"devices --calibrate" in command("devices", env=environment).stdout
    done = command("devices", "--calibrate", "--json", env=environment)
    costs = json.loads(done.stdout)["calibration"]
    by_cpu = [cost for cost in costs if cost["device"] == "cpu"]
    sizes = Counter((cost["job"], cost["hash"]) for cost in by_cpu)
    measured = ("blake3", "sha256", "poseidon2_goldilocks_8", "rp64_256_v3")
    whole = [(job, one) for job in ("tree", "nodes", "root", "rows") for one in measured]
    assert [job for job, count in sizes.items() if count > 1] == [("digest", "blake3"), *whole], done.stderr
    assert {one for (job, one), count in sizes.items() if count == 1} == {*merklize.HASHES} - {*measured}
    assert all(cost["bytes"] >= 2048 and 0 < cost["seconds"] < 10 for cost in costs)
    assert b"Measured, for --device auto" in command("devices", env=environment).stdout
    (tmp_path / "data").write_bytes(bytes(1 << 20))
    digest = command("hash", "--no-names", tmp_path / "data", env=environment).stdout.strip()
    assert digest.decode() == merklize.hash(bytes(1 << 20), device="cpu").hex()
