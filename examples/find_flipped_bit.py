"""Find one flipped bit in the weights of a loaded model, and check one tensor by its proof, with the root alone."""

import numpy as np

import merklize

random = np.random.default_rng(1)
model = {f"layers.{k}.weight": random.standard_normal((1024, 512)).astype(np.float32) for k in range(4)}
trusted = merklize.manifest(model)
print("root", trusted.root.hex())

# A bad memory cell may do this.
model["layers.2.weight"].view(np.uint8).reshape(-1)[1_500_000] ^= 0x10

report = merklize.check_model(model, trusted)
(difference,) = report.differences
print(difference)
assert difference.name == "layers.2.weight"
assert difference.begin <= 1_500_000 < difference.end

# The root, 32 bytes, is enough to check one tensor by its proof.
for name in ("layers.1.weight", "layers.2.weight"):
    leaf = merklize.manifest({name: model[name]}).tensors[name].leaf()
    is_good = trusted.prove(name).verify(trusted.root, leaf=leaf)
    print(name, "is", "good" if is_good else "not the one of the root")
    assert is_good == (name != "layers.2.weight")
