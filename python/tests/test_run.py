"""How calls run: threads, forks, the GIL, Ctrl-C, start-up time, instruction sets, inputs over 4 GiB."""

import multiprocessing
import os
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor

import blake3
import numpy as np
import pytest

import merklize
import oracle
from oracle import KNOWN_ROOTS, pattern
from waiting import HANG


def python(script, *arguments, env=(), **options):
    """Run a script in a new interpreter and return its output."""
    command = [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)]
    return subprocess.check_output(command, text=True, env={**os.environ, **dict(env)}, timeout=HANG, **options).strip()


# For scripts. No thread must give up the interpreter: another thread runs when the main thread's next call releases it.
DURING = """
import signal, sys, threading, time
main = threading.main_thread().ident

def during_the_next_call(act):
    sys.setswitchinterval(1e6)
    gate = threading.Semaphore(0)
    threading.Thread(target=lambda: gate.acquire() and act(), daemon=True).start()
    gate.release()
"""


def test_devices():
    devices = merklize.devices()
    assert devices[0].id == devices[0].backend == "cpu"
    assert devices[0].isa in ("scalar", "avx2", "avx512", "neon")
    assert devices[0].units >= 1
    assert devices[0].memory_bytes > 1 << 20
    assert merklize.why_unavailable("cpu") == merklize.why_unavailable("auto") == ""
    why = merklize.why_unavailable("cuda:0")
    assert why == "" if "cuda:0" in {device.id for device in devices} else "cuda" in why
    with pytest.raises(TypeError, match="name must be a string"):
        merklize.why_unavailable(0)


def test_version_and_names():
    assert merklize.__version__.count(".") == 2
    assert all(hasattr(merklize, name) for name in merklize.__all__)
    assert merklize.HASHES[:5] == ("blake3", "rp64_256_v1", "rp64_256_v2", "rp64_256_v3", "sha256_rfc6962")
    assert set(oracle.FIELD_HASHES) < set(merklize.HASHES)
    assert {"sha256", "sha256d", "sha256_compress", "keccak256", "keccak256_sorted"} <= set(merklize.HASHES)
    for error, builtin in (
        (merklize.InvalidArgument, ValueError),
        (merklize.OutOfMemory, MemoryError),
        (merklize.Unavailable, RuntimeError),
        (merklize.FileError, OSError),
        (merklize.Cancelled, RuntimeError),
        (merklize.InternalError, RuntimeError),
    ):
        assert issubclass(error, merklize.Error)
        assert issubclass(error, builtin)


@pytest.mark.parametrize("isa", ["scalar", "avx2", "avx512", "neon"])
def test_instruction_sets(isa):
    """Each one that this processor has gives the same bytes; each other one is a clear error."""
    script = """
        import hashlib, merklize, numpy as np
        shown = []
        try:
            merklize.hash(b"")
        except merklize.Unavailable as error:
            assert "cpu" not in [device.id for device in merklize.devices()]
            assert merklize.why_unavailable("cpu")
            print("unavailable:", error)
            raise SystemExit
        data = merklize.hash(b"leaves", length=32 << 10)
        shown.append(merklize.devices()[0].isa)
        shown.append(merklize.MerkleTree(np.frombuffer(data, np.uint8).reshape(-1, 32)).root.hex())
        words = np.frombuffer(data, np.uint64).reshape(-1, 4) & 0x3FFFFFFF3FFFFFFF
        for name in merklize.HASHES:
            shown.append(merklize.MerkleTree(words, name).root.hex())
        shown.append(merklize.hash(data * 33).hex())
        print(*shown)
    """
    output = python(script, env={"MERKLIZE_CPU_ISA": isa})
    if output.startswith("unavailable:"):
        assert f"MERKLIZE_CPU_ISA={isa} is not an instruction set of this processor" in output
        assert isa != "scalar"
        return
    shown = output.split()
    data = blake3.blake3(b"leaves").digest(length=32 << 10)
    words = np.frombuffer(data, np.uint64).reshape(-1, 4) & 0x3FFFFFFF3FFFFFFF
    assert shown[:2] == [isa, KNOWN_ROOTS[1 << 10]]
    assert shown[2:-1] == [merklize.MerkleTree(words, name).root.hex() for name in merklize.HASHES]
    assert shown[-1] == blake3.blake3(data * 33).hexdigest()


