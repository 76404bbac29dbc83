#!/usr/bin/env python3
"""Measures objects of a store: what is read by HTTP ranges, each in turns with what it is compared with.

    python bench/stores.py [--mib 256] [--rounds 7] [--folder FOLDER] [--json FILE]

Needs merklize[http]. The store is a process of this machine that answers ranges from memory, so that no network is
measured. Rows, with the ratio of the peer's time to ours, turn by turn (below 1: the file is faster):

- digest, root, outboard and PieceCID of an object, against those of a file with the same bytes in the page cache;
- digests of 64 objects of 1 MiB, against those of 64 files;
- digest of an object, against hash() of what fsspec reads as a whole.
"""

import contextlib
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
from functools import partial

import numpy as np

import merklize
from merklize import bao, formats
from weights import in_turns, parser_of, row, save

SMALL = 64


def answer(connection, objects):
    """Answers the requests of one connection: GET and HEAD of objects, whole or by a range."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    received = b""
    with connection:
        while True:
            while b"\r\n\r\n" not in received:
                more = connection.recv(1 << 16)
                if not more:
                    return
                received += more
            head, _, received = received.partition(b"\r\n\r\n")
            method, path = head.split(b" ")[:2]
            data = objects[path.decode().lstrip("/")]
            found = re.search(rb"(?i)\r\nrange: bytes=(\d+)-(\d+)", head)
            first, end = (int(found[1]), min(int(found[2]) + 1, len(data))) if found else (0, len(data))
            status = "206 Partial Content" if found else "200 OK"
            lines = [f"HTTP/1.1 {status}", 'ETag: "1"', "Accept-Ranges: bytes", f"Content-Length: {end - first}"]
            if found:
                lines.append(f"Content-Range: bytes {first}-{end - 1}/{len(data)}")
            connection.sendall("\r\n".join([*lines, "", ""]).encode())
            if method == b"GET":
                connection.sendall(memoryview(data)[first:end])


def serve(folder):
    """Serves the files of a folder from memory, and prints the port. Never returns."""
    objects = {path.name: path.read_bytes() for path in folder.iterdir()}
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        print(server.getsockname()[1], flush=True)
        while True:
            threading.Thread(target=answer, args=(server.accept()[0], objects), daemon=True).start()


@contextlib.contextmanager
def store(folder):
    """The address of a store that has the files of a folder."""
    command = [sys.executable, __file__, "--serve", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield f"http://127.0.0.1:{server.stdout.readline().strip()}"
        finally:
            server.terminate()


def rows_of(folder, address, args):
    """Rows of every job."""
    import fsspec

    size, path, url = args.mib << 20, str(folder / "large"), f"{address}/large"
    jobs = {
        "digest": merklize.hash_file,
        "root of blocks of 4 KiB": lambda of: merklize.merkle_root_file(of, leaf_size=4096).root,
        "outboard, groups of 16 KiB": lambda of: bao.outboard_file(of, group_size=16384).root,
        "PieceCID": lambda of: formats.piece_cid(of).v2,
    }
    for name, job in jobs.items():
        assert job(url) == job(path), name
        turns = in_turns(args.rounds, partial(job, url), partial(job, path))
        yield row(f"{name} of an object", "of a file", size, *turns)
    files = [str(folder / f"small-{k}") for k in range(SMALL)]
    urls = [f"{address}/small-{k}" for k in range(SMALL)]
    assert merklize.hash_files(urls) == merklize.hash_files(files)
    turns = in_turns(args.rounds, lambda: merklize.hash_files(urls), lambda: merklize.hash_files(files))
    yield row(f"digests of {SMALL} objects of 1 MiB", "of files", SMALL << 20, *turns)

    def read_whole():
        with fsspec.open(url) as file:
            return merklize.hash(file.read())

    assert read_whole() == merklize.hash_file(path)
    turns = in_turns(args.rounds, lambda: merklize.hash_file(url), read_whole)
    yield row("digest of an object", "hash() of what fsspec reads", size, *turns)


def main():
    parser = parser_of(__doc__, rounds=7)
    parser.add_argument("--mib", type=int, default=256)
    parser.add_argument("--serve", type=pathlib.Path, metavar="FOLDER", help="be the store; the benchmark starts it")
    args = parser.parse_args()
    if args.serve:
        serve(args.serve)
    with tempfile.TemporaryDirectory(dir=args.folder) as name:
        folder = pathlib.Path(name)
        (folder / "large").write_bytes(np.random.default_rng(0).bytes(1 << 20) * args.mib)
        for k in range(SMALL):
            (folder / f"small-{k}").write_bytes(np.random.default_rng(k).bytes(1 << 20))
        with store(folder) as address:
            rows = list(rows_of(folder, address, args))
    save(args.json, rows)


if __name__ == "__main__":
    main()
