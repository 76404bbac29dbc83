"""Signatures of OpenSSF's model-signing, made with our hashers and verified with the stock ones, and the reverse."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from blake3 import blake3

import merklize
from waiting import HANG
from weights import a_state, write_sharded

pytest.importorskip("model_signing", reason="the extra merklize[signing] is not installed")

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from model_signing import hashing, signing, verifying


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """A private and a public key in files."""
    folder = tmp_path_factory.mktemp("keys")
    key = ec.generate_private_key(ec.SECP256R1())
    (folder / "key").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    (folder / "key.pub").write_bytes(
        key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    return folder / "key", folder / "key.pub"


@pytest.fixture
def model(tmp_path):
    folder = tmp_path / "model"
    (folder / "sub").mkdir(parents=True)
    write_sharded(folder, a_state())
    (folder / "sub" / "config.json").write_text("{}")
    (folder / "empty").write_bytes(b"")
    return folder


def sign(model, keys, config):
    signature = model.parent / "model.sig"
    signing.Config().use_elliptic_key_signer(private_key=keys[0]).set_hashing_config(config).sign(model, signature)
    return signature


def verify(model, keys, signature, config=None):
    verifier = verifying.Config().use_elliptic_key_verifier(public_key=keys[1])
    if config is not None:
        verifier.set_hashing_config(config)
    verifier.verify(model, signature)


def ours(algorithm="blake3", **more):
    return merklize.signing.Config(algorithm, **more)


def stock(algorithm="blake3"):
    return hashing.Config().use_file_serialization(hashing_algorithm=algorithm)


@pytest.mark.parametrize("algorithm", ["blake3", "sha256"])
def test_signed_with_ours_verified_by_stock_and_back(model, keys, algorithm):
    assert ours(algorithm).hash(model) == stock(algorithm).hash(model)
    assert ours(algorithm, threads=1).hash(model) == stock(algorithm).hash(model)
    by_ours = sign(model, keys, ours(algorithm))
    verify(model, keys, by_ours)  # by the stock package, with the settings in the signature
    verify(model, keys, by_ours, ours(algorithm))
    by_stock = sign(model, keys, stock(algorithm))
    verify(model, keys, by_stock, ours(algorithm))


def test_blake2_and_shards_are_the_stock_ones(model):
    assert ours("blake2").hash(model) == stock("blake2").hash(model)
    shards = {"hashing_algorithm": "sha256", "shard_size": 1 << 20}
    assert merklize.signing.Config().use_shard_serialization(**shards).hash(
        model
    ) == hashing.Config().use_shard_serialization(**shards).hash(model)


def test_the_default_is_the_stock_one(model):
    assert merklize.signing.Config().hash(model) == hashing.Config().hash(model)
    ignoring = merklize.signing.Config("blake3").set_ignored_paths(paths=[model / "sub"])
    assert ignoring.hash(model) == stock("blake3").set_ignored_paths(paths=[model / "sub"]).hash(model)
    chosen = merklize.signing.Config().use_file_serialization(hashing_algorithm="blake3")
    assert chosen.hash(model) == stock("blake3").hash(model)


def test_a_changed_model_is_refused(model, keys):
    signature = sign(model, keys, ours())
    shard = model / "model-00001-of-00002.safetensors"
    content = shard.read_bytes()
    shard.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    for config in (None, ours()):
        with pytest.raises(ValueError, match=r"Hash mismatch for .*model-00001-of-00002.safetensors"):
            verify(model, keys, signature, config)
    shard.write_bytes(content)
    (model / "more").write_text("x")
    with pytest.raises(ValueError, match="Extra files"):
        verify(model, keys, signature, ours())


def command(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "model_signing", *map(str, arguments)], capture_output=True, timeout=HANG, check=False
    )
    return done.returncode, done.stdout.decode() + done.stderr.decode()


def test_the_stock_command(model, keys):
    signature = sign(model, keys, merklize.signing.Config())
    code, said = command("verify", "key", model, "--signature", signature, "--public_key", keys[1])
    assert code == 0, said
    (model / "empty").write_text("no longer")
    code, said = command("verify", "key", model, "--signature", signature, "--public_key", keys[1])
    assert code != 0
    assert "Hash mismatch for" in said
    by_command = model.parent / "other.sig"
    code, said = command("sign", "key", model, "--private_key", keys[0], "--signature", by_command)
    assert code == 0, said
    verify(model, keys, by_command, merklize.signing.Config())


def test_the_signature_names_the_algorithm_and_the_digests(model, keys):
    import base64

    bundle = json.loads(sign(model, keys, ours()).read_text())
    predicate = json.loads(base64.b64decode(bundle["dsseEnvelope"]["payload"]))["predicate"]
    assert predicate["serialization"]["hash_type"] == "blake3"
    digests = {resource["name"]: resource["digest"] for resource in predicate["resources"]}
    assert digests["sub/config.json"] == blake3(b"{}").hexdigest()


@pytest.mark.parametrize("algorithm", ["blake3", "sha256"])
def test_engines(algorithm, tmp_path):
    data = np.random.default_rng(1).bytes(100_000)
    stream = merklize.signing.StreamHasher(b"ab", hashing_algorithm=algorithm)
    stream.update(b"c")
    wanted = hashing.Config()._build_stream_hasher(algorithm)
    wanted.update(b"abc")
    assert stream.compute() == wanted.compute()
    stream.reset(b"d")
    wanted.reset(b"d")
    assert stream.compute() == wanted.compute()
    assert (stream.digest_name, stream.digest_size) == (wanted.digest_name, wanted.digest_size)
    (tmp_path / "file").write_bytes(data)
    of_file = merklize.signing.FileHasher(tmp_path / "none", hashing_algorithm=algorithm)
    of_file.set_file(tmp_path / "file")
    wanted.reset(data)
    assert of_file.compute() == wanted.compute()
    with pytest.raises(merklize.FileError):
        merklize.signing.FileHasher(tmp_path / "none").compute()
