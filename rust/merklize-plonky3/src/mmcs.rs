use core::fmt;
use std::sync::{Arc, OnceLock};

use merklize::{hash_leaves, or_raise, Buffer, Device, Digest, Error, ErrorKind, Hash, MatrixCommitment, Options};
use p3_commit::{BatchOpening, BatchOpeningRef, Mmcs};
use p3_dft::Radix2DitParallel;
use p3_field::{PackedValue, TwoAdicField};
use p3_matrix::dense::RowMajorMatrix;
use p3_matrix::{Dimensions, Matrix};
use p3_merkle_tree::{MerkleTree, MerkleTreeError, MerkleTreeMmcs, PrunedMerklePaths};
use p3_symmetric::{CryptographicHasher, MerkleCap, PseudoCompressionFunction};
use serde::{Deserialize, Serialize};

use crate::commitment::{commit, commit_extended, commit_words, Committed, Form, Late};
use crate::dft::{plonky3_extension, TwoAdicElement};
use crate::elements::{write_row, DeviceDigest, DeviceElement};
use crate::elsewhere::drop_matrices;
use crate::pcs::PLONKY3_HAS_VECTORS;

/// Plonky3's `MerkleTreeMmcs`, whose digests of rows and whose tree are computed on a device. Commitments, openings and
/// pruned paths have the stock types and values, so a verifier with the stock scheme accepts them. The type parameters
/// are those of `MerkleTreeMmcs`. Without a device Plonky3's own code makes them.
///
/// The trait's `commit` returns no errors. So an error of the device is a panic there, and [`catch`](crate::catch)
/// turns it back into a value.
#[derive(Clone, Debug)]
pub struct MerklizeMmcs<P, PW, H, C, const N: usize, const DIGEST: usize> {
    stock: MerkleTreeMmcs<P, PW, H, C, N, DIGEST>,
    /// The same scheme with the root alone as its cap. It tells how many layers a tree has.
    whole: MerkleTreeMmcs<P, PW, H, C, N, DIGEST>,
    drop_levels: usize,
    /// None: Plonky3's own code commits.
    on_device: Option<OnDevice>,
    /// Where it commits to matrices of fewer bytes than the number, if that is elsewhere.
    of_small: Option<(usize, Option<OnDevice>)>,
}

#[derive(Clone, Debug)]
struct OnDevice {
    device: Arc<Device>,
    hash: Hash,
}

/// What opens a commitment: the matrices and the tree over their rows. Clones share both. `S` is the stock scheme's own
/// data, which a commitment without a device has.
///
/// It has no traits of serde, since nodes and extensions may lie in the memory of a device: write the matrices, and
/// commit to them again, which gives the same commitment.
pub struct MerklizeProverData<M, S>(Arc<Data<M, S>>);

enum Data<M, S> {
    OnDevice(Parts<M>),
    /// Plonky3's own tree and its cap.
    Stock(S, Vec<Digest>),
}

struct Parts<M> {
    committed: Late<M>,
    commitment: MatrixCommitment,
    resident: Arc<Vec<Buffer>>,
    /// Made when the device has no memory left to make dropped nodes again.
    by_cpu: OnceLock<MatrixCommitment>,
}

impl<M, S> Clone for MerklizeProverData<M, S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<M: fmt::Debug, S: fmt::Debug> fmt::Debug for MerklizeProverData<M, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = f.debug_struct("MerklizeProverData");
        match &*self.0 {
            Data::OnDevice(Parts { committed, commitment, resident, .. }) => parts
                .field("matrices", &committed.made().map(Committed::matrices))
                .field("commitment", commitment)
                .field("resident", resident),
            Data::Stock(tree, _) => parts.field("tree", tree),
        };
        parts.finish()
    }
}

