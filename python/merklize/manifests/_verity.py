"""Weights on a dm-verity disk: tensors are hashed in place, as blocks of the disk, and compared with its root hash."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from .. import _native
from .._inputs import SeekableFile, path_text
from .._types import Device, Path
from ..errors import InvalidArgument, shown
from ..formats import DmVerity, DmVerityReport, dm_verity_dump, dm_verity_verify_digests
from ..formats._dm_verity import trusted_root
from ..rows import hash_rows
from ._entries import Difference, Report, Tensor
from ._memory import Held, aliases, is_torch, state_of, to_compare

MOST_HEADER_BYTES = 100_000_000
RIGHT, WRONG = bytes(32), bytes([1]) * 32
"""Stand for digests of tensors, and say whether the blocks of a tensor are those of the disk."""


class VerityImage(NamedTuple):
    """A disk of dm-verity with weights, and its root hash."""

    root: bytes | str
    """The trusted root hash, for example from an attestation."""
    image: Path
    """The data: a file or a block device."""
    hashes: Path
    """The hash area: a file or a block device; it may be that of the data."""
    offset: int = 0
    """Position of the superblock in `hashes`, or of the tree if `how` is given."""
    how: DmVerity | None = None
    """Salt and sizes, which the root does not bind, so take them from where the root came from. None: a superblock."""
    files: Mapping[str, int] = {"": 0}
    """Names of safetensors files, and the bytes of the image where they begin. Each must lie there in one piece. The
    default is an image that is such a file."""


class _Disk:
    """A disk: its blocks are compared with the root."""

    def __init__(self, verity: VerityImage, image: SeekableFile, device: Device, threads: int | None) -> None:
        if verity.how is not None and not isinstance(verity.how, DmVerity):
            raise InvalidArgument(f"verity: how must be a DmVerity, got {shown(verity.how)}")
        self.how = verity.how or dm_verity_dump(path_text(verity.hashes, "verity: hashes"), verity.offset)
        size = hashlib.new(self.how.algorithm).digest_size
        root = trusted_root(verity.root, "verity: root")
        if not isinstance(root, bytes) or len(root) != size:
            wanted = f"the {size} bytes of {self.how.algorithm}"
            raise InvalidArgument(f"verity: root must be {wanted}, got {shown(verity.root)}")
        self.block = self.how.data_block_size
        self.size = self.how.data_blocks * self.block
        self.image = image
        self._of, self._device, self._threads = verity, device, threads

    def digests(self, begin: int, end: int, contents: Any) -> bytes:
        """Return the digests of the blocks that hold bytes `begin` to `end` of the disk.

        contents  these bytes, as bytes or an array of uint8; what lies beside them is read from the image
        """
        first, last = begin // self.block, -(-end // self.block)
        whole, rest = -(-begin // self.block), end // self.block
        if whole > rest:  # both ends lie in one block
            whole = rest = last
        found = b""
        if first < whole:
            found += self._edge(first, begin, end, contents)
        if whole < rest:
            at = whole * self.block - begin
            found += self._rows(contents[at : at + (rest - whole) * self.block])
        if rest < last:
            found += self._edge(rest, begin, end, contents)
        return found

    def _edge(self, number: int, begin: int, end: int, contents: Any) -> bytes:
        """Return the digest of a block. Some of its bytes are `contents`, the others are read from the image."""
        low, high = number * self.block, (number + 1) * self.block
        inside = max(low, begin), min(high, end)
        middle = _on_host(contents[inside[0] - begin : inside[1] - begin])
        return self._digest(self.image.read(low, inside[0]) + middle + self.image.read(inside[1], high))

    def _digest(self, block: bytes) -> bytes:
        salt = self.how.salt
        return hashlib.new(self.how.algorithm, block + salt if self.how.salt_after else salt + block).digest()

    def _rows(self, contents: Any) -> bytes:
        """Return the digests of whole blocks, computed where the blocks are."""
        if self.how.algorithm != "sha256":
            held = _on_host(contents)
            return b"".join(self._digest(held[at : at + self.block]) for at in range(0, len(held), self.block))
        import numpy as np

        rows = _as_rows(contents, self.block)
        if self.how.salt:
            salts = _repeated(self.how.salt, rows)
            rows = [rows, salts] if self.how.salt_after else [salts, rows]
        found = hash_rows(rows, "sha256", device=self._device, threads=self._threads)
        return (found if isinstance(found, np.ndarray) else found.numpy()).tobytes()

    def verify(self, begin: int, end: int, contents: Any) -> DmVerityReport:
        """Compare the blocks of digests() with the root."""
        if begin == end:
            return DmVerityReport(0, [], 0, [])
        if end > self.size:
            where = f"bytes {begin} to {end} lie behind the disk of {self.size} bytes"
            raise InvalidArgument(f"verity: {where}")
        of, digests = self._of, self.digests(begin, end, contents)
        return dm_verity_verify_digests(
            path_text(of.hashes, "verity: hashes"),
            of.root,
            begin // self.block,
            digests,
            offset=of.offset,
            how=of.how,
            threads=self._threads,
        )


def _is_cupy(array: Any) -> bool:
    return any(base.__module__.partition(".")[0] == "cupy" for base in type(array).__mro__)


def _bytes_of(held: Held) -> Any:
    """Return the bytes of a tensor as an array of uint8, where they lie if its library is PyTorch or CuPy."""
    import numpy as np

    data = held.data
    if held.size == 0:
        return np.zeros(0, np.uint8)
    if is_torch(data):
        import torch

        return data.contiguous().reshape(-1).view(torch.uint8)
    if _is_cupy(data):
        return data.ravel().view("uint8")
    return np.ascontiguousarray(np.asarray(data)).reshape(-1).view(np.uint8)


def _on_host(contents: Any) -> bytes:
    if is_torch(contents):
        contents = contents.cpu().numpy()
    elif _is_cupy(contents):
        contents = contents.get()
    return bytes(contents)


def _as_rows(contents: Any, block: int) -> Any:
    import numpy as np

    return (np.frombuffer(contents, np.uint8) if isinstance(contents, bytes) else contents).reshape(-1, block)


def _repeated(salt: bytes, rows: Any) -> Any:
    """Return a matrix with the salt in each row, for use beside `rows`. It takes the memory of one row."""
    import numpy as np

    one = np.frombuffer(bytearray(salt), np.uint8)
    if is_torch(rows):
        import torch

        return torch.from_numpy(one).to(rows.device).expand(rows.shape[0], len(salt))
    if _is_cupy(rows):
        import cupy

        return cupy.broadcast_to(cupy.asarray(one), (rows.shape[0], len(salt)))
    return np.broadcast_to(one, (rows.shape[0], len(salt)))


def _tensors_of(disk: _Disk, name: str, base: int) -> list[tuple[Tensor, int]] | None:
    """Return the tensors of a file, and the bytes of the image where they begin; None: its header is not the disk's."""
    if type(base) is not int or base < 0:
        raise InvalidArgument(f"verity: files: {name!r} must begin at a byte >= 0, got {shown(base)}")
    if base + 8 > disk.size:
        raise InvalidArgument(f"verity: files: {name!r} begins at {base}, the disk has {disk.size} bytes")
    header = disk.image.read(base, base + 8)
    length = int.from_bytes(header, "little")
    if length > min(MOST_HEADER_BYTES, disk.size - base - 8):
        return None
    header += disk.image.read(base + 8, base + 8 + length)
    if not disk.verify(base, base + len(header), header):
        return None
    tensors = (Tensor(*fields) for fields in _native.tensors_of_header(header, name))
    return [(one, base + (one.offset or 0)) for one in tensors]