def _work(seed):
    """Some of everything, small enough to run often."""
    data = pattern(300_000 + 7 * seed)
    leaves = oracle.byte_leaves(256)[np.random.default_rng(seed).permutation(256)]
    words = oracle.word_leaves(64, seed)
    return (
        merklize.hash(data),
        merklize.MerkleTree(leaves).root,
        merklize.MerkleTree(words, "rp64_256_v3").root,
        merklize.hash_rows(leaves).tobytes(),
    )


def test_eight_threads_at_once():
    expected = [_work(seed) for seed in range(8)]
    assert expected[3][0] == blake3.blake3(pattern(300_021)).digest()
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            assert list(pool.map(_work, range(8))) == expected


def _child(seed, queue):
    queue.put(_work(seed))


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_forked_children_after_use():
    expected = _work(3)  # the parent's worker threads are there now
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    children = [context.Process(target=_child, args=(3, queue)) for _ in range(4)]
    for child in children:
        child.start()
    assert [queue.get() for _ in children] == [expected] * 4
    for child in children:
        child.join(HANG)
        assert child.exitcode == 0
    assert _work(3) == expected


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_fork_while_another_thread_works():
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            _work(1)

    worker = threading.Thread(target=busy)
    worker.start()
    try:
        context = multiprocessing.get_context("fork")
        for _ in range(10):
            queue = context.SimpleQueue()
            child = context.Process(target=_child, args=(2, queue))
            child.start()
            child.join(HANG)
            assert child.exitcode == 0
            assert queue.get() == _work(2)
    finally:
        stop.set()
        worker.join()


def test_fork_while_another_thread_changes_an_object(tmp_path):
    """A child's copy of it is half changed, and its thread is not there to end the call."""
    path = tmp_path / "fifo"
    os.mkfifo(path)
    script = """
        import os, sys, threading
        import merklize
        path, hasher = sys.argv[1], merklize.Hasher()
        waiting = [threading.Thread(target=act) for act in [lambda: hasher.update_file(path)] + [hasher.digest] * 3]
        for thread in waiting[:1]:
            thread.start()
        with open(path, "wb") as file:
            for thread in waiting[1:]:
                thread.start()
            child = os.fork()
            if child == 0:
                for act in (hasher.digest, hasher.reset, hasher.copy):
                    try:
                        act()
                    except merklize.InvalidArgument as error:
                        print(error, flush=True)
                del hasher, waiting, thread, act
                os._exit(merklize.Hasher(b"child").digest() != merklize.hash(b"child"))
            file.write(b"parent")
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        for thread in waiting:
            thread.join()
        print(hasher.digest() == merklize.hash(b"parent"))
    """
    lines = python(script, path).splitlines()
    text = "Hasher: another thread was in the middle of a call on it when this process was forked"
    assert [text in line for line in lines[:-2]] == [True] * 3
    assert lines[-2:] == ["0", "True"]


def test_pool_of_processes():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(_work, range(2)) == [_work(0), _work(1)]


@pytest.fixture(scope="module")
def sparse(tmp_path_factory):
    """A file of 1 TiB, all zeros, that takes no room on the disk."""
    path = tmp_path_factory.mktemp("sparse") / "sparse"
    with open(path, "wb") as file:
        file.truncate(1 << 40)
    yield path
    path.unlink()


def test_other_threads_run_meanwhile(sparse):
    """The main thread takes twenty turns during one call of another thread, which takes minutes."""
    script = """
        import os, sys, threading, time
        import numpy as np, merklize
        data = np.memmap(sys.argv[1], mode="r")
        worker = threading.Thread(target=lambda: merklize.hash(data, threads=1))
        worker.start()
        clock = time.pthread_getcpuclockid(worker.ident)
        for turn in range(20):
            begin = time.clock_gettime(clock)
            while time.clock_gettime(clock) < begin + 0.001:
                time.sleep(0.001)
        print(worker.is_alive(), flush=True)
        os._exit(0)
    """
    assert python(script, sparse) == "True"


