use core::fmt;
use std::sync::Arc;

use merklize::{
    hash_rows, hash_rows_on_device, or_on_cpu, Buffer, Device, Digest, Error, Form, Matrix, MerkleTree, Options, Rule,
};
use winter_prover::{Deserializable, SliceReader};
use winterfell::crypto::{
    BatchMerkleProof, Digest as _, Hasher, MerkleTree as StockTree, MerkleTreeError, VectorCommitment,
};

use crate::device::default_device;
use crate::hashers::{require_same_hash, DeviceHasher};

/// How a tree is built.
#[derive(Clone, Default)]
pub struct TreeOptions {
    /// The device; `None`: that of [`default_device`].
    pub device: Option<Arc<Device>>,
}

/// Why a commitment or a verification failed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum TreeError {
    /// The library's error.
    Library(Error),
    /// Winterfell's trees have at least two leaves.
    TooFewLeaves(usize),
    /// The proof does not prove these digests under this commitment, or has another shape.
    InvalidProof,
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library(error) => error.fmt(f),
            Self::TooFewLeaves(n) => write!(f, "a tree needs n >= 2 leaves, got {n}"),
            Self::InvalidProof => f.write_str("the proof does not show these digests under this commitment"),
        }
    }
}

impl std::error::Error for TreeError {}

impl From<Error> for TreeError {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

/// Winterfell's vector commitment, with its nodes in the memory of the device. Commitments and proofs are those of
/// Winterfell's `MerkleTree<H>`, type for type and byte for byte. Without a device it is that tree.
///
/// ```
/// use merklize_winterfell::MerklizeTree;
/// use winterfell::crypto::{hashers::Blake3_256, Hasher, MerkleTree, VectorCommitment};
/// use winterfell::math::fields::f64::BaseElement;
///
/// type H = Blake3_256<BaseElement>;
/// let digests: Vec<_> = (0..64u8).map(|i| H::hash(&[i])).collect();
/// let ours = MerklizeTree::<H>::new(digests.clone())?;
/// let (leaves, proof) = ours.open_many(&[3, 40])?;
/// // A verifier with Winterfell's own type:
/// MerkleTree::<H>::verify_many(ours.commitment(), &[3, 40], &leaves, &proof).unwrap();
/// # Ok::<(), merklize_winterfell::TreeError>(())
/// ```
#[derive(Debug)]
pub struct MerklizeTree<H: Hasher>(Nodes<H>);

#[derive(Debug)]
enum Nodes<H: Hasher> {
    OnDevice { tree: MerkleTree, root: H::Digest, n: usize },
    Stock(StockTree<H>),
}

impl<H: DeviceHasher> MerklizeTree<H> {
    /// The tree over the digests of rows, in one job: the rows go to the device, and their digests never leave it.
    /// `rows` are words in canonical form.
    pub(crate) fn from_rows(rows: &[u64], row_length: usize, device: &Device) -> Result<Self, TreeError> {
        let form = Form::new(H::HASH).rule(Rule::Perfect);
        Self::of(or_on_cpu(device, |device| {
            MerkleTree::from_rows(rows, row_length, form, &Options::new().device(device))
        })?)
    }

    /// The same for `n` rows of a matrix of words.
    pub(crate) fn from_matrix(rows: Matrix<'_, u64>, n: usize, device: &Device) -> Result<Self, TreeError> {
        let form = Form::new(H::HASH).rule(Rule::Perfect);
        Self::of(or_on_cpu(device, |device| {
            let (options, info) = (Options::new().device(device), device.info());
            let is_one_with_memory = info.backend != "cpu" && !info.id.contains(',') && !info.id.ends_with(":all");
            if !is_one_with_memory {
                return MerkleTree::from_leaves(&hash_rows(&[rows], H::HASH, &options)?, form, &options);
            }
            let mut digests = Buffer::new(device, 32 * n as u64)?;
            hash_rows_on_device(&[rows], H::HASH, &mut digests, &options)?;
            MerkleTree::from_device_leaves(&digests, form, &options)
        })?)
    }

    fn of(tree: MerkleTree) -> Result<Self, TreeError> {
        require_same_hash::<H>()?;
        let info = tree.info();
        match info.n_leaves as usize {
            n @ 0..2 => Err(TreeError::TooFewLeaves(n)),
            n => Ok(Self(Nodes::OnDevice { tree, root: to_stock(info.root), n })),
        }
    }
}

/// Winterfell's own tree.
impl<H: Hasher> From<StockTree<H>> for MerklizeTree<H> {
    fn from(tree: StockTree<H>) -> Self {
        Self(Nodes::Stock(tree))
    }
}

/// What Winterfell's own tree refuses.
fn refused(error: MerkleTreeError) -> TreeError {
    TreeError::Library(Error::invalid_argument(format!("MerklizeTree: {error}")))
}

/// A digest in Winterfell's form.
pub(crate) fn to_stock<D: winterfell::crypto::Digest>(digest: Digest) -> D {
    D::read_from_bytes(&digest.0).expect("32 bytes are a digest")
}

/// The proof types are the stock ones: [`StockTree`] and this type verify the same proofs.
impl<H: DeviceHasher> VectorCommitment<H> for MerklizeTree<H> {
    type Options = TreeOptions;
    type Proof = Vec<H::Digest>;
    type MultiProof = BatchMerkleProof<H>;
    type Error = TreeError;

