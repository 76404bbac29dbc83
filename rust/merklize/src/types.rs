// Written by scripts/surface.py from scripts/surface.toml. Do not edit.

use merklize_sys as sys;

use crate::error::text_of;
use crate::hash::{Digest, Hash};
use crate::tree::Rule;

/// A prime field with roots of unity of order 2^k.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// 2^64 - 2^32 + 1, words of 8 bytes, k = 32. The S-box of Poseidon2 is x^7.
    Goldilocks,
    /// 2^31 - 2^27 + 1, words of 4 bytes, k = 27. The S-box of Poseidon2 is x^7.
    BabyBear,
    /// 2^31 - 2^24 + 1, words of 4 bytes, k = 24. The S-box of Poseidon2 is x^3.
    KoalaBear,
}

impl Field {
    pub(crate) fn to_c(self) -> u32 {
        match self {
            Self::Goldilocks => sys::MERKLIZE_FIELD_GOLDILOCKS,
            Self::BabyBear => sys::MERKLIZE_FIELD_BABYBEAR,
            Self::KoalaBear => sys::MERKLIZE_FIELD_KOALABEAR,
        }
    }
}

/// The statement that a proof proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProofKind {
    /// One leaf.
    Single,
    /// Several leaves.
    Multi,
    /// Consistency: the leaves of an older tree are the first leaves of a newer one.
    Consistency,
}

impl ProofKind {
    pub(crate) fn from_c(c: u32) -> Self {
        match c {
            sys::MERKLIZE_PROOF_SINGLE => Self::Single,
            sys::MERKLIZE_PROOF_MULTI => Self::Multi,
            _ => Self::Consistency,
        }
    }
}

/// How the words of a matrix stand for field elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Elements {
    /// Each word must be below the modulus p, which is checked.
    #[default]
    Canonical,
    /// Any word, which stands for its value mod p.
    Any,
    /// A word of b bits is 2^b x mod p and stands for x.
    Montgomery,
}

impl Elements {
    pub(crate) fn to_c(self) -> u32 {
        match self {
            Self::Canonical => sys::MERKLIZE_ELEMENTS_CANONICAL,
            Self::Any => sys::MERKLIZE_ELEMENTS_ANY,
            Self::Montgomery => sys::MERKLIZE_ELEMENTS_MONTGOMERY,
        }
    }
}

/// The order of the rows of an extension of N rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RowOrder {
    /// Row i has the values at shift g^i, where g has order N.
    #[default]
    Natural,
    /// Row i has those of row j, where j is i with its log2 N bits in reverse.
    BitReversed,
}

impl RowOrder {
    pub(crate) fn to_c(self) -> u32 {
        match self {
            Self::Natural => sys::MERKLIZE_ROW_ORDER_NATURAL,
            Self::BitReversed => sys::MERKLIZE_ROW_ORDER_BIT_REVERSED,
        }
    }
}

/// What [`weighted_sums`](crate::weighted_sums) adds up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SumOver {
    /// A sum for each column: of all rows, each times its weight.
    Rows,
    /// A sum for each row: of all columns, each times its weight.
    Columns,
}

impl SumOver {
    pub(crate) fn to_c(self) -> u32 {
        match self {
            Self::Rows => sys::MERKLIZE_SUM_OVER_ROWS,
            Self::Columns => sys::MERKLIZE_SUM_OVER_COLUMNS,
        }
    }
}

/// The hash of blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum DmVerityAlgorithm {
    /// SHA-256: roots of 32 bytes.
    #[default]
    Sha256,
    /// SHA-512: roots of 64 bytes.
    Sha512,
}

impl DmVerityAlgorithm {
    pub(crate) fn from_c(c: sys::merklize_dm_verity_algorithm) -> Self {
        match c {
            sys::MERKLIZE_DM_VERITY_SHA256 => Self::Sha256,
            _ => Self::Sha512,
        }
    }

    pub(crate) fn to_c(self) -> sys::merklize_dm_verity_algorithm {
        match self {
            Self::Sha256 => sys::MERKLIZE_DM_VERITY_SHA256,
            Self::Sha512 => sys::MERKLIZE_DM_VERITY_SHA512,
        }
    }
}

