"""A server for the part of Google Cloud Storage's JSON protocol that gcsfs uses, with one bucket in memory.

Source of the protocol: https://cloud.google.com/storage/docs/json_api/v1
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

import local_server
from store_servers import needs


class Bucket:
    """Objects by name, each with the generation of its last write. Older generations are not kept."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.objects: dict[str, tuple[bytes, int]] = {}
        self.uploads: dict[str, tuple[str, bytearray]] = {}
        self.generation = 1000
        self.lock = threading.Lock()

    def put(self, name: str, data: bytes) -> None:
        with self.lock:
            self.generation += 1
            self.objects[name] = (bytes(data), self.generation)

    def facts(self, name: str) -> dict[str, Any]:
        data, generation = self.objects[name]
        return {
            "kind": "storage#object",
            "bucket": self.name,
            "name": name,
            "size": str(len(data)),
            "generation": str(generation),
            "metageneration": "1",
            "md5Hash": base64.b64encode(hashlib.md5(data).digest()).decode(),
            "etag": str(generation),
            "timeCreated": "2026-01-01T00:00:00.000Z",
            "updated": "2026-01-01T00:00:00.000Z",
        }


class Handler(local_server.Handler):
    def answer(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        try:
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            self.close_connection = True  # gcsfs does not wait for every answer

    def refuse(self, status: int, message: str) -> None:
        self.answer(status, {"error": {"code": status, "message": message}})

    def asked(self) -> tuple[str, str | None, dict[str, str]]:
        """Return the service, the object's name or None, and the parameters."""
        parts = urlsplit(self.path)
        found = re.fullmatch(r"/(?:(download|upload|resumable)/)?storage/v1/b/([^/]+)/o(?:/(.*))?", parts.path)
        if found is None or found[2] != self.server.bucket.name:
            return "", None, {}
        name = unquote(found[3]) if found[3] is not None else None
        return found[1] or "objects", name, {key: value[-1] for key, value in parse_qs(parts.query).items()}

    def do_GET(self) -> None:
        bucket: Bucket = self.server.bucket
        service, name, asked = self.asked()
        with bucket.lock:
            if service == "objects" and name is None:
                prefix, delimiter = asked.get("prefix", ""), asked.get("delimiter")
                names = sorted(one for one in bucket.objects if one.startswith(prefix))
                folders: set[str] = set()
                if delimiter:
                    deeper = [one for one in names if delimiter in one[len(prefix) :]]
                    folders = {one[: one.index(delimiter, len(prefix)) + 1] for one in deeper}
                    names = [one for one in names if one not in deeper]
                listed = {"items": [bucket.facts(one) for one in names], "prefixes": sorted(folders)}
                return self.answer(200, listed)
            if not service or name not in bucket.objects:
                return self.refuse(404, "No such object")
            data, generation = bucket.objects[name]
            if asked.get("generation", str(generation)) != str(generation):
                return self.refuse(404, "No such generation")
            if service != "download":
                return self.answer(200, bucket.facts(name))
        headers = {"Content-Type": "application/octet-stream", "X-Goog-Generation": str(generation)}
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if wanted is None:
            return self.answer(200, data, headers)
        start, end = int(wanted[1]), min(int(wanted[2]) + 1, len(data))
        if start >= len(data):
            return self.refuse(416, "Requested range not satisfiable")
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{len(data)}"
        return self.answer(206, data[start:end], headers)

    def do_POST(self) -> None:
        bucket: Bucket = self.server.bucket
        service, _, asked = self.asked()
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if service != "upload":
            return self.refuse(404, "Not found")
        if asked["uploadType"] == "resumable":
            name = json.loads(body)["name"]
            with bucket.lock:
                upload = str(len(bucket.uploads))
                bucket.uploads[upload] = (name, bytearray())
            place = f"http://{self.headers['Host']}/resumable/storage/v1/b/{bucket.name}/o?id={upload}"
            return self.answer(200, {}, {"Location": place})
        boundary = re.search(r'boundary="?([^";]+)', self.headers["Content-Type"])
        assert boundary is not None
        mark = b"--" + boundary[1].encode()
        _, facts, content = body[: body.rindex(mark)].split(mark, 2)
        name = json.loads(facts[facts.index(b"{") :])["name"]
        line = b"\r\n" if content.startswith(b"\r\n") else b"\n"
        bucket.put(name, content.partition(line * 2)[2].removesuffix(line))
        return self.answer(200, bucket.facts(name))

    def do_PUT(self) -> None:
        bucket: Bucket = self.server.bucket
        _, _, asked = self.asked()
        name, done = bucket.uploads[asked["id"]]
        done += self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers["Content-Range"].endswith("/*"):
            return self.answer(308, b"", {"Range": f"bytes=0-{len(done) - 1}"})
        bucket.put(name, bytes(done))
        return self.answer(200, bucket.facts(name))


@contextmanager
def gcs_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    """A server with the bucket "bucket". The environment names it as an emulator of Google's."""
    # gcsfs must not ask for kinds of buckets that only Google's service has. It reads this when it is imported.
    monkeypatch.setenv("GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT", "false")
    needs("gcsfs")
    import fsspec.config
    import gcsfs

    with local_server.serving(Handler, bucket=Bucket("bucket")) as server:
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", server.address)
        monkeypatch.setitem(fsspec.config.conf, "gs", {"token": "anon"})
        gcsfs.GCSFileSystem.clear_instance_cache()
        try:
            yield server.bucket
        finally:
            gcsfs.GCSFileSystem.clear_instance_cache()
