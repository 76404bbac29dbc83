//! Writes to standard output what p3-dft computes: `cargo run` tests/vectors/p3_extensions.json, low-degree extensions
//! by Radix2DitParallel. Radix2Bowers and NaiveDft must agree with them.
//!
//! Word i of a matrix, row after row, is (i + 1) * 0x9e3779b97f4a7c15 modulo 2^64 and then modulo the field's p.

use p3_baby_bear::BabyBear;
use p3_dft::{NaiveDft, Radix2Bowers, Radix2DitParallel, TwoAdicSubgroupDft};
use p3_field::{PrimeField64, TwoAdicField};
use p3_goldilocks::Goldilocks;
use p3_koala_bear::KoalaBear;
use p3_matrix::bitrev::BitReversibleMatrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_matrix::Matrix;
use sha2::{Digest, Sha256};

/// Numbers that look random: the high bits of a linear congruence's states.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 32
    }
    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

fn canonical<F: PrimeField64>(words: &[F]) -> Vec<u64> {
    words.iter().map(F::as_canonical_u64).collect()
}

fn digest(words: &[u64], size: usize) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()[..size].to_vec()).collect();
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn cases<F: TwoAdicField + PrimeField64>(name: &str, n_cases: u64, out: &mut Vec<String>) {
    let size = if F::ORDER_U64 >> 32 == 0 { 4 } else { 8 };
    let mut random = Numbers(F::ORDER_U64);
    for k in 0..n_cases {
        let rows = 1usize << (k % 9);
        let columns = 1 + random.below(20) as usize;
        let added_bits = random.below(4) as usize;
        let shift = match random.below(3) {
            0 => F::ONE,
            1 => F::GENERATOR,
            _ => F::from_u64(1 + (random.next() << 32 | random.next()) % (F::ORDER_U64 - 1)),
        };
        let words = (0..(rows * columns) as u64).map(|i| (i + 1).wrapping_mul(0x9e3779b97f4a7c15) % F::ORDER_U64);
        let matrix = RowMajorMatrix::new(words.map(F::from_u64).collect(), columns);
        let extended = Radix2DitParallel::default().coset_lde_batch(matrix.clone(), added_bits, shift);
        let natural = extended.to_row_major_matrix();
        let reversed = canonical(&natural.clone().bit_reverse_rows().to_row_major_matrix().values);
        let others = [
            Radix2Bowers.coset_lde_batch(matrix.clone(), added_bits, shift).to_row_major_matrix(),
            NaiveDft.coset_lde_batch(matrix, added_bits, shift).to_row_major_matrix(),
        ];
        assert!(others.iter().all(|other| *other == natural));
        let natural = canonical(&natural.values);
        out.push(format!(
            "{{\"field\": \"{name}\", \"rows\": {rows}, \"columns\": {columns}, \"added_bits\": {added_bits}, \"shift\": {},\n   \
             \"first\": {:?},\n   \"natural\": \"{}\",\n   \"bit_reversed\": \"{}\"}}",
            shift.as_canonical_u64(),
            &natural[..columns],
            digest(&natural, size),
            digest(&reversed, size)
        ));
    }
}

fn main() {
    let mut out = Vec::new();
    cases::<Goldilocks>("goldilocks", 36, &mut out);
    cases::<BabyBear>("babybear", 36, &mut out);
    cases::<KoalaBear>("koalabear", 36, &mut out);
    println!(
        "{{\"source\": \"p3-dft 0.8.0, p3-goldilocks 0.8.0, p3-baby-bear 0.8.0 and p3-koala-bear 0.8.0 by tests/vectors/plonky3; \
         first: row 0; natural, bit_reversed: SHA-256 of the words of all rows in that order, little endian, row after row\",\n \
         \"extensions\": [\n  {}\n]}}",
        out.join(",\n  ")
    );
}
