"""hash_rows and MatrixCommitment, compared with Plonky3's recorded answers and with the rule in plain Python.

tests/vectors/p3_mmcs_*.json are caps and openings by p3-merkle-tree 0.9.0-rc.2. In them "counter" stands for matrices
whose element of matrix m, row r, column c is (1 + 1000003 m + 1009 r + c) mod p.
"""

import hashlib
import json
import math

import blake3
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import merklize
import oracle

WORDS = {"goldilocks": np.uint64, "babybear": np.uint32, "koalabear": np.uint32, "binary128": np.dtype("V16")}
# The vectors' names of the hashes of rows and nodes.
HASHES = {
    "h8_c8": "poseidon2_goldilocks_8",
    "h12_c8": "poseidon2_goldilocks_12",
    "h16_c16": "poseidon2_{}_16",
    "h24_c16": "poseidon2_{}_24",
    "h8_c16_arity4": "poseidon2_goldilocks_8",
    "h24_c32_arity4": "poseidon2_{}_24",
    "blake3": "blake3",
    "keccak256": "keccak256",
    "keccakf64": "keccakf64",
    "sha256compress": "sha256_compress",
}


def vectors():
    for field in WORDS:
        for case in json.loads((oracle.VECTORS / f"p3_mmcs_{field}.json").read_text()):
            name = HASHES.get(case["variant"].removeprefix(f"p3_mmcs_{field}_"), "").format(field)
            if name in merklize.HASHES:
                yield field, name, case


VARIANTS = sorted({(field, hash, case["arity"]) for field, hash, case in vectors()})


def matrices_of(case, field):
    if field == "binary128":  # elements of GF(2^128): the rule in tests/vectors/plonky3_binary
        made = []
        for m, (rows, columns) in enumerate(case["dims"]):
            numbers = ((1 + 1000003 * m + 1009 * r + c) * 0x9E3779B97F4A7C15F39CC0605CEDC835 for r in range(rows)
                       for c in range(columns))  # fmt: skip
            data = b"".join((number % 2**128).to_bytes(16, "little") for number in numbers)
            made.append(np.frombuffer(data, "V16").reshape(rows, columns))
        return made
    p, word = oracle.MODULI[field], WORDS[field]
    if case["matrices"] != "counter":
        return [np.array(words, word).reshape(dims) for words, dims in zip(case["matrices"], case["dims"])]
    made = []
    for m, (rows, columns) in enumerate(case["dims"]):
        r, c = np.arange(rows, dtype=np.uint64)[:, None], np.arange(columns, dtype=np.uint64)
        made.append(((1 + 1000003 * m + 1009 * r + c) % np.uint64(p)).astype(word))
    return made


def as_bytes(digests, word):
    """Digests of a vector: 32 bytes each, or words."""
    return [bytes(one) if len(one) == 32 else np.array(one, np.uint64 if len(one) == 4 else word).tobytes()
            for one in digests]  # fmt: skip


def rows_as_bytes(array):
    return [one.tobytes() for one in array]


@pytest.mark.parametrize(("field", "hash", "arity"), VARIANTS)
def test_caps_and_openings_of_plonky3(field, hash, arity, device):
    cases = [case for f, h, case in vectors() if (f, h, case["arity"]) == (field, hash, arity)]
    assert len(cases) >= (7 if field == "binary128" else 24)
    form = {"arity": arity}
    if field not in ("goldilocks", "binary128") and not hash.startswith("poseidon2"):
        form |= {"words": "montgomery", "field": field}
    for case in cases if device == "cpu" else cases[-14:]:
        given, cap_height = matrices_of(case, field), case["cap_height"]
        commitment = merklize.prover.MatrixCommitment(given, hash, cap_height=cap_height, device=device, **form)
        assert rows_as_bytes(commitment.cap) == as_bytes(case["cap"], WORDS[field]), case["dims"]
        check = (commitment.cap, case["dims"], hash)
        for recorded in case["open"]:
            opening = commitment.open(recorded["index"])
            assert rows_as_bytes(opening.siblings) == as_bytes(recorded["proof"], WORDS[field])
            assert rows_are_shown(opening, *check, cap_height=cap_height, **form)
        together = commitment.open_together(range(commitment.n_leaves))
        assert rows_are_shown(together, *check, cap_height=cap_height, **form)


