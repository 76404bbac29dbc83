"""Work on a real Ray cluster of several node processes on this machine: the same bytes, whatever fails."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import types
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import merklize
import test_docs
from store_servers import http_server, needs, s3_server
from waiting import HANG, eventually

pytestmark = pytest.mark.ray
MIB = 1 << 20
DATA = np.random.default_rng(22).integers(0, 256, 9 * MIB + 4321, np.uint8).tobytes()


class Nodes:
    """A cluster with a head that does no work, and two nodes that do."""

    def __init__(self):
        from ray.cluster_utils import Cluster

        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        self.nodes = [self.cluster.add_node(num_cpus=1) for _ in range(2)]
        self.address = self.cluster.address

    def kill_one(self):
        """Kill a node with its workers, and add another node."""
        self.cluster.remove_node(self.nodes.pop(0), allow_graceful=False)
        self.nodes.append(self.cluster.add_node(num_cpus=1))


@pytest.fixture(scope="module")
def nodes():
    needs("ray", "fsspec", "aiohttp", "s3fs", "moto")
    import ray

    with pytest.MonkeyPatch.context() as monkeypatch, s3_server(monkeypatch) as client:
        monkeypatch.setenv("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
        # By these clocks Ray gives a node 30 seconds to start, too few on a busy machine, so they stand still.
        clock = types.SimpleNamespace(time=lambda: 0.0, monotonic=lambda: 0.0, sleep=time.sleep)
        for module in ("ray._private.node", "ray.cluster_utils"):
            monkeypatch.setattr(f"{module}.time", clock)
        found = Nodes()
        found.s3 = client
        ray.init(address=found.address, log_to_driver=False, configure_logging=False)
        yield found
        ray.shutdown()
        found.cluster.shutdown()


@pytest.fixture
def ray(nodes):
    """merklize.ray in a process that has joined the cluster, which has two CPUs."""
    import ray

    import merklize.ray as module

    # After kill_one() the cluster counts the killed node, too, until it misses it.
    eventually(lambda: ray.cluster_resources().get("CPU") == 2)
    return module


@pytest.fixture
def x(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(DATA)
    return path


@pytest.fixture
def small(ray):
    return ray.Options(part_size=MIB)


@pytest.mark.parametrize("size", [0, 1, MIB, MIB + 1, 2 * MIB, len(DATA)])
def test_digests(ray, small, tmp_path, size):
    path = tmp_path / "part of x"
    path.write_bytes(DATA[:size])
    assert ray.hash_file(path, options=small) == merklize.hash(DATA[:size])
    keyed = {"key": b"k" * 32, "length": 99, "seek": 5}
    assert ray.hash_file(path.as_uri(), options=small, **keyed) == merklize.hash(DATA[:size], **keyed)


def test_page(nodes, tmp_path):
    """docs/scale.md, in a process of its own."""
    nodes.s3.put_object(Bucket="bucket", Key="large", Body=DATA)
    (code,) = test_docs.blocks("docs/scale.md", "python")
    test_docs.run_and_compare(code.replace('"auto"', f'"{nodes.address}"'), tmp_path)


def test_digests_of_urls(ray, nodes, small):
    nodes.s3.put_object(Bucket="bucket", Key="x", Body=DATA)
    with http_server() as server:
        server.objects["x"] = DATA
        assert ray.hash_file(server.url("x"), options=small) == merklize.hash(DATA)
    assert ray.hash_file("s3://bucket/x", options=small) == merklize.hash(DATA)


def test_many(ray, small, x, tmp_path, monkeypatch):
    monkeypatch.setattr("merklize.ray._files.SMALL", 2 * MIB)
    paths = []
    for k in range(30):
        paths.append(tmp_path / f"f{k}")
        paths[-1].write_bytes(DATA[: k * 1000])
    found = ray.hash_files([x, *paths, tmp_path / "none", x], options=small)
    assert found[:31] == merklize.hash_files([x, *paths])
    assert isinstance(found[31], FileNotFoundError)
    assert found[32] == found[0]


@pytest.mark.parametrize(
    "how",
    [
        {"leaf_size": 4096},
        {"leaf_size": 1000},
        {"leaf_size": 1000, "rule": "pad", "padding": b"p" * 32},
        {"leaf_size": 1000, "rule": "duplicate_last"},
        {"leaf_size": 4096, "hash": "sha256_rfc6962"},
        {"leaf_size": 4096, "key": b"k" * 32},
        {"leaf_size": 4096, "context": "a purpose"},
        {"leaf_size": 5 * MIB},
        {"leaf_size": 16 * MIB},
        {"format": "glacier"},
        {"format": "bittorrent_v2"},
    ],
    ids=str,
)
def test_trees(ray, small, x, tmp_path, how):
    expected = merklize.build_tree_file(x, tmp_path / "a", **how)
    made = ray.build_tree(x, out=tmp_path / "b", options=small, **how)
    assert repr(made) == repr(expected) == repr(ray.build_tree(x, options=small, **how))
    assert (made.height, made.file_size) == (expected.height, expected.file_size)
    assert (tmp_path / "b").read_bytes() == (tmp_path / "a").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "x"]


def test_trees_of_rows_and_leaves(ray, small, tmp_path):
    words = tmp_path / "words"
    words.write_bytes(np.random.default_rng(3).integers(0, 1 << 31, 4 * MIB // 8, np.uint64).tobytes())
    for how in ({"leaves": True}, {"row_size": 4096, "hash": "rp64_256"}, {"row_size": 96}):
        expected = merklize.build_tree_file(words, tmp_path / "a", **how) if how.get("row_size") != 96 else None
        if expected is None:
            with pytest.raises(merklize.InvalidArgument, match="are not a whole count of rows of 96 bytes"):
                ray.build_tree(words, options=small, **how)
            continue
        assert repr(ray.build_tree(words, out=tmp_path / "b", options=small, **how)) == repr(expected)
        assert (tmp_path / "b").read_bytes() == (tmp_path / "a").read_bytes()


def test_trees_in_stores(ray, nodes, small, tmp_path, x):
    nodes.s3.put_object(Bucket="bucket", Key="x", Body=DATA)
    expected = merklize.build_tree_file(x, tmp_path / "a", leaf_size=1000)
    made = ray.build_tree("s3://bucket/x", 1000, out="s3://bucket/x.mkl", options=small)
    assert made.root == expected.root
    assert nodes.s3.get_object(Bucket="bucket", Key="x.mkl")["Body"].read() == (tmp_path / "a").read_bytes()
    names = [entry["Key"] for entry in nodes.s3.list_objects(Bucket="bucket")["Contents"]]
    assert not [name for name in names if "parts" in name]


def test_manifests(ray, small, tmp_path):
    pytest.importorskip("safetensors")
    from safetensors.numpy import save_file

    folder, rng = tmp_path / "m", np.random.default_rng(5)
    folder.mkdir()
    save_file({"a": rng.random((1000, 600)), "b": rng.random(3), "z": np.zeros((0, 4))}, folder / "1.safetensors")
    save_file({"c": rng.random((700, 500))}, folder / "2.safetensors")
    (folder / "big%41 file").write_bytes(DATA)
    (folder / "empty").touch()
    for piece_size in (0, 1 << 18, 1 << 22):
        made = ray.manifest(folder, piece_size=piece_size, options=small)
        assert made == merklize.manifest(folder, piece_size=piece_size)
    assert ray.manifest(folder / "1.safetensors", options=small) == merklize.manifest(folder / "1.safetensors")


# ---- Failures ----


class Gate:
    """A fault of a server: after the first requests, others wait until the gate opens. Nodes that wait are at work."""

    def __init__(self, answered):
        self.answered, self.waiting = answered, 0
        self.lock, self.opened = threading.Lock(), threading.Event()

    def __call__(self, *_):
        with self.lock:
            self.answered -= 1
            if self.answered >= 0 or self.opened.is_set():
                return
            self.waiting += 1
        self.opened.wait(HANG)


def killed_in_the_middle(ray, nodes, tmp_path):
    large, options = tmp_path / "large", ray.Options(part_size=MIB)
    large.write_bytes(DATA * 4)
    expected = merklize.build_tree_file(large, tmp_path / "a", leaf_size=4096)

    with http_server() as server, ThreadPoolExecutor(1) as pool:
        server.objects["x"] = DATA * 4

        def beside_a_kill(work, *arguments, **how):
            server.fault = gate = Gate(12)
            result = pool.submit(work, server.url("x"), *arguments, options=options, **how)
            eventually(lambda: gate.waiting == len(nodes.nodes) or result.done())
            nodes.kill_one()
            gate.opened.set()
            assert gate.waiting
            return result.result()

        made = beside_a_kill(ray.build_tree, 4096, out=tmp_path / "b")
        assert made.root == expected.root
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
        assert beside_a_kill(ray.hash_file) == merklize.hash(DATA * 4)


def test_killed_nodes(ray, nodes, tmp_path):
    killed_in_the_middle(ray, nodes, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("run", range(10))
def test_killed_nodes_twenty_times(ray, nodes, tmp_path, run):
    killed_in_the_middle(ray, nodes, tmp_path)


DRIVER = """
import sys, merklize.ray
url, state, address, out = sys.argv[1:]
options = merklize.ray.Options(part_size=1 << 20)
print("begun", flush=True)
merklize.ray.build_tree(url, 4096, out=out, state=state, address=address, options=options,
                        progress=lambda share: print(share, flush=True))
