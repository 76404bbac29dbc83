"""prover.extend() against p3-dft's answers (tests/vectors/plonky3), and against its definition in Python's integers."""

import hashlib
import json

import numpy as np
import pytest

import merklize
import oracle
from merklize.prover import extend

# p, the generator, and the words; the root of order 2^k is the generator's power (p - 1) / 2^k.
FIELDS = {
    "goldilocks": (0xFFFFFFFF00000001, 7, np.uint64),
    "babybear": (0x78000001, 31, np.uint32),
    "koalabear": (0x7F000001, 3, np.uint32),
}


def extended(rows, added_bits, shift, p, generator):
    """The extension in natural order, by the two sums that define it."""
    n, m = len(rows), len(rows) << added_bits
    root = pow(generator, (p - 1) // n, p)
    powers = [pow(root, -k, p) for k in range(n)]
    share = pow(n, -1, p)
    columns = []
    for column in zip(*rows, strict=True):
        coefficients = [sum(v * powers[i * k % n] for i, v in enumerate(column)) * share % p for k in range(n)]
        values = []
        for j in range(m):
            x, sum_ = shift * pow(pow(generator, (p - 1) // m, p), j, p) % p, 0
            for c in reversed(coefficients):
                sum_ = (sum_ * x + c) % p
            values.append(sum_)
        columns.append(values)
    return list(map(list, zip(*columns, strict=True)))


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("order", ["natural", "bit_reversed"])
def test_definition(field, order):
    p, generator, dtype = FIELDS[field]
    random = np.random.default_rng(37)
    for k, (n, columns, bits) in enumerate([(1, 2, 2), (2, 1, 3), (4, 3, 0), (16, 2, 1), (32, 5, 2)]):
        rows = [[int(x) % p for x in random.integers(0, 2**63, columns)] for _ in range(n)]
        shift = None if k % 2 else int(random.integers(1, p, dtype=np.uint64))
        matrix = np.array(rows, dtype)
        expected = np.array(extended(rows, bits, generator if shift is None else shift, p, generator), dtype)
        if order == "bit_reversed":
            log2 = len(expected).bit_length() - 1
            expected = expected[[int(f"{i:0{log2}b}"[::-1], 2) if log2 else 0 for i in range(len(expected))]]
        found = extend(matrix, bits, shift=shift, order=order, field=field)
        assert found.dtype == dtype
        assert np.array_equal(found, expected)
        assert np.array_equal(extend(np.asfortranarray(matrix), bits, shift=shift, order=order, field=field), expected)


def test_recorded():
    cases = json.loads((oracle.VECTORS / "p3_extensions.json").read_text())["extensions"]
    assert len(cases) == 108
    for case in cases:
        p, _, dtype = FIELDS[case["field"]]
        n, columns = case["rows"], case["columns"]
        words = [(i + 1) * 0x9E3779B97F4A7C15 % 2**64 % p for i in range(n * columns)]
        matrix = np.array(words, dtype).reshape(n, columns)
        for order in "natural", "bit_reversed":
            found = extend(matrix, case["added_bits"], shift=case["shift"], order=order, field=case["field"])
            assert found[0].tolist() == case["first"]
            assert hashlib.sha256(found.astype(np.dtype(dtype).newbyteorder("<")).tobytes()).hexdigest() == case[order]


def test_signed_words_and_options():
    words = np.arange(64, dtype=np.uint64).reshape(16, 4)
    expected = extend(words, 1)
    assert expected.flags.c_contiguous
    found = extend(words.view(np.int64), 1, device="cpu", threads=1, progress=lambda share: True)
    assert found.dtype == np.int64
    assert np.array_equal(found.view(np.uint64), expected)
    assert np.array_equal(extend(np.repeat(words, 2, axis=0)[::2], 1, device="auto"), expected)
    assert extend(words[:, :0], 1).shape == (32, 0)


def test_devices(device):
    random = np.random.default_rng(41)
    for field, (p, _, dtype) in FIELDS.items():
        words = random.integers(0, p, (2048, 37), dtype)
        for matrix in words, words[::2, 3:20], words[1024:, ::-1].T[:16].T:
            expected = extend(matrix, 1, order="bit_reversed", field=field, device="cpu")
            options = {"order": "bit_reversed", "field": field}
            assert np.array_equal(extend(matrix, 1, device=device, **options), expected)
            if device == "cpu":
                continue
            there = merklize.DeviceArray.from_numpy(np.ascontiguousarray(matrix), device)
            found = extend(there, 1, **options)
            assert isinstance(found, merklize.DeviceArray)
            assert (found.device, found.shape, found.dtype) == (device, expected.shape, np.dtype(dtype).name)
            assert np.array_equal(found.numpy(), expected)
    words[1000, 36] = p
    bad = words if device == "cpu" else merklize.DeviceArray.from_numpy(words, device)
    with pytest.raises(merklize.InvalidArgument, match="row 1000, column 36 is"):
        extend(bad, 1, field=field)


def test_mistakes():
    words = np.zeros((8, 2), np.uint64)
    with pytest.raises(merklize.InvalidArgument, match="order must be one of natural, bit_reversed"):
        extend(words, 1, order="reversed")
    with pytest.raises(
        merklize.InvalidArgument, match="field must be one of goldilocks, babybear, koalabear, got 'm31'"
    ):
        extend(words, 1, field="m31")
    with pytest.raises(TypeError, match="added_bits must be an integer, got str"):
        extend(words, "1")
    with pytest.raises(TypeError, match="matrix must be a NumPy array"):
        extend([1, 2], 1)


def test_any_memory_limit_gives_the_same_words(opencl):
    tuning = merklize.tuning
    matrix = np.arange(1 << 12, dtype=np.uint64).reshape(-1, 4)
    expected = merklize.prover.extend(matrix, 1, device="cpu")
    try:
        tuning.set_memory_limit(opencl, 1)
        assert tuning.memory_limit(opencl) == 1
        for limit in (1, 1 << 16, 1 << 30):  # what does not fit goes to the processors
            tuning.set_memory_limit(opencl, limit)
            assert np.array_equal(merklize.prover.extend(matrix, 1, device=opencl), expected)
        tuning.set_memory_limit(opencl, 1)
        with pytest.raises(merklize.OutOfMemory, match="the device's memory limit is 1 bytes"):
            merklize.DeviceArray.from_numpy(matrix, opencl)
    finally:
        tuning.set_memory_limit(opencl, 0)
    assert tuning.memory_limit(opencl) == tuning.memory_limit("cpu") == 0


def test_a_memory_limit_needs_a_device_with_memory_and_a_number():
    with pytest.raises(merklize.Unavailable, match="set_memory_limit: cpu has no memory of its own"):
        merklize.tuning.set_memory_limit("cpu", 1 << 30)
    with pytest.raises(merklize.InvalidArgument, match="n_bytes"):
        merklize.tuning.set_memory_limit("cpu", -1)
    with pytest.raises(TypeError, match="n_bytes"):
        merklize.tuning.set_memory_limit("cpu", "8 GiB")