    fn with_options(items: Vec<H::Digest>, options: TreeOptions) -> Result<Self, TreeError> {
        let device = options.device.map_or_else(default_device, |device| Ok(Some(device)))?;
        if items.len() < 2 {
            return Err(TreeError::TooFewLeaves(items.len()));
        }
        let Some(device) = device else {
            return Ok(StockTree::new(items).map_err(refused)?.into());
        };
        let leaves: Vec<Digest> = items.iter().map(|digest| Digest(digest.as_bytes())).collect();
        let form = Form::new(H::HASH).rule(Rule::Perfect);
        let tree = |device: &_| MerkleTree::from_leaves(&leaves, form, &Options::new().device(device));
        Self::of(or_on_cpu(&device, tree)?)
    }

    fn commitment(&self) -> H::Digest {
        match &self.0 {
            Nodes::OnDevice { root, .. } => *root,
            Nodes::Stock(tree) => *tree.root(),
        }
    }

    fn domain_len(&self) -> usize {
        match &self.0 {
            Nodes::OnDevice { n, .. } => *n,
            Nodes::Stock(tree) => tree.leaves().len(),
        }
    }

    /// 0 for a proof that no tree has.
    fn get_proof_domain_len(proof: &Self::Proof) -> usize {
        domain_len(proof.len())
    }

    /// 0 for a proof that no tree has.
    fn get_multiproof_domain_len(proof: &Self::MultiProof) -> usize {
        domain_len(proof.depth.into())
    }

    fn open(&self, index: usize) -> Result<(H::Digest, Self::Proof), TreeError> {
        let tree = match &self.0 {
            Nodes::OnDevice { tree, .. } => tree,
            Nodes::Stock(tree) => return tree.prove(index).map_err(refused),
        };
        let proof = tree.prove(index as u64)?;
        let leaf = proof.leaves()[0].1;
        Ok((to_stock(leaf), proof.siblings().into_iter().map(to_stock).collect()))
    }

    fn open_many(&self, indexes: &[usize]) -> Result<(Vec<H::Digest>, Self::MultiProof), TreeError> {
        let tree = match &self.0 {
            Nodes::OnDevice { tree, .. } => tree,
            Nodes::Stock(tree) => return tree.prove_batch(indexes).map_err(refused),
        };
        let indices: Vec<u64> = indexes.iter().map(|&index| index as u64).collect();
        let proof = tree.prove_together(&indices)?;
        let known = proof.leaves();
        let leaf = |index: &usize| {
            let at = known.binary_search_by_key(&(*index as u64), |(index, _)| *index);
            to_stock(known[at.expect("the proof has every index")].1)
        };
        let bytes = proof.to_winterfell()?;
        let stock = BatchMerkleProof::read_from(&mut SliceReader::new(&bytes)).map_err(|_| TreeError::InvalidProof)?;
        Ok((indexes.iter().map(leaf).collect(), stock))
    }

    fn verify(commitment: H::Digest, index: usize, item: H::Digest, proof: &Self::Proof) -> Result<(), TreeError> {
        // The stock function takes only proofs of the right shape.
        if index >= domain_len(proof.len()) || proof.is_empty() {
            return Err(TreeError::InvalidProof);
        }
        StockTree::<H>::verify(commitment, index, item, proof).map_err(|_| TreeError::InvalidProof)
    }

    fn verify_many(
        commitment: H::Digest,
        indexes: &[usize],
        items: &[H::Digest],
        proof: &Self::MultiProof,
    ) -> Result<(), TreeError> {
        if domain_len(proof.depth.into()) < 2 || items.len() != indexes.len() {
            return Err(TreeError::InvalidProof);
        }
        StockTree::<H>::verify_batch(&commitment, indexes, items, proof).map_err(|_| TreeError::InvalidProof)
    }
}

/// Number of leaves of a tree of this height; 0 if no tree has this height.
fn domain_len(height: usize) -> usize {
    u32::try_from(height).ok().and_then(|height| 1usize.checked_shl(height)).unwrap_or(0)
}

/// The value, or a panic that [`catch`](crate::catch) turns into an error again: for functions of Winterfell's traits,
/// which cannot fail.
pub fn or_raise<T>(result: Result<T, TreeError>) -> T {
    merklize::or_raise(result.map_err(|error| match error {
        TreeError::Library(error) => error,
        other => panic!("{other}"), // a trace of one row: no device's error
    }))
}
