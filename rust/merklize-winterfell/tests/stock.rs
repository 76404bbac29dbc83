//! Compares with Winterfell itself: its trees, its commitments to rows, its prover and its verifier.

#[path = "../examples/cubes/air.rs"]
mod air;

use std::marker::PhantomData;
use std::sync::Arc;

use air::{cubes_trace, ends_of, CubesAir, CubesProver, Ends};
use merklize::Hash;
use merklize_winterfell::{
    catch, commit_to_rows, Device, DeviceField, DeviceHasher, ErrorKind, MerklizeTraceLde, MerklizeTree, TreeError,
    HAS_LIBRARY,
};
use winter_prover::math::{fft, FieldElement, StarkField};
use winter_prover::proof::Queries;
use winterfell::crypto::hashers::{Blake3_256, Rp64_256, RpJive64_256};
use winterfell::crypto::{
    BatchMerkleProof, DefaultRandomCoin, Digest, ElementHasher, Hasher, MerkleTree, VectorCommitment,
};
use winterfell::math::fields::{f128, f62, f64, CubeExtension, QuadExtension};
use winterfell::matrix::{ColMatrix, RowMatrix};
use winterfell::{
    verify, AcceptableOptions, BatchingMethod, DefaultTraceLde, EvaluationFrame, FieldExtension, PartitionOptions,
    Proof, ProofOptions, Prover, StarkDomain, TraceInfo, TraceLde,
};

type F = f64::BaseElement;
type Blake3 = Blake3_256<F>;

/// None where the library does not run: then Winterfell's own code commits.
fn cpu() -> Option<Arc<Device>> {
    HAS_LIBRARY.then(|| Arc::new(Device::open("cpu").unwrap()))
}