LONG_WORK = {
    "hash": "merklize.hash(data)",
    "hash on one thread": "merklize.hash(data, threads=1)",
    "long output": "merklize.hash(b'', length=1 << 33, threads=1)",
    "Hasher": "merklize.Hasher().update(data)",
    "hash_file": "merklize.hash_file(path)",
    "hash_file of a pipe": "merklize.hash_file(pipe)",
    "hash_file of an endless stream": "merklize.hash_file('/dev/zero')",
    "hash_files": "merklize.hash_files([path, path])",
    "from_file": "merklize.MerkleTree.from_file(path, 1 << 22)",
    "from_file of small leaves": "merklize.MerkleTree.from_file(path, 1 << 16)",
    "hash_many": "merklize.hash_rows(data.reshape(1 << 20, 1 << 20))",
    "hash_many of long messages": "merklize.hash_rows(data.reshape(1 << 10, 1 << 30))",
    "hash_elements of one row": "merklize.hash_rows(words.reshape(1, -1), 'rp64_256_v1')",
    "hash_elements": "merklize.hash_rows(words.reshape(-1, 8), 'rp64_256_v1')",
    "merge": "merklize.merge(words.reshape(-1, 4), words.reshape(-1, 4), 'rp64_256_v1')",
    "MerkleTree": "merklize.MerkleTree(words.reshape(-1, 4), 'rp64_256_v1')",
}


@pytest.mark.parametrize("work", LONG_WORK)
def test_ctrl_c_stops_soon(sparse, work):
    """Within seconds of processor time, because other processes do not count there. All of the work takes minutes."""
    script = f"""
        {textwrap.indent(DURING, " " * 8).strip()}
        import os
        import numpy as np, merklize
        path, pipe = sys.argv[1], os.pipe()[0]
        data, words = np.memmap(path, mode="r"), np.zeros(1 << 26, np.uint64)
        begin = 0

        def interrupt():
            global begin
            begin = time.process_time()
            while {work != "hash_file of a pipe"} and time.process_time() < begin + 0.4:
                time.sleep(0.01)
            begin = time.process_time()
            signal.pthread_kill(main, signal.SIGINT)

        try:
            during_the_next_call(interrupt)
            {LONG_WORK[work]}
        except KeyboardInterrupt:
            print(time.process_time() - begin, flush=True)
        os._exit(0)  # unmapping takes long afterwards and is not counted
    """
    assert float(python(script, sparse)) < 5


def test_ctrl_c_stops_many_proofs():
    """Compared with a call that is not stopped, in processor time, because other processes do not count there."""
    script = """
        import signal, time
        import numpy as np, merklize
        signal.signal(signal.SIGPROF, signal.default_int_handler)
        tree = merklize.MerkleTree(np.zeros((1 << 20, 32), np.uint8))
        indices = np.arange(1 << 20)
        shares = []
        for attempt in range(5):
            begin = time.process_time()
            tree.prove(indices)
            whole = time.process_time() - begin
            begin = time.process_time()
            try:
                signal.setitimer(signal.ITIMER_PROF, 0.1 * whole)
                tree.prove(indices)
            except KeyboardInterrupt:
                shares.append((time.process_time() - begin) / whole)
                if shares[-1] < 0.7:
                    break
        print(min(shares) < 0.7 or shares)
    """
    assert python(script) == "True"


OF_FIFO = {
    "hash_file(path)": "merklize.hash(content)",
    "hash_files([path])": "[merklize.hash(content)]",
    "manifests.Manifest.load(path).to_json().encode()": "content",
    "manifest(path, progress=lambda done: None)": None,
    "manifests.find_weights(path)": None,
}


