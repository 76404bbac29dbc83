"""Hashes of Poseidon2 and Poseidon with a caller's constants: names, shapes, files and proofs.

tests/conformance has the values.
"""

import json
import subprocess
import sys

import numpy as np
import pytest

import merklize
import oracle
from test_matrices import WORDS, as_bytes, matrices_of, random_matrices, rows_are_shown, rows_as_bytes, vectors

OURS = [name for name in oracle.PLONKY3 if name.startswith("poseidon2_")]
INSTANCES = json.loads((oracle.VECTORS / "poseidon2_constants.json").read_text())["instances"]


def arguments(field, width, rate):
    of = INSTANCES[f"{field}_w{width}"]
    constants = (of["external_initial"], of["internal"], of["external_terminal"])
    made = {"rounds": (8, of["partial_rounds"]), "constants": constants, "diagonal": of["diag_minus_one"]}
    return {"field": field, "width": width, "rate": rate, **made}


def own(field="koalabear", width=16, rate=8, **changed):
    return merklize.prover.poseidon2(**{**arguments(field, width, rate), **changed})


def quad_of(field):
    of = arguments(field, 16 if field == "goldilocks" else 32, 0)
    return of["rounds"], of["constants"], of["diagonal"]


@pytest.mark.parametrize("name", OURS)
def test_constants_of_ours_give_our_rows(name):
    field, width, rate, merge_width = oracle.PLONKY3[name]
    hash = own(field, width, rate)
    assert hash.startswith("poseidon2:")
    rows = oracle.elements(np.random.default_rng(width), (33, 21), name)
    assert (merklize.hash_rows(rows, hash=hash) == merklize.hash_rows(rows, hash=name)).all()
    columns = np.asfortranarray(rows)
    assert (merklize.hash_rows(columns, hash=hash) == merklize.hash_rows(rows, hash=name)).all()
    if merge_width == width:
        digests = merklize.hash_rows(rows[:32], hash=hash)
        assert merklize.merkle_root(digests, hash=hash) == merklize.merkle_root(digests, hash=name)
        ours = merklize.prover.MatrixCommitment([rows[:32]], hash=hash)
        assert ours.root == merklize.prover.MatrixCommitment([rows[:32]], hash=name).root


WIDE = json.loads((oracle.VECTORS / "poseidon2_wide.json").read_text())["instances"]


@pytest.mark.parametrize("of", WIDE, ids=lambda of: f"{of['field']}_{of['width']}")
def test_widths_that_no_hash_of_ours_has(of, device):
    # Plonky3's own answers.
    hash = own(of["field"], of["width"], of["rate"])
    word = np.uint64 if of["field"] == "goldilocks" else np.uint32
    for case in of["rows"]:
        row = np.array([case["row"]] * 3, word)
        for given in (row, np.asfortranarray(row)):
            assert merklize.hash_rows(given, hash=hash, device=device).tolist() == [case["digest"]] * 3
    left, right, digests = (np.array([case[key] for case in of["merges"]], word) for key in ("left", "right", "digest"))
    assert (merklize.merge(left, right, hash=hash, device=device) == digests).all()
    assert merklize.merkle_root(np.array([left[3], right[3]]), hash=hash, device=device) == digests[3].tobytes()


def test_the_name_says_the_constants():
    assert own().startswith("poseidon2:68bd4d049c17fc82")
    of = arguments("koalabear", 16, 8)
    flat = [word for part in of["constants"] for word in np.ravel(part).tolist()]
    assert own(constants=flat) == own(constants=tuple(np.array(part) for part in of["constants"])) == own()
    assert (
        len({own(), own(rate=7), own(diagonal=[1, *of["diagonal"][1:]]), own(constants=[flat[0] ^ 1, *flat[1:]])}) == 4
    )


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"field": "mersenne"}, "field must be goldilocks, babybear or koalabear, got 'mersenne'"),
        ({"rounds": (8, 21)}, "must have one word for each of 21 internal rounds, got 20 words"),
        ({"rounds": 8}, "rounds must be"),
        ({"diagonal": [-1] * 16}, r"diagonal\[0\] is -1"),
        ({"quad": "koalabear"}, r"quad must be \(rounds, constants, diagonal\), got str"),
        ({"quad": (8, *quad_of("koalabear")[1:])}, "quad: rounds must be"),
        ({"quad": quad_of("goldilocks")}, "quad: constants must have 278 words: 4 x 32, 22, 4 x 32; got 150"),
        ({"quad": (*quad_of("koalabear")[:2], [1] * 31)}, "quad: diagonal must have width = 32 words, got 31"),
        (
            {"quad": (*quad_of("koalabear")[:2], [2**31] * 32)},
            r"quad: diagonal\[0\] is 2147483648, not a field element",
        ),
        ({"constants": [2**64] * 148}, r"constants\[0\] is 18446744073709551616"),
    ],
)
def test_shapes_and_words_that_do_not_fit_are_refused(changed, text):
    with pytest.raises(merklize.InvalidArgument, match=text):
        merklize.prover.poseidon2(**{**arguments("koalabear", 16, 8), **changed})


