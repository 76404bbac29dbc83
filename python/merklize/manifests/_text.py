"""A manifest as JSON text: writing it in one order of fields, and reading back exactly that. No files here."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _native
from ..errors import InvalidArgument
from ._entries import File, Seen, Shard, Tensor, bytes_of, cut, shown, utf8
from ._files import LEAST_TIME, require_distinct, require_path
from ._memory import DTYPES
from ._safetensors import DTYPE_BITS, parse_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FORMAT = "merklize-manifest-1"
KINDS = ("tensors", "file", "index", "folder")
BITS = {**DTYPE_BITS, "C128": 128}
assert set(DTYPES.values()) <= BITS.keys()

_HEX = re.compile("(?:[0-9a-f]{64})*")


class Parts(NamedTuple):
    """All that a manifest says."""

    kind: str
    name: str | None
    piece_size: int
    tensors: dict[str, Tensor]
    files: dict[str, File]
    shards: dict[str, Shard]
    aliases: tuple[tuple[str, ...], ...]
    ignore: tuple[str, ...]
    seen: dict[str, Seen]


def to_json(parts: Parts, root: bytes, seen: bool) -> str:
    """Write it, an entry a line."""
    lists: dict[str, Iterable[Any]] = {
        "tensors": map(_tensor, parts.tensors.values()),
        "files": map(_file, parts.files.values()),
        "shards": ({"path": s.path, "size": s.size, "header": s.header.hex()} for s in parts.shards.values()),
        "aliases": parts.aliases,
        "ignore": parts.ignore,
    }
    if seen:
        lists["seen"] = (s._asdict() for s in parts.seen.values())
    head = {
        "format": FORMAT,
        "hash": "blake3",
        "root": root.hex(),
        "kind": parts.kind,
        "name": parts.name,
        "piece_size": parts.piece_size,
    }
    lines = [f" {_dump(key)}: {_dump(value)}" for key, value in head.items()]
    for key, entries in lists.items():
        shown = ",\n".join("  " + _dump(entry) for entry in entries)
        lines.append(f" {_dump(key)}: [\n{shown}\n ]" if shown else f" {_dump(key)}: []")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _tensor(tensor: Tensor) -> dict[str, Any]:
    fields: dict[str, Any] = {"name": tensor.name, "dtype": tensor.dtype, "shape": tensor.shape}
    fields["digest"] = tensor.digest.hex()
    if tensor.shard is not None:
        fields |= {"shard": tensor.shard, "offset": tensor.offset}
    return fields | ({"pieces": tensor.pieces.hex()} if tensor.pieces else {})


def _file(file: File) -> dict[str, Any]:
    fields = {"path": file.path, "size": file.size, "digest": file.digest.hex()}
    return fields | ({"pieces": file.pieces.hex()} if file.pieces else {})


def from_json(text: str | bytes) -> tuple[Parts, bytes]:
    """Read it: the parts, and the root that it states. Raises InvalidArgument for whatever to_json() does not write."""
    try:
        fields = parse_json(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    except ValueError as error:
        raise _bad(f"the text: {error}") from None
    if not isinstance(fields, dict):
        raise _bad("the text must be a JSON object")
    if fields.get("format") != FORMAT:
        raise _bad(f"format must be {FORMAT!r}, got {shown(fields.get('format'))}")
    needed = ["format", "hash", "root", "kind", "name", "piece_size", "tensors", "files", "shards", "aliases", "ignore"]
    _require_fields(fields, needed, ["seen"], "the manifest")
    if fields["hash"] != "blake3":
        raise _bad(f"hash must be 'blake3', got {shown(fields['hash'])}")
    kind, name, piece_size = fields["kind"], fields["name"], _count(fields["piece_size"], "piece_size")
    if kind not in KINDS:
        raise _bad(f"kind must be one of {', '.join(KINDS)}, got {shown(kind)}")
    if (name is not None) != (kind in ("file", "index")):
        raise _bad(f"name must be a file's name if kind is file or index, and else null, got {shown(name)}")
    if name is not None:
        require_path(_string(name, "name"))
    if piece_size and (piece_size & (piece_size - 1) or not 1 << 18 <= piece_size < 1 << 62):
        raise _bad(f"piece_size must be 0 or a power of two >= {1 << 18}, got {piece_size}")
    shards = _entries(fields, "shards", _read_shard, "path")
    tensors = _entries(fields, "tensors", lambda value, what: _read_tensor(value, what, piece_size, shards), "name")
    files = _entries(fields, "files", lambda value, what: _read_file(value, what, piece_size), "path")
    require_distinct([*shards, *files])
    if shards.keys() & files.keys():
        raise _bad(f"{shown(next(iter(shards.keys() & files.keys())))} is a shard and a file")
    seen = _entries(fields, "seen", _read_seen, "path") if "seen" in fields else {}
    aliases = tuple(tuple(_strings(group, "aliases")) for group in _list(fields["aliases"], "aliases"))
    for alias in (alias for group in aliases for alias in group):
        if alias not in tensors:
            raise _bad(f"aliases: {shown(alias)} is no tensor of the manifest")
    ignore = tuple(_strings(fields["ignore"], "ignore"))
    root = _digest(fields["root"], "root")
    return Parts(kind, name, piece_size, tensors, files, shards, aliases, ignore, seen), root


def _bad(why: str) -> InvalidArgument:
    return InvalidArgument(f"not a valid manifest: {why}")


def _require_fields(value: Any, needed: list[str], more: list[str], what: str) -> None:
    if not isinstance(value, dict):
        raise _bad(f"{what} must be an object, got {shown(value)}")
    for field in needed:
        if field not in value:
            raise _bad(f"{what} has no field {field!r}")
    for field in value:
        if field not in needed and field not in more:
            raise _bad(f"{what} has the unknown field {shown(field)}: it may be of a later version")


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise _bad(f"{what} must be a list, got {shown(value)}")
    return value


def _string(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise _bad(f"{what} must be a string, got {shown(value)}")
    return value


def _strings(value: Any, what: str) -> list[str]:
    return [_string(item, what) for item in _list(value, what)]


def _count(value: Any, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise _bad(f"{what} must be an integer from 0 to 2^63 - 1, got {shown(value)}")
    return value


def _digests(value: Any, what: str) -> bytes:
    if not isinstance(value, str) or not _HEX.fullmatch(value):
        raise _bad(f"{what} must be digests of 64 lower-case hexadecimal digits, got {shown(value)}")
    return bytes.fromhex(value)


def _digest(value: Any, what: str) -> bytes:
    found = _digests(value, what)
    if len(found) != 32:
        raise _bad(f"{what} must have 64 hexadecimal digits, got {len(value)}")
    return found


def _entries(fields: Any, field: str, read: Callable[[Any, str], Any], key: str) -> dict[str, Any]:
    """Read a list that is sorted by its key, each of which is there once."""
    made: dict[str, Any] = {}
    before: bytes | None = None
    for i, value in enumerate(_list(fields[field], field)):
        entry = read(value, f"{field}[{i}]")
        name: str = getattr(entry, key)
        if before is not None and utf8(name) <= before:
            raise _bad(f"{field} must be sorted by {key}, each once; {shown(name)} is out of order")
        before = utf8(name)
        made[name] = entry
    return made


def _pieces(value: Any, what: str, size: int, digest: bytes, piece_size: int) -> bytes:
    """Read the values of pieces, from which the digest must follow."""
    if "pieces" not in value:
        return b""
    pieces = _digests(value["pieces"], f"{what}: pieces")
    count = -(-size // piece_size) if piece_size else 0
    if count < 2 or len(pieces) != 32 * count:
        raise _bad(f"{what}: there must be {count if count > 1 else 0} pieces, got {len(pieces) // 32}")
    if _native.digest_of_pieces(pieces, None, None, 32, 0) != digest:
        raise _bad(f"{what}: the digest is not that of its pieces")
    return pieces


def _read_tensor(value: Any, what: str, piece_size: int, shards: dict[str, Shard]) -> Tensor:
    _require_fields(value, ["name", "dtype", "shape", "digest"], ["shard", "offset", "pieces"], what)
    name, dtype = _string(value["name"], f"{what}: name"), value["dtype"]
    if not isinstance(dtype, str) or dtype not in BITS:
        raise _bad(f"{what}: unknown dtype {shown(dtype)}")
    shape = tuple(_count(item, f"{what}: shape") for item in _list(value["shape"], f"{what}: shape"))
    size = bytes_of(shape, BITS[dtype])
    if size is None:
        raise _bad(f"{what}: {cut(f'{dtype}{list(shape)}')} is not a whole number of bytes below 2^61")
    digest = _digest(value["digest"], f"{what}: digest")
    if ("shard" in value) != ("offset" in value):
        raise _bad(f"{what}: shard and offset must be there together")
    shard, offset = None, None
    if "shard" in value:
        shard, offset = _string(value["shard"], f"{what}: shard"), _count(value["offset"], f"{what}: offset")
        if shard not in shards or offset + size > shards[shard].size:
            raise _bad(f"{what}: it does not lie in a shard of the manifest, got {shown(shard)}, byte {offset}")
    pieces = _pieces(value, what, size, digest, piece_size)
    return Tensor(name, dtype, shape, digest, size, shard, offset, pieces)


def _read_file(value: Any, what: str, piece_size: int) -> File:
    _require_fields(value, ["path", "size", "digest"], ["pieces"], what)
    path = require_path(_string(value["path"], f"{what}: path"))
    size, digest = _count(value["size"], f"{what}: size"), _digest(value["digest"], f"{what}: digest")
    return File(path, size, digest, _pieces(value, what, size, digest, piece_size))


def _read_shard(value: Any, what: str) -> Shard:
    _require_fields(value, ["path", "size", "header"], [], what)
    path = require_path(_string(value["path"], f"{what}: path"))
    return Shard(path, _count(value["size"], f"{what}: size"), _digest(value["header"], f"{what}: header"))


def _read_seen(value: Any, what: str) -> Seen:
    _require_fields(value, ["path", "size", "mtime_ns", "inode"], [], what)
    path = require_path(_string(value["path"], f"{what}: path"))
    mtime = value["mtime_ns"]
    if not isinstance(mtime, int) or isinstance(mtime, bool) or not LEAST_TIME <= mtime < 2**64:
        raise _bad(f"{what}: mtime_ns must be an integer from -2^63 to 2^64 - 1, got {shown(mtime)}")
    inode = value["inode"]
    if not isinstance(inode, int) or isinstance(inode, bool) or not 0 <= inode < 2**64:
        raise _bad(f"{what}: inode must be an integer from 0 to 2^64 - 1, got {shown(inode)}")
    return Seen(path, _count(value["size"], f"{what}: size"), mtime, inode)