@pytest.mark.parametrize("call", OF_FIFO)
def test_signals_while_a_fifo_is_opened(tmp_path, call):
    """A handler runs at once, and the opening goes on; what it raises ends it."""
    path = tmp_path / "model.safetensors.index.json"
    os.mkfifo(path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a").write_bytes(b"a")
    content = merklize.manifest(tmp_path / "folder").to_json()
    script = f"""
        {textwrap.indent(DURING, " " * 8).strip()}
        import merklize.manifests
        path, seen = sys.argv[1], threading.Event()
        signal.signal(signal.SIGUSR1, lambda number, frame: seen.set())
        def feed():
            signal.pthread_kill(main, signal.SIGUSR1)
            seen.wait()
            with open(path, "wb") as file:
                file.write(content)
        content = {content.encode()!r}
        during_the_next_call(feed)
        if {OF_FIFO[call] is not None}:
            assert merklize.{call} == {OF_FIFO[call]}
        else:
            try:
                merklize.{call}
            except merklize.InvalidArgument as error:  # it is no index
                assert "weight_map" in str(error), error
        try:
            during_the_next_call(lambda: signal.pthread_kill(main, signal.SIGINT))
            merklize.{call}
        except KeyboardInterrupt:
            print("interrupted")
    """
    assert python(script, path) == "interrupted"


@pytest.mark.parametrize(
    "call", ["tree.save(path)", "writer.finish()", "file.append(leaves)", "file.update({0: leaves[1]})"]
)
def test_ctrl_c_while_another_process_changes_the_file(tmp_path, call):
    """The lock on the file keeps the call waiting. What is interrupted is not written."""
    script = f"""
        {textwrap.indent(DURING, " " * 8).strip()}
        import fcntl
        import numpy as np, merklize
        path, leaves = sys.argv[1], np.arange(64, dtype=np.uint8).reshape(2, 32)
        tree = merklize.MerkleTree(leaves)
        tree.save(path)
        before = open(path, "rb").read()
        file, writer = merklize.TreeFile(path), merklize.TreeWriter(path, 1)
        writer.append(leaves[:1])
        held = open(path, "rb")
        fcntl.flock(held, fcntl.LOCK_EX)
        try:
            during_the_next_call(lambda: signal.pthread_kill(main, signal.SIGINT))
            {call}
        except KeyboardInterrupt:
            print(open(path, "rb").read() == before)
    """
    assert python(script, tmp_path / "tree") == "True"


@pytest.mark.parametrize("threads", [1, None])
def test_daemon_threads_at_the_end(threads):
    """The interpreter ends while they compute, with progress functions or without: the process must not abort."""
    script = f"""
        import threading
        import numpy as np, merklize
        data = bytes(1 << 22)
        leaves = np.zeros((1 << 14, 32), np.uint8)
        begun = [threading.Event() for _ in range(4)]
        def work(call, event):
            while True:
                call()
                event.set()
        for event, call in zip(begun, (
            lambda: merklize.hash(data, threads={threads}),
            lambda: merklize.MerkleTree(leaves, threads={threads}, progress=lambda done: None).prove(range(100)),
            lambda: merklize.Hasher(data).digest(),
            lambda: merklize.hash_file("/dev/zero", threads={threads}, progress=lambda done: begun[3].set()),
        )):
            threading.Thread(target=work, args=(call, event), daemon=True).start()
        for event in begun:
            event.wait()
    """
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, timeout=HANG)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


RACES = {
    "TreeBuilder.append": """
        builder = merklize.TreeBuilder()
        race(*[lambda: builder.append(leaves)] * 2, lambda: builder.n_leaves, builder_root)
        assert builder.n_leaves == 2 * ROUNDS * len(leaves)
    """,
    "TreeWriter.append": """
        writer = merklize.TreeWriter(path, None)
        race(*[lambda: writer.append(leaves)] * 2, lambda: writer.written)
        assert writer.written == 2 * ROUNDS * len(leaves)
        writer.finish()
        assert merklize.TreeFile(path).check() == []
    """,
    "TreeFile.append beside reads": """
        merklize.MerkleTree(leaves).save(path)
        file = merklize.TreeFile(path)
        race(
            *[lambda: file.append(leaves)] * 2,
            lambda: file.read(0, 0, 10), lambda: file.prove(5).verify(file.root), lambda: (file.n_leaves, file.height),
        )
        assert file.n_leaves == (2 * ROUNDS + 1) * len(leaves)
        assert file.check() == []
    """,
    "TreeFile.update beside checks": """
        merklize.MerkleTree(leaves).save(path)
        file = merklize.TreeFile(path)
        race(lambda: file.update({3: bytes(32)}), lambda: file.update({5: bytes(32)}), lambda: file.check())
        assert file.check() == []
    """,
    "MerkleTree.append": """
        tree = merklize.MerkleTree(leaves)
        race(*[lambda: tree.append(leaves)] * 2, lambda: tree.root, lambda: tree.prove([0, 1]))
        assert tree.n_leaves == (2 * ROUNDS + 1) * len(leaves)
        assert tree.root == merklize.MerkleTree(np.tile(leaves, (2 * ROUNDS + 1, 1))).root
    """,
    "MerkleTree.update": """
        tree = merklize.MerkleTree(leaves)
        race(lambda: tree.update({3: b"a" * 32}), lambda: tree.update({4: b"b" * 32}), lambda: tree.nodes[1].tobytes())
        leaves[3], leaves[4] = 97, 98
        assert tree.root == merklize.MerkleTree(leaves).root
    """,
    "Hasher": """
        hasher = merklize.Hasher()
        race(*[lambda: hasher.update(bytes(100_000))] * 3, lambda: hasher.copy().digest())
        assert hasher.digest() == merklize.hash(bytes(300_000 * ROUNDS))
    """,
}