def test_things_that_are_no_words_are_refused():
    with pytest.raises(TypeError, match=r"constants\[3\] must be an integer, got str"):
        own(constants=[1, 2, 3, "4"])
    with pytest.raises(TypeError, match="diagonal must be a list or an array of integers, got NoneType"):
        own(diagonal=None)


OPEN = """
import sys, merklize
tree, proof, text, name = sys.argv[1:]
for read in (
    lambda: merklize.TreeFile(tree),
    lambda: merklize.MerkleProof.from_bytes(open(proof, "rb").read()),
    lambda: merklize.MerkleProof.from_json(open(text).read()),
    lambda: merklize.merge(b"", b"", hash=name),
):
    try:
        read()
    except merklize.Error as error:
        print(error)
"""


def test_files_and_proofs_name_the_constants(tmp_path):
    hash = own("goldilocks", 8, 4)
    tree = merklize.MerkleTree(oracle.word_leaves(16), hash=hash)
    tree.save(tmp_path / "tree.mkl")
    proof = tree.prove(3)
    (tmp_path / "proof").write_bytes(proof.to_bytes())
    (tmp_path / "proof.json").write_text(proof.to_json())
    with merklize.TreeFile(tmp_path / "tree.mkl") as file:
        assert (file.hash, file.root) == (hash, tree.root)
    for read in (merklize.MerkleProof.from_bytes(proof.to_bytes()), merklize.MerkleProof.from_json(proof.to_json())):
        assert read == proof
        assert read.hash == hash
        assert read.verify(tree.root)
    # A process without the constants refuses each file, and the error has the hash's name.
    files = [str(tmp_path / name) for name in ("tree.mkl", "proof", "proof.json")]
    lines = subprocess.run(
        [sys.executable, "-c", OPEN, *files, hash], capture_output=True, text=True, check=True
    ).stdout
    assert len(lines.splitlines()) == 4
    for line in lines.splitlines():
        assert hash[len("poseidon2:") :][:16] in line
        assert "no constants with this digest were given" in line


def test_commitments_of_plonky3_whose_nodes_have_twelve_cells():
    # None of our hashes has such nodes.
    lines = (oracle.VECTORS / "p3_mmcs_goldilocks.json").read_text().splitlines()
    cases = [json.loads(line.rstrip(",")) for line in lines if "goldilocks_h12_c12" in line]
    assert len(cases) >= 24
    hash = own("goldilocks", 12, 8)
    for case in cases:
        made = merklize.prover.MatrixCommitment(matrices_of(case, "goldilocks"), hash, cap_height=case["cap_height"])
        assert [one.tobytes() for one in made.cap] == as_bytes(case["cap"], np.uint64), case["dims"]
        for recorded in case["open"]:
            opening = made.open(recorded["index"])
            assert [one.tobytes() for one in opening.siblings] == as_bytes(recorded["proof"], np.uint64)


# ---- Merges of four -------------------------------------------------------------------------------------------------


def with_quad(name):
    field, width, rate, _ = oracle.PLONKY3[name]
    return own(field, width, rate, quad=quad_of(field))