/// Facts of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// CPU threads that the process may use, or compute units.
    pub units: u32,
    /// The name that opens it: `cpu`, `cuda:0`, ...
    pub id: String,
    /// `cpu`, `cuda`, `opencl`, `sycl`, or that of a plug-in.
    pub backend: String,
    /// The vendor's name of the device.
    pub name: String,
    /// The vendor.
    pub vendor: String,
    /// Version of the driver or runtime; empty on the CPU.
    pub driver: String,
    /// Instruction set or architecture in use: `avx2`, `sm_90`, ...
    pub isa: String,
}

impl DeviceInfo {
    pub(crate) fn from_c(c: &sys::merklize_device_info) -> Self {
        Self {
            memory_bytes: c.memory_bytes,
            units: c.units,
            id: text_of(&c.id),
            backend: text_of(&c.backend),
            name: text_of(&c.name),
            vendor: text_of(&c.vendor),
            driver: text_of(&c.driver),
            isa: text_of(&c.isa),
        }
    }
}

/// An instance of Poseidon2: a prover's own constants. docs/hashes.md has the permutation and the sponge. Words are
/// below the modulus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Poseidon2<'a> {
    /// The field of all words.
    pub field: Field,
    /// Cells: 8, 12 or 16 over Goldilocks, 16, 24 or 32 over the others.
    pub width: u32,
    /// Words of a row that one permutation takes: 1 to width - 1. Of a quad: width.
    pub rate: u32,
    /// Half of them before the internal rounds, half after: even, 2 to 64.
    pub external_rounds: u32,
    /// 1 to 256.
    pub internal_rounds: u32,
    /// In the order of use: `width` words for each of the first half of the external rounds, one for each internal
    /// round, `width` for each of the other half.
    pub constants: &'a [u64],
    /// `width` words: an internal round makes cell i = sum of all cells + `diagonal[i]` * cell i. Plonky3 calls it the
    /// diagonal minus one.
    pub diagonal: &'a [u64],
}

impl Poseidon2<'_> {
    pub(crate) fn to_c(self) -> sys::merklize_poseidon2 {
        sys::merklize_poseidon2 {
            field: self.field.to_c(),
            width: self.width,
            rate: self.rate,
            external_rounds: self.external_rounds,
            internal_rounds: self.internal_rounds,
            constants: self.constants.as_ptr(),
            constant_count: self.constants.len(),
            diagonal: self.diagonal.as_ptr(),
            diagonal_count: self.diagonal.len(),
        }
    }
}

/// An instance of Poseidon, version 1: a prover's own constants. docs/hashes.md has the permutation. Words are below
/// the modulus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Poseidon<'a> {
    /// The field of all words.
    pub field: Field,
    /// Cells: 8 or 12 over Goldilocks, 16 or 24 over the others.
    pub width: u32,
    /// Words of a row that one permutation takes: 1 to width - 1.
    pub rate: u32,
    /// Half of them before the partial rounds, half after: even, 2 to 64.
    pub full_rounds: u32,
    /// 1 to 256.
    pub partial_rounds: u32,
    /// `width` words for each round, in the order of use.
    pub constants: &'a [u64],
    /// The MDS matrix: `width * width` words, row after row, or `width` words, the first row of a circulant matrix,
    /// each of whose rows is the one above it moved right by a cell.
    pub matrix: &'a [u64],
}

impl Poseidon<'_> {
    pub(crate) fn to_c(self) -> sys::merklize_poseidon {
        sys::merklize_poseidon {
            field: self.field.to_c(),
            width: self.width,
            rate: self.rate,
            full_rounds: self.full_rounds,
            partial_rounds: self.partial_rounds,
            constants: self.constants.as_ptr(),
            constant_count: self.constants.len(),
            matrix: self.matrix.as_ptr(),
            matrix_count: self.matrix.len(),
        }
    }
}

/// Seconds of a call, by the device's own clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct Timings {
    /// True: measured; false: not, as on the CPU and on a caller's queue without profiling.
    pub available: bool,
    /// From the start of the first kernel to the end of the last, without copies between.
    pub kernel: f64,
    /// Copies from the host.
    pub to_device: f64,
    /// Copies to the host.
    pub to_host: f64,
}