impl<P, PW, H, C, const N: usize, const DIGEST: usize> MerklizeMmcs<P, PW, H, C, N, DIGEST>
where
    P: PackedValue<Value: DeviceElement>,
    PW: PackedValue,
    H: CryptographicHasher<P::Value, [PW::Value; DIGEST]>,
    C: PseudoCompressionFunction<[PW::Value; DIGEST], N>,
    [PW::Value; DIGEST]: DeviceDigest + PartialEq,
{
    /// hasher, compressor   the stock ones, which verify
    /// library_hash         the same hash in the library. It is compared with both, because constants may differ
    /// device               `None`: as [`without_device`](Self::without_device)
    ///
    /// # Errors
    /// The library's hash computes something else than the hasher or the compressor.
    pub fn new(
        hasher: H,
        compressor: C,
        cap_height: usize,
        library_hash: Hash,
        device: impl Into<Option<Arc<Device>>>,
    ) -> Result<Self, Error> {
        let Some(device) = device.into() else {
            return Ok(Self::without_device(hasher, compressor, cap_height));
        };
        check_same(&hasher, &compressor, library_hash)?;
        let on_device = Some(OnDevice { device, hash: library_hash });
        Ok(Self { on_device, ..Self::without_device(hasher, compressor, cap_height) })
    }

    /// The scheme whose commitments and openings Plonky3's own code makes, with the same types and values: for systems
    /// where the library does not run ([`HAS_LIBRARY`](crate::HAS_LIBRARY)), on which no hash of the library can be
    /// made, either.
    pub fn without_device(hasher: H, compressor: C, cap_height: usize) -> Self {
        let whole = MerkleTreeMmcs::new(hasher.clone(), compressor.clone(), 0);
        let stock = MerkleTreeMmcs::new(hasher, compressor, cap_height);
        Self { stock, whole, drop_levels: 0, on_device: None, of_small: None }
    }

    /// The same scheme, but commitments do not keep the nodes of the `levels` lowest layers. In binary trees the nodes
    /// then take 2^-`levels` of the memory. An opening computes these nodes again, from the 2^`levels` rows around its
    /// own. Proofs are the same. The layers from the cap up are kept. All layers are kept where matrices are copied,
    /// which happens if rows are not contiguous or the hash takes the elements in another form; and without a device.
    #[must_use]
    pub fn drop_levels(self, levels: usize) -> Self {
        Self { drop_levels: levels, ..self }
    }

    /// The cap is at most as high as the tree, as in the stock scheme. The library fills a cap with zeros up to a power
    /// of two; the stock scheme has no such caps.
    fn form(&self, hash: Hash, dimensions: Vec<Dimensions>) -> Result<Form, Error> {
        let schedule = self.whole.proof_arity_schedule(&dimensions);
        let layers = schedule.map_err(|error| Error::invalid_argument(format!("commit: {error}")))?.len();
        let cap = self.stock.cap_height().min(layers);
        if N != 2 && cap != 0 {
            let rule = format!("commit: cap_height must be 0 for trees of arity {N}, got {cap}");
            return Err(Error::invalid_argument(rule));
        }
        // A layer has an even number of nodes; zeros follow an odd last one.
        let tallest = dimensions.iter().map(|matrix| matrix.height).max().unwrap_or(0);
        let nodes = tallest.div_ceil(1 << (layers - cap));
        let length = if nodes > 1 { nodes.next_multiple_of(2) } else { nodes };
        if N == 2 && length != 1 << cap {
            return Err(Error::invalid_argument(format!(
                "commit: the layer of cap_height {cap} must have a power of two of nodes, but above {tallest} rows it has {length}"
            )));
        }
        let drop_levels = self.drop_levels.min(layers - cap);
        Ok(Form { hash, arity: N, cap_height: cap, drop_levels })
    }

    /// Where it commits to so many bytes. None: Plonky3's own code commits.
    fn of_bytes(&self, bytes: usize) -> Option<&OnDevice> {
        match &self.of_small {
            Some((least, on_device)) if bytes < *least => on_device.as_ref(),
            _ => self.on_device.as_ref(),
        }
    }

    /// The stock scheme, which verifies openings.
    pub fn stock(&self) -> &MerkleTreeMmcs<P, PW, H, C, N, DIGEST> {
        &self.stock
    }
}