/// Reproducible numbers (SplitMix64).
fn random(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

fn digests<H: Hasher>(n: usize) -> Vec<H::Digest> {
    (0..n as u64).map(|i| H::hash(&i.to_le_bytes())).collect()
}

fn trees_are_the_stock_trees<H: DeviceHasher>() {
    let mut next = random(1);
    for height in 1..10 {
        let n = 1 << height;
        let leaves = digests::<H>(n);
        let (stock, ours) = (MerkleTree::<H>::new(leaves.clone()).unwrap(), MerklizeTree::<H>::new(leaves).unwrap());
        assert_eq!((ours.commitment(), ours.domain_len()), (*stock.root(), n));
        for _ in 0..10 {
            let index = next() as usize % n;
            let (leaf, proof) = ours.open(index).unwrap();
            assert_eq!((leaf, proof.clone()), stock.prove(index).unwrap());
            MerkleTree::<H>::verify(*stock.root(), index, leaf, &proof).unwrap();
            MerklizeTree::<H>::verify(*stock.root(), index, leaf, &proof).unwrap();
            assert_eq!(MerklizeTree::<H>::get_proof_domain_len(&proof), n);
            // Several leaves, in any order.
            let mut indexes: Vec<usize> = (0..1 + next() as usize % n.min(20)).map(|_| next() as usize % n).collect();
            let mut seen = std::collections::HashSet::new();
            indexes.retain(|index| seen.insert(*index));
            let (leaves, many) = ours.open_many(&indexes).unwrap();
            let (stock_leaves, stock_many) = stock.prove_batch(&indexes).unwrap();
            assert_eq!((&leaves, &many.nodes, many.depth), (&stock_leaves, &stock_many.nodes, stock_many.depth));
            MerkleTree::<H>::verify_batch(stock.root(), &indexes, &leaves, &many).unwrap();
            MerklizeTree::<H>::verify_many(*stock.root(), &indexes, &leaves, &many).unwrap();
            assert_eq!(MerklizeTree::<H>::get_multiproof_domain_len(&many), n);
            forgeries_are_refused::<H>(*stock.root(), &indexes, &leaves, &many);
        }
    }
}

fn forgeries_are_refused<H: DeviceHasher>(
    root: H::Digest,
    indexes: &[usize],
    leaves: &[H::Digest],
    proof: &BatchMerkleProof<H>,
) {
    let other = H::hash(b"another");
    let refused = |leaves: &[H::Digest], proof: &BatchMerkleProof<H>| {
        assert!(matches!(MerklizeTree::<H>::verify_many(root, indexes, leaves, proof), Err(TreeError::InvalidProof)));
    };
    for i in 0..leaves.len() {
        let mut wrong = leaves.to_vec();
        wrong[i] = other;
        refused(&wrong, proof);
        refused(&leaves[..i], proof);
    }
    let copy = || BatchMerkleProof::<H> { nodes: proof.nodes.clone(), depth: proof.depth };
    for (i, j) in (0..proof.nodes.len()).flat_map(|i| (0..proof.nodes[i].len()).map(move |j| (i, j))) {
        let mut wrong = copy();
        wrong.nodes[i][j] = other;
        refused(leaves, &wrong);
        wrong.nodes[i].truncate(j);
        refused(leaves, &wrong);
    }
    for depth in [0, proof.depth - 1, proof.depth + 1, 63, 64, 255] {
        refused(leaves, &BatchMerkleProof { depth, ..copy() });
    }
    refused(leaves, &BatchMerkleProof { nodes: vec![], ..copy() });
}

#[test]
fn trees() {
    trees_are_the_stock_trees::<Rp64_256>();
    trees_are_the_stock_trees::<RpJive64_256>();
    trees_are_the_stock_trees::<Blake3>();
}

#[test]
fn wrong_calls_and_malformed_proofs_are_errors() {
    type T = MerklizeTree<Blake3>;
    assert!(matches!(T::new(vec![]), Err(TreeError::TooFewLeaves(0))));
    assert!(matches!(T::new(digests::<Blake3>(1)), Err(TreeError::TooFewLeaves(1))));
    assert!(matches!(T::new(digests::<Blake3>(6)), Err(TreeError::Library(_))));
    let tree = T::new(digests::<Blake3>(8)).unwrap();
    for wrong in [&[][..], &[8], &[1, 1], &[usize::MAX]] {
        assert!(matches!(tree.open_many(wrong), Err(TreeError::Library(_))), "{wrong:?}");
    }
    assert!(tree.open(8).is_err());
    let (leaf, proof) = tree.open(3).unwrap();
    let root = tree.commitment();
    assert!(T::verify(root, 3, leaf, &vec![]).is_err());
    assert!(T::verify(root, 11, leaf, &proof).is_err());
    assert!(T::verify(root, 3, leaf, &vec![leaf; 200]).is_err());
    assert!(T::verify(root, 3, root, &proof).is_err());
}

/// Winterfell's own hashers, with the library's name of the same hash, or of another hash.
macro_rules! hasher_of {
    ($name:ident, $stock:ty, $hash:expr, $merge:expr) => {
        #[derive(Clone)]
        struct $name;
        impl Hasher for $name {
            type Digest = <$stock as Hasher>::Digest;
            const COLLISION_RESISTANCE: u32 = 128;
            fn hash(bytes: &[u8]) -> Self::Digest {
                <$stock>::hash(bytes)
            }
            fn merge(values: &[Self::Digest; 2]) -> Self::Digest {
                let merge: fn(&[Self::Digest; 2]) -> Self::Digest = $merge;
                merge(values)
            }
            fn merge_many(values: &[Self::Digest]) -> Self::Digest {
                <$stock>::merge_many(values)
            }
            fn merge_with_int(seed: Self::Digest, value: u64) -> Self::Digest {
                <$stock>::merge_with_int(seed, value)
            }
        }
        impl ElementHasher for $name {
            type BaseField = F;
            fn hash_elements<E: FieldElement<BaseField = F>>(elements: &[E]) -> Self::Digest {
                <$stock>::hash_elements(elements)
            }
        }
        impl DeviceHasher for $name {
            const HASH: Hash = $hash;
        }
    };
}
hasher_of!(Right, Rp64_256, Hash::RP64_256, Rp64_256::merge);
hasher_of!(OtherRelease, Rp64_256, Hash::RP64_256_V1, Rp64_256::merge);
hasher_of!(OtherSponge, RpJive64_256, Hash::RP64_256, RpJive64_256::merge);
hasher_of!(OtherFamily, Blake3, Hash::SHA256, Blake3::merge);
hasher_of!(OtherMerge, Blake3, Hash::BLAKE3, |[left, right]| Blake3::merge(&[*right, *left]));

/// If a hasher named another hash, the proofs would not belong to the commitment.
#[test]
fn a_hasher_that_names_another_hash_is_refused() {
    if !HAS_LIBRARY {
        return println!("skipped: the library does not run here");
    }
    fn refused<H: DeviceHasher<BaseField = F>>(rule: &str) {
        let matrix = RowMatrix::evaluate_polys::<8>(&ColMatrix::new(vec![vec![F::new(7); 16]]), 4);
        let rows: Result<MerklizeTree<H>, _> = commit_to_rows(&matrix, PartitionOptions::default(), cpu());
        for error in [MerklizeTree::<H>::new(digests::<H>(8)).err().unwrap(), rows.err().unwrap()] {
            let (text, name) = (error.to_string(), std::any::type_name::<H>());
            assert!(matches!(error, TreeError::Library(_)) && text.contains(name) && text.contains(rule), "{text}");
        }
    }
    trees_are_the_stock_trees::<Right>();
    refused::<OtherRelease>("is rp64_256_v1, which hashes rows otherwise");
    refused::<OtherSponge>("is rp64_256_v3, which hashes rows otherwise");
    refused::<OtherFamily>("is sha256, which hashes rows otherwise");
    refused::<OtherMerge>("is blake3, which merges digests otherwise");
}

/// Matrices of many widths, whose rows are padded, and elements of several words.
fn rows_are_the_stock_rows<E, H>(width: usize, partitions: PartitionOptions)
where
    E: FieldElement<BaseField: DeviceField>,
    H: DeviceHasher<BaseField = E::BaseField>,
{
    let mut next = random(width as u64);
    let mut column = || (0..16).map(|_| E::from(next() as u32) * E::from(next() as u32)).collect::<Vec<E>>();
    let polys = ColMatrix::new((0..width).map(|_| column()).collect());
    let matrix = RowMatrix::evaluate_polys::<8>(&polys, 4);
    let stock: MerkleTree<H> = matrix.commit_to_rows(partitions);
    for device in [None, cpu()] {
        let ours: MerklizeTree<H> = commit_to_rows(&matrix, partitions, device).unwrap();
        assert_eq!(*stock.root(), ours.commitment(), "{width} columns");
    }
}

#[test]
fn rows() {
    let whole = PartitionOptions::default();
    for width in [1, 2, 3, 7, 8, 9, 16, 17, 40] {
        rows_are_the_stock_rows::<F, Rp64_256>(width, whole);
        rows_are_the_stock_rows::<QuadExtension<F>, Rp64_256>(width, whole);
        rows_are_the_stock_rows::<CubeExtension<F>, Rp64_256>(width, whole);
        rows_are_the_stock_rows::<F, RpJive64_256>(width, whole);
        rows_are_the_stock_rows::<CubeExtension<F>, RpJive64_256>(width, whole);
        rows_are_the_stock_rows::<F, Blake3>(width, whole);
        rows_are_the_stock_rows::<CubeExtension<F>, Blake3>(width, whole);
        rows_are_the_stock_rows::<f62::BaseElement, Blake3_256<f62::BaseElement>>(width, whole);
        rows_are_the_stock_rows::<QuadExtension<f128::BaseElement>, Blake3_256<f128::BaseElement>>(width, whole);
        rows_are_the_stock_rows::<F, Rp64_256>(width, PartitionOptions::new(4, 8));
    }
}

/// Many widths, hashes that take the rows as they lie or copied, and every number of rows that are opened.
fn openings_without_levels<E, H>(width: usize)
where
    E: FieldElement<BaseField = H::BaseField>,
    H: DeviceHasher<BaseField: DeviceField> + Sync,
{
    let (rows, blowup) = (16, 8);
    let twiddles = fft::get_twiddles::<H::BaseField>(rows);
    let domain = StarkDomain::from_twiddles(twiddles, blowup, H::BaseField::GENERATOR);
    let info = TraceInfo::new(width, rows);
    let mut next = random(width as u64);
    let mut column = || (0..rows).map(|_| H::BaseField::from(next() as u32)).collect::<Vec<_>>();
    let main = ColMatrix::new((0..width).map(|_| column()).collect());
    let whole = PartitionOptions::default();
    let (stock, _) = DefaultTraceLde::<E, H, MerkleTree<H>>::new(&info, &main, &domain, whole);
    let mut next = random(3);
    let on_cpu = [0, 1, 3, 6, 7, 8, u32::MAX].map(|drop_levels| (drop_levels, cpu()));
    for (drop_levels, device) in on_cpu.into_iter().chain([(0, None)]) {
        let made = MerklizeTraceLde::<E, H>::with_drop_levels(&info, &main, &domain, whole, drop_levels, device);
        let ours = made.unwrap().0;
        assert_eq!(stock.get_main_trace_commitment(), ours.get_main_trace_commitment());
        for count in [1, 2, 3, 17, 64, 128] {
            let mut positions: Vec<usize> = (0..rows * blowup).collect();
            (0..positions.len()).for_each(|i| positions.swap(i, next() as usize % (rows * blowup)));
            positions.truncate(count);
            assert_eq!(stock.query(&positions), ours.query(&positions), "{drop_levels} levels, {positions:?}");
        }
    }
}

#[test]
fn openings_without_the_lowest_levels() {
    for width in [1, 7, 8, 9] {
        openings_without_levels::<F, Rp64_256>(width);
        openings_without_levels::<F, RpJive64_256>(width);
        openings_without_levels::<QuadExtension<F>, Blake3>(width);
        openings_without_levels::<f62::BaseElement, Blake3_256<f62::BaseElement>>(width);
        openings_without_levels::<f128::BaseElement, Blake3_256<f128::BaseElement>>(width);
    }
}

#[test]
fn traces_with_an_auxiliary_segment() {
    type E = QuadExtension<F>;
    let (rows, blowup) = (16, 8);
    let domain = StarkDomain::from_twiddles(fft::get_twiddles::<F>(rows), blowup, F::GENERATOR);
    let info = TraceInfo::new_multi_segment(5, 3, 2, rows, vec![]);
    let mut next = random(7);
    let main = ColMatrix::new((0..5).map(|_| (0..rows).map(|_| F::from(next() as u32)).collect()).collect());
    let aux = ColMatrix::new(
        (0..3).map(|_| (0..rows).map(|_| E::new(F::from(next() as u32), F::from(next() as u32))).collect()).collect(),
    );
    let whole = PartitionOptions::default();
    let (mut stock, _) = DefaultTraceLde::<E, Rp64_256, MerkleTree<Rp64_256>>::new(&info, &main, &domain, whole);
    let (mut ours, _) =
        MerklizeTraceLde::<E, Rp64_256>::with_drop_levels(&info, &main, &domain, whole, 2, cpu()).unwrap();
    assert_eq!(stock.get_main_trace_commitment(), ours.get_main_trace_commitment());
    let ((_, a), (_, b)) = (stock.set_aux_trace(&aux, &domain), ours.set_aux_trace(&aux, &domain));
    assert_eq!(a, b);
    assert_eq!(stock.query(&[0, 9, 127]), ours.query(&[0, 9, 127]));
    assert_eq!((stock.trace_len(), stock.blowup()), (ours.trace_len(), ours.blowup()));
    for step in [0, 1, 126, 127] {
        let (mut a, mut b) = (EvaluationFrame::new(5), EvaluationFrame::new(5));
        stock.read_main_trace_frame_into(step, &mut a);
        ours.read_main_trace_frame_into(step, &mut b);
        assert_eq!((a.current(), a.next()), (b.current(), b.next()));
        let (mut a, mut b) = (EvaluationFrame::<E>::new(3), EvaluationFrame::<E>::new(3));
        stock.read_aux_trace_frame_into(step, &mut a);
        ours.read_aux_trace_frame_into(step, &mut b);
        assert_eq!((a.current(), a.next()), (b.current(), b.next()));
    }
}

#[path = "../examples/cubes/stock_prover.rs"]
mod stock_prover;
use stock_prover::StockProver;

fn accepted<H: DeviceHasher<BaseField = F> + Sync>(proof: Proof, ends: Ends, options: &ProofOptions) -> bool {
    let acceptable = AcceptableOptions::OptionSet(vec![options.clone()]);
    verify::<CubesAir, H, DefaultRandomCoin<H>, MerkleTree<H>>(proof, ends, &acceptable).is_ok()
}

fn proofs_are_the_stock_proofs<H: DeviceHasher<BaseField = F> + Send + Sync>(extension: FieldExtension) {
    let batching = BatchingMethod::Linear;
    let options = ProofOptions::new(12, 8, 0, extension, 4, 7, batching, batching);
    let (rows, trace) = (64, cubes_trace(64));
    let ends = ends_of(&trace);
    let stock = StockProver::<H> { options: options.clone(), hasher: PhantomData }.prove(trace.clone()).unwrap();
    let prove = |(device, drop_levels)| {
        let ours = CubesProver::<H> { options: options.clone(), device, drop_levels, hasher: PhantomData };
        let proof = catch(|| ours.prove(trace.clone())).unwrap().unwrap();
        assert_eq!(proof.to_bytes(), stock.to_bytes(), "without {drop_levels} levels");
        proof
    };
    let [proof, ..] = [(cpu(), 0), (cpu(), 2), (cpu(), 99), (None, 0)].map(prove);
    assert!(accepted::<H>(proof.clone(), ends, &options));
    assert!(!accepted::<H>(proof.clone(), Ends([ends.0[1], ends.0[0]]), &options));

    // One digest is changed, first in the commitments, then in each opening.
    let domain = rows * options.blowup_factor();
    let mut forged = proof.clone();
    let root = proof.commitments.clone().parse::<H>(1, 2).unwrap().0[0];
    let mut bytes = proof.to_bytes();
    let at = bytes.windows(32).position(|window| window == root.as_bytes()).unwrap();
    bytes[at] ^= 1;
    assert!(!accepted::<H>(Proof::from_bytes(&bytes).unwrap(), ends, &options));
    let changed = |queries: &Queries, width: usize| -> Queries {
        let n = proof.num_unique_queries as usize;
        let (mut opening, table) = queries.clone().parse::<F, H, MerkleTree<H>>(domain, n, width).unwrap();
        let nodes = opening.nodes.iter_mut().find(|nodes| !nodes.is_empty()).unwrap();
        nodes[0] = H::hash(b"another");
        Queries::new::<H, F, MerkleTree<H>>(opening, table.rows().map(|row| row.to_vec()).collect())
    };
    forged.trace_queries[0] = changed(&proof.trace_queries[0], 16);
    assert!(!accepted::<H>(forged, ends, &options));
    let mut forged = proof.clone();
    let columns = 2 * if extension == FieldExtension::Quadratic { 2 } else { 1 };
    forged.constraint_queries = changed(&proof.constraint_queries, columns);
    assert!(!accepted::<H>(forged, ends, &options));
}

#[test]
fn proofs() {
    for extension in [FieldExtension::None, FieldExtension::Quadratic] {
        proofs_are_the_stock_proofs::<Rp64_256>(extension);
        proofs_are_the_stock_proofs::<RpJive64_256>(extension);
        proofs_are_the_stock_proofs::<Blake3>(extension);
    }
}

#[test]
fn a_device_that_cannot_be_used_is_an_error() {
    let missing = Device::open("cuda:99").unwrap_err();
    let why = if HAS_LIBRARY { "cuda" } else { "the library runs on Linux" };
    assert!(missing.kind() == ErrorKind::Unavailable && missing.to_string().contains(why), "{missing}");
}
