//! Writes to standard output what Plonky3's Poseidon computes over a field of 31 bits with its default constants:
//! `cargo run --bin poseidon -- babybear_16` tests/vectors/poseidon_babybear_16.json. The other names are babybear_24,
//! koalabear_16 and koalabear_24.

use p3_baby_bear::{default_babybear_poseidon1_16, default_babybear_poseidon1_24};
use p3_field::PrimeField32;
use p3_koala_bear::{default_koalabear_poseidon1_16, default_koalabear_poseidon1_24};
use p3_symmetric::{CryptographicHasher, CryptographicPermutation, PaddingFreeSponge};
use p3_symmetric::{PseudoCompressionFunction, TruncatedPermutation};

/// Numbers that look random: the high bits of a linear congruence's states.
struct Numbers(u64);

impl Numbers {
    fn element<F: PrimeField32>(&mut self) -> F {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        F::from_u64(self.0 >> 32)
    }
    fn elements<F: PrimeField32>(&mut self, n: usize) -> Vec<F> {
        (0..n).map(|_| self.element()).collect()
    }
}

fn hex<F: PrimeField32>(words: &[F]) -> String {
    words.iter().flat_map(|word| word.as_canonical_u32().to_le_bytes()).map(|byte| format!("{byte:02x}")).collect()
}

/// Ascending words, zeros, the greatest words, then random ones.
fn inputs<F: PrimeField32>(n: usize, count: usize, random: &mut Numbers) -> Vec<Vec<F>> {
    let mut all = vec![(0..n as u32).map(F::from_u32).collect(), vec![F::ZERO; n], vec![F::NEG_ONE; n]];
    all.extend((3..count).map(|_| random.elements(n)));
    all
}

fn lines(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(",\n")
}

fn vectors<F, W, N, const WIDTH: usize, const RATE: usize>(names: [&str; 2], rows: W, nodes: N) -> String
where
    F: PrimeField32,
    W: CryptographicPermutation<[F; WIDTH]>,
    N: CryptographicPermutation<[F; 16]>,
{
    let [package, function] = names;
    let mut random = Numbers(WIDTH as u64);
    let sponge = PaddingFreeSponge::<_, WIDTH, RATE, 8>::new(rows.clone());
    let compress = TruncatedPermutation::<_, 2, 8, 16>::new(nodes);
    let permutations = inputs::<F>(WIDTH, 8, &mut random).into_iter().map(|input| {
        let output = rows.permute(input.clone().try_into().unwrap());
        format!("{{\"input\": \"{}\", \"output\": \"{}\"}}", hex(&input), hex(&output))
    });
    let permutations = lines(permutations);
    let merges = inputs::<F>(16, 9, &mut random).into_iter().map(|input| {
        let (left, right): (&[F; 8], &[F; 8]) = (input[..8].try_into().unwrap(), input[8..].try_into().unwrap());
        let digest: [F; 8] = compress.compress([*left, *right]);
        format!("{{\"left\": \"{}\", \"right\": \"{}\", \"digest\": \"{}\"}}", hex(left), hex(right), hex(&digest))
    });
    let merges = lines(merges);
    let leaves = (0..=2 * WIDTH).map(|n| {
        let record: Vec<F> = random.elements(n);
        let digest: [F; 8] = sponge.hash_iter(record.iter().copied());
        format!("{{\"record\": \"{}\", \"digest\": \"{}\"}}", hex(&record), hex(&digest))
    });
    format!(
        "{{\n\"source\": \"{package} 0.8.0 by tests/vectors/plonky3: its default Poseidon permutation ({function}_{WIDTH}), \
         PaddingFreeSponge<{WIDTH}, {RATE}, 8> for leaves and, by {function}_16, TruncatedPermutation<2, 8, 16> for merges of \
         p3-symmetric 0.8.0; words little endian\",\n\
         \"permutations\": [\n{permutations}\n],\n\"merges\": [\n{merges}\n],\n\"leaves\": [\n{}\n]\n}}",
        lines(leaves)
    )
}

fn main() {
    let baby = ["p3-baby-bear", "default_babybear_poseidon1"];
    let koala = ["p3-koala-bear", "default_koalabear_poseidon1"];
    let (baby_16, koala_16) = (default_babybear_poseidon1_16(), default_koalabear_poseidon1_16());
    let text = match std::env::args().nth(1).as_deref() {
        Some("babybear_16") => vectors::<_, _, _, 16, 8>(baby, baby_16.clone(), baby_16),
        Some("babybear_24") => vectors::<_, _, _, 24, 16>(baby, default_babybear_poseidon1_24(), baby_16),
        Some("koalabear_16") => vectors::<_, _, _, 16, 8>(koala, koala_16.clone(), koala_16),
        Some("koalabear_24") => vectors::<_, _, _, 24, 16>(koala, default_koalabear_poseidon1_24(), koala_16),
        _ => panic!("poseidon: give one name: babybear_16, babybear_24, koalabear_16 or koalabear_24"),
    };
    println!("{text}");
}