def check_on_disk(source: Any, verity: VerityImage, only: list[str], device: Device, threads: int | None) -> Report:
    """Do the work of check_model() with verity."""
    state = state_of(source)
    shared = aliases(state)
    stored: dict[str, tuple[Tensor, int]] = {}
    with SeekableFile(verity.image, "verity: image") as image:
        disk = _Disk(verity, image, device, threads)
        for file, base in verity.files.items():
            found = _tensors_of(disk, file, base)
            if found is None:
                why = "the header does not belong to the root hash of the disk"
                return Report([Difference("header", "shard", file, detail=why)], 0, 0, shared)
            for tensor, begin in found:
                if tensor.name in stored:
                    raise InvalidArgument(f"verity: files: two of them have a tensor {tensor.name!r}")
                stored[tensor.name] = tensor, begin
        known = _native.manifest_of_tensors([one._replace(digest=RIGHT) for one, _ in stored.values()], 0, [], False)
        faults: dict[str, str] = {}
        beside: list[str] = []
        there = []
        for name, held in to_compare(state, shared, known.names_of(only), only).items():
            one, begin = stored.get(name) or (None, 0)
            if one is not None and (held.dtype, held.shape) == (one.dtype, one.shape):
                end = begin + held.size
                if held.size and (begin % disk.block or end % disk.block):
                    beside.append(name)
                report = disk.verify(begin, end, _bytes_of(held))
                if not report:
                    faults[name] = _fault(report, name in beside)
            there.append(Tensor(name, held.dtype, held.shape, WRONG if name in faults else RIGHT, held.size))
    compared, checked, size, _ = known.check_tensors(only, there)
    differences = [Difference(*fields) for fields in compared]
    differences = [
        one._replace(detail=faults[one.name], begin=None, end=None) if one.kind == "bytes" else one
        for one in differences
    ]
    return Report(differences, checked, size, shared, tuple(beside))


def _fault(report: DmVerityReport, has_neighbours: bool) -> str:
    if report.wrong_hash_blocks:
        return f"block {report.hash_blocks[0]} of the hash area does not belong to the root hash, and proves nothing"
    text = f"{report.wrong_data_blocks} blocks differ from the disk's; the first is block {report.data_blocks[0]}"
    return text + (
        "; the bytes beside the tensor in its first and last block are the image's" if has_neighbours else ""
    )
