//! Whole proofs of p3-binary-pcs, Plonky3's polynomial commitments over binary fields, made with our commitments and
//! verified by the stock verifier.

use std::sync::Arc;

use merklize_plonky3::{Device, Hash, MerklizeMmcs, HAS_LIBRARY};
use p3_binary_field::{BinaryChallenger, BinaryField128, BinaryField64};
use p3_binary_pcs::{BinaryPcs, BinaryPcsConfig, BinaryPcsParams, BinaryPcsProof};
use p3_blake3::Blake3;
use p3_challenger::HashChallenger;
use p3_commit::MultilinearPcs;
use p3_field::PrimeCharacteristicRing;
use p3_keccak::Keccak256Hash;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_sumcheck::layout::{Layout, SuffixProver, Table};
use p3_sumcheck::{OpeningBatch, OpeningProtocol, TableShape, TableSpec};
use p3_symmetric::{CompressionFunctionFromHasher, SerializingHasher};
use rand::rngs::SmallRng;
use rand::SeedableRng;

type Compressor<H> = CompressionFunctionFromHasher<H, 2, 32>;
type Stock<A, H> = MerkleTreeMmcs<A, u8, SerializingHasher<H>, Compressor<H>, 2, 32>;
type Ours<A, H> = MerklizeMmcs<A, u8, SerializingHasher<H>, Compressor<H>, 2, 32>;

const VARIABLES: usize = 10;

/// The commitment and the proof of a polynomial with random coefficients in `$field`, whose challenges are in
/// GF(2^128).
macro_rules! proved {
    ($field:ty, $pcs:expr, $challenger:expr) => {{
        let table = Table::rand(&mut SmallRng::seed_from_u64(7), 1, VARIABLES);
        let witness = SuffixProver::<$field, BinaryField128>::new_witness(vec![table], 0);
        let mut challenger = $challenger;
        let (cap, data) = $pcs.commit(witness, &mut challenger).unwrap();
        (cap, $pcs.open(data, protocol(), &mut challenger).unwrap())
    }};
}

fn protocol() -> OpeningProtocol {
    let batch = OpeningBatch::new(vec![0], vec![]);
    OpeningProtocol::new(vec![TableSpec::new(TableShape::new(VARIABLES, 1), vec![batch])])
}

macro_rules! proofs_are_the_stock_ones {
    ($field:ty, $hasher:ident, $hash:expr) => {{
        type Field = $field;
        type StockPcs = BinaryPcs<Field, BinaryField128, Stock<Field, $hasher>, Stock<BinaryField128, $hasher>>;
        type StockProof = BinaryPcsProof<Field, BinaryField128, Stock<Field, $hasher>, Stock<BinaryField128, $hasher>>;
        type OurPcs = BinaryPcs<Field, BinaryField128, Ours<Field, $hasher>, Ours<BinaryField128, $hasher>>;
        let challenger = || BinaryChallenger::<Field, HashChallenger<u8, $hasher, 32>>::from_hasher(vec![], $hasher {});
        let params = BinaryPcsParams { log_inv_rate: 2, pow_bits: 4, security_level: 40 };
        let config = BinaryPcsConfig::try_new::<Field, BinaryField128>(VARIABLES, params).unwrap();
        let (hasher, compressor) = (SerializingHasher::new($hasher {}), Compressor::new($hasher {}));
        let stock = StockPcs::new(
            config,
            Stock::new(hasher.clone(), compressor.clone(), 0),
            Stock::new(hasher.clone(), compressor.clone(), 0),
        )
        .unwrap();
        let cpu = HAS_LIBRARY.then(|| Arc::new(Device::open("cpu").unwrap()));
        let ours = OurPcs::new(
            config,
            Ours::new(hasher.clone(), compressor.clone(), 0, $hash, cpu.clone()).unwrap(),
            Ours::new(hasher, compressor, 0, $hash, cpu).unwrap(),
        )
        .unwrap();

        let (stock_cap, stock_proof) = proved!(Field, stock, challenger());
        let (cap, proof) = proved!(Field, ours, challenger());
        assert_eq!(cap, stock_cap);
        let text = serde_json::to_string(&proof).unwrap();
        assert_eq!(text, serde_json::to_string(&stock_proof).unwrap());
        let mut read: StockProof = serde_json::from_str(&text).unwrap();
        stock.verify(&cap, &read, &mut challenger(), protocol()).unwrap();
        ours.verify(&cap, &proof, &mut challenger(), protocol()).unwrap();
        read.base_opened_values[0][0] += Field::ONE;
        assert!(stock.verify(&cap, &read, &mut challenger(), protocol()).is_err());
    }};
}

#[test]
fn coefficients_of_16_bytes() {
    proofs_are_the_stock_ones!(BinaryField128, Keccak256Hash, Hash::KECCAK256);
    proofs_are_the_stock_ones!(BinaryField128, Blake3, Hash::BLAKE3);
}

/// Rows of the first tree are words of 64 bits, those of the others elements of GF(2^128).
#[test]
fn coefficients_of_8_bytes() {
    proofs_are_the_stock_ones!(BinaryField64, Blake3, Hash::BLAKE3);
}
