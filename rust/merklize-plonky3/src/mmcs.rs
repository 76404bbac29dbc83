use std::sync::Arc;

use merklize::{hash_rows, merge, or_raise, Device, Error, Hash, Options};
use p3_commit::{BatchOpening, BatchOpeningRef, Mmcs};
use p3_field::PackedValue;
use p3_matrix::{Dimensions, Matrix};
use p3_merkle_tree::{MerkleTreeError, MerkleTreeMmcs, PrunedMerklePaths};
use p3_symmetric::{CryptographicHasher, MerkleCap, PseudoCompressionFunction};
use serde::{Deserialize, Serialize};

use crate::commitment::Layers;
use crate::elements::{write_row, DeviceDigest, DeviceElement};

/// Plonky3's `MerkleTreeMmcs` with the digests of rows and the tree made on a device. Commitments, openings and pruned paths have the stock types and values:
/// a verifier with the stock scheme accepts them. Parameters as those of `MerkleTreeMmcs`.
///
/// `commit` cannot fail by its trait. An error of the device leaves it as a panic that [`catch`](crate::catch) turns into a value again.
#[derive(Clone, Debug)]
pub struct MerklizeMmcs<P, PW, H, C, const N: usize, const DIGEST: usize> {
    stock: MerkleTreeMmcs<P, PW, H, C, N, DIGEST>,
    hash: Hash,
    device: Arc<Device>,
}

/// What opens a commitment: the matrices and the tree over their rows.
pub struct MerklizeProverData<M> {
    matrices: Vec<M>,
    layers: Layers,
}

impl<P, PW, H, C, const DIGEST: usize> MerklizeMmcs<P, PW, H, C, 2, DIGEST>
where
    P: PackedValue<Value: DeviceElement>,
    PW: PackedValue,
    H: CryptographicHasher<P::Value, [PW::Value; DIGEST]>,
    C: PseudoCompressionFunction<[PW::Value; DIGEST], 2>,
    [PW::Value; DIGEST]: DeviceDigest + PartialEq,
{
    /// hasher, compressor   the stock ones, which verify
    /// library_hash         the same hash in the library. It is compared with both: constants of a permutation may differ
    ///
    /// # Errors
    /// A hash that computes something else than the hasher or the compressor.
    pub fn new(
        hasher: H,
        compressor: C,
        cap_height: usize,
        library_hash: Hash,
        device: Arc<Device>,
    ) -> Result<Self, Error> {
        check_same(&hasher, &compressor, library_hash)?;
        Ok(Self { stock: MerkleTreeMmcs::new(hasher, compressor, cap_height), hash: library_hash, device })
    }

    /// The stock scheme, which verifies.
    pub fn stock(&self) -> &MerkleTreeMmcs<P, PW, H, C, 2, DIGEST> {
        &self.stock
    }
}

/// Rows of every length up to two blocks of the widest rate, and a node.
pub(crate) fn check_same<T, D, H, C>(hasher: &H, compressor: &C, hash: Hash) -> Result<(), Error>
where
    T: DeviceElement,
    D: DeviceDigest + PartialEq,
    H: CryptographicHasher<T, D>,
    C: PseudoCompressionFunction<D, 2>,
{
    let differs = |what: &str| {
        let name = hash.name();
        let rule = format!("MerklizeMmcs: the {what} must be {name} with its constants, but computes something else");
        Err(Error::invalid_argument(rule))
    };
    let info = hash.info();
    if info.modulus.is_some_and(|modulus| modulus != T::MODULUS) {
        return differs("hasher");
    }
    let cpu = Device::open("cpu")?;
    let options = Options::new().device(&cpu).threads(1);
    let row: Vec<T> = (0..34).map(|i| T::from_u64(i * i + 1)).collect();
    let mut digests = vec![];
    for length in 1..=row.len() {
        let mut words = vec![T::Word::default(); length];
        write_row(info.modulus.is_some(), &row[..length], &mut words);
        let digest = D::from_library(hash_rows(hash, &words, length, &options)?[0]);
        if digest != hasher.hash_slice(&row[..length]) {
            return differs("hasher");
        }
        digests.push(digest);
    }
    let node = merge(hash, digests[0].to_library(), digests[1].to_library(), &options)?;
    if D::from_library(node) != compressor.compress([digests[0], digests[1]]) {
        return differs("compressor");
    }
    Ok(())
}