@pytest.mark.parametrize("race", RACES)
def test_races_on_one_object(tmp_path, race):
    """Threads that share an object wait for each other. None may crash the process or lose what was added."""
    script = """
        import sys, threading
        import numpy as np, merklize
        path, ROUNDS = sys.argv[1], 30
        leaves = np.random.default_rng(1).integers(0, 256, (1000, 32), np.uint8)
        failed = []
        def race(*calls):
            start = threading.Barrier(len(calls))
            def work(call):
                start.wait()
                try:
                    for _ in range(ROUNDS):
                        call()
                except BaseException as error:
                    failed.append(error)
            threads = [threading.Thread(target=work, args=(call,)) for call in calls]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert not failed, failed
        def builder_root():
            try:
                builder.root()
            except merklize.InvalidArgument:
                pass  # there is no leaf yet
    """
    python(textwrap.dedent(script) + textwrap.dedent(RACES[race]), tmp_path / "tree.mkl")


def test_progress_functions_cannot_use_what_they_interrupt():
    """The call would wait for itself."""
    leaves = np.zeros((1 << 20, 32), np.uint8)
    tree = merklize.MerkleTree(leaves, threads=1)

    def grow():
        for _ in range(20):  # one of these is slow enough for a progress call
            tree.append(leaves, progress=lambda done: tree.root)

    with pytest.raises(merklize.InvalidArgument, match="MerkleTree: this thread is in the middle of another call"):
        grow()
    assert tree.n_leaves % (1 << 20) == 0
    assert tree.prove(7).verify(tree.root)


class Interrupted(Exception):
    """What a signal handler raises."""