"""


def test_killed_drivers(ray, nodes, tmp_path, x):
    """A second driver resumes the work of a killed one."""
    parts = -(-len(DATA) // MIB)
    with http_server() as server:
        server.objects["x"] = DATA
        server.fault = gate = Gate(5)
        url, state, out = server.url("x"), tmp_path / "state", tmp_path / "out"
        words = [sys.executable, "-c", DRIVER, url, str(state), nodes.address, str(out)]
        first = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        eventually(lambda: first.poll() is not None or (gate.waiting == 2 and state.read_bytes().count(b"\n") >= 4))
        assert first.poll() is None
        first.send_signal(signal.SIGKILL)
        first.wait()
        server.fault = lambda *_: None  # the first driver's tasks do not ask again, but wait until Ray ends them
        assert not out.exists()
        with open(state, "ab") as file:
            file.write(b"8 00")  # a torn line
        with pytest.raises(merklize.InvalidArgument, match="of another job: n_leaves is 2306, now 1153"):
            ray.build_tree(url, 8192, out=out, state=state)
        server.seen.clear()
        made = ray.build_tree(url, 4096, out=out, state=state)
        assert len(server.seen) <= parts - 3 + 1
        gate.opened.set()
    expected = merklize.build_tree_file(x, tmp_path / "a", leaf_size=4096)
    assert made.root == expected.root
    assert out.read_bytes() == (tmp_path / "a").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["a", "out", "x"]


def test_states_of_changed_objects(ray, small, x, tmp_path):
    state = tmp_path / "state"
    with pytest.raises(merklize.Cancelled):
        ray.hash_file(x, state=state, options=small, progress=lambda share: False)
    x.write_bytes(DATA + b"x")
    with pytest.raises(merklize.InvalidArgument, match=f"of another job: size is {len(DATA)}, now {len(DATA) + 1}"):
        ray.hash_file(x, state=state, options=small)
    state.write_bytes(b"something else\nof two lines\n")
    with pytest.raises(merklize.InvalidArgument, match="not a state file of merklize.ray"):
        ray.hash_file(x, state=state, options=small)


# ---- Refused calls ----


def test_other_versions(ray, x, monkeypatch):
    there = merklize.__version__
    monkeypatch.setattr(merklize, "__version__", "9.9.9")
    with pytest.raises(merklize.Mismatch, match=rf"the driver has merklize 9\.9\.9, a worker on .* {there}"):
        ray.hash_file(x)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"workers": 64},
            "asked for 64 workers at once of 1 CPU each; the cluster can run 2: it has 2 CPU",
        ),
        ({"num_gpus": 1}, "asked for 1 workers at once of 1 CPU, 1 GPU each; the cluster can run 0"),
        ({"num_cpus": 2}, "the cluster can run 0"),
        ({"remote": {"resources": {"near": 1}}}, "of 1 CPU, 1 near each; the cluster can run 0"),
    ],
    ids=str,
)
def test_smaller_clusters(ray, x, options, text):
    with pytest.raises(merklize.Unavailable, match=text):
        ray.hash_file(x, options=ray.Options(**options))


def test_wrong_arguments(ray, x, nodes, tmp_path):
    for part_size in (0, 1000, 3 * MIB):
        with pytest.raises(merklize.InvalidArgument, match="part_size must be a power of two >= 1048576"):
            ray.hash_file(x, options=ray.Options(part_size=part_size))
    with pytest.raises(merklize.InvalidArgument, match="has joined the cluster at"):
        ray.hash_file(x, address="127.0.0.1:1")
    with pytest.raises(FileNotFoundError):
        ray.hash_file(tmp_path / "none")
    with pytest.raises(merklize.FileError, match="cannot write"):
        ray.build_tree(x, 4096, out=tmp_path / "none" / "out")
    with pytest.raises(TypeError, match="got one"):
        ray.hash_files(x)


def test_changes_while_it_is_read(ray, small, tmp_path):
    with http_server() as server:

        def change(_, path, start, end):
            if start >= 4 * MIB:
                server.objects[path] = DATA[::-1]

        def new(name):
            server.objects[name] = DATA
            return server.url(name)

        # Each call has its own object, because tasks of the call before may still read, and so change, theirs.
        server.fault = change
        with pytest.raises(merklize.FileError, match="changed while being read"):
            ray.hash_file(new("a"), options=small)
        with pytest.raises(merklize.FileError, match="changed while being read"):
            ray.build_tree(new("b"), 4096, out=tmp_path / "out", options=small)
        assert os.listdir(tmp_path) == []
        (found,) = ray.hash_files([new("c")], options=small)
        assert isinstance(found, merklize.FileError)
        server.has_ranges = False
        with pytest.raises(merklize.FileError, match="the server ignores ranges"):
            ray.hash_file(new("d"))


def test_storage_that_is_not_shared(ray, tmp_path):
    from merklize.parts import plan_tree
    from merklize.ray._tree_parts import Shape, TreePart, write_levels

    path = tmp_path / "out"
    path.write_bytes(b"another file, of another machine")
    part = TreePart(Shape(plan_tree("x", 8192, 4096)), 1, 0, 2, 1, str(path), b"t" * 16)
    with pytest.raises(merklize.FileError, match="out must be on storage that all nodes share"):
        write_levels(part, [bytes(64)])
    assert path.read_bytes() == b"another file, of another machine"


def test_cancelling(ray, small, x, tmp_path):
    with pytest.raises(merklize.Cancelled):
        ray.build_tree(x, 4096, out=tmp_path / "out", options=small, progress=lambda share: False)
    assert os.listdir(tmp_path) == ["x"]


def test_a_cluster_of_its_own(nodes, x):
    """In a process that has joined no cluster, without an address. Nothing is printed."""
    code = f"import merklize.ray; print(merklize.ray.hash_file({str(x)!r}).hex())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=HANG)
    assert done.stdout.splitlines()[-1] == merklize.hash(DATA).hex()
