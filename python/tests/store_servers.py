"""Servers of objects on this machine, and their faults."""

from __future__ import annotations

import email.utils
import hashlib
import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import local_server

REQUIRED = os.environ.get("MERKLIZE_REQUIRE_RUNTIMES") == "1"


def needs(*packages: str) -> None:
    """Skip the test if packages of extras are not here; fail if all must be here."""
    for package in packages:
        if not REQUIRED:
            pytest.importorskip(package)
        else:
            __import__(package)


class Server:
    """Objects over HTTP. Before each answer, `fault(server, path, start, end)` names a fault, or returns None."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.objects: dict[str, bytes] = {}
        self.has_ranges = True
        self.has_versions = True
        self.fault: Callable[[Server, str, int, int], str | None] = lambda *_: None
        self.seen: list[tuple[str, dict[str, str]]] = []
        self.lock = threading.Lock()
        self.digests: dict[int, tuple[bytes, str]] = {}

    def etag(self, data: bytes) -> str:
        """The etag of an object, computed once, because every request for a range needs it."""
        if id(data) not in self.digests:
            self.digests[id(data)] = (data, hashlib.md5(data).hexdigest())
        return f'"{self.digests[id(data)][1]}"'

    def url(self, name: str) -> str:
        return f"{self.address}/{name}"


class Handler(local_server.Handler):
    def do_GET(self) -> None:
        state: Server = self.server.state
        path = self.path.partition("?")[0].lstrip("/")
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        with state.lock:
            state.seen.append((self.path, dict(self.headers)))
            data = state.objects.get(path)
        start, end = (int(wanted[1]), int(wanted[2]) + 1) if wanted else (0, 1 << 60)
        fault = state.fault(state, path, start, end)
        if fault in ("403", "404", "500", "503"):
            return self.answer(int(fault), {}, b"no")
        if data is None:
            return self.answer(404, {}, b"no")
        with state.lock:
            data = state.objects[path]
        headers = {}
        if state.has_versions:
            headers["ETag"] = state.etag(data)
            headers["Last-Modified"] = email.utils.formatdate(0, usegmt=True)
        if fault == "silent":
            self.connection.recv(1)  # until the client goes
            self.close_connection = True
            return None
        if fault == "encoded":
            headers["Content-Encoding"] = "gzip"
        if not wanted or not state.has_ranges or fault == "ignored":
            return self.answer(200, headers, data, fault)
        if start >= len(data):
            return self.answer(416, {"Content-Range": f"bytes */{len(data)}"}, b"")
        end = min(end, len(data))
        body = data[start:end]
        size = len(data) + (fault == "other size")
        if fault == "other range":
            body, start, end = body[:-1], start, end - 1
        if fault == "lying":
            body = body[:-1]
        if fault != "no range":
            headers["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
        return self.answer(206, headers, body, fault)

    def answer(self, status: int, headers: dict[str, str], body: bytes, fault: str | None = None) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            if fault == "dropped":
                self.wfile.write(body[: len(body) // 2])
                self.wfile.flush()
                self.close_connection = True
                self.connection.close()
                return
            self.wfile.write(body)
        except OSError:
            self.close_connection = True


@contextmanager
def http_server() -> Iterator[Server]:
    with local_server.serving(Handler) as server:
        server.state = Server(server.address)
        yield server.state


@contextmanager
def s3_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A moto server with the bucket "bucket", in the environment as S3 itself would be. Gives a client of boto3."""
    import boto3
    from moto.server import ThreadedMotoServer

    for name, value in {
        "AWS_ACCESS_KEY_ID": "test-key-id",
        "AWS_SECRET_ACCESS_KEY": "test-secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host}:{port}"
    monkeypatch.setenv("AWS_ENDPOINT_URL", address)
    client = boto3.client("s3", endpoint_url=address)
    client.create_bucket(Bucket="bucket")
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    try:
        yield client
    finally:
        s3fs.S3FileSystem.clear_instance_cache()
        server.stop()