FAILING = {
    "hash": (lambda: merklize.hash(b"", length=-1), merklize.InvalidArgument),
    "digest": (lambda: merklize.Hasher().digest(1 << 62), merklize.OutOfMemory),
    "device": (lambda: merklize.hash(b"", device="cuda:9999"), merklize.Unavailable),
    "hash_file": (lambda: merklize.hash_file("missing"), FileNotFoundError),
    "TreeFile": (lambda: merklize.TreeFile("missing"), FileNotFoundError),
    "update_file": (lambda: merklize.Hasher().update_file("missing"), FileNotFoundError),
    "decode": (lambda: merklize.bao.decode(bytes(72), bytes(32)), merklize.Mismatch),
    "cancel": (lambda: merklize.hash_file("/dev/zero", progress=lambda done: False), merklize.Cancelled),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_signal_while_an_error_is_made(name):
    """A handler may run at each line of Python. What it raises arrives as it is, and not as a RuntimeError."""
    call, kind = FAILING[name]
    with pytest.raises(kind):
        call()
    errors = merklize.errors.__file__

    def interrupted_at(line):
        """Call, and raise Interrupted at that line of errors.py, counted from 1 as they run."""
        left = line

        def trace(frame, event, _):
            nonlocal left
            if frame.f_code.co_filename != errors:
                return None
            if event == "line":
                left -= 1
                if left == 0:
                    raise Interrupted
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            call()
        finally:
            sys.settrace(before)

    for line in range(1, 1000):
        try:
            interrupted_at(line)
        except Interrupted:
            continue
        except kind:
            break
    assert line > 3


def test_interrupted_hasher_says_so(sparse):
    script = f"""
        {textwrap.indent(DURING, " " * 8).strip()}
        import _thread
        import numpy as np, merklize
        hasher, data = merklize.Hasher(b"start"), np.memmap(sys.argv[1], mode="r")
        try:
            during_the_next_call(_thread.interrupt_main)
            hasher.update(data)
        except KeyboardInterrupt:
            pass
        for act in (hasher.digest, lambda: hasher.update(b"more"), hasher.copy().digest):
            try:
                act()
            except merklize.InvalidArgument as error:
                print(error)
        hasher.reset()
        print(hasher.digest() == merklize.hash(b""), flush=True)
        import os; os._exit(0)
    """
    lines = python(script, sparse).splitlines()
    text = ": an update was interrupted and its state is lost; reset() first"
    assert lines == [f"digest{text}", f"update{text}", f"digest{text}", "True"]


def test_the_extension_is_never_unloaded():
    """Its threads never end, and the system calls its handler at each fork."""
    script = """
        import _ctypes, ctypes, importlib.util, pathlib
        folder = pathlib.Path(importlib.util.find_spec("merklize").origin).parent
        path = next(folder.glob("_native*.so"))
        _ctypes.dlclose(ctypes.PyDLL(str(path))._handle)
        print(str(path.resolve()) in pathlib.Path("/proc/self/maps").read_text())
    """
    assert python(script) == "True"


def test_hash_of_bytes_leaves_numpy_alone():
    """Importing numpy would take longer than all the rest; bench/run.py times the import."""
    assert python("import sys, merklize; merklize.hash(b'x'); print('numpy' in sys.modules)") == "False"


def test_memory_of_a_tree():
    """Peak memory: leaves, nodes and 64 MiB."""
    script = """
        import resource
        import numpy as np, merklize
        n = 1 << 22
        leaves = np.ones((n, 32), np.uint8)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        tree = merklize.MerkleTree(leaves)
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 - 64 * n)
    """
    assert int(python(script)) < 64 << 20


def test_memory_of_a_pipe():
    script = """
        import os, resource, threading
        import merklize
        merklize.hash(bytes(1 << 20))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        read, write = os.pipe()
        def feed():
            data = bytes(1 << 20)
            with open(write, "wb") as file:
                for _ in range(300):
                    file.write(data)
        threading.Thread(target=feed).start()
        merklize.hash_file(read)
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
    """
    assert int(python(script)) < 64 << 20


@pytest.mark.slow
def test_input_over_4_gib(tmp_path):
    path, size = tmp_path / "large", (4 << 30) + 12_345
    with open(path, "wb") as file:
        file.truncate(size)
        for place in (0, 1 << 30, (4 << 30) - 5, size - 1):
            file.seek(place)
            file.write(b"mark" if place < size - 1 else b"k")
    expected = blake3.blake3(max_threads=blake3.blake3.AUTO).update_mmap(path).digest()
    assert merklize.hash_file(path) == expected
    data = np.memmap(path, mode="r")
    assert merklize.hash(data) == expected
    hasher = merklize.Hasher()
    hasher.update(data[:12_345])
    hasher.update(data[12_345:])
    assert hasher.digest() == expected
    with open(path, "rb") as file, subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE) as cat:
        assert merklize.hash_file(cat.stdout) == expected


@pytest.mark.slow
def test_output_over_4_gib():
    length = (4 << 30) + 100
    output = merklize.hash(b"x", length=length, seek=77)
    official = blake3.blake3(b"x")
    for place in (0, 1 << 31, (1 << 32) - 40, length - 100):
        assert output[place : place + 100] == official.digest(length=100, seek=77 + place)


@pytest.mark.slow
@pytest.mark.parametrize("hash", oracle.HASHES)
def test_large_trees(hash):
    """2^24 leaves by BLAKE3 (nodes over 1 GiB), 2^18 by the others: every node by batches of merges."""
    tree = merklize.MerkleTree(oracle.leaves(1 << (24 if hash == "blake3" else 18), hash), hash)
    level = tree.nodes[tree.n_leaves :]
    while len(level) > 1:
        level = merklize.merge(level[::2], level[1::2], hash)
        assert np.array_equal(tree.nodes[len(level) : 2 * len(level)], level)