def rows_are_shown(opening, *known, **form):
    """Whether the opening verifies. If a matrix belongs above the cap, verification must refuse all rows."""
    try:
        return merklize.prover.verify_opening(opening, *known, **form)
    except merklize.InvalidArgument as error:
        return "above the cap, so nothing shows its rows" in str(error)


# ---- The rule in plain Python ---------------------------------------------------------------------------------------


def up2(n):
    return 1 << (n - 1).bit_length() if n > 0 else 1


def plain_layers(shapes, arity, hash_row, merge):
    """All layers and steps. hash_row(ms, i) hashes row i of the matrices ms; merge() has zeros for absent children."""
    zero = bytes(32)

    def padded(layer):
        n = len(layer)
        return layer + [zero] * ((n if n <= 1 else -(-n // arity) * arity) - n)

    tallest = max(rows for rows, _ in shapes)
    waiting = [m for m, (rows, _) in enumerate(shapes) if rows != tallest]
    first = [m for m in range(len(shapes)) if m not in waiting]
    layers, steps = [padded([hash_row(first, i) for i in range(tallest)])], []
    while len(layers[-1]) > 1:
        layer = layers[-1]
        n = len(layer)
        step = 2 if n < arity or any(up2(shapes[m][0]) > up2(n // arity) for m in waiting) else arity
        above = [merge(layer[i : i + step]) for i in range(0, n, step)]
        here = [m for m in waiting if up2(shapes[m][0]) == up2(n // step)]
        waiting = [m for m in waiting if m not in here]
        if here:
            rows = shapes[here[0]][0]
            above = [merge([node, hash_row(here, i) if i < rows else zero]) for i, node in enumerate(above)]
        layers.append(padded(above))
        steps.append(step)
    return layers, steps


def plain_commitment(given, hash, arity=2):
    """Layers of digests and steps, by hashes without code of the library."""

    def row(ms, i):
        words = np.concatenate([given[m][i] for m in ms])
        if hash == "blake3":
            return blake3.blake3(words.tobytes()).digest()
        if hash == "sha256":
            return hashlib.sha256(words.tobytes()).digest()
        return np.array(oracle.hash_elements([int(w) for w in words], hash), words.dtype).tobytes()

    def merge(children):
        children = [*children, *[bytes(32)] * (arity - len(children))]
        if hash == "blake3":
            return blake3.blake3(b"".join(children)).digest()
        if hash == "sha256":
            return hashlib.sha256(b"".join(children)).digest()
        assert arity == 2
        return oracle.merge(*children, hash)

    return plain_layers([one.shape for one in given], arity, row, merge)


def random_matrices(rng, tallest, heights, word=np.uint64, below=oracle.P):
    shapes = [(-(-tallest // 2**k), int(rng.integers(0, 9))) for k in heights]
    return [rng.integers(0, below, shape, word) for shape in shapes]


@settings(max_examples=40)
@given(st.integers(1, 40), st.lists(st.integers(0, 6), max_size=5), st.sampled_from(["blake3", "sha256"]),
       st.integers(0, 3), st.sampled_from([2, 4]), st.randoms(use_true_random=False))  # fmt: skip
def test_every_opening_of_random_shapes(tallest, heights, hash, cap_height, arity, random):
    rng = np.random.default_rng(random.randrange(2**32))
    given = random_matrices(rng, tallest, [0, *heights], below=2**63)
    random.shuffle(given)
    layers, steps = plain_commitment(given, hash, arity)
    form = {"arity": arity, "cap_height": cap_height}
    low = len(layers) - 1 - cap_height
    # A matrix above the cap would not be a part of the commitment.
    lowest = min(len(one) for one in given)
    below_cap = math.prod(steps[: max(low, 0)])
    if low < 0:
        with pytest.raises(merklize.InvalidArgument, match="cap_height must be at most"):
            merklize.prover.MatrixCommitment(given, hash, **form)
        return
    commitment = merklize.prover.MatrixCommitment(given, hash, **form)
    if (tallest - 1).bit_length() - (lowest - 1).bit_length() > (below_cap - 1).bit_length():
        with pytest.raises(merklize.InvalidArgument, match="above the cap, so nothing shows its rows"):
            merklize.prover.verify_opening(commitment.open(0), commitment.cap, commitment.dims, hash, **form)
        return
    missing = math.prod(steps[low:]) - len(layers[low])
    assert rows_as_bytes(commitment.cap) == layers[low] + [bytes(32)] * missing
    drop_levels = random.randint(0, low)
    dropped = merklize.prover.MatrixCommitment(given, hash, **form, drop_levels=drop_levels, keep=random.random() < 0.5)
    assert dropped.drop_levels == drop_levels
    assert np.array_equal(dropped.cap, commitment.cap)
    commitment = random.choice([commitment, dropped])
    openings = commitment.open_many(range(tallest))
    for index, opening in enumerate(openings):
        at, expected = index, []
        for layer, step in zip(layers[:low], steps):
            expected += [layer[i] for i in range(at // step * step, at // step * step + step) if i != at]
            at //= step
        assert rows_as_bytes(opening.siblings) == expected
        shifts = [(tallest - 1).bit_length() - (len(one) - 1).bit_length() for one in given]
        assert all(np.array_equal(row, one[index >> k]) for row, one, k in zip(opening.rows, given, shifts))
        assert merklize.prover.verify_opening(opening, commitment.cap, commitment.dims, hash, **form)
    some = sorted(random.sample(range(tallest), random.randint(1, tallest)))
    together = commitment.open_together(some[::-1])
    assert together.indices == some
    assert merklize.prover.verify_opening(together, commitment.cap, commitment.dims, hash, **form)
    assert len(together.siblings) <= len(some) * len(openings[0].siblings)


def test_rows_that_changed_after_their_nodes_were_dropped(device):
    given = [np.arange(rows * 3, dtype=np.uint64).reshape(rows, 3) for rows in (32, 8)]
    commitment = merklize.prover.MatrixCommitment(given, "rp64_256", drop_levels=3, device=device)
    sound = commitment.open(20)
    for changed, row in ((given[0], 23), (given[1], 5)):
        changed[row, 1] ^= 1
        assert commitment.open(15) is not None
        text = "rows 16 to 23 of the tallest matrix, or .* in lower ones, are not the rows of the commitment"
        with pytest.raises(merklize.InvalidArgument, match=f"^open: {text}"):
            commitment.open(20)
        with pytest.raises(merklize.InvalidArgument, match=f"^open_together: {text}"):
            commitment.open_together([1, 16])
        changed[row, 1] ^= 1
    opening = commitment.open(20)
    assert np.array_equal(opening.siblings, sound.siblings)
    assert all(np.array_equal(row, one) for row, one in zip(opening.rows, sound.rows))


@pytest.mark.parametrize("hash", merklize.HASHES)
def test_every_hash(hash, device):
    word, _, below = oracle.WORDS.get(hash.removesuffix("_v0"), (np.uint64, 4, 2**63))
    is_known = hash.removesuffix("_v0") in oracle.WORDS
    is_field = is_known or hash.startswith(("rpo256_", "rpx256_"))  # earlier revisions: tests/vectors has their answers
    rng = np.random.default_rng(7)
    one = rng.integers(0, below, (16, 5), word)
    commitment = merklize.prover.MatrixCommitment(one, hash, device=device)
    assert commitment.root == merklize.MerkleTree.from_rows(one if is_field else one.view(np.uint8), hash).root
    given = [rng.integers(0, below, shape, word) for shape in ((16, 3), (8, 2), (16, 1), (2, 7))]
    mixed = merklize.prover.MatrixCommitment(given, hash, device=device)
    if is_known and not hash.startswith("eidos"):
        assert rows_as_bytes(mixed.cap) == plain_commitment(given, hash)[0][-1]
    opening = mixed.open(13)
    assert merklize.prover.verify_opening(opening, mixed.cap, mixed.dims, hash)
    # Sorted pairs do not show the index.
    is_sorted = hash == "keccak256_sorted"
    assert merklize.prover.verify_opening(opening._replace(index=12), mixed.cap, mixed.dims, hash) == is_sorted


LAYOUTS = {
    "row-major": lambda a: np.ascontiguousarray(a),
    "column-major": lambda a: np.asfortranarray(a),
    "rows of a larger one": lambda a: np.pad(a, ((0, 0), (3, 2)))[:, 3:-2],
    "columns of a larger one": lambda a: np.asfortranarray(np.pad(a, ((2, 1), (0, 0))))[2:-1],
    "every second": lambda a: np.repeat(np.repeat(a, 2, 0), 2, 1)[::2, ::2],
    "backwards": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("hash", ["poseidon2_koalabear_16", "rp64_256_v3", "blake3", "keccak256"])
def test_rows_of_any_strides_side_by_side(hash, layout, device):
    word, _, below = oracle.WORDS.get(hash, (np.uint64, 4, 2**64 - 1))
    rng = np.random.default_rng(3)
    given = [rng.integers(0, below, (67, columns), word) for columns in (1, 13, 0, 300)]
    side = np.concatenate(given, 1)
    expected = merklize.hash_leaves(side if hash in oracle.FIELD_HASHES else side.view(np.uint8), hash)
    laid = [LAYOUTS[layout](one) for one in given]
    assert np.array_equal(merklize.hash_rows(laid, hash, device=device), expected)
    whole = LAYOUTS[layout](side)
    assert np.array_equal(merklize.hash_rows(whole, hash, device=device), expected)
    if device != "cpu":
        there = [merklize.DeviceArray.from_numpy(np.ascontiguousarray(one), device) for one in given]
        assert np.array_equal(merklize.hash_rows(there, hash).numpy(), expected)


def test_words_that_are_no_elements_are_found(device):
    given = [np.ones((300, 4), np.uint64), np.asfortranarray(np.ones((300, 70), np.uint64))]
    for m, row, column in ((0, 0, 0), (0, 299, 3), (1, 17, 69), (1, 299, 0)):
        given[m][row, column] = oracle.P
        text = f"row {row}, column {column} of matrix {m} is {oracle.P}, not a field element"
        with pytest.raises(merklize.InvalidArgument, match=text):
            merklize.hash_rows(given, "rp64_256", device=device)
        with pytest.raises(merklize.InvalidArgument, match=text):
            merklize.prover.MatrixCommitment(given, "rp64_256", device=device)
        if device != "cpu":
            there = [merklize.DeviceArray.from_numpy(np.ascontiguousarray(one), device) for one in given]
            with pytest.raises(merklize.InvalidArgument, match=text):
                merklize.hash_rows(there, "rp64_256")
        given[m][row, column] = 1
    small = np.full((3, 2), oracle.MODULI["babybear"], np.uint32)
    with pytest.raises(merklize.InvalidArgument, match="row 0, column 0 is 2013265921, not a field element"):
        merklize.hash_rows(small, "blake3", words="montgomery", field="babybear", device=device)


def test_kept_matrices(device):
    rng = np.random.default_rng(1)
    for hash in ("poseidon2_goldilocks_8", "blake3"):
        given = [rng.integers(0, 2**62, (64, 6), np.uint64), np.asfortranarray(rng.integers(0, 9, (16, 5), np.uint64))]
        expected = merklize.prover.MatrixCommitment(given, hash)
        wanted = expected.open_together([1, 2, 40])
        kept = merklize.prover.MatrixCommitment(given, hash, device=device, keep=True)
        given[0][:] = given[1][:] = 0
        assert np.array_equal(kept.cap, expected.cap)
        found = kept.open_together([40, 1, 2])
        assert np.array_equal(found.siblings, wanted.siblings)
        assert merklize.prover.verify_opening(found, kept.cap, kept.dims, hash)
        with pytest.raises(merklize.InvalidArgument, match="are not the rows of the commitment; give the matrices"):
            expected.open(1)  # it reads the caller's matrices, which have changed


def forged(opening):
    """Openings with one change each, which must not verify."""
    yield opening._replace(index=opening.index ^ 1)
    yield opening._replace(index=2**63)
    yield opening._replace(index=-1)
    yield opening._replace(index="1")
    for k in range(len(opening.siblings)):
        other = opening.siblings.copy()
        other[k, 0] ^= 1
        yield opening._replace(siblings=other)
        yield opening._replace(siblings=np.delete(opening.siblings, k, 0))
    yield opening._replace(siblings=np.concatenate([opening.siblings, opening.siblings[:1]]))
    yield opening._replace(siblings=None)
    yield opening._replace(siblings=np.full_like(opening.siblings, 2**64 - 1))
    for m, row in enumerate(opening.rows):
        for column in range(len(row)):
            rows = [one.copy() for one in opening.rows]
            rows[m][column] ^= 1
            yield opening._replace(rows=rows)
        rows = list(opening.rows)
        rows[m] = row[:-1]
        yield opening._replace(rows=rows)
        rows[m] = row.astype(np.float64)
        yield opening._replace(rows=rows)
        rows[m] = np.full_like(row, 2**64 - 1)
        yield opening._replace(rows=rows)
    yield opening._replace(rows=opening.rows[::-1])
    yield opening._replace(rows=opening.rows[:-1])
    yield opening._replace(rows=5)
    yield (1, 2)


def test_forgery():
    rng = np.random.default_rng(2)
    given = [rng.integers(0, oracle.P, shape, np.uint64) for shape in ((13, 2), (7, 3), (4, 1))]
    commitment = merklize.prover.MatrixCommitment(given, "poseidon2_goldilocks_12", cap_height=1)
    known = (commitment.cap, commitment.dims, "poseidon2_goldilocks_12")
    for index in range(13):
        opening = commitment.open(index)
        assert merklize.prover.verify_opening(opening, *known, cap_height=1)
        for changed in forged(opening):
            assert not merklize.prover.verify_opening(changed, *known, cap_height=1)
    for cap in (commitment.cap[:1], commitment.cap[::-1]):
        assert not merklize.prover.verify_opening(commitment.open(0), cap, *known[1:], cap_height=1)
    for cap in (commitment.cap.astype(np.int16), None, b"", "cap"):
        with pytest.raises((TypeError, merklize.InvalidArgument), match="verify_opening: cap must be"):
            merklize.prover.verify_opening(commitment.open(0), cap, *known[1:], cap_height=1)
    for opening in (None, 5, "opening", b"opening", commitment):
        with pytest.raises(TypeError, match="opening must be a MatrixOpening, got"):
            merklize.prover.verify_opening(opening, *known, cap_height=1)
    together = commitment.open_together([0, 1, 5])
    assert merklize.prover.verify_opening(together, *known, cap_height=1)
    # Leaves 0 and 1 have the same rows of the lower matrices, which are hashed once. Both copies must be right.
    for i in range(3):
        for m in range(3):
            rows = [[one.copy() for one in row] for row in together.rows]
            rows[i][m][0] ^= 1
            assert not merklize.prover.verify_opening(together._replace(rows=rows), *known, cap_height=1)
    for indices in ([], [1, 0, 5], [0, 1, 1], [0, 1, 13], [0, 1]):
        assert not merklize.prover.verify_opening(together._replace(indices=indices), *known, cap_height=1)


@pytest.mark.parametrize(("heights", "text"), [
    ((8, 3), "matrix 1 has 3 rows; beside one of 8 rows a height must be"), ((9, 8), "matrix 1 has 8 rows"),
    ((13, 6), "matrix 1 has 6 rows"), ((0,), "at least 1 row, got 0"), ((), "at least 1 matrix, got 0"),
])  # fmt: skip
def test_wrong_heights(heights, text):
    with pytest.raises(merklize.InvalidArgument, match=text):
        merklize.prover.MatrixCommitment([np.ones((rows, 2), np.uint64) for rows in heights], "rp64_256")
    if heights and min(heights):
        with pytest.raises(merklize.InvalidArgument, match="rows"):
            merklize.prover.verify_opening((0, [], []), b"", [(rows, 2) for rows in heights], "rp64_256")


def test_wrong_arguments():
    one = np.ones((8, 2), np.uint64)
    commit, refused = merklize.prover.MatrixCommitment, merklize.InvalidArgument
    for arity in (0, 1, 3, 8, -2):
        with pytest.raises(refused, match="arity"):
            commit(one, "rp64_256", arity=arity)
    with pytest.raises(refused, match="cap_height must be at most 3 for 8 rows, got 4"):
        commit(one, "rp64_256", cap_height=4)
    for drop_levels in (-1, 3, 2**33):
        with pytest.raises(refused, match="drop_levels"):
            commit(one, "rp64_256", cap_height=1, drop_levels=drop_levels)
    high = commit([one, one[:1]], "rp64_256", cap_height=1)
    with pytest.raises(refused, match="above the cap, so nothing shows its rows; cap_height must be at most 0"):
        merklize.prover.verify_opening(high.open(0), high.cap, high.dims, "rp64_256", cap_height=1)
    with pytest.raises(refused, match=r"must be uint64\[n, k\], got uint32\[8, 4\]"):
        commit(one.view(np.uint32), "rp64_256")
    with pytest.raises(refused, match="words of one size, got int64 and int32"):
        commit([one, one.view(np.uint32)], "blake3")
    with pytest.raises(refused, match=r"uint8, uint32, uint64 or V16\[n, k\], got float64"):
        commit(one.astype(float), "blake3")
    with pytest.raises(refused, match="matrix 1 must have a row for each of the 8"):
        merklize.hash_rows([one, one[:4]], "rp64_256")
    for options, text in (
        ({"words": "montgomery"}, "hash_rows: words='montgomery' needs field, one of babybear, koalabear, got None"),
        ({"words": "x"}, "hash_rows: words must be 'canonical' or 'montgomery', got 'x'"),
        ({"field": "babybear"}, "hash_rows: field is for words='montgomery', got 'babybear' with words='canonical'"),
        ({"words": "montgomery", "field": "babybear"}, "must have 4 bytes, got 8"),
    ):
        with pytest.raises(refused, match=text):
            merklize.hash_rows(one, "blake3", **options)
    with pytest.raises(refused, match="hashes elements"):
        merklize.hash_rows(np.ones((2, 2), np.uint32), "poseidon2_babybear_16", words="montgomery", field="babybear")
    made = commit(one, "rp64_256")
    for index in (8, 2**64 - 1):
        with pytest.raises(refused, match="index must be below 8"):
            made.open(index)
    for indices, text in (([], "at least 1 index"), ([3, 1, 3], "twice, got 3"), ([8], "below 8")):
        with pytest.raises(refused, match=text):
            made.open_together(indices)
    with pytest.raises(TypeError):
        commit(5, "rp64_256")


def test_progress_and_cancelling():
    one = np.ones((1 << 14, 64), np.uint64)
    seen = []
    merklize.prover.MatrixCommitment(one, "rp64_256", threads=1, progress=seen.append)  # long enough on any machine
    assert seen == sorted(seen)
    assert seen[-1] <= 1
    with pytest.raises(merklize.Cancelled):
        merklize.prover.MatrixCommitment(one, "rp64_256", threads=1, progress=lambda done: False)