/// Compares the hashes on rows of every length up to two blocks of the widest rate, and on one node.
pub(crate) fn check_same<T, D, H, C, const N: usize>(hasher: &H, compressor: &C, hash: Hash) -> Result<(), Error>
where
    T: DeviceElement,
    D: DeviceDigest + PartialEq,
    H: CryptographicHasher<T, D>,
    C: PseudoCompressionFunction<D, N>,
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
    // Powers of a generator, because the integers of a binary field are 0 and 1.
    let row: Vec<T> = (0..34.max(N as u64)).map(|i| T::GENERATOR.exp_u64(i * i + 1)).collect();
    for length in 1..=row.len() {
        let mut words = vec![T::Word::default(); length];
        write_row(info.modulus.is_some(), &row[..length], &mut words);
        let digest = D::from_library(hash_leaves(&words, length, hash, &options)?[0]);
        if digest != hasher.hash_slice(&row[..length]) {
            return differs("hasher");
        }
    }
    // The node above N rows of one element.
    let leaves = RowMajorMatrix::new(row[..N].to_vec(), 1);
    let digests: Vec<D> = row[..N].iter().map(|element| hasher.hash_slice(&[*element])).collect();
    let form = Form { hash, arity: N, cap_height: 0, drop_levels: 0 };
    let node = commit(&Committed::new(vec![leaves], hash), &form, &cpu)?.cap()[0];
    if D::from_library(node) != compressor.compress(core::array::from_fn(|i| digests[i])) {
        return differs("compressor");
    }
    Ok(())
}

impl<P, PW, H, C, const N: usize, const DIGEST: usize> Mmcs<P::Value> for MerklizeMmcs<P, PW, H, C, N, DIGEST>
where
    P: PackedValue<Value: DeviceElement>,
    PW: PackedValue,
    H: CryptographicHasher<P::Value, [PW::Value; DIGEST]> + CryptographicHasher<P, [PW; DIGEST]> + Sync,
    C: PseudoCompressionFunction<[PW::Value; DIGEST], N> + PseudoCompressionFunction<[PW; DIGEST], N> + Sync,
    PW::Value: Eq + Clone,
    [PW::Value; DIGEST]: DeviceDigest + Serialize + for<'de> Deserialize<'de>,
{
    type ProverData<M> = MerklizeProverData<M, MerkleTree<P::Value, PW::Value, M, N, DIGEST>>;
    type Commitment = MerkleCap<P::Value, [PW::Value; DIGEST]>;
    type Proof = Vec<[PW::Value; DIGEST]>;
    type MultiProof = PrunedMerklePaths<PW::Value, DIGEST>;
    type Error = MerkleTreeError;

    fn commit<M: Matrix<P::Value>>(&self, inputs: Vec<M>) -> (Self::Commitment, Self::ProverData<M>) {
        let bytes = inputs.iter().map(|matrix| matrix.width() * matrix.height() * size_of::<P::Value>()).sum();
        let Some(OnDevice { device, hash }) = self.of_bytes(bytes) else {
            let (cap, tree) = self.stock.commit(inputs);
            let digests = cap.roots().iter().map(|digest| digest.to_library()).collect();
            return (cap, MerklizeProverData(Arc::new(Data::Stock(tree, digests))));
        };
        let dimensions = inputs.iter().map(|matrix| matrix.dimensions()).collect();
        let committed = Committed::new(inputs, *hash);
        let made = self.form(*hash, dimensions).and_then(|form| commit(&committed, &form, device));
        let data = MerklizeProverData::new(committed.into(), or_raise(made), Arc::default());
        (data.cap(), data)
    }

    fn open_batch<M: Matrix<P::Value>>(
        &self,
        index: usize,
        data: &Self::ProverData<M>,
    ) -> BatchOpening<P::Value, Self> {
        match &*data.0 {
            Data::OnDevice(parts) => {
                let siblings = or_raise(parts.siblings(&[index as u64])); // checks the index
                BatchOpening::new(parts.rows(&[index]).swap_remove(0), stock_digests(siblings))
            }
            Data::Stock(tree, _) => {
                let opening = self.stock.open_batch(index, tree);
                BatchOpening::new(opening.opened_values, opening.opening_proof)
            }
        }
    }

    fn get_matrices<'a, M: Matrix<P::Value>>(&self, data: &'a Self::ProverData<M>) -> Vec<&'a M> {
        match &*data.0 {
            Data::OnDevice(parts) => parts.committed.get().matrices().iter().collect(),
            Data::Stock(tree, _) => self.stock.get_matrices(tree),
        }
    }

    fn get_matrix_heights<M: Matrix<P::Value>>(&self, data: &Self::ProverData<M>) -> Vec<usize> {
        match &*data.0 {
            Data::OnDevice(parts) => parts.committed.dimensions().iter().map(|matrix| matrix.height).collect(),
            Data::Stock(tree, _) => self.stock.get_matrix_heights(tree),
        }
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
        let parts = match &*data.0 {
            Data::OnDevice(parts) => parts,
            Data::Stock(tree, _) => return self.stock.open_multi_batch(indices, tree),
        };
        let mut distinct: Vec<u64> = indices.iter().map(|&index| index as u64).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let siblings = match distinct.is_empty() {
            true => vec![],
            false => or_raise(parts.siblings(&distinct)),
        };
        (parts.rows(indices), PrunedMerklePaths { sibling_hashes: stock_digests(siblings) })
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

/// A [`MerklizeMmcs`] of any parameters: what [`MerklizePcs`](crate::MerklizePcs) is over.
pub trait DeviceMmcs<F: TwoAdicElement>: Mmcs<F> {
    /// The stock scheme, which verifies.
    type Stock: Mmcs<
        F,
        Commitment = Self::Commitment,
        Proof = Self::Proof,
        MultiProof = Self::MultiProof,
        Error = Self::Error,
    >;

    /// The stock scheme.
    fn stock_mmcs(&self) -> &Self::Stock;

    /// Where it commits. None: Plonky3's own code commits.
    fn device(&self) -> Option<&Arc<Device>>;

    /// The same scheme for folded vectors, which are on the host: those of fewer bytes it commits to on the processors,
    /// by the code that is faster there, and so to all if the device is the CPU.
    fn for_folding(&self, least_bytes: usize) -> Self;

    /// Commits to the extensions of matrices, each on the coset of its own shift, which is not zero, with rows in
    /// bit-reversed order. The extensions are the matrices of the commitment. A device with memory of its own gets the
    /// matrices once, and hashes the extensions where they are made.
    ///
    /// is_copied  false: extensions that a device keeps come to the host when somebody asks for the matrices
    fn commit_extended(
        &self,
        matrices: Vec<(RowMajorMatrix<F>, F)>,
        added_bits: usize,
        is_copied: bool,
    ) -> (Self::Commitment, Self::ProverData<RowMajorMatrix<F>>);

    /// The words of the matrices of `commit_extended` in the memory of the device, row after row; none if they are not
    /// there.
    fn resident<'a>(&self, data: &'a Self::ProverData<RowMajorMatrix<F>>) -> &'a [Buffer];

    /// The dimensions of the matrices, wherever they lie.
    fn dimensions(&self, data: &Self::ProverData<RowMajorMatrix<F>>) -> Vec<Dimensions>;

    /// Rows of a matrix, wherever it lies.
    fn rows(&self, data: &Self::ProverData<RowMajorMatrix<F>>, matrix: usize, rows: &[usize]) -> Vec<Vec<F>>;
}

