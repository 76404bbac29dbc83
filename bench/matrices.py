#!/usr/bin/env python3
"""Measures rows of matrices and commitments to them on a device, beside their bounds.

    python bench/matrices.py [--device cuda:0] [--rounds 7] [--small] [--json FILE]

Rows:

- `merge`: one level of 2^22 merges of each hash: the rate of its permutation, the bound of the other rows of the hash;
- `hash_rows`: 2^18 rows of 256 words, resident, columns and rows; and from host memory. `share` is the
  permutations of the job at the rate of `merge`, over its time. Rows of `_12` and `_24` have a wider permutation;
- `commitment`: 2^17 rows of 2633 Goldilocks words from host memory, as Plonky3's keccak-air has them, and resident;
  beside the upload of the matrix alone;
- `openings`: 100 rows of a commitment to 2^24 rows of 8 KoalaBear words, and to 2^17 rows of 2633 Goldilocks words,
  whose lowest 4 levels are dropped, beside the same with all levels. Resident, and from host memory.

--small: 64 times fewer rows, to see that it runs. Times are the medians of the rounds, of the whole call.
"""

import argparse
import datetime
import pathlib
import platform
import statistics
import time

import numpy as np
from result_files import write
from run import commit, processor

import merklize

# Words of a row that one permutation takes, and the words' type and bound.
HASHES = {
    "poseidon2_goldilocks_8": (4, np.uint64, 2**63),
    "poseidon2_goldilocks_12": (8, np.uint64, 2**63),
    "poseidon2_koalabear_16": (8, np.uint32, 0x7F000001),
    "poseidon2_koalabear_24": (16, np.uint32, 0x7F000001),
    "poseidon2_babybear_16": (8, np.uint32, 0x78000001),
    "rpo256": (8, np.uint64, 2**63),
    "rp64_256_v3": (8, np.uint64, 2**63),
    "rpjive64_256": (4, np.uint64, 2**63),
}


def seconds(call, rounds):
    call()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def kernel_seconds(call, rounds):
    """Seconds by the device's clock if it has one, else of the whole call."""
    timings = merklize.tuning.Timings()
    found = []
    with merklize.tuning.options(timings=timings):
        whole = seconds(lambda: (call(), found.append(timings.kernel or 0)), rounds)
    return statistics.median(found[1:]) or whole


class Bench:
    def __init__(self, device, rounds, small):
        self.device, self.rounds, self.less = device, rounds, 6 if small else 0
        self.rows = []

    def note(self, job, hash, form, taken, **more):
        row = {"job": job, "hash": hash, "form": form, "seconds": taken, **more}
        self.rows.append(row)
        print(", ".join(f"{key} {value:.4g}" if isinstance(value, float) else f"{value}" for key, value in row.items()))

    def there(self, array):
        return array if self.device == "cpu" else merklize.DeviceArray.from_numpy(array, self.device)

    def rows_of(self, hash, log2_rows, columns, forms):
        rate, word, below = HASHES[hash]
        n = 1 << (22 - self.less)
        digests = np.random.default_rng(1).integers(0, below, (n, 32 // np.dtype(word).itemsize), word)
        pairs = self.there(digests)
        merges = n / kernel_seconds(lambda: merklize.merge(pairs, pairs, hash, device=self.device), self.rounds)
        self.note("merge", hash, "resident", n / merges, merges_per_second=merges)
        rows = 1 << (log2_rows - self.less)
        host = np.random.default_rng(2).integers(0, below, (rows, columns), word)
        work = rows * -(-columns // rate) / merges
        for form in forms:
            given = host if form == "rows" else np.asfortranarray(host)
            if self.device != "cpu":
                # Columns on a device: the transposed array is in C order there.
                there = self.there(np.ascontiguousarray(given.T if form == "columns" else given))
                matrix = Transposed(there) if form == "columns" else there
            else:
                matrix = given
            taken = kernel_seconds(
                lambda matrix=matrix: merklize.hash_rows(matrix, hash, device=self.device), self.rounds
            )
            self.note("hash_rows", hash, f"resident {form}", taken, share=work / taken)
        taken = seconds(lambda: merklize.hash_rows(host, hash, device=self.device), self.rounds)
        self.note("hash_rows", hash, "from the host", taken, share=work / taken, bytes_per_second=host.nbytes / taken)
        return merges

    def commitment(self, hash, columns, merges):
        rate, word, below = HASHES[hash]
        rows = 1 << (17 - self.less)
        host = np.random.default_rng(3).integers(0, below, (rows, columns), word)
        work = rows * (-(-columns // rate) + 1) / merges
        taken = seconds(lambda: merklize.prover.MatrixCommitment(host, hash, device=self.device), self.rounds)
        more = {"share": work / taken, "bytes_per_second": host.nbytes / taken}
        if self.device != "cpu":
            more["upload_seconds"] = seconds(lambda: merklize.DeviceArray.from_numpy(host, self.device), self.rounds)
        self.note("commitment", hash, f"{rows} x {columns} from the host", taken, **more)
        if self.device != "cpu":
            there = self.there(host)
            taken = seconds(lambda: merklize.prover.MatrixCommitment(there, hash), self.rounds)
            self.note("commitment", hash, f"{rows} x {columns} resident", taken, share=work / taken)

    def openings(self, hash, log_rows, columns):
        _, word, below = HASHES[hash]
        rows = 1 << (log_rows - self.less)
        random = np.random.default_rng(5)
        host = random.integers(0, below, (rows, columns), word)
        indices = random.choice(rows, 100, replace=False)
        places = {"from the host": host}
        if self.device != "cpu":
            places["resident"] = self.there(host)
        for place, matrix in places.items():
            for drop_levels in (0, 4):
                commitment = merklize.prover.MatrixCommitment(matrix, hash, device=self.device, drop_levels=drop_levels)
                taken = seconds(lambda commitment=commitment: commitment.open_many(indices), self.rounds)
                self.note("openings", hash, f"100 of {rows} x {columns} {place}, without {drop_levels} levels", taken)


class Transposed:
    """A matrix on a device whose columns lie one after another, as a tensor of another library shows it."""

    def __init__(self, array):
        self._interface = dict(array.__cuda_array_interface__)
        self._owner = array
        rows, columns = array.shape[1], array.shape[0]
        item = int(self._interface["typestr"][2:])
        self._interface |= {"shape": (rows, columns), "strides": (item, item * rows)}

    @property
    def __cuda_array_interface__(self):
        return self._interface


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    bench = Bench(arguments.device, arguments.rounds, arguments.small)
    has_columns = arguments.device == "cpu" or arguments.device.startswith("cuda")
    forms = ("columns", "rows") if has_columns else ("rows",)
    rates = {hash: bench.rows_of(hash, 18, 256, forms) for hash in HASHES}
    for hash in ("poseidon2_goldilocks_8", "poseidon2_koalabear_16"):
        bench.commitment(hash, 2633, rates[hash])
    bench.openings("poseidon2_koalabear_16", 24, 8)
    bench.openings("poseidon2_goldilocks_8", 17, 2633)
    if arguments.json:
        device = next(one for one in merklize.devices() if one.id == arguments.device)
        facts = {"date": datetime.date.today().isoformat(), "commit": commit(), "version": merklize.__version__,
                 "device": device.name, "driver": device.driver, "processor": processor(),
                 "system": platform.platform()}  # fmt: skip
        write(arguments.json, {**facts, "rows": bench.rows})


if __name__ == "__main__":
    main()
