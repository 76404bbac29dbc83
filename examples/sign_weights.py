"""Sign a small model and verify the signature: OpenSSF's model-signing, a key of our own, merklize's hashing."""

import sys
import tempfile
from pathlib import Path

import numpy as np

try:
    import model_signing
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from safetensors.numpy import save_file
except ImportError as error:
    sys.exit(print(f"skipped: {error}; pip install 'merklize[signing]' safetensors"))

import merklize.signing

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    model, signature = folder / "model", folder / "model.sig"
    model.mkdir()
    save_file({"layer.weight": np.ones((64, 64), np.float32)}, model / "model.safetensors")

    key = ec.generate_private_key(ec.SECP256R1())
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    public = key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    (folder / "key").write_bytes(private)
    (folder / "key.pub").write_bytes(public)

    # The manifest of the model is under the signature too: its root then speaks for each tensor.
    made = merklize.manifest(model)
    made.save(model / "manifest.json", seen=False)

    signer = model_signing.signing.Config().use_elliptic_key_signer(private_key=folder / "key")
    signer.set_hashing_config(merklize.signing.Config("blake3")).sign(model, signature)

    # The stock package verifies it, with its own hashing or with merklize's.
    verifier = model_signing.verifying.Config().use_elliptic_key_verifier(public_key=folder / "key.pub")
    verifier.verify(model, signature)
    verifier.set_hashing_config(merklize.signing.Config("blake3")).verify(model, signature)
    print("verified; the signed root is", made.root.hex())

    save_file({"layer.weight": np.zeros((64, 64), np.float32)}, model / "model.safetensors")
    try:
        verifier.verify(model, signature)
    except ValueError:
        print("other weights are refused")
    else:
        raise AssertionError("other weights passed")
