"""URLs: which names are URLs, what texts show of them, and which packages they need."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

import merklize
from cli_helpers import merklize as command
from merklize._urls import is_url, shown

pytestmark = [
    pytest.mark.xdist_group("stores"), pytest.mark.usefixtures("small_ranges"),
    pytest.mark.packages("fsspec", "aiohttp"),
]  # fmt: skip


@pytest.mark.parametrize(("package", "url", "extra"), [
    ("s3fs", "s3://b/x", "s3"), ("gcsfs", "gs://b/x", "gcs"), ("aiohttp", "http://127.0.0.1:9/x", "http"),
    ("fsspec", "s3://b/x", "s3"), ("fsspec", "memory://x", "http"),
])  # fmt: skip
def test_extras_that_are_not_installed(package, url, extra):
    code = f"import sys; sys.modules[{package!r}] = None; import merklize; merklize.hash_file({url!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert re.search(rf"merklize.errors.Unavailable: .*pip install 'merklize\[{extra}\]'\n$", done.stderr), done.stderr


def test_unknown_protocols(memory):
    with pytest.raises(merklize.FileError, match=r"unknown protocol 'nope'.*A file of this name is \./x"):
        merklize.hash_file("nope://b/x")
    done = command("hash", "--json", "htps://user:s3cr3t@host/x?signature=s3cr3t")
    assert done.returncode == 1
    assert b"htps://host/x?...: unknown protocol" in done.stdout + done.stderr
    assert b"s3cr3t" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1/x", "http://", "http:///x", "http://host:port/x", "http://127.0.0.1:99999/x", "http://a..b/x",
        f"http://{'a' * 70}/x", "ftp://user:s3cr3t@127.0.0.1:9/x", "github://user/x", "http://[::1/%00?s3cr3t",
    ],
)  # fmt: skip
def test_urls_that_name_nothing(url):
    with pytest.raises(merklize.FileError, match="must name a host|cannot open: the connection failed|fsspec does not"):
        merklize.hash_file(url)
    done = command("hash", url)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
    assert b"s3cr3t" not in done.stderr


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("s3://bucket/key", "s3://bucket/key"),
        ("https://user:pass@host:1/a?sig=1#f", "https://host:1/a?..."),
        ("https://user:pa/ss@host/a", "https://host/a"),
        ("https://host/@scope/a", "https://host/@scope/a"),
        ("zip://a::https://u:p@host/b?s=1", "zip://a::https://host/b?..."),
        ("s3://bucket/key?versionId=1", "s3://bucket/key?..."),
        ("http://user:pass@[::1]:80/@scope/a?sig=1", "http://[::1]:80/@scope/a?..."),
        ("http://[::1]:80/@scope/a?sig=1", "http://[::1]:80/@scope/a?..."),
        ("zip://x::https://u:p@[fe80::1%25eth0]:80/@x#u@p", "zip://x::https://[fe80::1%25eth0]:80/@x#..."),
        ("https://user:pass@host/@scope/a", "https://.../a"),  # the host may as well be scope
        ("https://me@mail:pass@host/a", "https://host/a"),
        ("https://user%3Apass%40host/a", "https://host/a"),
        ("http://[fe80::1]/a::b?sig=1", "http://[fe80::1]/a::b?..."),
        ("zip://a::blockcache::s3://b/x?sig=1", "zip://a::blockcache::s3://b/x?..."),
        ("https://user:pa?ss@host/a", "https://...?..."),
        ("https://host/\x1b[31m\n?sig=1", "https://host/\\x1b[31m\\n?..."),
    ],
)
def test_what_texts_show_of_urls(url, text):
    assert is_url(url)
    assert shown(url) == text


@pytest.mark.parametrize("begin", ["file://", "FILE://", "file://localhost", "local://"])
def test_files_of_any_name(begin, tmp_path):
    """Escapes are bytes, and those that are not UTF-8 are no other name."""
    names = [b"plain", b"a b", b"\xff", b"\xef\xbf\xbd", b"a%ff", b"a%00b", b"a?b#c", "\u00e9".encode()]
    for name in names:
        (tmp_path / os.fsdecode(name)).write_bytes(name)
    for name in names:
        url = begin + quote(os.fsencode(tmp_path) + b"/" + name)
        assert merklize.hash_file(url) == merklize.hash(name)
        assert command("hash", "--no-names", url).stdout.decode().strip() == merklize.hash(name).hex()
    url = f"{begin}{tmp_path}/a%00b"  # not the file of the name a%00b
    with pytest.raises(merklize.InvalidArgument, match="a path cannot hold a zero byte"):
        merklize.hash_file(url)
    assert command("hash", url).returncode != 0


@pytest.mark.parametrize("path", ["x", "/a/b", "./a://b", b"s3://bucket/x", Path("a"), "a b://c", "://x", "C:/x", 3])
def test_what_is_no_url(path):
    assert not is_url(path)


@pytest.mark.parametrize("url", ["https ://host/x?signature=secret", "http:/user:secret@host/x", "s 3://secret/x"])
@pytest.mark.parametrize(
    "call", [merklize.hash_file, merklize.TreeFile, merklize.Manifest.load, merklize.manifest, merklize.formats.xet]
)
def test_what_is_nearly_a_url_shows_its_protocol_alone(call, url):
    with pytest.raises(merklize.FileError, match="is no file, and no URL such as https://host/name") as error:
        call(url)
    assert isinstance(error.value, FileNotFoundError)
    assert "secret" not in str(error.value) + repr(error.value.args)