impl Timings {
    pub(crate) fn from_c(c: &sys::merklize_timings) -> Self {
        Self { available: c.available != 0, kernel: c.kernel, to_device: c.to_device, to_host: c.to_host }
    }
}

/// Facts of a forest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ForestInfo {
    /// Number of trees.
    pub n_trees: u64,
    /// Number of leaves of each tree.
    pub n_leaves: u64,
    /// Levels above the leaves.
    pub height: u32,
    /// True: the nodes are in the memory of a device.
    pub on_device: bool,
}

impl ForestInfo {
    pub(crate) fn from_c(c: &sys::merklize_forest_info) -> Self {
        Self { n_trees: c.n_trees, n_leaves: c.n_leaves, height: c.height, on_device: c.on_device != 0 }
    }
}

/// Facts of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeInfo {
    /// Number of leaves.
    pub n_leaves: u64,
    /// The hash of nodes.
    pub hash: Hash,
    /// What an odd level does.
    pub rule: Rule,
    /// Levels above the leaves.
    pub height: u32,
    /// True: the nodes are in the memory of a device; false: on the host, or in a file.
    pub on_device: bool,
    /// The root.
    pub root: Digest,
    /// Bytes of the input that one leaf covers; 0: unknown.
    pub leaf_bytes: u64,
    /// Bytes of the whole input; 0: unknown.
    pub total_bytes: u64,
}

impl TreeInfo {
    pub(crate) fn from_c(c: &sys::merklize_tree_info) -> Self {
        Self {
            n_leaves: c.n_leaves,
            hash: Hash::from_c(c.hash),
            rule: Rule::from_c(c.rule),
            height: c.height,
            on_device: c.on_device != 0,
            root: Digest::from_c(c.root),
            leaf_bytes: c.leaf_bytes,
            total_bytes: c.total_bytes,
        }
    }
}

/// The claims of a proof. A verifier gives the facts that it knows in [`Expect`](crate::Expect).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProofInfo {
    /// The statement.
    pub kind: ProofKind,
    /// The tree's hash.
    pub hash: Hash,
    /// The tree's rule.
    pub rule: Rule,
    /// Leaves of the tree; of consistency: of the newer one.
    pub n_leaves: u64,
    /// Of consistency: leaves of the older tree; otherwise 0.
    pub old_leaves: u64,
    /// Leaves in the proof: 1, several, or 0 for consistency.
    pub leaves: usize,
    /// Other nodes in the proof.
    pub siblings: usize,
}

impl ProofInfo {
    pub(crate) fn from_c(c: &sys::merklize_proof_info) -> Self {
        Self {
            kind: ProofKind::from_c(c.kind),
            hash: Hash::from_c(c.hash),
            rule: Rule::from_c(c.rule),
            n_leaves: c.n_leaves,
            old_leaves: c.old_leaves,
            leaves: c.leaves as usize,
            siblings: c.siblings as usize,
        }
    }
}

/// A node that does not match its children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongNode {
    /// Within the level.
    pub index: u64,
    /// 0: the leaves.
    pub level: u32,
}

impl WrongNode {
    pub(crate) fn from_c(c: &sys::merklize_wrong_node) -> Self {
        Self { index: c.index, level: c.level }
    }
}

/// Facts of a commitment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommitmentInfo {
    /// The hash of rows and nodes.
    pub hash: Hash,
    /// Children of a node.
    pub arity: u32,
    /// Layers between the cap and the root.
    pub cap_height: u32,
    /// Layers above the leaves.
    pub height: u32,
    /// Rows of the tallest matrix.
    pub n_leaves: u64,
    /// Digests of the cap.
    pub cap_size: usize,
    /// Siblings of one opening.
    pub path_length: usize,
    /// Bytes of the rows of one opening: all columns of all matrices.
    pub row_bytes: usize,
    /// True: the nodes are in the memory of a device.
    pub on_device: bool,
    /// Lowest layers whose nodes are not kept.
    pub drop_levels: u32,
}

impl CommitmentInfo {
    pub(crate) fn from_c(c: &sys::merklize_commitment_info) -> Self {
        Self {
            hash: Hash::from_c(c.hash),
            arity: c.arity,
            cap_height: c.cap_height,
            height: c.height,
            n_leaves: c.n_leaves,
            cap_size: c.cap_size as usize,
            path_length: c.path_length as usize,
            row_bytes: c.row_bytes as usize,
            on_device: c.on_device != 0,
            drop_levels: c.drop_levels,
        }
    }
}