impl<P, PW, H, C, const N: usize, const DIGEST: usize> DeviceMmcs<P::Value> for MerklizeMmcs<P, PW, H, C, N, DIGEST>
where
    P: PackedValue<Value: TwoAdicElement>,
    PW: PackedValue,
    H: CryptographicHasher<P::Value, [PW::Value; DIGEST]> + CryptographicHasher<P, [PW; DIGEST]> + Sync,
    C: PseudoCompressionFunction<[PW::Value; DIGEST], N> + PseudoCompressionFunction<[PW; DIGEST], N> + Sync,
    PW::Value: Eq + Clone,
    [PW::Value; DIGEST]: DeviceDigest + Serialize + for<'de> Deserialize<'de>,
{
    type Stock = MerkleTreeMmcs<P, PW, H, C, N, DIGEST>;

    fn stock_mmcs(&self) -> &Self::Stock {
        &self.stock
    }

    fn device(&self) -> Option<&Arc<Device>> {
        self.on_device.as_ref().map(|on| &on.device)
    }

    fn for_folding(&self, least_bytes: usize) -> Self {
        let on_cpu = |on: &OnDevice| OnDevice { device: Arc::new(or_raise(Device::open("cpu"))), ..on.clone() };
        let of_small = self.on_device.as_ref().filter(|_| !PLONKY3_HAS_VECTORS).map(on_cpu);
        match &self.on_device {
            Some(on) if on.device.info().backend != "cpu" => {
                Self { of_small: Some((least_bytes, of_small)), ..self.clone() }
            }
            _ => Self { on_device: of_small, ..self.clone() },
        }
    }

    fn commit_extended(
        &self,
        matrices: Vec<(RowMajorMatrix<P::Value>, P::Value)>,
        added_bits: usize,
        is_copied: bool,
    ) -> (Self::Commitment, Self::ProverData<RowMajorMatrix<P::Value>>) {
        let Some(OnDevice { device, hash }) = &self.on_device else {
            let dft = Radix2DitParallel::default();
            let extended = |(matrix, shift)| plonky3_extension(&dft, matrix, added_bits, shift);
            return self.commit(matrices.into_iter().map(extended).collect());
        };
        let extended = |(matrix, _): &(RowMajorMatrix<P::Value>, _)| {
            // An extension that is too high is an error below.
            let height = matrix.height() << added_bits.min(P::Value::TWO_ADICITY);
            Dimensions { width: matrix.width, height }
        };
        let form = self.form(*hash, matrices.iter().map(extended).collect());
        let made = form.and_then(|form| commit_extended(&matrices, added_bits, &form, is_copied, device));
        let made = or_raise(made);
        drop_matrices(matrices.into_iter().map(|(matrix, _)| matrix).collect());
        let data = MerklizeProverData::new(made.committed, made.commitment, made.resident);
        (data.cap(), data)
    }

    fn resident<'a>(&self, data: &'a Self::ProverData<RowMajorMatrix<P::Value>>) -> &'a [Buffer] {
        match &*data.0 {
            Data::OnDevice(parts) => &parts.resident,
            Data::Stock(..) => &[],
        }
    }

    fn dimensions(&self, data: &Self::ProverData<RowMajorMatrix<P::Value>>) -> Vec<Dimensions> {
        match &*data.0 {
            Data::OnDevice(parts) => parts.committed.dimensions(),
            Data::Stock(tree, _) => self.stock.get_matrices(tree).iter().map(|matrix| matrix.dimensions()).collect(),
        }
    }

    fn rows(
        &self,
        data: &Self::ProverData<RowMajorMatrix<P::Value>>,
        matrix: usize,
        rows: &[usize],
    ) -> Vec<Vec<P::Value>> {
        match &*data.0 {
            Data::OnDevice(parts) => parts.committed.rows(matrix, rows),
            Data::Stock(tree, _) => {
                let matrix = self.stock.get_matrices(tree)[matrix];
                rows.iter().map(|&row| matrix.row_slice(row).expect("the row is below the height").to_vec()).collect()
            }
        }
    }
}

