use std::sync::Arc;

use merklize::{fill_rows, or_on_cpu, Device, Elements, Error, ErrorKind, Matrix, MatrixCommitment, Options};
use winter_prover::proof::Queries;
use winterfell::crypto::{BatchMerkleProof, Hasher, MerkleTree as StockTree, VectorCommitment};
use winterfell::math::FieldElement;
use winterfell::matrix::RowMatrix;
use winterfell::PartitionOptions;

use crate::hashers::{require_same_hash, DeviceField, DeviceHasher};
use crate::tree::{to_stock, MerklizeTree, TreeError};

/// Commits to the rows of a matrix: rows and tree are one job of the device. Without a device (`None`) Winterfell
/// commits.
///
/// Rows in partitions, which few provers use, are hashed by Winterfell; then only the tree is made on the device.
///
/// # Errors
/// Those of the device.
pub fn commit_to_rows<E, H>(
    matrix: &RowMatrix<E>,
    partitions: PartitionOptions,
    device: impl Into<Option<Arc<Device>>>,
) -> Result<MerklizeTree<H>, TreeError>
where
    E: FieldElement,
    H: DeviceHasher<BaseField = E::BaseField>,
    E::BaseField: DeviceField,
{
    committed_rows(matrix, partitions, device.into().as_deref())
}

fn committed_rows<E, H>(
    matrix: &RowMatrix<E>,
    partitions: PartitionOptions,
    device: Option<&Device>,
) -> Result<MerklizeTree<H>, TreeError>
where
    E: FieldElement,
    H: DeviceHasher<BaseField = E::BaseField>,
    E::BaseField: DeviceField,
{
    let Some(device) = device else {
        return Ok(matrix.commit_to_rows::<H, StockTree<H>>(partitions).into());
    };
    if !are_whole(matrix, partitions) {
        return Ok(matrix.commit_to_rows::<H, MerklizeTree<H>>(partitions));
    }
    match Words::of::<E, H>(matrix)? {
        Words::Lying(rows) => MerklizeTree::from_matrix(rows, matrix.num_rows(), device),
        Words::Copied(words, length) => MerklizeTree::from_rows(&words, length, device),
    }
}

fn are_whole<E: FieldElement>(matrix: &RowMatrix<E>, partitions: PartitionOptions) -> bool {
    partitions.partition_size::<E>(matrix.num_cols()) == matrix.num_cols()
}

/// The rows of a matrix as the library takes them.
enum Words<'a> {
    /// As they lie, in Montgomery form.
    Lying(Matrix<'a, u64>),
    /// Canonical words, so many a row.
    Copied(Vec<u64>, usize),
}

impl<'a> Words<'a> {
    fn of<E, H>(matrix: &'a RowMatrix<E>) -> Result<Self, Error>
    where
        E: FieldElement,
        H: DeviceHasher<BaseField = E::BaseField>,
        E::BaseField: DeviceField,
    {
        // In the matrix each row is followed by padding.
        let (n, elements) = (matrix.num_rows(), matrix.num_cols() * E::EXTENSION_DEGREE);
        let (padded, length) = (matrix.data().len() / n, elements * E::BaseField::WORDS);
        if let Some(words) = E::BaseField::montgomery_words(matrix.data()).filter(|_| H::HASH.info().modulus.is_some())
        {
            let rows = Matrix::new(words, padded)?.first_columns(elements)?.elements(Elements::Montgomery);
            return Ok(Self::Lying(rows));
        }
        let words: Vec<u64> = fill_rows(n, length, |first, words| {
            let rows = matrix.data()[first * padded..].chunks_exact(padded);
            for (words, row) in words.chunks_exact_mut(length).zip(rows) {
                E::BaseField::write_words(&row[..elements], words);
            }
        });
        Ok(Self::Copied(words, length))
    }

    fn matrix(&self) -> Result<Matrix<'_, u64>, Error> {
        match self {
            Self::Lying(rows) => Ok(*rows),
            Self::Copied(words, length) => Matrix::new(words, *length),
        }
    }
}

/// The nodes above rows.
enum Nodes<H: Hasher> {
    All(MerklizeTree<H>),
    /// Without those of the lowest layers.
    Upper(MatrixCommitment),
}

fn upper_nodes<H: DeviceHasher>(
    rows: &[Matrix<'_, u64>],
    drop_levels: u32,
    device: &Device,
) -> Result<MatrixCommitment, Error> {
    or_on_cpu(device, |device| {
        let options = Options::new().device(device);
        MatrixCommitment::with_drop_levels(rows, H::HASH, 2, 0, drop_levels, &options)
    })
}

/// Rows and their commitment, which opens them.
pub(crate) struct CommittedRows<E: FieldElement, H: Hasher> {
    pub evaluations: RowMatrix<E>,
    nodes: Nodes<H>,
}

impl<E, H> CommittedRows<E, H>
where
    E: FieldElement<BaseField: DeviceField>,
    H: DeviceHasher<BaseField = E::BaseField>,
{
    /// drop_levels  the nodes of so many lowest layers are not kept. All are if Winterfell hashes the rows
    /// device       None: Winterfell commits
    pub fn new(
        evaluations: RowMatrix<E>,
        partitions: PartitionOptions,
        drop_levels: u32,
        device: Option<&Device>,
    ) -> Result<Self, TreeError> {
        let n = evaluations.num_rows();
        let nodes = match device {
            Some(device) if drop_levels != 0 && n >= 2 && are_whole(&evaluations, partitions) => {
                require_same_hash::<H>()?;
                let (words, drop_levels) = (Words::of::<E, H>(&evaluations)?, drop_levels.min(n.ilog2()));
                Nodes::Upper(upper_nodes::<H>(&[words.matrix()?], drop_levels, device)?)
            }
            _ => Nodes::All(committed_rows(&evaluations, partitions, device)?),
        };
        Ok(Self { evaluations, nodes })
    }

    pub fn commitment(&self) -> <H as Hasher>::Digest {
        match &self.nodes {
            Nodes::All(tree) => tree.commitment(),
            Nodes::Upper(commitment) => to_stock(commitment.cap()[0]),
        }
    }

    /// Rows at some positions, with their proof.
    pub fn query(&self, positions: &[usize]) -> Result<Queries, TreeError> {
        let rows = positions.iter().map(|&position| self.evaluations.row(position).to_vec()).collect();
        let proof = match &self.nodes {
            Nodes::All(tree) => tree.open_many(positions)?.1,
            Nodes::Upper(commitment) => {
                let words = Words::of::<E, H>(&self.evaluations)?;
                let indices: Vec<u64> = positions.iter().map(|&position| position as u64).collect();
                let rows = [words.matrix()?];
                let paths = match commitment.siblings_of(&rows, &indices) {
                    // The device has no memory left to make dropped nodes again.
                    Err(error) if error.kind() == ErrorKind::OutOfMemory => {
                        let (drop_levels, cpu) = (commitment.info().drop_levels, Device::open("cpu")?);
                        upper_nodes::<H>(&rows, drop_levels, &cpu)?.siblings_of(&rows, &indices)?
                    }
                    paths => paths?,
                };
                // Winterfell reads no leaf of these paths.
                let path = |siblings: Vec<_>| (H::Digest::default(), siblings.into_iter().map(to_stock).collect());
                BatchMerkleProof::from_single_proofs(&paths.into_iter().map(path).collect::<Vec<_>>(), positions)
            }
        };
        Ok(Queries::new::<H, E, MerklizeTree<H>>(proof, rows))
    }
}