impl<P, PW, H, C, const DIGEST: usize> Mmcs<P::Value> for MerklizeMmcs<P, PW, H, C, 2, DIGEST>
where
    P: PackedValue<Value: DeviceElement>,
    PW: PackedValue,
    H: CryptographicHasher<P::Value, [PW::Value; DIGEST]> + CryptographicHasher<P, [PW; DIGEST]> + Sync,
    C: PseudoCompressionFunction<[PW::Value; DIGEST], 2> + PseudoCompressionFunction<[PW; DIGEST], 2> + Sync,
    PW::Value: Eq + Clone,
    [PW::Value; DIGEST]: DeviceDigest + Serialize + for<'de> Deserialize<'de>,
{
    type ProverData<M> = MerklizeProverData<M>;
    type Commitment = MerkleCap<P::Value, [PW::Value; DIGEST]>;
    type Proof = Vec<[PW::Value; DIGEST]>;
    type MultiProof = PrunedMerklePaths<PW::Value, DIGEST>;
    type Error = MerkleTreeError;

    fn commit<M: Matrix<P::Value>>(&self, inputs: Vec<M>) -> (Self::Commitment, Self::ProverData<M>) {
        let layers = or_raise(Layers::of(&inputs, self.hash, &self.device));
        let cap = layers.cap(self.stock.cap_height()).iter().map(|digest| DeviceDigest::from_library(*digest));
        (MerkleCap::new(cap.collect()), MerklizeProverData { matrices: inputs, layers })
    }

    fn open_batch<M: Matrix<P::Value>>(
        &self,
        index: usize,
        data: &Self::ProverData<M>,
    ) -> BatchOpening<P::Value, Self> {
        let siblings = data.layers.siblings(data.checked(index), self.stock.cap_height());
        BatchOpening::new(data.rows(index), siblings.into_iter().map(DeviceDigest::from_library).collect())
    }

    fn get_matrices<'a, M: Matrix<P::Value>>(&self, data: &'a Self::ProverData<M>) -> Vec<&'a M> {
        data.matrices.iter().collect()
    }

    fn verify_batch(
        &self,
        commit: &Self::Commitment,
        dimensions: &[Dimensions],
        index: usize,
        opening: BatchOpeningRef<'_, P::Value, Self>,
    ) -> Result<(), MerkleTreeError> {
        let opening = BatchOpeningRef::new(opening.opened_values, opening.opening_proof);
        self.stock.verify_batch(commit, dimensions, index, opening)
    }

    fn open_multi_batch<M: Matrix<P::Value>>(
        &self,
        indices: &[usize],
        data: &Self::ProverData<M>,
    ) -> (Vec<Vec<Vec<P::Value>>>, Self::MultiProof) {
        let rows = indices.iter().map(|&index| data.rows(data.checked(index))).collect();
        let siblings = data.layers.siblings_together(indices, self.stock.cap_height());
        (rows, PrunedMerklePaths { sibling_hashes: siblings.into_iter().map(DeviceDigest::from_library).collect() })
    }

    fn verify_multi_batch<R: AsRef<[P::Value]> + PartialEq>(
        &self,
        commit: &Self::Commitment,
        dimensions: &[Dimensions],
        indices: &[usize],
        opened_values: &[Vec<R>],
        proof: &Self::MultiProof,
    ) -> Result<(), MerkleTreeError> {
        self.stock.verify_multi_batch(commit, dimensions, indices, opened_values, proof)
    }
}

impl<M> MerklizeProverData<M> {
    /// The row of each matrix that belongs to a leaf.
    fn rows<T: DeviceElement>(&self, index: usize) -> Vec<Vec<T>>
    where
        M: Matrix<T>,
    {
        let bits = |height: usize| height.next_power_of_two().ilog2();
        let tallest = self.n_leaves();
        let row = |matrix: &M| {
            let row = index >> (bits(tallest) - bits(matrix.height()));
            matrix.row_slice(row).expect("heights were checked").to_vec()
        };
        self.matrices.iter().map(row).collect()
    }

    fn n_leaves<T: Send + Sync + Clone>(&self) -> usize
    where
        M: Matrix<T>,
    {
        self.matrices.iter().map(|matrix| matrix.height()).max().unwrap_or(0)
    }

    /// The index, which a leaf must have.
    fn checked<T: Send + Sync + Clone>(&self, index: usize) -> usize
    where
        M: Matrix<T>,
    {
        let n = self.n_leaves();
        or_raise(match index < n {
            true => Ok(index),
            false => Err(Error::invalid_argument(format!("open: index must be below {n}, got {index}"))),
        })
    }
}
