"""Stores with an object `x`, for tests of URLs. conftest.py makes the fixtures known."""

from __future__ import annotations

import numpy as np
import pytest

from gcs_server import gcs_server
from store_servers import http_server, needs, s3_server

MIB = 1 << 20
SECRET = "s3cr3t-signature"  # a part of URLs that no text may show
DATA = np.random.default_rng(21).integers(0, 256, 5 * MIB + 12345, np.uint8).tobytes()


@pytest.fixture
def memory():
    needs("fsspec")
    import fsspec

    system = fsspec.filesystem("memory")
    system.store.clear()
    yield system
    system.store.clear()


@pytest.fixture
def http():
    needs("fsspec", "aiohttp")
    with http_server() as server:
        server.objects["x"] = DATA
        yield server


@pytest.fixture(scope="module")
def s3_client():
    needs("s3fs", "moto", "boto3", "flask")
    with pytest.MonkeyPatch.context() as monkeypatch, s3_server(monkeypatch) as client:
        yield client


@pytest.fixture
def s3(s3_client):
    s3_client.put_object(Bucket="bucket", Key="x", Body=DATA)
    return s3_client


@pytest.fixture(scope="module")
def gs_bucket():
    with pytest.MonkeyPatch.context() as monkeypatch, gcs_server(monkeypatch) as bucket:
        yield bucket


@pytest.fixture
def gs(gs_bucket):
    gs_bucket.put("x", DATA)
    return gs_bucket


@pytest.fixture(params=["memory", "http", "s3", "gs"])
def store(request):
    """A function that stores an object and returns its URL; and a new URL to write to, or None."""
    where = request.getfixturevalue(request.param)

    def put(name: str, data: bytes) -> str:
        if request.param == "memory":
            where.pipe_file(f"/b/{name}", data)
            return f"memory://b/{name}"
        if request.param == "http":
            where.objects[name] = data
            return where.url(name)
        if request.param == "gs":
            where.put(name, data)
            return f"gs://bucket/{name}"
        where.put_object(Bucket="bucket", Key=name, Body=data)
        return f"s3://bucket/{name}"

    put.writes = request.param != "http"
    put.lists = request.param != "http"
    return put
