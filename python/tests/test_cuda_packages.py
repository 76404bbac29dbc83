"""Arrays of JAX and Numba on CUDA devices, by DLPack and the CUDA array interface. test_cuda.py has PyTorch and CuPy.

Skipped without a device or package; failing instead with MERKLIZE_REQUIRE_CUDA=1.
"""

import os

import blake3
import numpy as np
import pytest

import merklize
import oracle

REQUIRED = os.environ.get("MERKLIZE_REQUIRE_CUDA") == "1"
WHY_NOT = merklize.why_unavailable("cuda")

if WHY_NOT and not REQUIRED:
    pytest.skip(WHY_NOT, allow_module_level=True)

# Otherwise JAX reserves three quarters of the memory, which other tests need.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")


def _jax(array):
    import jax

    with jax.enable_x64(True):
        return jax.device_put(array, jax.devices("gpu")[0])


def _numba(array):
    from numba import cuda

    return cuda.to_device(array)


@pytest.fixture(params=[_jax, _numba], ids=["jax", "numba"])
def put(request):
    """A function that copies a NumPy array to the device."""
    try:
        request.param(np.zeros(1, np.uint8))
    except ImportError as error:
        if REQUIRED:
            pytest.fail(str(error))
        pytest.skip(str(error))
    return request.param


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64", "uint64"])
def test_hash(put, dtype):
    array = np.frombuffer(oracle.pattern(40_000), dtype).reshape(50, -1)
    there = put(array)
    assert merklize.hash(there) == blake3.blake3(array.tobytes()).digest()
    assert merklize.hash(there, length=7) == blake3.blake3(array.tobytes()).digest(7)


@pytest.mark.parametrize("name", ["blake3", "rp64_256_v3"])
def test_tree(put, name):
    array = oracle.leaves(1000, name).view(np.uint64)
    tree = merklize.MerkleTree(put(array), hash=name, rule="left_full")
    assert tree.device == "cuda:0"
    assert tree.root == merklize.MerkleTree(array, hash=name, rule="left_full", device="cpu").root
    assert tree.prove(999).verify(tree.root)