/// The place of the tree in the hash file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DmVerityArea {
    /// Bytes into the hash file: a multiple of 512 with a superblock, otherwise of `hash_block_size`.
    pub offset: u64,
    /// False: 512 bytes before the tree hold the fields of the form.
    pub without_superblock: bool,
    /// The UUID in the superblock that is written.
    pub uuid: [u8; 16],
}

impl DmVerityArea {
    pub(crate) fn to_c(self) -> sys::merklize_dm_verity_area {
        sys::merklize_dm_verity_area {
            offset: self.offset,
            without_superblock: self.without_superblock.into(),
            uuid: self.uuid,
        }
    }
}

/// A format of trees that other systems verify. `Form::new(info.hash).rule(info.rule).unambiguous(info.is_ambiguous)`
/// is its form.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FormatInfo {
    /// "bitcoin", for example.
    pub name: String,
    /// The hash of nodes.
    pub hash: Hash,
    /// What an odd level does.
    pub rule: Rule,
    /// A leaf is [`hash_leaves`](crate::hash_leaves) of a message; otherwise leaves are given.
    pub hashes_messages: bool,
    /// Two lists of leaves can have one root: [`Form::unambiguous`](crate::Form::unambiguous) refuses them.
    pub is_ambiguous: bool,
    /// Bytes of a file that make one leaf. `None`: the caller chooses.
    pub piece_size: Option<u64>,
}

impl FormatInfo {
    pub(crate) fn from_c(c: &sys::merklize_format_info) -> Self {
        Self {
            name: text_of(&c.name),
            hash: Hash::from_c(c.hash),
            rule: Rule::from_c(c.rule),
            hashes_messages: c.hashes_messages != 0,
            is_ambiguous: c.is_ambiguous != 0,
            piece_size: (c.piece_size != 0).then_some(c.piece_size),
        }
    }
}

/// How fs-verity cuts a file into blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FsVerityForm<'a> {
    /// Bytes: a power of two, 1024 to 65536; 0: 4096.
    pub block_size: u32,
    /// Copied in front of each block; at most 32 bytes.
    pub salt: &'a [u8],
}

impl FsVerityForm<'_> {
    pub(crate) fn to_c(self) -> sys::merklize_fs_verity_form {
        sys::merklize_fs_verity_form {
            block_size: self.block_size,
            salt: self.salt.as_ptr(),
            salt_bytes: self.salt.len(),
        }
    }
}

/// Filecoin's piece commitment (CommP), by which storage providers identify the data that they store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PieceCid {
    /// The commitment.
    pub root: Digest,
    /// Bytes of the data.
    pub bytes: u64,
    /// Bytes of the piece that a provider stores: 32 * 2^height.
    pub padded_bytes: u64,
    /// Number of zero bytes after the data.
    pub padding: u64,
    /// Height of the tree, at least 2: it has 2^height leaves of 32 bytes.
    pub height: u32,
    /// "baga6ea4seaq...", version 1: the root only. A verifier needs the size, too.
    pub v1: String,
    /// "bafkzcib...", version 2 (FRC-0069): root, height and padding.
    pub v2: String,
}

impl PieceCid {
    pub(crate) fn from_c(c: &sys::merklize_piece_cid_info) -> Self {
        Self {
            root: Digest::from_c(c.root),
            bytes: c.bytes,
            padded_bytes: c.padded_bytes,
            padding: c.padding,
            height: c.height,
            v1: text_of(&c.v1),
            v2: text_of(&c.v2),
        }
    }
}

/// A range of bytes of a message that cannot be verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// The first byte, counted in the message.
    pub offset: u64,
    /// The number of bytes.
    pub bytes: u64,
    /// False: these bytes are wrong; true: the outboard is, so these bytes were not checked.
    pub in_outboard: bool,
}

impl Fault {
    pub(crate) fn from_c(c: &sys::merklize_bao_fault) -> Self {
        Self { offset: c.offset, bytes: c.bytes, in_outboard: c.in_outboard != 0 }
    }
}