@pytest.mark.parametrize("name", OURS)
def test_constants_of_ours_give_our_commitments_of_four(name, device):
    hash, field = with_quad(name), oracle.PLONKY3[name][0]
    rng = np.random.default_rng(len(name))
    for tallest in (1, 2, 3, 4, 5, 8, 15, 16, 17, 31, 64, 100, 257):
        for heights in ((), (0, 1), (2, 0, 5), (1, 3, 3)):
            given = random_matrices(rng, tallest, [0, *heights], WORDS[field], oracle.MODULI[field])
            for cap_height in (0, 1, 2) if tallest > 4 else (0,):
                form = {"arity": 4, "cap_height": cap_height}
                made = merklize.prover.MatrixCommitment(given, hash, device=device, **form)
                ours = merklize.prover.MatrixCommitment(given, name, **form)
                assert (made.cap == ours.cap).all()
                assert made.hash == hash
                indices = sorted({0, tallest // 3, tallest - 1})
                for mine, theirs in zip(made.open_many(indices), ours.open_many(indices)):
                    assert (mine.siblings == theirs.siblings).all()
                    assert rows_are_shown(mine, made.cap, made.dims, hash, **form)
                    assert rows_are_shown(mine, made.cap, made.dims, name, **form)
                together = made.open_together(indices)
                assert (together.siblings == ours.open_together(indices).siblings).all()
                assert rows_are_shown(together, made.cap, made.dims, hash, **form)


@pytest.mark.parametrize("name", ["poseidon2_goldilocks_8", "poseidon2_babybear_24", "poseidon2_koalabear_24"])
def test_plonky3s_commitments_of_four_by_constants_of_ours(name, device):
    hash, field = with_quad(name), oracle.PLONKY3[name][0]
    cases = [case for f, h, case in vectors() if (f, h, case["arity"]) == (field, name, 4)]
    assert len(cases) >= 24
    for case in cases if device == "cpu" else cases[-14:]:
        form = {"arity": 4, "cap_height": case["cap_height"]}
        made = merklize.prover.MatrixCommitment(matrices_of(case, field), hash, device=device, **form)
        assert rows_as_bytes(made.cap) == as_bytes(case["cap"], WORDS[field]), case["dims"]
        for recorded in case["open"]:
            opening = made.open(recorded["index"])
            assert rows_as_bytes(opening.siblings) == as_bytes(recorded["proof"], WORDS[field])
            assert rows_are_shown(opening, made.cap, case["dims"], hash, **form)


RANDOM = json.loads((oracle.VECTORS / "poseidon2_quad.json").read_text())["instances"]


@pytest.mark.parametrize("of", RANDOM, ids=lambda of: of["field"])
def test_plonky3s_commitments_of_four_by_random_constants(of, device):
    # When these were recorded, Plonky3's verifier accepted an opening of each leaf.
    field = of["field"]
    quad = ((8, of["quad_internal_rounds"]), of["quad_constants"], quad_of(field)[2])
    changed = {"rounds": (8, of["internal_rounds"]), "constants": of["constants"], "quad": quad}
    hash = own(field, of["width"], of["rate"], **changed)
    for case in of["commitments"]:
        form = {"arity": 4, "cap_height": case["cap_height"]}
        given = matrices_of({**case, "matrices": "counter"}, field)
        made = merklize.prover.MatrixCommitment(given, hash, device=device, **form)
        assert made.cap.tolist() == case["cap"], case["dims"]
        for recorded in case["open"]:
            opening = made.open(recorded["index"])
            assert opening.siblings.tolist() == recorded["siblings"]
            assert rows_are_shown(opening, made.cap, case["dims"], hash, **form)


def test_a_hash_without_merges_of_four_has_no_commitments_of_four():
    rows, cap = np.zeros((8, 3), np.uint32), np.zeros((1, 8), np.uint32)
    text = r"and of poseidon2\(\) with constants for merges of four, not of 'poseidon2:"
    for call in (
        lambda: merklize.prover.MatrixCommitment(rows, own(), arity=4),
        lambda: merklize.prover.verify_opening((0, [rows[0]], cap[:0]), cap, [(8, 3)], own(), arity=4),
    ):
        with pytest.raises(merklize.InvalidArgument, match=text):
            call()
    # Trees of pairs are the same; the names are not.
    hash = own(quad=quad_of("koalabear"))
    assert hash not in (own(), own(quad=(quad_of("koalabear")[0], quad_of("koalabear")[1], [1] * 32)))
    assert merklize.prover.MatrixCommitment(rows, hash).root == merklize.prover.MatrixCommitment(rows, own()).root
    changed = merklize.prover.MatrixCommitment(rows, own(quad=(*quad_of("koalabear")[:2], [1] * 32)), arity=4)
    assert changed.root != merklize.prover.MatrixCommitment(rows, hash, arity=4).root


# ---- Poseidon, version 1 --------------------------------------------------------------------------------------------


POSEIDONS = [name for name in oracle.PLONKY3 if name.startswith("poseidon_")]
POSEIDON_INSTANCES = json.loads((oracle.VECTORS / "poseidon_constants.json").read_text())["instances"]


def poseidon_arguments(field, width, rate, of=None):
    of = of or POSEIDON_INSTANCES[f"{field}_w{width}"]
    constants = (of["initial"], of["partial"], of["terminal"])
    rounds = (len(of["initial"]) + len(of["terminal"]), len(of["partial"]))
    made = {"rounds": rounds, "constants": constants, "matrix": of["mds_first_row"]}
    return {"field": field, "width": width, "rate": rate, **made}


def own_poseidon(field="koalabear", width=16, rate=8, of=None, **changed):
    return merklize.prover.poseidon(**{**poseidon_arguments(field, width, rate, of), **changed})


@pytest.mark.parametrize("name", POSEIDONS)
def test_poseidons_constants_of_ours_give_our_rows(name, device):
    field, width, rate, merge_width = oracle.PLONKY3[name]
    hash = own_poseidon(field, width, rate)
    assert hash.startswith("poseidon:")
    rows = oracle.elements(np.random.default_rng(width), (33, 21), name)
    for given in (rows, np.asfortranarray(rows)):
        ours = merklize.hash_rows(given, hash=hash, device=device)
        assert (ours == merklize.hash_rows(rows, hash=name)).all()
    if merge_width == width:
        digests = merklize.hash_rows(rows[:32], hash=hash)
        root = merklize.merkle_root(digests, hash=hash, device=device)
        assert root == merklize.merkle_root(digests, hash=name)
        made = merklize.prover.MatrixCommitment([rows[:32]], hash=hash, device=device)
        assert made.root == merklize.prover.MatrixCommitment([rows[:32]], hash=name).root


@pytest.mark.parametrize("name", POSEIDONS)
def test_any_constants_of_poseidon_are_those_of_the_oracle(name, device):
    field, width, rate, _ = oracle.PLONKY3[name]
    rng = np.random.default_rng(width)
    of = {
        **{kind: oracle.elements(rng, (n, width), name).tolist() for kind, n in (("initial", 3), ("partial", 9))},
        "terminal": oracle.elements(rng, (3, width), name).tolist(),
        "mds_first_row": oracle.elements(rng, (width,), name).tolist(),
    }
    hash = own_poseidon(field, width, rate, of)
    rows = oracle.elements(rng, (9, rate), name)
    digests = merklize.hash_rows(rows, hash=hash, device=device)
    words = digests.shape[1]
    for row, digest in zip(rows.tolist(), digests.tolist()):
        state = oracle.poseidon(row + [0] * (width - rate), field, width, of)
        assert digest == state[:words]
    merged = merklize.merge(digests[:4], digests[4:8], hash=hash, device=device)
    for left, right, digest in zip(digests[:4].tolist(), digests[4:8].tolist(), merged.tolist()):
        state = oracle.poseidon(left + right + [0] * (width - 2 * words), field, width, of)
        assert digest == state[:words]


def test_the_name_of_poseidon_says_the_constants():
    of = poseidon_arguments("koalabear", 16, 8)
    row = of["matrix"]
    flat = [word for part in of["constants"] for word in np.ravel(part).tolist()]
    whole = np.array([[row[(j - i) % 16] for j in range(16)] for i in range(16)], np.uint32)
    assert own_poseidon(constants=flat) == own_poseidon(matrix=whole) == own_poseidon()
    changed = ({}, {"rate": 7}, {"matrix": whole.T}, {"constants": [flat[0] ^ 1, *flat[1:]]})
    assert len({own_poseidon(**one) for one in changed}) == 4


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"field": "mersenne"}, "poseidon: field must be goldilocks, babybear or koalabear, got 'mersenne'"),
        ({"rounds": 8}, r"poseidon: rounds must be \(full, partial\), got 8"),
        ({"matrix": [-1] * 16}, r"poseidon: matrix\[0\] is -1"),
    ],
)
def test_what_does_not_fit_poseidon_is_refused(changed, text):
    with pytest.raises(merklize.InvalidArgument, match=text):
        merklize.prover.poseidon(**{**poseidon_arguments("koalabear", 16, 8), **changed})