impl<M, S> MerklizeProverData<M, S> {
    fn new(committed: Late<M>, commitment: MatrixCommitment, resident: Arc<Vec<Buffer>>) -> Self {
        Self(Arc::new(Data::OnDevice(Parts { committed, commitment, resident, by_cpu: OnceLock::new() })))
    }

    /// The commitment, as `commit` returned it. `T` is the field of rows, `D` the digest.
    pub fn cap<T, D: DeviceDigest>(&self) -> MerkleCap<T, D> {
        MerkleCap::new(stock_digests(match &*self.0 {
            Data::OnDevice(parts) => parts.commitment.cap(),
            Data::Stock(_, cap) => cap.clone(),
        }))
    }
}

impl<M> Parts<M> {
    /// The siblings of leaves, each once. The indices must be ascending and distinct.
    fn siblings<T: DeviceElement>(&self, indices: &[u64]) -> Result<Vec<Digest>, Error>
    where
        M: Matrix<T>,
    {
        let Self { committed, commitment, by_cpu, .. } = self;
        let info = commitment.info();
        if info.drop_levels == 0 {
            return commitment.siblings_together(indices);
        }
        let words = committed.get().words::<T>().ok_or_else(|| {
            Error::invalid_argument("open: the elements of the rows must be those that were committed")
        })?;
        let is_on_cpu = by_cpu.get().is_some();
        match by_cpu.get().unwrap_or(commitment).siblings_together_of(words, indices) {
            Err(error) if error.kind() == ErrorKind::OutOfMemory && !is_on_cpu => {
                let (arity, cap_height) = (info.arity as usize, info.cap_height as usize);
                let form = Form { hash: info.hash, arity, cap_height, drop_levels: info.drop_levels as usize };
                let made = commit_words(words, &form, form.drop_levels, &Device::open("cpu")?)?;
                by_cpu.get_or_init(|| made).siblings_together_of(words, indices)
            }
            siblings => siblings,
        }
    }

    /// For each leaf, the row of each matrix that belongs to it.
    fn rows<T: DeviceElement>(&self, leaves: &[usize]) -> Vec<Vec<Vec<T>>>
    where
        M: Matrix<T>,
    {
        let bits = |height: usize| height.next_power_of_two().ilog2();
        let tallest = self.commitment.info().n_leaves as usize;
        let mut of_leaves = vec![vec![]; leaves.len()];
        for (matrix, dimensions) in self.committed.dimensions::<T>().into_iter().enumerate() {
            let shift = bits(tallest) - bits(dimensions.height);
            let rows: Vec<usize> = leaves.iter().map(|&leaf| leaf >> shift).collect();
            for (of_leaf, row) in of_leaves.iter_mut().zip(self.committed.rows(matrix, &rows)) {
                of_leaf.push(row);
            }
        }
        of_leaves
    }
}

fn stock_digests<D: DeviceDigest>(digests: Vec<Digest>) -> Vec<D> {
    digests.into_iter().map(D::from_library).collect()
}

#[cfg(test)]
mod tests {
    use p3_commit::ExtensionMmcs;
    use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};

    use super::*;
    use crate::configs::{self, Challenge};

    /// Folded vectors below and above the bound have the caps and openings of the stock scheme, on every device.
    macro_rules! folded_vectors {
        ($($name:ident)*) => {$(
            #[test]
            fn $name() {
                use configs::$name::*;
                type Ext = Challenge<Val, DEGREE>;
                const BOUND: usize = 1 << 11;
                let (hasher, compressor, _) = parts();
                let stock = ExtensionMmcs::<Val, Ext, _>::new(Stock::new(hasher.clone(), compressor.clone(), 0));
                let devices = ["cpu", "opencl:0"].into_iter().filter_map(|name| Device::open(name).ok());
                for device in devices.map(|device| Some(Arc::new(device))).chain([None]) {
                    let ours = Ours::new(hasher.clone(), compressor.clone(), 0, hash(), device.clone()).unwrap();
                    let ours = ours.for_folding(BOUND);
                    let backend = |bytes| ours.of_bytes(bytes).map(|on| on.device.info().backend.clone());
                    let of_host = device.as_ref().filter(|_| !PLONKY3_HAS_VECTORS).map(|_| "cpu".into());
                    let is_other = device.as_ref().is_some_and(|device| device.info().backend != "cpu");
                    assert_eq!(backend(BOUND - 1), of_host);
                    assert_eq!(backend(BOUND), if is_other { device.map(|device| device.info().backend) } else { of_host });
                    let ours = ExtensionMmcs::<Val, Ext, _>::new(ours.clone());
                    for log_rows in 0..10 {
                        let element = |i: usize| Ext::from_basis_coefficients_fn(|k| Val::from_usize(i * i + k));
                        let vector = RowMajorMatrix::new((0..2 << log_rows).map(element).collect(), 2);
                        let (cap, data) = ours.commit_matrix(vector.clone());
                        let (of_stock, stock_data) = stock.commit_matrix(vector);
                        assert!(cap == of_stock, "2^{log_rows} rows");
                        let indices: Vec<usize> = (0..5).map(|i| (i * 7 + 3) % (1 << log_rows)).collect();
                        let (rows, proof) = ours.open_multi_batch(&indices, &data);
                        let (stock_rows, stock_proof) = stock.open_multi_batch(&indices, &stock_data);
                        assert!(rows == stock_rows && proof.sibling_hashes == stock_proof.sibling_hashes);
                    }
                }
            }
        )*};
    }
    folded_vectors!(goldilocks koalabear blake3 keccakf64_goldilocks poseidon_babybear);
}
