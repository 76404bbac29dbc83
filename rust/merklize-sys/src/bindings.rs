// Written by scripts/generate_rust_bindings.py from the headers of merklize/merklize.h. Do not edit.

use core::ffi::{c_char, c_int, c_void};

/// Of the header; [`merklize_check_abi`] compares it with the library's.
pub const MERKLIZE_ABI_VERSION: u32 = 0;

pub type merklize_status = i32;
pub const MERKLIZE_OK: merklize_status = 0;
pub const MERKLIZE_INVALID_ARGUMENT: merklize_status = 1;
pub const MERKLIZE_OUT_OF_MEMORY: merklize_status = 2;
pub const MERKLIZE_UNAVAILABLE: merklize_status = 3;
pub const MERKLIZE_IO: merklize_status = 4;
pub const MERKLIZE_CANCELLED: merklize_status = 5;
pub const MERKLIZE_INTERNAL: merklize_status = 6;
pub const MERKLIZE_TOO_SMALL: merklize_status = 100;

/// ```text
/// 32 bytes: the digest of a byte hash, or the field elements of a field hash as little-endian words. Leaves and nodes are digests.
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_digest {
    pub bytes: [u8; 32],
}
impl Default for merklize_digest {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// Opened devices, memory there, queues, and what is made of them.
/// ```
#[repr(C)]
pub struct merklize_device {
    _private: [u8; 0],
}

#[repr(C)]
pub struct merklize_buffer {
    _private: [u8; 0],
}

#[repr(C)]
pub struct merklize_stream {
    _private: [u8; 0],
}

#[repr(C)]
pub struct merklize_event {
    _private: [u8; 0],
}

#[repr(C)]
pub struct merklize_hasher {
    _private: [u8; 0],
}

#[repr(C)]
pub struct merklize_file_digests {
    _private: [u8; 0],
}

#[repr(C)]
pub struct merklize_tree {
    _private: [u8; 0],
}

#[repr(C)]
pub struct merklize_tree_builder {
    _private: [u8; 0],
}

#[repr(C)]
pub struct merklize_tree_file {
    _private: [u8; 0],
}

#[repr(C)]
pub struct merklize_tree_writer {
    _private: [u8; 0],
}

#[repr(C)]
pub struct merklize_forest {
    _private: [u8; 0],
}

#[repr(C)]
pub struct merklize_openzeppelin_tree {
    _private: [u8; 0],
}

#[repr(C)]
pub struct merklize_proof {
    _private: [u8; 0],
}

#[repr(C)]
pub struct merklize_commitment {
    _private: [u8; 0],
}

#[repr(C)]
pub struct merklize_manifest {
    _private: [u8; 0],
}

#[repr(C)]
pub struct merklize_differences {
    _private: [u8; 0],
}

/// ```text
/// Bytes that a call reads, where they lie: host memory, or a buffer (all of it; merklize_buffer_slice() makes a buffer of a part). Zero is
/// no bytes. A call works on a buffer where that is, whatever options->device says. It is an error to set both.
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_view {
    /// ```text
    /// host memory, or null
    /// ```
    pub data: *const c_void,
    /// ```text
    /// of `data`
    /// ```
    pub bytes: u64,
    pub buffer: *const merklize_buffer,
}
impl Default for merklize_view {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// The same of bytes that a call writes.
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_output {
    pub data: *mut c_void,
    pub bytes: u64,
    pub buffer: *mut merklize_buffer,
}
impl Default for merklize_output {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// Texts that are too long are cut.
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_device_info {
    pub memory_bytes: u64,
    /// ```text
    /// CPU threads that the process may use, or compute units
    /// ```
    pub units: u32,
    /// ```text
    /// the name that opens it: "cpu", "cuda:0", ...
    /// ```
    pub id: [c_char; 128],
    /// ```text
    /// "cpu", "cuda", "opencl", ...
    /// ```
    pub backend: [c_char; 32],
    /// ```text
    /// the vendor's name of it
    /// ```
    pub name: [c_char; 128],
    pub vendor: [c_char; 64],
    /// ```text
    /// version of the driver or runtime; empty on the CPU
    /// ```
    pub driver: [c_char; 64],
    /// ```text
    /// instruction set or architecture in use: "avx2", "sm_90", ...
    /// ```
    pub isa: [c_char; 32],
}
impl Default for merklize_device_info {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// A hash of Merkle trees: an id that is stored in proof and tree files. docs/hashes.md defines each one. The constants are
/// MERKLIZE_HASH_blake3 and so on, with the name of the hash as it is written everywhere.
/// ```
pub type merklize_hash_id = u32;
pub const MERKLIZE_HASH_blake3: merklize_hash_id = 0;
pub const MERKLIZE_HASH_rp64_256_v1: merklize_hash_id = 1;
pub const MERKLIZE_HASH_rp64_256_v2: merklize_hash_id = 2;
pub const MERKLIZE_HASH_rp64_256_v3: merklize_hash_id = 3;
pub const MERKLIZE_HASH_sha256_rfc6962: merklize_hash_id = 4;
pub const MERKLIZE_HASH_rpo256: merklize_hash_id = 16;
pub const MERKLIZE_HASH_rpx256: merklize_hash_id = 17;
pub const MERKLIZE_HASH_poseidon2_goldilocks_8: merklize_hash_id = 18;
pub const MERKLIZE_HASH_poseidon2_goldilocks_12: merklize_hash_id = 19;
pub const MERKLIZE_HASH_poseidon2_miden: merklize_hash_id = 20;
pub const MERKLIZE_HASH_poseidon2_babybear_16: merklize_hash_id = 21;
pub const MERKLIZE_HASH_poseidon2_babybear_24: merklize_hash_id = 22;
pub const MERKLIZE_HASH_poseidon2_koalabear_16: merklize_hash_id = 23;
pub const MERKLIZE_HASH_poseidon2_koalabear_24: merklize_hash_id = 24;
pub const MERKLIZE_HASH_sha256: merklize_hash_id = 32;
pub const MERKLIZE_HASH_sha256d: merklize_hash_id = 33;
pub const MERKLIZE_HASH_sha256_compress: merklize_hash_id = 34;
pub const MERKLIZE_HASH_keccak256: merklize_hash_id = 35;
pub const MERKLIZE_HASH_keccak256_sorted: merklize_hash_id = 36;
pub const MERKLIZE_HASH_eidos: merklize_hash_id = 37;
pub const MERKLIZE_HASH_eidos_v0: merklize_hash_id = 38;
pub const MERKLIZE_HASH_rpo256_r1: merklize_hash_id = 48;
pub const MERKLIZE_HASH_rpo256_r2: merklize_hash_id = 49;
pub const MERKLIZE_HASH_rpx256_r2: merklize_hash_id = 50;
pub const MERKLIZE_HASH_keccakf64: merklize_hash_id = 51;
pub const MERKLIZE_HASH_rp64_256: merklize_hash_id = MERKLIZE_HASH_rp64_256_v3;

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_hash_info {
    pub hash: merklize_hash_id,
    /// ```text
    /// 1: digests and rows are field elements, little-endian words below the modulus
    /// ```
    pub is_field: u32,
    /// ```text
    /// rows are counted in units of so many bytes: 1, or a word of a field hash, 4 or 8
    /// ```
    pub row_unit_bytes: u32,
    /// ```text
    /// of a field hash; 0 for a hash of bytes
    /// ```
    pub modulus: u64,
    pub name: [c_char; 32],
}
impl Default for merklize_hash_info {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// An instance of Poseidon2: a prover's own constants. docs/hashes.md has the permutation and the sponge. Words are below the modulus.
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_poseidon2 {
    /// ```text
    /// 0 Goldilocks, 1 BabyBear, 2 KoalaBear
    /// ```
    pub field: u32,
    /// ```text
    /// cells: 8, 12 or 16 over Goldilocks, 16, 24 or 32 over the others
    /// ```
    pub width: u32,
    /// ```text
    /// words of a row that one permutation takes: 1 to width - 1. Of a quad: width
    /// ```
    pub rate: u32,
    /// ```text
    /// half of them before the internal rounds, half after: even, 2 to 64
    /// ```
    pub external_rounds: u32,
    /// ```text
    /// 1 to 256
    /// ```
    pub internal_rounds: u32,
    /// ```text
    /// in the order of use: initial, internal, terminal rounds
    /// ```
    pub constants: *const u64,
    /// ```text
    /// external_rounds width + internal_rounds
    /// ```
    pub constant_count: usize,
    /// ```text
    /// an internal round makes cell i = sum of all cells + diagonal[i] cell i
    /// ```
    pub diagonal: *const u64,
    /// ```text
    /// width
    /// ```
    pub diagonal_count: usize,
}
impl Default for merklize_poseidon2 {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// A mode of BLAKE3. Null, or no key and no context: the plain hash. Only the hash blake3 has modes. Secrets are copied for the call and
/// wiped after it.
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_mode {
    /// ```text
    /// the keyed hash: exactly 32 bytes
    /// ```
    pub key: *const u8,
    pub key_bytes: usize,
    /// ```text
    /// derive_key: a globally unique text that names the purpose. The data is then the key material
    /// ```
    pub context: *const c_char,
    pub context_bytes: usize,
}
impl Default for merklize_mode {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// Tuning values; no choice changes a byte. 0: the library chooses. include/merklize/policy.def has their meaning and limits.
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_policy {
    pub levels_per_launch: u32,
    pub group_size: u32,
    pub lanes: u32,
    /// ```text
    /// 1 literal, 2 constant, 3 global, 4 local
    /// ```
    pub constants: u32,
}
impl Default for merklize_policy {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// Seconds of a call, by the device's own clock.
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_timings {
    /// ```text
    /// 0 on the CPU, and on a caller's queue without profiling
    /// ```
    pub available: u32,
    /// ```text
    /// from the start of the first kernel to the end of the last, without copies between
    /// ```
    pub kernel: f64,
    /// ```text
    /// copies from the host
    /// ```
    pub to_device: f64,
    /// ```text
    /// copies to the host
    /// ```
    pub to_host: f64,
}
impl Default for merklize_timings {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// Called about every 50 ms by the thread that made the call, with the share of the work that is done, 0 to 1. Returns 0 to go on;
/// anything else cancels the call with MERKLIZE_CANCELLED. It must return: no longjmp, no exception.
/// ```
pub type merklize_progress = Option<unsafe extern "C" fn(context: *mut c_void, done: f64) -> c_int>;

/// ```text
/// Null in place of options: all defaults.
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_run_options {
    /// ```text
    /// null: the stream's, else "auto" (merklize_device_open()). Ignored where data is in a buffer
    /// ```
    pub device: *const merklize_device,
    /// ```text
    /// CPU threads to use, the caller's included; 0: all that the process may use
    /// ```
    pub threads: u32,
    /// ```text
    /// null: none
    /// ```
    pub progress: merklize_progress,
    pub progress_context: *mut c_void,
    /// ```text
    /// must belong to the device; null: the library's own
    /// ```
    pub stream: *const merklize_stream,
    /// ```text
    /// null: the library chooses
    /// ```
    pub policy: *const merklize_policy,
    /// ```text
    /// null: not measured
    /// ```
    pub timings: *mut merklize_timings,
}
impl Default for merklize_run_options {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// What became of one file. Its memory lives as long as the merklize_file_digests.
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_file_digest {
    /// ```text
    /// [length]; null if the file failed
    /// ```
    pub output: *const u8,
    /// ```text
    /// why it failed, or null
    /// ```
    pub error: *const c_char,
    /// ```text
    /// errno's value, if a system call failed, or 0
    /// ```
    pub system_error: c_int,
}
impl Default for merklize_file_digest {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_forest_info {
    pub n_trees: u64,
    /// ```text
    /// of each tree
    /// ```
    pub n_leaves: u64,
    /// ```text
    /// levels above the leaves
    /// ```
    pub height: u32,
    /// ```text
    /// 1: the nodes are in the memory of a device
    /// ```
    pub on_device: u32,
}
impl Default for merklize_forest_info {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// What becomes of the last node of a level with an odd number of nodes; docs/layouts.md draws each rule. The numbers of this header are one
/// more than those that files and proofs store (and than merklize::TreeRule of C++), because here 0 is the default.
/// ```
pub type merklize_rule = u32;
pub const MERKLIZE_RULE_DEFAULT: merklize_rule = 0;
pub const MERKLIZE_RULE_PERFECT: merklize_rule = 1;
pub const MERKLIZE_RULE_LEFT_FULL: merklize_rule = 2;
pub const MERKLIZE_RULE_PAD: merklize_rule = 3;
pub const MERKLIZE_RULE_DUPLICATE_LAST: merklize_rule = 4;

/// ```text
/// All that defines a tree besides its leaves. Null in place of a form: blake3, left_full.
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_form {
    pub hash: merklize_hash_id,
    pub rule: merklize_rule,
    /// ```text
    /// keyed or derive-key merges, only for blake3; null: plain
    /// ```
    pub mode: *const merklize_mode,
    /// ```text
    /// the leaf that the rule pad adds
    /// ```
    pub padding: merklize_digest,
}
impl Default for merklize_form {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_tree_info {
    pub n_leaves: u64,
    pub hash: merklize_hash_id,
    /// ```text
    /// never MERKLIZE_RULE_DEFAULT
    /// ```
    pub rule: merklize_rule,
    /// ```text
    /// levels above the leaves
    /// ```
    pub height: u32,
    pub drop_levels: u32,
    /// ```text
    /// 1: the nodes are in the memory of a device; 0: on the host, or in a file
    /// ```
    pub on_device: u32,
    /// ```text
    /// of tree files: 1 if proofs and changes may need merklize_tree_file_set_mode()
    /// ```
    pub is_keyed: u32,
    pub root: merklize_digest,
    /// ```text
    /// bytes of the input that a leaf stands for; 0: not known
    /// ```
    pub leaf_bytes: u64,
    /// ```text
    /// bytes of the whole input; 0: not known
    /// ```
    pub total_bytes: u64,
}
impl Default for merklize_tree_info {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}
pub const MERKLIZE_INPUT_PIECES: u32 = 0;
pub const MERKLIZE_INPUT_ROWS: u32 = 1;
pub const MERKLIZE_INPUT_LEAVES: u32 = 2;

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_input {
    /// ```text
    /// the file to open; with a descriptor: a name for error texts
    /// ```
    pub path: *const c_char,
    /// ```text
    /// at least 1, and at most 64 MiB for hashes other than blake3 and for pipes
    /// ```
    pub leaf_bytes: u64,
    /// ```text
    /// MERKLIZE_INPUT_...
    /// ```
    pub kind: u32,
    /// ```text
    /// 1: `descriptor` is read from its current position to its end and not closed
    /// ```
    pub has_descriptor: u32,
    pub descriptor: i32,
}
impl Default for merklize_input {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}
pub const MERKLIZE_PROOF_SINGLE: u32 = 0;
pub const MERKLIZE_PROOF_MULTI: u32 = 1;
pub const MERKLIZE_PROOF_CONSISTENCY: u32 = 2;

/// ```text
/// What a proof claims. A verifier says what it knows by merklize_expect.
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_proof_info {
    /// ```text
    /// MERKLIZE_PROOF_...
    /// ```
    pub kind: u32,
    pub hash: merklize_hash_id,
    /// ```text
    /// never MERKLIZE_RULE_DEFAULT
    /// ```
    pub rule: merklize_rule,
    /// ```text
    /// of the tree; of consistency: of the newer one
    /// ```
    pub n_leaves: u64,
    /// ```text
    /// of consistency: of the older tree; otherwise 0
    /// ```
    pub old_leaves: u64,
    /// ```text
    /// leaves in the proof: 1, several, or 0 for consistency
    /// ```
    pub leaves: u64,
    /// ```text
    /// other nodes in the proof
    /// ```
    pub siblings: u64,
}
impl Default for merklize_proof_info {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// What a verifier knows of a tree and of a leaf. A proof that claims anything else is not valid: a root alone does not bind what a proof
/// claims (docs/layouts.md). A null field expects nothing, and so does null in place of the struct:
///
///     merklize_expect expect = {.leaf = &leaf, .index = &(uint64_t){17}, .n_leaves = &(uint64_t){4096}};
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_expect {
    /// ```text
    /// of a proof of one leaf. With it, no proof of several leaves is valid
    /// ```
    pub leaf: *const merklize_digest,
    /// ```text
    /// of that leaf, from 0. With it, no proof of several leaves is valid
    /// ```
    pub index: *const u64,
    pub n_leaves: *const u64,
    pub hash: *const merklize_hash_id,
    /// ```text
    /// MERKLIZE_RULE_DEFAULT (0) expects nothing
    /// ```
    pub rule: merklize_rule,
}
impl Default for merklize_expect {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// A node that does not match its children.
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_wrong_node {
    /// ```text
    /// within the level
    /// ```
    pub index: u64,
    pub level: u32,
}
impl Default for merklize_wrong_node {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}
pub const MERKLIZE_ELEMENTS_CANONICAL: u32 = 0;
pub const MERKLIZE_ELEMENTS_ANY: u32 = 1;
pub const MERKLIZE_ELEMENTS_MONTGOMERY: u32 = 2;

/// ```text
/// A matrix of words, that is only read. The word of row i and column k is `i row_stride + k column_stride` words behind the first.
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_matrix {
    /// ```text
    /// host memory: the word of row 0 and column 0; or null, with a buffer
    /// ```
    pub words: *const c_void,
    /// ```text
    /// memory of a device that holds all words; or null
    /// ```
    pub buffer: *const merklize_buffer,
    /// ```text
    /// bytes of the buffer before the word of row 0 and column 0
    /// ```
    pub first: u64,
    pub rows: u64,
    pub columns: u64,
    /// ```text
    /// in words, of any sign: row-major matrices have `columns` and 1
    /// ```
    pub row_stride: i64,
    /// ```text
    /// column-major ones have 1 and `rows`
    /// ```
    pub column_stride: i64,
    /// ```text
    /// 1, 4 or 8; of a field hash those of its words (merklize_hash_info.row_unit_bytes)
    /// ```
    pub word_bytes: u32,
    /// ```text
    /// MERKLIZE_ELEMENTS_..., the same in all matrices of a call; openings of rows take canonical words alone
    /// ```
    pub elements: u32,
}
impl Default for merklize_matrix {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// A Merkle tree over the rows of several matrices of different heights, by the rule `plonky3` (docs/formats.md).
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_commitment_form {
    pub hash: merklize_hash_id,
    /// ```text
    /// children of a node: 2, or 4 for hashes that have a merge of four (docs/hashes.md); 0 is 2
    /// ```
    pub arity: u32,
    /// ```text
    /// layers between the cap and the root; 0: the cap is the root
    /// ```
    pub cap_height: u32,
    /// ```text
    /// as in merklize_hash_rows()
    /// ```
    pub montgomery: u32,
    /// ```text
    /// for merklize_verify_opening() with a hash of bytes: 1, 4 or 8. Else 0
    /// ```
    pub word_bytes: u32,
    /// ```text
    /// 1: keeps the matrices for openings of rows: copies of those on the host, where the nodes are; handles of those on a device, whose words must not change
    /// ```
    pub keep: u32,
}
impl Default for merklize_commitment_form {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_commitment_info {
    pub hash: merklize_hash_id,
    pub arity: u32,
    pub cap_height: u32,
    /// ```text
    /// layers above the leaves
    /// ```
    pub height: u32,
    /// ```text
    /// rows of the tallest matrix
    /// ```
    pub n_leaves: u64,
    /// ```text
    /// digests of the cap
    /// ```
    pub cap_size: u64,
    /// ```text
    /// siblings of one opening
    /// ```
    pub path_length: u64,
    /// ```text
    /// bytes of the rows of one opening: all columns of all matrices
    /// ```
    pub row_bytes: u64,
    /// ```text
    /// 1: the nodes are in the memory of a device
    /// ```
    pub on_device: u32,
    pub keeps_matrices: u32,
}
impl Default for merklize_commitment_info {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// Shape of a matrix, as a verifier knows it.
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_matrix_dims {
    pub rows: u64,
    pub columns: u64,
}
impl Default for merklize_matrix_dims {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// A format of trees. {.hash = info.hash, .rule = info.rule} is its form.
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_format_info {
    pub name: [c_char; 32],
    /// ```text
    /// of nodes
    /// ```
    pub hash: merklize_hash_id,
    pub rule: merklize_rule,
    /// ```text
    /// 1: a leaf is merklize_hash_leaves() of a message; 0: leaves are given
    /// ```
    pub hashes_messages: u32,
    /// ```text
    /// 1: two lists of leaves can have one root: merklize_require_unambiguous()
    /// ```
    pub is_ambiguous: u32,
    /// ```text
    /// bytes of a file that are one leaf; 0: the caller says
    /// ```
    pub piece_size: u64,
}
impl Default for merklize_format_info {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// How fs-verity makes blocks of a file. Null: all zero.
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_fs_verity_form {
    /// ```text
    /// bytes: a power of two, 1024 to 65536; 0: 4096
    /// ```
    pub block_size: u32,
    /// ```text
    /// copied in front of each block
    /// ```
    pub salt: *const u8,
    /// ```text
    /// at most 32
    /// ```
    pub salt_bytes: usize,
}
impl Default for merklize_fs_verity_form {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_xet_chunk {
    pub hash: merklize_digest,
    pub bytes: u64,
}
impl Default for merklize_xet_chunk {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// How the tree of a message is written down: docs/bao.md. All zero, or null: as bao 0.13 does. bao-tree's outboards: group_log 4 and
/// without_size. A group is 2^group_log chunks of 1024 bytes. The root does not depend on any of it: it is merklize_hash().
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_bao_form {
    /// ```text
    /// 0 to 20
    /// ```
    pub group_log: u32,
    /// ```text
    /// 1: a node is behind those below it; of outboards alone
    /// ```
    pub post_order: u32,
    /// ```text
    /// 1: the message's size is not in front
    /// ```
    pub without_size: u32,
}
impl Default for merklize_bao_form {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// Bytes of a message that cannot be verified.
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_bao_fault {
    pub offset: u64,
    pub bytes: u64,
    /// ```text
    /// 1: the outboard is wrong there, so that nothing is known of the message; 0: the message is
    /// ```
    pub in_outboard: u32,
}
impl Default for merklize_bao_fault {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// Null in place of the struct, and 0 or null in a field: the default.
/// piece_size  create: a difference in longer tensors and files is later placed to such a piece: a power of two of at least 256 KiB. 0: 1
///             MiB; UINT64_MAX: no pieces
/// patterns    [pattern_count] as in a shell (`*.lock`). create: names of files of a folder that are left out. check: tensors, files or
///             shards, of which there must be some; the rest is not read. refresh: none
/// exclude     of a folder: a path that is left out, such as the manifest's own
/// everything  refresh: 1: hash all files, not only those whose size, time of the last write or inode changed
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_manifest_options {
    pub piece_size: u64,
    pub patterns: *const *const c_char,
    pub pattern_count: usize,
    pub exclude: *const c_char,
    /// ```text
    /// 1: take symbolic links to files for the files; 0: they are an error
    /// ```
    pub follow_links: u32,
    pub everything: u32,
}
impl Default for merklize_manifest_options {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

/// ```text
/// One thing that is not as a manifest says. The texts end with a 0, and live as long as the merklize_differences.
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_difference {
    /// ```text
    /// missing, unexpected, dtype, shape, bytes, size, header, unreadable
    /// ```
    pub kind: *const c_char,
    /// ```text
    /// tensor, file, shard
    /// ```
    pub what: *const c_char,
    pub name: *const c_char,
    /// ```text
    /// the file that a tensor lies in, or null
    /// ```
    pub shard: *const c_char,
    /// ```text
    /// all of it, for people
    /// ```
    pub sentence: *const c_char,
    /// ```text
    /// of "bytes": the first piece that differs is bytes begin to end of the tensor or file; else 0
    /// ```
    pub begin: u64,
    pub end: u64,
}
impl Default for merklize_difference {
    /// All zero.
    fn default() -> Self {
        // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }
}

extern "C" {
    /// ```text
    /// "ok", "invalid argument" and so on; "unknown status" for any other number. Lives as long as the library.
    /// ```
    pub fn merklize_status_name(status: merklize_status) -> *const c_char;
    /// ```text
    /// The text of the last call of this thread that failed, or "" if none has. It stays until the next failure in this thread or its end.
    /// ```
    pub fn merklize_last_error() -> *const c_char;
    /// ```text
    /// errno's value of the same failure, or 0 if no system call failed.
    /// ```
    pub fn merklize_last_system_error() -> c_int;
    /// ```text
    /// The file of the same failure, or "". Stays as long as the text.
    /// ```
    pub fn merklize_last_error_path() -> *const c_char;
    /// ```text
    /// Version of the library in use, "major.minor.patch". It may differ from MERKLIZE_VERSION_STRING of the headers.
    /// ```
    pub fn merklize_version() -> *const c_char;
    /// ```text
    /// MERKLIZE_ABI_VERSION of the library in use.
    /// ```
    pub fn merklize_abi_version() -> u32;
    /// ```text
    /// For programs that load the library by hand, before any other call.
    /// abi     MERKLIZE_ABI_VERSION of the caller's headers
    /// errors  invalid_argument (the library has another one; the text has both)
    /// ```
    pub fn merklize_check_abi(abi: u32) -> merklize_status;
    /// ```text
    /// Number of usable devices, at least 1. Looks for devices when it is first called, which may open drivers.
    /// ```
    pub fn merklize_device_count(count: *mut usize) -> merklize_status;
    /// ```text
    /// index   below merklize_device_count(); best first
    /// info    written
    /// errors  invalid_argument (index)
    /// ```
    pub fn merklize_device_describe(index: usize, info: *mut merklize_device_info) -> merklize_status;
    /// ```text
    /// Why `name` ("cuda", "opencl:0", ...) cannot be used; an empty text if it can. Output as merklize_policy_to_text().
    /// ```
    pub fn merklize_why_unavailable(name: *const c_char, text: *mut c_char, capacity: usize, length: *mut usize) -> merklize_status;
    /// ```text
    /// name    "auto": the device of the environment variable MERKLIZE_DEVICE, else what calibration found fastest, else the CPU; or an id, such
    ///         as "cpu" or "cuda:0"; or several devices, "cuda:all" or "cuda:0,opencl:1", which act as one for jobs on host memory
    /// errors  invalid_argument (an unknown name), unavailable (a known device that cannot be used here: the text says why)
    /// ```
    pub fn merklize_device_open(name: *const c_char, device: *mut *mut merklize_device) -> merklize_status;
    pub fn merklize_device_get_info(device: *const merklize_device, info: *mut merklize_device_info) -> merklize_status;
    pub fn merklize_device_free(device: *mut merklize_device);
    /// ```text
    /// A new queue of a device, which runs its commands in order.
    /// errors  unavailable (a device without queues: the CPU)
    /// ```
    pub fn merklize_stream_create(device: *const merklize_device, stream: *mut *mut merklize_stream) -> merklize_status;
    /// ```text
    /// The caller's queue, not owned: it must outlive the handle.
    /// native  a CUstream or cudaStream_t (1 is CUDA's default stream), a cl_command_queue or a sycl::queue*
    /// errors  as merklize_stream_create(), invalid_argument (null)
    /// ```
    pub fn merklize_stream_wrap(device: *const merklize_device, native: *mut c_void, stream: *mut *mut merklize_stream) -> merklize_status;
    /// ```text
    /// Waits for everything that was enqueued.
    /// ```
    pub fn merklize_stream_synchronize(stream: *mut merklize_stream) -> merklize_status;
    /// ```text
    /// capturing  written: 1 if the queue is being captured into a graph (CUDA), else 0
    /// ```
    pub fn merklize_stream_is_capturing(stream: *const merklize_stream, capturing: *mut c_int) -> merklize_status;
    pub fn merklize_stream_free(stream: *mut merklize_stream);
    /// ```text
    /// An event is a point in the order of a queue: it is reached when everything that was enqueued before it has ended. It needs its stream
    /// no longer.
    /// merklize_stream_record  the point after everything that is enqueued so far; never waits
    /// ```
    pub fn merklize_stream_record(stream: *mut merklize_stream, event: *mut *mut merklize_event) -> merklize_status;
    /// ```text
    /// What is enqueued from now on begins after the event; nothing waits on the host.
    /// errors  invalid_argument (an event of another device)
    /// ```
    pub fn merklize_stream_wait(stream: *mut merklize_stream, event: *const merklize_event) -> merklize_status;
    /// ```text
    /// Waits on the host until the point is reached.
    /// errors  what ran and failed; invalid_argument (the event is of a stream that was being captured into a graph)
    /// ```
    pub fn merklize_event_wait(event: *const merklize_event) -> merklize_status;
    /// ```text
    /// reached  written: 1 or 0; never waits
    /// errors   as merklize_event_wait()
    /// ```
    pub fn merklize_event_query(event: *const merklize_event, reached: *mut c_int) -> merklize_status;
    /// ```text
    /// What merklize_event_wait() would report, without waiting. For captured calls: what replays of the graph that have ended found.
    /// errors  invalid_argument (a word of the input that is not below the modulus of a field hash)
    /// ```
    pub fn merklize_event_check(event: *const merklize_event) -> merklize_status;
    /// ```text
    /// native  written: a CUevent, a cl_event or a sycl::event*, which lives as long as the handle
    /// ```
    pub fn merklize_event_native(event: *const merklize_event, native: *mut *mut c_void) -> merklize_status;
    pub fn merklize_event_free(event: *mut merklize_event);
    /// ```text
    /// Memory of a device, aligned to 256 bytes; its content is undefined.
    /// errors  unavailable (the CPU: its memory is host memory), out_of_memory
    /// ```
    pub fn merklize_buffer_create(device: *const merklize_device, bytes: u64, buffer: *mut *mut merklize_buffer) -> merklize_status;
    /// ```text
    /// The caller's memory, not owned: it must outlive the handle, its slices and the trees that use it.
    /// native  a CUdeviceptr as a pointer, a cl_mem or a USM pointer
    /// errors  invalid_argument (memory of another device or of the host), unavailable
    /// ```
    pub fn merklize_buffer_wrap(device: *const merklize_device, native: *mut c_void, bytes: u64, buffer: *mut *mut merklize_buffer) -> merklize_status;
    /// ```text
    /// The same, to be read alone: a call that would write it is an error.
    /// ```
    pub fn merklize_buffer_wrap_const(device: *const merklize_device, native: *const c_void, bytes: u64, buffer: *mut *mut merklize_buffer) -> merklize_status;
    /// ```text
    /// A handle to bytes [first, first + bytes) of the same memory, which lives as long as any handle to it.
    /// errors  invalid_argument (outside)
    /// ```
    pub fn merklize_buffer_slice(buffer: *const merklize_buffer, first: u64, bytes: u64, slice: *mut *mut merklize_buffer) -> merklize_status;
    /// ```text
    /// Number of bytes; 0 for null.
    /// ```
    pub fn merklize_buffer_size(buffer: *const merklize_buffer) -> u64;
    /// ```text
    /// native  written. CUDA and USM: the address of the first byte. OpenCL: the cl_mem, in which the bytes begin at *offset. It is valid as
    ///         long as the memory
    /// offset  written if not null; 0 where native is an address
    /// ```
    pub fn merklize_buffer_native(buffer: *const merklize_buffer, native: *mut *mut c_void, offset: *mut u64) -> merklize_status;
    /// ```text
    /// Copies host memory to bytes [first, first + bytes) of a buffer, and back. Both wait until the copy is done.
    /// stream  null: the library's own
    /// errors  invalid_argument (outside)
    /// ```
    pub fn merklize_buffer_upload(buffer: *mut merklize_buffer, first: u64, host: *const c_void, bytes: usize, stream: *const merklize_stream) -> merklize_status;
    /// ```text
    /// As merklize_buffer_upload() says.
    /// ```
    pub fn merklize_buffer_download(buffer: *const merklize_buffer, first: u64, host: *mut c_void, bytes: usize, stream: *const merklize_stream) -> merklize_status;
    pub fn merklize_buffer_free(buffer: *mut merklize_buffer);
    /// ```text
    /// Number of hashes.
    /// ```
    pub fn merklize_hash_count() -> usize;
    /// ```text
    /// index   below merklize_hash_count(); hashes are in the order of their ids
    /// info    written
    /// errors  invalid_argument (index)
    /// ```
    pub fn merklize_hash_describe(index: usize, info: *mut merklize_hash_info) -> merklize_status;
    /// ```text
    /// name    as in docs/hashes.md
    /// errors  invalid_argument (an unknown name; the text lists the known ones)
    /// ```
    pub fn merklize_hash_from_name(name: *const c_char, hash: *mut merklize_hash_id) -> merklize_status;
    /// ```text
    /// A hash made of these constants, which works wherever a hash does. The id is valid in this process alone; files and proofs have a digest
    /// of the constants in its place.
    /// instance  copied
    /// quad      null, or the permutation of a commitment's merges of four (arity 4), copied: over the same field, its width and rate both
    ///           16 over Goldilocks and 32 over the others. Without it arity 4 is refused
    /// hash      the same for the same constants
    /// errors    invalid_argument (shapes, a word that is not below the modulus, a quad over another field, more than 127 sets of
    ///           constants)
    /// ```
    pub fn merklize_hash_poseidon2(instance: *const merklize_poseidon2, quad: *const merklize_poseidon2, hash: *mut merklize_hash_id) -> merklize_status;
    /// ```text
    /// Facts of any hash, also of one of merklize_hash_poseidon2(), which merklize_hash_describe() does not list.
    /// info    written. Its name is "" if it has more than 31 bytes: merklize_hash_name() has it whole
    /// errors  invalid_argument (an unknown id)
    /// ```
    pub fn merklize_hash_get_info(hash: merklize_hash_id, info: *mut merklize_hash_info) -> merklize_status;
    /// ```text
    /// The name of any hash, which merklize_hash_from_name() takes.
    /// text    written, with a zero byte at its end; may be null if capacity is 0
    /// length  written if not null: bytes of the text without the zero byte, also if it is too small
    /// errors  too_small, invalid_argument (an unknown id)
    /// ```
    pub fn merklize_hash_name(hash: merklize_hash_id, text: *mut c_char, capacity: usize, length: *mut usize) -> merklize_status;
    /// ```text
    /// text    "levels_per_launch=3,constants=local"; empty: all zero
    /// errors  invalid_argument (unknown fields, values that a field does not take; the text lists the valid ones)
    /// ```
    pub fn merklize_policy_from_text(text: *const c_char, policy: *mut merklize_policy) -> merklize_status;
    /// ```text
    /// The reverse: the fields that are not 0.
    /// text    written, with a zero byte at its end; may be null if capacity is 0
    /// length  written if not null: bytes of the text without the zero byte, also if it is too small
    /// errors  too_small, invalid_argument
    /// ```
    pub fn merklize_policy_to_text(policy: *const merklize_policy, text: *mut c_char, capacity: usize, length: *mut usize) -> merklize_status;
    /// ```text
    /// The digest of a message by a hash of bytes. BLAKE3 uses all threads, or the device; the others are one chain of blocks, which the calling
    /// thread computes.
    /// data    of any length; a device's memory is hashed there by BLAKE3
    /// mode    of blake3; null: plain
    /// seek    where `out` begins in BLAKE3's extendable output; of any other hash 0
    /// out     [out_bytes] of host memory, written; 32 bytes from 0 on are the digest, and all that any other hash has
    /// errors  unavailable, cancelled, invalid_argument (a hash of field elements; sha256_rfc6962, which puts a prefix before leaves;
    ///         keccakf64, which binds no length; a mode, or output, that the hash does not have)
    /// ```
    pub fn merklize_hash(data: merklize_view, hash: merklize_hash_id, mode: *const merklize_mode, seek: u64, out: *mut u8, out_bytes: usize, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// The same of a file or of anything else that can be opened and read; a pipe is read in order. Takes at most about 32 MiB of memory.
    /// errors  io (cannot open or read; a regular file that changed its size while it was read), invalid_argument (a hash that begins with the
    ///         length, of a pipe)
    /// ```
    pub fn merklize_hash_file(path: *const c_char, hash: merklize_hash_id, mode: *const merklize_mode, seek: u64, out: *mut u8, out_bytes: usize, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// The same of an open descriptor, read from its current position to its end and not closed.
    /// name  for error texts; may be null
    /// ```
    pub fn merklize_hash_descriptor(descriptor: c_int, name: *const c_char, hash: merklize_hash_id, mode: *const merklize_mode, seek: u64, out: *mut u8, out_bytes: usize, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// The same of many files, several at once. A file that fails does not stop the others.
    /// paths    [n]
    /// length   bytes of output for each file
    /// digests  written: what became of each file, in order
    /// ```
    pub fn merklize_hash_files(paths: *const *const c_char, n: usize, hash: merklize_hash_id, mode: *const merklize_mode, seek: u64, length: usize, options: *const merklize_run_options, digests: *mut *mut merklize_file_digests) -> merklize_status;
    /// ```text
    /// errors  invalid_argument (index not below the number of files)
    /// ```
    pub fn merklize_file_digests_get(digests: *const merklize_file_digests, index: usize, digest: *mut merklize_file_digest) -> merklize_status;
    pub fn merklize_file_digests_free(digests: *mut merklize_file_digests);
    /// ```text
    /// Each of n messages of any lengths, by BLAKE3 in one job a device, each where it lies; by any other hash a thread a message.
    /// messages  [n]
    /// out       [n, length] bytes of host memory, written
    /// errors    as merklize_hash(); invalid_argument (a stream, and messages on another device)
    /// ```
    pub fn merklize_hash_each(messages: *const merklize_view, n: usize, hash: merklize_hash_id, mode: *const merklize_mode, seek: u64, out: *mut u8, length: usize, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// BLAKE3 of one message whose parts lie in several buffers, one after another. All devices work at once.
    /// parts   [n], each of a multiple of 1024 bytes, but for the last one
    /// errors  as merklize_hash(); invalid_argument (a part of another length; a stream)
    /// ```
    pub fn merklize_hash_parts(parts: *const *const merklize_buffer, n: usize, mode: *const merklize_mode, seek: u64, out: *mut u8, out_bytes: usize, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// Digests of n rows of equal length, as leaves of a tree of this hash. docs/hashes.md says what each hash makes of a row (RFC 6962's
    /// prefix, padding).
    /// rows       [n, row_bytes]: bytes, or little-endian words of a field hash, each below its modulus
    /// row_bytes  of a field hash a multiple of merklize_hash_info.row_unit_bytes
    /// mode       of blake3; null: plain
    /// out        [n] digests, where the rows are
    /// errors     invalid_argument (sizes that do not fit; a word that is not below the modulus, with its place; a mode)
    /// ```
    pub fn merklize_hash_leaves(rows: merklize_view, row_bytes: u64, hash: merklize_hash_id, mode: *const merklize_mode, out: merklize_output, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// Merges of n pairs: out[i] = merge(left[i], right[i]). `out` may be `left` or `right`.
    /// left, right, out  [n] digests each, in one place
    /// mode              keyed or derive-key merges; of blake3
    /// errors            invalid_argument (sizes that do not fit; a word that is not below the modulus; a mode)
    /// ```
    pub fn merklize_merge(left: merklize_view, right: merklize_view, hash: merklize_hash_id, mode: *const merklize_mode, out: merklize_output, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// A message that comes in pieces, by any hash that merklize_hash() takes. Large pieces use all threads.
    /// options  hold for all later calls on the hasher; what they point to is copied. progress and timings must be null
    /// errors   as merklize_hash(); invalid_argument (a hash that begins with the length)
    /// ```
    pub fn merklize_hasher_create(hash: merklize_hash_id, mode: *const merklize_mode, options: *const merklize_run_options, hasher: *mut *mut merklize_hasher) -> merklize_status;
    pub fn merklize_hasher_update(hasher: *mut merklize_hasher, data: *const c_void, bytes: usize) -> merklize_status;
    /// ```text
    /// Output of all bytes so far, as merklize_hash() has it. More bytes may follow.
    /// errors  invalid_argument (a hash without extendable output: other than 32 bytes at 0)
    /// ```
    pub fn merklize_hasher_output(hasher: *const merklize_hasher, seek: u64, out: *mut u8, out_bytes: usize) -> merklize_status;
    /// ```text
    /// Number of bytes so far; 0 for null.
    /// ```
    pub fn merklize_hasher_count(hasher: *const merklize_hasher) -> u64;
    /// ```text
    /// Back to no bytes, in the same mode.
    /// ```
    pub fn merklize_hasher_reset(hasher: *mut merklize_hasher) -> merklize_status;
    /// ```text
    /// A hasher of its own that goes on from the same bytes.
    /// ```
    pub fn merklize_hasher_copy(hasher: *const merklize_hasher, copy: *mut *mut merklize_hasher) -> merklize_status;
    pub fn merklize_hasher_free(hasher: *mut merklize_hasher);
    /// ```text
    /// Trees that the same launches build, as one large tree. Any number of threads may use a forest at once.
    /// leaves    [n_trees, n_leaves] digests, tree after tree; copied, in a buffer there
    /// n_leaves  a power of two, for which all rules agree
    /// errors    as merklize_tree_from_leaves(); invalid_argument (n_leaves; a number of digests that is no multiple of it)
    /// ```
    pub fn merklize_forest_from_leaves(leaves: merklize_view, n_leaves: u64, form: *const merklize_form, options: *const merklize_run_options, forest: *mut *mut merklize_forest) -> merklize_status;
    pub fn merklize_forest_free(forest: *mut merklize_forest);
    pub fn merklize_forest_get_info(forest: *const merklize_forest, info: *mut merklize_forest_info) -> merklize_status;
    /// ```text
    /// roots   [capacity], written; may be null if capacity is 0
    /// count   written if not null: number of trees, also if capacity is too small
    /// errors  too_small
    /// ```
    pub fn merklize_forest_roots(forest: *const merklize_forest, roots: *mut merklize_digest, capacity: usize, count: *mut usize) -> merklize_status;
    /// ```text
    /// A view of one level of all trees, tree after tree. If they are on a device, the first call copies the level to the host.
    /// nodes   written: a pointer to memory of the forest, valid until it is freed
    /// errors  invalid_argument (a level above the roots), out_of_memory
    /// ```
    pub fn merklize_forest_level(forest: *const merklize_forest, level: u32, nodes: *mut *const merklize_digest, count: *mut u64) -> merklize_status;
    /// ```text
    /// The proof of a leaf of one tree: that of merklize_tree_prove().
    /// errors  invalid_argument (tree, index)
    /// ```
    pub fn merklize_forest_prove(forest: *const merklize_forest, tree: u64, index: u64, proof: *mut *mut merklize_proof) -> merklize_status;
    /// ```text
    /// Number of slots that a tree of n leaves takes in heap order: 2^h + n, where h = ceil(log2 n). That is 2n for a power of two.
    /// errors  invalid_argument (n = 0), out_of_memory (n is too large)
    /// ```
    pub fn merklize_heap_slots(n_leaves: u64, slots: *mut u64) -> merklize_status;
    /// ```text
    /// Builds all parents of a tree in the caller's memory.
    /// nodes   [slots] digests in heap order: root at 1, children of i at 2i and 2i+1, leaf k at 2^h + k. The caller must fill the leaves; all
    ///         other slots are written, and a slot without a node becomes zeros. Slots are merklize_heap_slots() of the number of leaves. A
    ///         buffer must be aligned to 32 bytes
    /// errors  invalid_argument (slots that fit no tree, a number of leaves that the rule does not allow, a word that is not below the
    ///         modulus), cancelled (parents are undefined)
    /// ```
    pub fn merklize_build_tree(nodes: merklize_output, form: *const merklize_form, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// Only the root, of n >= 1 leaves, or of none (merklize_tree_from_leaves). The root of one leaf is the leaf. Takes 32 bytes a leaf of
    /// working memory.
    /// leaves  [n] digests
    /// root    host memory, written
    /// ```
    pub fn merklize_merkle_root(leaves: merklize_view, form: *const merklize_form, root: *mut merklize_digest, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// The root of leaves that lie in several buffers. All devices work at once.
    /// parts   [n], a power of two; each has as many leaves as the others, a power of two
    /// errors  as merklize_merkle_root(); invalid_argument (counts; a stream)
    /// ```
    pub fn merklize_merkle_root_parts(parts: *const *const merklize_buffer, n: usize, form: *const merklize_form, root: *mut merklize_digest, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// The root of the tree over a file or pipe, in about 64 MiB of memory.
    /// info    describes the tree. drop_levels and on_device are 0
    /// errors  io, invalid_argument, cancelled
    /// ```
    pub fn merklize_merkle_root_file(input: *const merklize_input, form: *const merklize_form, info: *mut merklize_tree_info, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// A tree with its nodes. They are in the memory of the device that built it; on the host if that is the CPU, or if they do not fit.
    /// leaves       [n] digests, n >= 1; copied, in a buffer there. Of the hash "sha256_rfc6962" with the rule "left_full" n may be 0: RFC
    ///              6962's empty tree, whose root is SHA-256 of nothing
    /// drop_levels  levels at the bottom, leaves included, that are not kept: 2^drop_levels times less memory, but proofs need the leaves
    /// errors       as merklize_build_tree(), out_of_memory
    /// ```
    pub fn merklize_tree_from_leaves(leaves: merklize_view, form: *const merklize_form, drop_levels: u32, options: *const merklize_run_options, tree: *mut *mut merklize_tree) -> merklize_status;
    /// ```text
    /// Leaf k is the digest of row k by merklize_hash_leaves(). Rows are hashed and merged in one pass.
    /// rows  n rows of equal length, as in merklize_hash_leaves()
    /// ```
    pub fn merklize_tree_from_rows(rows: merklize_view, n: u64, form: *const merklize_form, options: *const merklize_run_options, tree: *mut *mut merklize_tree) -> merklize_status;
    /// ```text
    /// The tree over a regular file, which is read once and not kept in memory.
    /// errors  io (also if it is not a regular file or changes its size), invalid_argument, out_of_memory
    /// ```
    pub fn merklize_tree_from_file(input: *const merklize_input, form: *const merklize_form, options: *const merklize_run_options, tree: *mut *mut merklize_tree) -> merklize_status;
    pub fn merklize_tree_free(tree: *mut merklize_tree);
    /// ```text
    /// info  written
    /// ```
    pub fn merklize_tree_get_info(tree: *const merklize_tree, info: *mut merklize_tree_info) -> merklize_status;
    pub fn merklize_tree_root(tree: *const merklize_tree, root: *mut merklize_digest) -> merklize_status;
    /// ```text
    /// A view of all slots in heap order. With dropped levels the lowest kept level counts as the leaves. If the tree is on a device, the
    /// first call copies the slots to the host.
    /// nodes   written: a pointer to memory of the tree, valid until the tree is changed or freed
    /// errors  out_of_memory
    /// ```
    pub fn merklize_tree_nodes(tree: *const merklize_tree, nodes: *mut *const merklize_digest, slots: *mut u64) -> merklize_status;
    /// ```text
    /// A view of one level, in the same way. Level 0 is the leaves; level l has ceil(n / 2^l) nodes.
    /// errors  invalid_argument (a level above the root, or dropped), out_of_memory
    /// ```
    pub fn merklize_tree_level(tree: *const merklize_tree, level: u32, nodes: *mut *const merklize_digest, count: *mut u64) -> merklize_status;
    /// ```text
    /// Copies the nodes `height` levels below the root, left to right; only these come from a device. cap 0 is the root.
    /// nodes   [capacity], written; may be null if capacity is 0
    /// count   written if not null: number of nodes, also if capacity is too small
    /// errors  too_small, invalid_argument (a level below the leaves, or dropped)
    /// ```
    pub fn merklize_tree_cap(tree: *const merklize_tree, height: u32, nodes: *mut merklize_digest, capacity: usize, count: *mut usize) -> merklize_status;
    /// ```text
    /// A handle to the tree's slots in a device's memory, to be read alone: a call that would write it is an error. It stays valid memory after the tree is freed; a change of the
    /// tree may leave it behind.
    /// errors  invalid_argument (the nodes are on the host)
    /// ```
    pub fn merklize_tree_device_nodes(tree: *const merklize_tree, nodes: *mut *mut merklize_buffer) -> merklize_status;
    /// ```text
    /// Proof of one leaf, made where the nodes are.
    /// leaves  for a tree with dropped levels: all its leaves, n_leaves of them; otherwise null and 0
    /// errors  invalid_argument (index >= n; leaves missing, or different from the tree's)
    /// ```
    pub fn merklize_tree_prove(tree: *const merklize_tree, index: u64, leaves: *const merklize_digest, n_leaves: u64, proof: *mut *mut merklize_proof) -> merklize_status;
    /// ```text
    /// A proof for each of `count` indices, in order; repeats are allowed.
    /// proofs  [count], written: each is freed by itself. After an error all are null
    /// ```
    pub fn merklize_tree_prove_each(tree: *const merklize_tree, indices: *const u64, count: usize, leaves: *const merklize_digest, n_leaves: u64, proofs: *mut *mut merklize_proof) -> merklize_status;
    /// ```text
    /// One proof for several leaves: at least one index, in any order, no index twice.
    /// ```
    pub fn merklize_tree_prove_together(tree: *const merklize_tree, indices: *const u64, count: usize, leaves: *const merklize_digest, n_leaves: u64, proof: *mut *mut merklize_proof) -> merklize_status;
    /// ```text
    /// The same for leaves first .. last-1.
    /// ```
    pub fn merklize_tree_prove_range(tree: *const merklize_tree, first: u64, last: u64, leaves: *const merklize_digest, n_leaves: u64, proof: *mut *mut merklize_proof) -> merklize_status;
    /// ```text
    /// Shows that the first old_leaves leaves are those of an older tree. Only for the rule left_full, without dropped levels.
    /// ```
    pub fn merklize_tree_prove_consistency(tree: *const merklize_tree, old_leaves: u64, proof: *mut *mut merklize_proof) -> merklize_status;
    /// ```text
    /// Replaces leaves and hashes the paths above them again, on the tree's device. After MERKLIZE_CANCELLED the tree is as before.
    /// indices, leaves  [count]; no index twice
    /// errors           invalid_argument (index >= n; an index twice; a word that is not below the modulus; dropped levels), cancelled
    /// ```
    pub fn merklize_tree_update(tree: *mut merklize_tree, indices: *const u64, leaves: *const merklize_digest, count: usize, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// Adds leaves at the end; only for the rule left_full.
    /// ```
    pub fn merklize_tree_append(tree: *mut merklize_tree, leaves: *const merklize_digest, count: u64, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// Writes the tree to a file (.mkl), whole or not at all.
    /// errors  io (a disk that is too small, with the numbers, before anything is written), invalid_argument (dropped levels)
    /// ```
    pub fn merklize_tree_save(tree: *const merklize_tree, path: *const c_char) -> merklize_status;
    /// ```text
    /// The root of leaves that come in pieces, in little memory: one digest a level and a batch of leaves.
    /// options  as merklize_hasher_create()
    /// ```
    pub fn merklize_tree_builder_create(form: *const merklize_form, options: *const merklize_run_options, builder: *mut *mut merklize_tree_builder) -> merklize_status;
    /// ```text
    /// After an error the builder is as before the call.
    /// leaves  [k] digests; a buffer of the builder's device
    /// ```
    pub fn merklize_tree_builder_append(builder: *mut merklize_tree_builder, leaves: merklize_view) -> merklize_status;
    /// ```text
    /// Number of leaves so far; 0 for null.
    /// ```
    pub fn merklize_tree_builder_count(builder: *const merklize_tree_builder) -> u64;
    /// ```text
    /// The root of the leaves so far. More leaves may follow.
    /// errors  invalid_argument (no leaves; a number of leaves that the rule does not allow)
    /// ```
    pub fn merklize_tree_builder_root(builder: *const merklize_tree_builder, root: *mut merklize_digest) -> merklize_status;
    pub fn merklize_tree_builder_free(builder: *mut merklize_tree_builder);
    pub fn merklize_proof_get_info(proof: *const merklize_proof, info: *mut merklize_proof_info) -> merklize_status;
    /// ```text
    /// Copies what a proof holds.
    /// indices, leaves  [info.leaves], ascending; null: not wanted
    /// siblings         [info.siblings], in the order of docs/layouts.md; null: not wanted
    /// ```
    pub fn merklize_proof_read(proof: *const merklize_proof, indices: *mut u64, leaves: *mut merklize_digest, siblings: *mut merklize_digest) -> merklize_status;
    /// ```text
    /// The bytes of docs/layouts.md.
    /// bytes   [capacity], written; may be null if capacity is 0
    /// length  written if not null: number of bytes, also if capacity is too small
    /// errors  too_small
    /// ```
    pub fn merklize_proof_to_bytes(proof: *const merklize_proof, bytes: *mut u8, capacity: usize, length: *mut usize) -> merklize_status;
    /// ```text
    /// The reverse, for bytes from anywhere.
    /// errors  invalid_argument (bytes that merklize_proof_to_bytes() does not write)
    /// ```
    pub fn merklize_proof_from_bytes(bytes: *const u8, length: usize, proof: *mut *mut merklize_proof) -> merklize_status;
    /// ```text
    /// The bytes of Winterfell's BatchMerkleProof, which hold neither leaves nor indices; only of a proof of several leaves of a perfect tree.
    /// Output as merklize_proof_to_bytes().
    /// errors  too_small, invalid_argument (a proof that the format cannot hold)
    /// ```
    pub fn merklize_proof_to_winterfell(proof: *const merklize_proof, bytes: *mut u8, capacity: usize, length: *mut usize) -> merklize_status;
    /// ```text
    /// indices, leaves  [count], in any order, but the same for both
    /// errors           invalid_argument (bytes that are not such a proof of these leaves)
    /// ```
    pub fn merklize_proof_from_winterfell(bytes: *const u8, length: usize, hash: merklize_hash_id, indices: *const u64, leaves: *const merklize_digest, count: usize, proof: *mut *mut merklize_proof) -> merklize_status;
    pub fn merklize_proof_free(proof: *mut merklize_proof);
    /// ```text
    /// Whether a proof of one or several leaves leads to the root, and claims what is expected. Needs no device and no tree. A proof that does
    /// not verify is no error: *valid is 0.
    /// expect  null: nothing is expected
    /// mode    of a keyed tree; null: plain
    /// valid   written: 1 or 0; 0 after an error
    /// errors  invalid_argument (null; a proof of consistency, which merklize_proof_verify_consistency() takes; an expected hash or rule that
    ///         is unknown; a key of another length)
    /// ```
    pub fn merklize_proof_verify(proof: *const merklize_proof, root: *const merklize_digest, expect: *const merklize_expect, mode: *const merklize_mode, valid: *mut c_int) -> merklize_status;
    /// ```text
    /// The same for a proof's bytes, from anywhere. Malformed bytes are no error either, and nor are those of a proof of consistency: *valid is
    /// 0.
    /// ```
    pub fn merklize_verify(bytes: *const u8, length: usize, root: *const merklize_digest, expect: *const merklize_expect, mode: *const merklize_mode, valid: *mut c_int) -> merklize_status;
    /// ```text
    /// Whether a proof of consistency shows that the leaves under the old root are the first leaves under the new one. The proof claims both
    /// counts: compare those of merklize_proof_info with what the owner of the roots says.
    /// mode, valid  as for merklize_proof_verify()
    /// errors       invalid_argument (null; a proof of leaves, which merklize_proof_verify() takes; a key of another length)
    /// ```
    pub fn merklize_proof_verify_consistency(proof: *const merklize_proof, old_root: *const merklize_digest, new_root: *const merklize_digest, mode: *const merklize_mode, valid: *mut c_int) -> merklize_status;
    /// ```text
    /// The same for a proof's bytes, from anywhere. Malformed bytes are no error either, and nor are those of a proof of leaves: *valid is 0.
    /// ```
    pub fn merklize_verify_consistency(bytes: *const u8, length: usize, old_root: *const merklize_digest, new_root: *const merklize_digest, mode: *const merklize_mode, valid: *mut c_int) -> merklize_status;
    /// ```text
    /// Many proofs of one leaf each, and of one hash, against one root, side by side on options->device.
    /// valid   [count], written: 1 or 0
    /// errors  invalid_argument (a proof of several leaves or of consistency; different hashes), cancelled
    /// ```
    pub fn merklize_verify_each(proofs: *const *const merklize_proof, count: usize, root: *const merklize_digest, mode: *const merklize_mode, valid: *mut u8, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// Builds the tree over an input in a file (.mkl), in little memory. docs/file-format.md gives the bytes of the file.
    /// resume  1: goes on with what a killed build of the same input left in OUTPUT.partial; 0: begins again
    /// info    null, or written: describes the tree
    /// errors  io (a disk that is too small, with the numbers), invalid_argument, cancelled (OUTPUT.partial stays)
    /// ```
    pub fn merklize_build_tree_file(input: *const merklize_input, output: *const c_char, form: *const merklize_form, resume: c_int, info: *mut merklize_tree_info, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// Opens a tree file; its nodes stay there.
    /// errors  io (cannot open or read; damaged, truncated, too long, or of a newer version: the text says which)
    /// ```
    pub fn merklize_tree_file_open(path: *const c_char, file: *mut *mut merklize_tree_file) -> merklize_status;
    pub fn merklize_tree_file_free(file: *mut merklize_tree_file);
    /// ```text
    /// The key of a keyed tree is not in its file; merklize_tree_file_check() and changes need it.
    /// errors  invalid_argument (a mode that is not the tree's)
    /// ```
    pub fn merklize_tree_file_set_mode(file: *mut merklize_tree_file, mode: *const merklize_mode) -> merklize_status;
    /// ```text
    /// info  written
    /// ```
    pub fn merklize_tree_file_get_info(file: *const merklize_tree_file, info: *mut merklize_tree_info) -> merklize_status;
    pub fn merklize_tree_file_root(file: *const merklize_tree_file, root: *mut merklize_digest) -> merklize_status;
    /// ```text
    /// Reads nodes first .. first+count-1 of a level; level 0 is the leaves.
    /// nodes   [count], written
    /// errors  io, invalid_argument (outside the level)
    /// ```
    pub fn merklize_tree_file_read(file: *const merklize_tree_file, level: u32, first: u64, nodes: *mut merklize_digest, count: usize) -> merklize_status;
    /// ```text
    /// Proofs, as of trees in memory; they read only what they need.
    /// errors  io, and those of merklize_tree_prove()
    /// ```
    pub fn merklize_tree_file_prove(file: *const merklize_tree_file, index: u64, proof: *mut *mut merklize_proof) -> merklize_status;
    pub fn merklize_tree_file_prove_together(file: *const merklize_tree_file, indices: *const u64, count: usize, proof: *mut *mut merklize_proof) -> merklize_status;
    pub fn merklize_tree_file_prove_range(file: *const merklize_tree_file, first: u64, last: u64, proof: *mut *mut merklize_proof) -> merklize_status;
    pub fn merklize_tree_file_prove_consistency(file: *const merklize_tree_file, old_leaves: u64, proof: *mut *mut merklize_proof) -> merklize_status;
    /// ```text
    /// Checks every node against its children; reads the file once.
    /// wrong   [capacity]: the wrong nodes, by level and index, at most `capacity` of them; more are not looked for
    /// count   written: number of nodes in `wrong`; 0: the file is sound. With capacity 0 the answer is 0 or 1
    /// errors  io, cancelled, invalid_argument (a keyed tree without its mode)
    /// ```
    pub fn merklize_tree_file_check(file: *const merklize_tree_file, wrong: *mut merklize_wrong_node, capacity: usize, count: *mut usize, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// Replaces leaves, or adds leaves (rule left_full). The change is made in a copy, which replaces the file when it is whole. One process
    /// or thread at a time changes a file; others wait.
    /// errors  as merklize_tree_update(), and io; cancelled, also while waiting. After an error the file is as before
    /// ```
    pub fn merklize_tree_file_update(file: *mut merklize_tree_file, indices: *const u64, leaves: *const merklize_digest, count: usize, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// As merklize_tree_file_update() says.
    /// ```
    pub fn merklize_tree_file_append(file: *mut merklize_tree_file, leaves: *const merklize_digest, count: u64, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// Builds a tree file of leaves that come in pieces, in little memory. It writes PATH.partial, which becomes PATH when it is whole.
    /// n_leaves                 of the whole tree; 0: not known
    /// leaf_bytes, total_bytes  what is recorded of the input behind the leaves; 0: not known. total_bytes is 0 if n_leaves is
    /// resume                   1: if PATH.partial has this form, n_leaves and input, go on after its leaves, which the caller must know to be the
    ///                          first ones of this tree; 0: begin again
    /// options                  as merklize_hasher_create()
    /// errors                   io (a disk that is too small, with the numbers; a PATH that is no regular file; another build of it is running),
    ///                          invalid_argument (as merklize_build_tree(); leaves that do not match the bytes)
    /// ```
    pub fn merklize_tree_writer_create(path: *const c_char, n_leaves: u64, form: *const merklize_form, leaf_bytes: u64, total_bytes: u64, resume: c_int, options: *const merklize_run_options, writer: *mut *mut merklize_tree_writer) -> merklize_status;
    /// ```text
    /// Without merklize_tree_writer_finish() before it, PATH.partial stays, and the work can be resumed.
    /// ```
    pub fn merklize_tree_writer_free(writer: *mut merklize_tree_writer);
    /// ```text
    /// Leaves so far, which is the index of the next one. Not 0 after a resume; 0 for null.
    /// ```
    pub fn merklize_tree_writer_written(writer: *const merklize_tree_writer) -> u64;
    /// ```text
    /// errors  io (a full disk: the work can still be resumed), invalid_argument (more leaves than n_leaves; a word that is not below the
    ///         modulus), cancelled. merklize_tree_writer_written() says how many leaves were taken
    /// ```
    pub fn merklize_tree_writer_append(writer: *mut merklize_tree_writer, leaves: *const merklize_digest, count: u64) -> merklize_status;
    /// ```text
    /// Waits until all leaves so far are on the disk.
    /// ```
    pub fn merklize_tree_writer_checkpoint(writer: *mut merklize_tree_writer) -> merklize_status;
    /// ```text
    /// Writes the rest and gives the file its name.
    /// total_bytes  of the input, if n_leaves was not known; else 0
    /// root         written
    /// errors       io, invalid_argument (missing leaves, with the counts; a number that the rule does not allow), cancelled
    /// ```
    pub fn merklize_tree_writer_finish(writer: *mut merklize_tree_writer, total_bytes: u64, root: *mut merklize_digest) -> merklize_status;
    /// ```text
    /// Digests of the rows of several matrices side by side: out[i] is the hash of row i of the first, of the second and so on, as one row.
    /// matrices    [count], each with n rows; all in host memory, or all on one device. A device gets host memory in pieces, while it hashes
    /// montgomery  0, or the modulus of a field of at most 31 bits: a hash of bytes takes words x of 4 bytes, below it, as 2^32 x mod it
    /// mode        of blake3; null: plain
    /// out         [n] digests; undefined after an error. In a buffer: of the matrices' device, if they are on one
    /// errors      invalid_argument (sizes that do not fit; a word that is not below the modulus, with its row and column)
    /// ```
    pub fn merklize_hash_rows(matrices: *const merklize_matrix, count: usize, hash: merklize_hash_id, montgomery: u32, mode: *const merklize_mode, out: merklize_output, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// matrices  [count], at least one, as merklize_hash_rows() takes them, but of different heights: with h rows of the tallest one,
    ///           every height must be ceil(h / 2^k) for some k
    /// errors    invalid_argument (heights, sizes, a hash without merges of four, a cap below the leaves; a word that is not
    ///           below the modulus, with its row and column), out_of_memory, cancelled
    /// ```
    pub fn merklize_commitment_build(matrices: *const merklize_matrix, count: usize, form: *const merklize_commitment_form, options: *const merklize_run_options, commitment: *mut *mut merklize_commitment) -> merklize_status;
    pub fn merklize_commitment_free(commitment: *mut merklize_commitment);
    /// ```text
    /// info  written
    /// ```
    pub fn merklize_commitment_get_info(commitment: *const merklize_commitment, info: *mut merklize_commitment_info) -> merklize_status;
    /// ```text
    /// cap    [capacity], written; may be null if capacity is 0
    /// count  written if not null: info.cap_size, also if capacity is too small
    /// errors too_small
    /// ```
    pub fn merklize_commitment_cap(commitment: *const merklize_commitment, cap: *mut merklize_digest, capacity: usize, count: *mut usize) -> merklize_status;
    /// ```text
    /// One opening for each index: the rows of all matrices, and what shows that they are in the commitment. All come from a device at once.
    /// indices   [count], each below info.n_leaves; repeats are allowed
    /// matrices  those that the commitment is of, in their order, to read rows from; null and 0 if they are kept, or if rows is null
    /// rows      null: not wanted; else [count, info.row_bytes], written: of each index the rows of all matrices one after another. Of a matrix
    ///           with fewer rows it is row `index >> (log2 of the tallest's rows - log2 of its own)`, both rounded up
    /// siblings  [count, info.path_length], written: of each index, for each layer below the cap, the other children of the group
    /// errors    invalid_argument (an index out of range; rows of matrices that are neither kept nor given; matrices of another shape)
    /// ```
    pub fn merklize_commitment_open(commitment: *const merklize_commitment, indices: *const u64, count: usize, matrices: *const merklize_matrix, matrix_count: usize, rows: *mut u8, siblings: *mut merklize_digest) -> merklize_status;
    /// ```text
    /// One opening of several indices, with each digest that the verifier cannot compute once: layer by layer, left to right.
    /// indices   [count], at least one, in any order, no index twice; rows are in ascending order of the indices
    /// siblings  [capacity], written; may be null if capacity is 0
    /// needed    written if not null: number of siblings, also if capacity is too small
    /// errors    as above, too_small
    /// ```
    pub fn merklize_commitment_open_together(commitment: *const merklize_commitment, indices: *const u64, count: usize, matrices: *const merklize_matrix, matrix_count: usize, rows: *mut u8, siblings: *mut merklize_digest, capacity: usize, needed: *mut usize) -> merklize_status;
    /// ```text
    /// Whether one opening (count 1), or one of several indices, holds. Needs no device. What does not hold or is malformed is no error: *valid
    /// is 0 for counts that do not fit, an index out of range, words and digests that are no field elements.
    /// indices   [count], ascending and distinct
    /// rows      [row_bytes], as merklize_commitment_open_together() gives them
    /// siblings  [sibling_count]
    /// cap       [cap_count]
    /// dims      [dims_count]: what the verifier knows of the matrices, in their order
    /// valid     written: 1 or 0
    /// errors    invalid_argument (null; dims or a form that no commitment has; a matrix above the cap, where nothing shows its rows)
    /// ```
    pub fn merklize_verify_opening(indices: *const u64, count: usize, rows: *const u8, row_bytes: usize, siblings: *const merklize_digest, sibling_count: usize, cap: *const merklize_digest, cap_count: usize, dims: *const merklize_matrix_dims, dims_count: usize, form: *const merklize_commitment_form, valid: *mut c_int) -> merklize_status;
    pub fn merklize_format_count() -> usize;
    /// ```text
    /// index   below merklize_format_count()
    /// errors  invalid_argument (index)
    /// ```
    pub fn merklize_format_describe(index: usize, info: *mut merklize_format_info) -> merklize_status;
    /// ```text
    /// errors  invalid_argument (an unknown name; the text lists the known ones)
    /// ```
    pub fn merklize_format_get_info(name: *const c_char, info: *mut merklize_format_info) -> merklize_status;
    /// ```text
    /// Refuses a tree whose root is also that of another list of leaves (CVE-2012-2459).
    /// errors  invalid_argument (it is so: the text names the level; an unknown format), and those of merklize_tree_level()
    /// ```
    pub fn merklize_require_unambiguous(tree: *const merklize_tree, format: *const c_char) -> merklize_status;
    /// ```text
    /// The digest that `fsverity digest` prints and the kernel measures.
    /// errors  invalid_argument (form)
    /// ```
    pub fn merklize_fs_verity(data: *const c_void, bytes: usize, form: *const merklize_fs_verity_form, digest: *mut merklize_digest, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// errors  io (also if the file changed meanwhile), invalid_argument (form)
    /// ```
    pub fn merklize_fs_verity_file(path: *const c_char, form: *const merklize_fs_verity_form, digest: *mut merklize_digest, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// Amazon Glacier's tree hash.
    /// ```
    pub fn merklize_glacier(data: *const c_void, bytes: usize, digest: *mut merklize_digest, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// What a torrent of version 2 says of a file (BEP 52).
    /// piece_length  bytes: a power of two, at least 16384; 0: 1 MiB
    /// root          written: `pieces root`; zeros for an empty file, which has none
    /// layer         [capacity], written: the file's value in `piece layers`, a node a piece; may be null if capacity is 0
    /// count         written if not null: number of these nodes, also if capacity is too small; 0 if the file is no longer than a piece
    /// errors        too_small, invalid_argument (piece_length)
    /// ```
    pub fn merklize_bittorrent_v2(data: *const c_void, bytes: usize, piece_length: u64, root: *mut merklize_digest, layer: *mut merklize_digest, capacity: usize, count: *mut usize, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// SSZ's merkleize(chunks, limit), which Ethereum's consensus layer verifies.
    /// chunks  [n]
    /// limit   chunks that the type allows; null: n
    /// length  of a list: the count of its elements, which is hashed with the root; null: none
    /// errors  invalid_argument (more chunks than the limit)
    /// ```
    pub fn merklize_ssz(chunks: *const merklize_digest, n: usize, limit: *const u64, length: *const u64, root: *mut merklize_digest, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// xet, by which the Hugging Face hub knows the content of a file. All of it runs on the CPU. No bytes give 32 zeros.
    /// ```
    pub fn merklize_xet_hash(data: *const c_void, bytes: usize, digest: *mut merklize_digest, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// errors  io (cannot open or read; it changed while it was read)
    /// ```
    pub fn merklize_xet_hash_file(path: *const c_char, digest: *mut merklize_digest, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// As merklize_hash_files(), with 32 bytes of output a file.
    /// ```
    pub fn merklize_xet_hash_files(paths: *const *const c_char, n: usize, options: *const merklize_run_options, digests: *mut *mut merklize_file_digests) -> merklize_status;
    /// ```text
    /// The chunks of bytes, in order.
    /// chunks  [capacity], written; may be null if capacity is 0
    /// count   written if not null: number of chunks, also if capacity is too small
    /// errors  too_small
    /// ```
    pub fn merklize_xet_chunks(data: *const c_void, bytes: usize, chunks: *mut merklize_xet_chunk, capacity: usize, count: *mut usize, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// As the hub writes the hash: 64 hexadecimal digits, the bytes of each group of 8 in reverse.
    /// text  [65], written, with a zero byte at its end
    /// ```
    pub fn merklize_xet_hex(digest: *const merklize_digest, text: *mut c_char) -> merklize_status;
    /// ```text
    /// The leaf of a standard tree: Keccak-256 of Keccak-256 of these bytes, which are abi.encode(value).
    /// ```
    pub fn merklize_openzeppelin_leaf(abi_encoded: *const c_void, bytes: usize, leaf: *mut merklize_digest) -> merklize_status;
    /// ```text
    /// A tree of 2n - 1 nodes over n >= 1 leaves. Leaves are named by their index in the order in which they were given. Any number of threads
    /// may use it at once.
    /// leaves        [n]: merklize_openzeppelin_leaf(), or of a simple tree 32 bytes as they are
    /// tree_indices  null: leaves are sorted, as the package does by default. Else [n], of a dump: `treeIndex` of each leaf; such a tree is right
    ///               if merklize_openzeppelin_tree_nodes() are the dump's `tree`. n - 1 for the last leaf to 2n - 2 for the first keep their order
    /// errors        invalid_argument (no leaves; tree_indices that are not n - 1 to 2n - 2, each once; timings)
    /// ```
    pub fn merklize_openzeppelin_tree_create(leaves: *const merklize_digest, n: usize, tree_indices: *const u64, options: *const merklize_run_options, tree: *mut *mut merklize_openzeppelin_tree) -> merklize_status;
    pub fn merklize_openzeppelin_tree_free(tree: *mut merklize_openzeppelin_tree);
    /// ```text
    /// All 2n - 1 nodes in the package's order, the root first.
    /// nodes  written: a pointer to memory of the tree, valid until it is freed
    /// ```
    pub fn merklize_openzeppelin_tree_nodes(tree: *const merklize_openzeppelin_tree, nodes: *mut *const merklize_digest, count: *mut u64) -> merklize_status;
    /// ```text
    /// Where a leaf is among them: `treeIndex` of the dump.
    /// errors  invalid_argument (index)
    /// ```
    pub fn merklize_openzeppelin_tree_index(tree: *const merklize_openzeppelin_tree, index: u64, tree_index: *mut u64) -> merklize_status;
    /// ```text
    /// Siblings from the leaf up, as getProof() gives them.
    /// proof   [capacity], written; may be null if capacity is 0
    /// length  written if not null: number of siblings, also if capacity is too small
    /// errors  too_small, invalid_argument (index)
    /// ```
    pub fn merklize_openzeppelin_tree_prove(tree: *const merklize_openzeppelin_tree, index: u64, proof: *mut merklize_digest, capacity: usize, length: *mut usize) -> merklize_status;
    /// ```text
    /// As getMultiProof() gives it, for Solidity's MerkleProof.multiProofVerify(). A null proof asks for its length: then nothing else is written.
    /// leaves  [count], written, in the order that the verifier needs
    /// proof   [capacity], written
    /// length  written if not null: digests of the proof, also if capacity is too small
    /// flags   [count + length - 1], written: proofFlags, 1 or 0
    /// errors  too_small, invalid_argument (an index that is none, or twice)
    /// ```
    pub fn merklize_openzeppelin_tree_prove_together(tree: *const merklize_openzeppelin_tree, indices: *const u64, count: usize, leaves: *mut merklize_digest, proof: *mut merklize_digest, capacity: usize, length: *mut usize, flags: *mut u8) -> merklize_status;
    /// ```text
    /// Whether the proof leads from the leaf to the root, in the order of Solidity's MerkleProof.verify().
    /// proof  [length]
    /// valid  written: 1 or 0
    /// ```
    pub fn merklize_verify_openzeppelin(proof: *const merklize_digest, length: usize, root: *const merklize_digest, leaf: *const merklize_digest, valid: *mut c_int) -> merklize_status;
    /// ```text
    /// bytes   written: of the outboard of a message of `message_bytes` bytes
    /// errors  invalid_argument (form)
    /// ```
    pub fn merklize_bao_outboard_bytes(message_bytes: u64, form: *const merklize_bao_form, bytes: *mut u64) -> merklize_status;
    /// ```text
    /// The outboard of a message: the nodes of its tree, by which anybody who knows the root can verify parts of it.
    /// outboard  written, as many bytes as merklize_bao_outboard_bytes() says, where the message is: host memory, or a buffer of the same device
    /// root      host memory, written
    /// errors    invalid_argument (form; an outboard of another size or device, or one that the message overlaps), unavailable, cancelled
    /// ```
    pub fn merklize_bao_outboard(data: merklize_view, form: *const merklize_bao_form, outboard: merklize_output, root: *mut merklize_digest, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// The same of a regular file of any size, into the file `output`, which appears when it is whole.
    /// descriptor  open for reading; its position is neither used nor changed
    /// name        for error texts, or null
    /// errors      io (not a regular file; it changed while it was read), invalid_argument (form), unavailable, cancelled
    /// ```
    pub fn merklize_bao_outboard_descriptor(descriptor: c_int, name: *const c_char, form: *const merklize_bao_form, output: *const c_char, root: *mut merklize_digest, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// The slice of message bytes [first, first + count): what proves them to somebody who knows the root alone. Of no bytes it has the chunk
    /// at `first`; beyond the end, the last chunk. Of all bytes it is bao's encoding. Nothing is verified here.
    /// data      the message, in host memory, or a file that is mapped
    /// form      of the outboard; the slice is in pre-order
    /// slice     [capacity], written; may be null if capacity is 0
    /// length    written if not null: bytes of the slice, also if capacity is too small
    /// errors    too_small, invalid_argument (form; an outboard of another message's size)
    /// ```
    pub fn merklize_bao_slice(data: *const c_void, bytes: usize, outboard: *const u8, outboard_bytes: usize, form: *const merklize_bao_form, first: u64, count: u64, slice: *mut u8, capacity: usize, length: *mut usize) -> merklize_status;
    /// ```text
    /// Message bytes [first, first + count) from their slice, all verified. A slice that does not verify is no error: *valid is 0.
    /// message_bytes  of the whole message, if the form is without size; need not be trusted. Otherwise 0
    /// out            [capacity], written if the slice is valid: `count` bytes, fewer where the message ends
    /// length         written if not null: number of bytes; 0 if the slice is not valid
    /// valid          written: 1 or 0
    /// errors         too_small, invalid_argument (form)
    /// ```
    pub fn merklize_bao_decode_slice(slice: *const u8, slice_bytes: usize, root: *const merklize_digest, form: *const merklize_bao_form, first: u64, count: u64, message_bytes: u64, out: *mut u8, capacity: usize, length: *mut usize, valid: *mut c_int) -> merklize_status;
    /// ```text
    /// Verifies a part of a message by its outboard. Neither that is wrong is an error; an outboard that cannot be this message's is wrong for
    /// the whole part.
    /// part           [bytes], bytes `offset` on of the message: from the beginning of a group to the end of one, or of the message
    /// message_bytes  of the whole message
    /// faults         [capacity]: what is wrong, in order, at most `capacity` of them
    /// count          written: all that is wrong; 0: the part is as the root says
    /// errors         invalid_argument (form; a part that is not whole groups, or has no bytes where the message has some), cancelled
    /// ```
    pub fn merklize_bao_verify(part: *const c_void, bytes: usize, offset: u64, message_bytes: u64, root: *const merklize_digest, outboard: *const u8, outboard_bytes: usize, form: *const merklize_bao_form, faults: *mut merklize_bao_fault, capacity: usize, count: *mut usize, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// The same of bytes [first, first + bytes) of a regular file, widened to groups; UINT64_MAX: to its end. No bytes take the group at
    /// `first`; beyond the end, the last group.
    /// errors  io (not a regular file; it changed while it was read), invalid_argument (form; bytes that are not all in it), cancelled
    /// ```
    pub fn merklize_bao_verify_descriptor(descriptor: c_int, name: *const c_char, first: u64, bytes: u64, root: *const merklize_digest, outboard: *const u8, outboard_bytes: usize, form: *const merklize_bao_form, faults: *mut merklize_bao_fault, capacity: usize, count: *mut usize, options: *const merklize_run_options) -> merklize_status;
    /// ```text
    /// BLAKE3 digest.
    /// out  32 bytes
    /// ```
    pub fn merklize_enqueue_hash(stream: *mut merklize_stream, data: *const merklize_buffer, mode: *const merklize_mode, out: *mut merklize_buffer, policy: *const merklize_policy, event: *mut *mut merklize_event) -> merklize_status;
    /// ```text
    /// rows  [n, row_bytes], as in merklize_hash_leaves()
    /// out   [n, 32] bytes, as in all calls that follow
    /// ```
    pub fn merklize_enqueue_hash_leaves(stream: *mut merklize_stream, rows: *const merklize_buffer, row_bytes: u64, hash: merklize_hash_id, mode: *const merklize_mode, out: *mut merklize_buffer, policy: *const merklize_policy, event: *mut *mut merklize_event) -> merklize_status;
    /// ```text
    /// left, right  [n, 32] bytes; out may be left or right
    /// ```
    pub fn merklize_enqueue_merge(stream: *mut merklize_stream, left: *const merklize_buffer, right: *const merklize_buffer, hash: merklize_hash_id, mode: *const merklize_mode, out: *mut merklize_buffer, policy: *const merklize_policy, event: *mut *mut merklize_event) -> merklize_status;
    /// ```text
    /// nodes  [slots, 32] bytes in heap order with the leaves in place, as in merklize_build_tree()
    /// ```
    pub fn merklize_enqueue_build_tree(stream: *mut merklize_stream, nodes: *mut merklize_buffer, form: *const merklize_form, policy: *const merklize_policy, event: *mut *mut merklize_event) -> merklize_status;
    /// ```text
    /// leaves  [n, 32] bytes
    /// out     32 bytes
    /// ```
    pub fn merklize_enqueue_merkle_root(stream: *mut merklize_stream, leaves: *const merklize_buffer, form: *const merklize_form, out: *mut merklize_buffer, policy: *const merklize_policy, event: *mut *mut merklize_event) -> merklize_status;
    /// ```text
    /// out[i] = nodes[slots[i]], for paths of proofs: the siblings of leaf k of a tree of height h are the slots (2^(h - l) + (k >> l)) ^ 1 of
    /// its levels l = 0 to h - 1.
    /// nodes  [m, 32] bytes
    /// slots  [n] words of 64 bits, each below m, which is not checked
    /// ```
    pub fn merklize_enqueue_gather_nodes(stream: *mut merklize_stream, nodes: *const merklize_buffer, slots: *const merklize_buffer, out: *mut merklize_buffer, event: *mut *mut merklize_event) -> merklize_status;
    /// ```text
    /// Hashes a safetensors file, an index of shards (*.index.json), or a folder: its safetensors files tensor by tensor, all others as files.
    /// errors  invalid_argument (options; a header that breaks safetensors' rules; names that no manifest holds; links), io, cancelled
    /// ```
    pub fn merklize_manifest_create(path: *const c_char, options: *const merklize_manifest_options, run: *const merklize_run_options, manifest: *mut *mut merklize_manifest) -> merklize_status;
    /// ```text
    /// Reads the text of a manifest.
    /// errors  invalid_argument (whatever merklize_manifest_to_json() does not write)
    /// ```
    pub fn merklize_manifest_parse(text: *const c_char, bytes: usize, manifest: *mut *mut merklize_manifest) -> merklize_status;
    /// ```text
    /// The same of a file.  errors  as above, io
    /// ```
    pub fn merklize_manifest_load(path: *const c_char, manifest: *mut *mut merklize_manifest) -> merklize_status;
    pub fn merklize_manifest_free(manifest: *mut merklize_manifest);
    /// ```text
    /// The root over all tensors and files.
    /// ```
    pub fn merklize_manifest_root(manifest: *const merklize_manifest, root: *mut merklize_digest) -> merklize_status;
    /// ```text
    /// with_seen  1: with the times and inodes of files, which refresh goes by; 0: the text is the same on all machines
    /// text       [capacity], written with a 0 at the end; may be null if capacity is 0
    /// length     written if not null: bytes of the text without that 0, also if capacity is too small
    /// errors     too_small
    /// ```
    pub fn merklize_manifest_to_json(manifest: *const merklize_manifest, with_seen: c_int, text: *mut c_char, capacity: usize, length: *mut usize) -> merklize_status;
    /// ```text
    /// Hashes again and tells what is not as the manifest says. A file that cannot be read, or is no safetensors file, is a difference.
    /// path         what the manifest was made of, under any name, or for a file or an index the folder that holds it
    /// differences  written: none, if all is as the manifest says
    /// errors       invalid_argument (a pattern that nothing in the manifest has), io (a folder that cannot be read), cancelled
    /// ```
    pub fn merklize_manifest_check(manifest: *const merklize_manifest, path: *const c_char, options: *const merklize_manifest_options, run: *const merklize_run_options, differences: *mut *mut merklize_differences) -> merklize_status;
    /// ```text
    /// How `other` differs from `manifest`: tensors and files, by name.
    /// ```
    pub fn merklize_manifest_diff(manifest: *const merklize_manifest, other: *const merklize_manifest, differences: *mut *mut merklize_differences) -> merklize_status;
    /// ```text
    /// A manifest of the files as they are now. A write that keeps size, time and inode is not found; a check finds it.
    /// errors  as merklize_manifest_create(); invalid_argument (a manifest of tensors in memory)
    /// ```
    pub fn merklize_manifest_refresh(manifest: *const merklize_manifest, path: *const c_char, options: *const merklize_manifest_options, run: *const merklize_run_options, made: *mut *mut merklize_manifest) -> merklize_status;
    /// ```text
    /// How many there are.
    /// ```
    pub fn merklize_differences_count(differences: *const merklize_differences) -> usize;
    /// ```text
    /// errors  invalid_argument (index not below the count)
    /// ```
    pub fn merklize_differences_get(differences: *const merklize_differences, index: usize, difference: *mut merklize_difference) -> merklize_status;
    pub fn merklize_differences_free(differences: *mut merklize_differences);
}

/// The hashes by id, for a macro that makes something of each: `each! { (BLAKE3, blake3, 0) ... }`.
#[macro_export]
macro_rules! for_each_hash {
    ($each:ident) => {
        $each! {
            (BLAKE3, blake3, 0)
            (RP64_256_V1, rp64_256_v1, 1)
            (RP64_256_V2, rp64_256_v2, 2)
            (RP64_256_V3, rp64_256_v3, 3)
            (SHA256_RFC6962, sha256_rfc6962, 4)
            (RPO256, rpo256, 16)
            (RPX256, rpx256, 17)
            (POSEIDON2_GOLDILOCKS_8, poseidon2_goldilocks_8, 18)
            (POSEIDON2_GOLDILOCKS_12, poseidon2_goldilocks_12, 19)
            (POSEIDON2_MIDEN, poseidon2_miden, 20)
            (POSEIDON2_BABYBEAR_16, poseidon2_babybear_16, 21)
            (POSEIDON2_BABYBEAR_24, poseidon2_babybear_24, 22)
            (POSEIDON2_KOALABEAR_16, poseidon2_koalabear_16, 23)
            (POSEIDON2_KOALABEAR_24, poseidon2_koalabear_24, 24)
            (SHA256, sha256, 32)
            (SHA256D, sha256d, 33)
            (SHA256_COMPRESS, sha256_compress, 34)
            (KECCAK256, keccak256, 35)
            (KECCAK256_SORTED, keccak256_sorted, 36)
            (EIDOS, eidos, 37)
            (EIDOS_V0, eidos_v0, 38)
            (RPO256_R1, rpo256_r1, 48)
            (RPO256_R2, rpo256_r2, 49)
            (RPX256_R2, rpx256_r2, 50)
            (KECCAKF64, keccakf64, 51)
        }
    };
}

/// The functions by name: all of them are linked, and none is called.
#[doc(hidden)]
pub const FUNCTIONS: [(&str, *const ()); 180] = [
    ("merklize_abi_version", merklize_abi_version as *const ()),
    ("merklize_bao_decode_slice", merklize_bao_decode_slice as *const ()),
    ("merklize_bao_outboard", merklize_bao_outboard as *const ()),
    ("merklize_bao_outboard_bytes", merklize_bao_outboard_bytes as *const ()),
    ("merklize_bao_outboard_descriptor", merklize_bao_outboard_descriptor as *const ()),
    ("merklize_bao_slice", merklize_bao_slice as *const ()),
    ("merklize_bao_verify", merklize_bao_verify as *const ()),
    ("merklize_bao_verify_descriptor", merklize_bao_verify_descriptor as *const ()),
    ("merklize_bittorrent_v2", merklize_bittorrent_v2 as *const ()),
    ("merklize_buffer_create", merklize_buffer_create as *const ()),
    ("merklize_buffer_download", merklize_buffer_download as *const ()),
    ("merklize_buffer_free", merklize_buffer_free as *const ()),
    ("merklize_buffer_native", merklize_buffer_native as *const ()),
    ("merklize_buffer_size", merklize_buffer_size as *const ()),
    ("merklize_buffer_slice", merklize_buffer_slice as *const ()),
    ("merklize_buffer_upload", merklize_buffer_upload as *const ()),
    ("merklize_buffer_wrap", merklize_buffer_wrap as *const ()),
    ("merklize_buffer_wrap_const", merklize_buffer_wrap_const as *const ()),
    ("merklize_build_tree", merklize_build_tree as *const ()),
    ("merklize_build_tree_file", merklize_build_tree_file as *const ()),
    ("merklize_check_abi", merklize_check_abi as *const ()),
    ("merklize_commitment_build", merklize_commitment_build as *const ()),
    ("merklize_commitment_cap", merklize_commitment_cap as *const ()),
    ("merklize_commitment_free", merklize_commitment_free as *const ()),
    ("merklize_commitment_get_info", merklize_commitment_get_info as *const ()),
    ("merklize_commitment_open", merklize_commitment_open as *const ()),
    ("merklize_commitment_open_together", merklize_commitment_open_together as *const ()),
    ("merklize_device_count", merklize_device_count as *const ()),
    ("merklize_device_describe", merklize_device_describe as *const ()),
    ("merklize_device_free", merklize_device_free as *const ()),
    ("merklize_device_get_info", merklize_device_get_info as *const ()),
    ("merklize_device_open", merklize_device_open as *const ()),
    ("merklize_differences_count", merklize_differences_count as *const ()),
    ("merklize_differences_free", merklize_differences_free as *const ()),
    ("merklize_differences_get", merklize_differences_get as *const ()),
    ("merklize_enqueue_build_tree", merklize_enqueue_build_tree as *const ()),
    ("merklize_enqueue_gather_nodes", merklize_enqueue_gather_nodes as *const ()),
    ("merklize_enqueue_hash", merklize_enqueue_hash as *const ()),
    ("merklize_enqueue_hash_leaves", merklize_enqueue_hash_leaves as *const ()),
    ("merklize_enqueue_merge", merklize_enqueue_merge as *const ()),
    ("merklize_enqueue_merkle_root", merklize_enqueue_merkle_root as *const ()),
    ("merklize_event_check", merklize_event_check as *const ()),
    ("merklize_event_free", merklize_event_free as *const ()),
    ("merklize_event_native", merklize_event_native as *const ()),
    ("merklize_event_query", merklize_event_query as *const ()),
    ("merklize_event_wait", merklize_event_wait as *const ()),
    ("merklize_file_digests_free", merklize_file_digests_free as *const ()),
    ("merklize_file_digests_get", merklize_file_digests_get as *const ()),
    ("merklize_forest_free", merklize_forest_free as *const ()),
    ("merklize_forest_from_leaves", merklize_forest_from_leaves as *const ()),
    ("merklize_forest_get_info", merklize_forest_get_info as *const ()),
    ("merklize_forest_level", merklize_forest_level as *const ()),
    ("merklize_forest_prove", merklize_forest_prove as *const ()),
    ("merklize_forest_roots", merklize_forest_roots as *const ()),
    ("merklize_format_count", merklize_format_count as *const ()),
    ("merklize_format_describe", merklize_format_describe as *const ()),
    ("merklize_format_get_info", merklize_format_get_info as *const ()),
    ("merklize_fs_verity", merklize_fs_verity as *const ()),
    ("merklize_fs_verity_file", merklize_fs_verity_file as *const ()),
    ("merklize_glacier", merklize_glacier as *const ()),
    ("merklize_hash", merklize_hash as *const ()),
    ("merklize_hash_count", merklize_hash_count as *const ()),
    ("merklize_hash_describe", merklize_hash_describe as *const ()),
    ("merklize_hash_descriptor", merklize_hash_descriptor as *const ()),
    ("merklize_hash_each", merklize_hash_each as *const ()),
    ("merklize_hash_file", merklize_hash_file as *const ()),
    ("merklize_hash_files", merklize_hash_files as *const ()),
    ("merklize_hash_from_name", merklize_hash_from_name as *const ()),
    ("merklize_hash_get_info", merklize_hash_get_info as *const ()),
    ("merklize_hash_leaves", merklize_hash_leaves as *const ()),
    ("merklize_hash_name", merklize_hash_name as *const ()),
    ("merklize_hash_parts", merklize_hash_parts as *const ()),
    ("merklize_hash_poseidon2", merklize_hash_poseidon2 as *const ()),
    ("merklize_hash_rows", merklize_hash_rows as *const ()),
    ("merklize_hasher_copy", merklize_hasher_copy as *const ()),
    ("merklize_hasher_count", merklize_hasher_count as *const ()),
    ("merklize_hasher_create", merklize_hasher_create as *const ()),
    ("merklize_hasher_free", merklize_hasher_free as *const ()),
    ("merklize_hasher_output", merklize_hasher_output as *const ()),
    ("merklize_hasher_reset", merklize_hasher_reset as *const ()),
    ("merklize_hasher_update", merklize_hasher_update as *const ()),
    ("merklize_heap_slots", merklize_heap_slots as *const ()),
    ("merklize_last_error", merklize_last_error as *const ()),
    ("merklize_last_error_path", merklize_last_error_path as *const ()),
    ("merklize_last_system_error", merklize_last_system_error as *const ()),
    ("merklize_manifest_check", merklize_manifest_check as *const ()),
    ("merklize_manifest_create", merklize_manifest_create as *const ()),
    ("merklize_manifest_diff", merklize_manifest_diff as *const ()),
    ("merklize_manifest_free", merklize_manifest_free as *const ()),
    ("merklize_manifest_load", merklize_manifest_load as *const ()),
    ("merklize_manifest_parse", merklize_manifest_parse as *const ()),
    ("merklize_manifest_refresh", merklize_manifest_refresh as *const ()),
    ("merklize_manifest_root", merklize_manifest_root as *const ()),
    ("merklize_manifest_to_json", merklize_manifest_to_json as *const ()),
    ("merklize_merge", merklize_merge as *const ()),
    ("merklize_merkle_root", merklize_merkle_root as *const ()),
    ("merklize_merkle_root_file", merklize_merkle_root_file as *const ()),
    ("merklize_merkle_root_parts", merklize_merkle_root_parts as *const ()),
    ("merklize_openzeppelin_leaf", merklize_openzeppelin_leaf as *const ()),
    ("merklize_openzeppelin_tree_create", merklize_openzeppelin_tree_create as *const ()),
    ("merklize_openzeppelin_tree_free", merklize_openzeppelin_tree_free as *const ()),
    ("merklize_openzeppelin_tree_index", merklize_openzeppelin_tree_index as *const ()),
    ("merklize_openzeppelin_tree_nodes", merklize_openzeppelin_tree_nodes as *const ()),
    ("merklize_openzeppelin_tree_prove", merklize_openzeppelin_tree_prove as *const ()),
    ("merklize_openzeppelin_tree_prove_together", merklize_openzeppelin_tree_prove_together as *const ()),
    ("merklize_policy_from_text", merklize_policy_from_text as *const ()),
    ("merklize_policy_to_text", merklize_policy_to_text as *const ()),
    ("merklize_proof_free", merklize_proof_free as *const ()),
    ("merklize_proof_from_bytes", merklize_proof_from_bytes as *const ()),
    ("merklize_proof_from_winterfell", merklize_proof_from_winterfell as *const ()),
    ("merklize_proof_get_info", merklize_proof_get_info as *const ()),
    ("merklize_proof_read", merklize_proof_read as *const ()),
    ("merklize_proof_to_bytes", merklize_proof_to_bytes as *const ()),
    ("merklize_proof_to_winterfell", merklize_proof_to_winterfell as *const ()),
    ("merklize_proof_verify", merklize_proof_verify as *const ()),
    ("merklize_proof_verify_consistency", merklize_proof_verify_consistency as *const ()),
    ("merklize_require_unambiguous", merklize_require_unambiguous as *const ()),
    ("merklize_ssz", merklize_ssz as *const ()),
    ("merklize_status_name", merklize_status_name as *const ()),
    ("merklize_stream_create", merklize_stream_create as *const ()),
    ("merklize_stream_free", merklize_stream_free as *const ()),
    ("merklize_stream_is_capturing", merklize_stream_is_capturing as *const ()),
    ("merklize_stream_record", merklize_stream_record as *const ()),
    ("merklize_stream_synchronize", merklize_stream_synchronize as *const ()),
    ("merklize_stream_wait", merklize_stream_wait as *const ()),
    ("merklize_stream_wrap", merklize_stream_wrap as *const ()),
    ("merklize_tree_append", merklize_tree_append as *const ()),
    ("merklize_tree_builder_append", merklize_tree_builder_append as *const ()),
    ("merklize_tree_builder_count", merklize_tree_builder_count as *const ()),
    ("merklize_tree_builder_create", merklize_tree_builder_create as *const ()),
    ("merklize_tree_builder_free", merklize_tree_builder_free as *const ()),
    ("merklize_tree_builder_root", merklize_tree_builder_root as *const ()),
    ("merklize_tree_cap", merklize_tree_cap as *const ()),
    ("merklize_tree_device_nodes", merklize_tree_device_nodes as *const ()),
    ("merklize_tree_file_append", merklize_tree_file_append as *const ()),
    ("merklize_tree_file_check", merklize_tree_file_check as *const ()),
    ("merklize_tree_file_free", merklize_tree_file_free as *const ()),
    ("merklize_tree_file_get_info", merklize_tree_file_get_info as *const ()),
    ("merklize_tree_file_open", merklize_tree_file_open as *const ()),
    ("merklize_tree_file_prove", merklize_tree_file_prove as *const ()),
    ("merklize_tree_file_prove_consistency", merklize_tree_file_prove_consistency as *const ()),
    ("merklize_tree_file_prove_range", merklize_tree_file_prove_range as *const ()),
    ("merklize_tree_file_prove_together", merklize_tree_file_prove_together as *const ()),
    ("merklize_tree_file_read", merklize_tree_file_read as *const ()),
    ("merklize_tree_file_root", merklize_tree_file_root as *const ()),
    ("merklize_tree_file_set_mode", merklize_tree_file_set_mode as *const ()),
    ("merklize_tree_file_update", merklize_tree_file_update as *const ()),
    ("merklize_tree_free", merklize_tree_free as *const ()),
    ("merklize_tree_from_file", merklize_tree_from_file as *const ()),
    ("merklize_tree_from_leaves", merklize_tree_from_leaves as *const ()),
    ("merklize_tree_from_rows", merklize_tree_from_rows as *const ()),
    ("merklize_tree_get_info", merklize_tree_get_info as *const ()),
    ("merklize_tree_level", merklize_tree_level as *const ()),
    ("merklize_tree_nodes", merklize_tree_nodes as *const ()),
    ("merklize_tree_prove", merklize_tree_prove as *const ()),
    ("merklize_tree_prove_consistency", merklize_tree_prove_consistency as *const ()),
    ("merklize_tree_prove_each", merklize_tree_prove_each as *const ()),
    ("merklize_tree_prove_range", merklize_tree_prove_range as *const ()),
    ("merklize_tree_prove_together", merklize_tree_prove_together as *const ()),
    ("merklize_tree_root", merklize_tree_root as *const ()),
    ("merklize_tree_save", merklize_tree_save as *const ()),
    ("merklize_tree_update", merklize_tree_update as *const ()),
    ("merklize_tree_writer_append", merklize_tree_writer_append as *const ()),
    ("merklize_tree_writer_checkpoint", merklize_tree_writer_checkpoint as *const ()),
    ("merklize_tree_writer_create", merklize_tree_writer_create as *const ()),
    ("merklize_tree_writer_finish", merklize_tree_writer_finish as *const ()),
    ("merklize_tree_writer_free", merklize_tree_writer_free as *const ()),
    ("merklize_tree_writer_written", merklize_tree_writer_written as *const ()),
    ("merklize_verify", merklize_verify as *const ()),
    ("merklize_verify_consistency", merklize_verify_consistency as *const ()),
    ("merklize_verify_each", merklize_verify_each as *const ()),
    ("merklize_verify_opening", merklize_verify_opening as *const ()),
    ("merklize_verify_openzeppelin", merklize_verify_openzeppelin as *const ()),
    ("merklize_version", merklize_version as *const ()),
    ("merklize_why_unavailable", merklize_why_unavailable as *const ()),
    ("merklize_xet_chunks", merklize_xet_chunks as *const ()),
    ("merklize_xet_hash", merklize_xet_hash as *const ()),
    ("merklize_xet_hash_file", merklize_xet_hash_file as *const ()),
    ("merklize_xet_hash_files", merklize_xet_hash_files as *const ()),
    ("merklize_xet_hex", merklize_xet_hex as *const ()),
];

/// The structs by name, with their sizes and alignments.
#[doc(hidden)]
pub const STRUCTS: &[(&str, usize, usize)] = &[
    ("merklize_digest", core::mem::size_of::<merklize_digest>(), core::mem::align_of::<merklize_digest>()),
    ("merklize_view", core::mem::size_of::<merklize_view>(), core::mem::align_of::<merklize_view>()),
    ("merklize_output", core::mem::size_of::<merklize_output>(), core::mem::align_of::<merklize_output>()),
    ("merklize_device_info", core::mem::size_of::<merklize_device_info>(), core::mem::align_of::<merklize_device_info>()),
    ("merklize_hash_info", core::mem::size_of::<merklize_hash_info>(), core::mem::align_of::<merklize_hash_info>()),
    ("merklize_poseidon2", core::mem::size_of::<merklize_poseidon2>(), core::mem::align_of::<merklize_poseidon2>()),
    ("merklize_mode", core::mem::size_of::<merklize_mode>(), core::mem::align_of::<merklize_mode>()),
    ("merklize_policy", core::mem::size_of::<merklize_policy>(), core::mem::align_of::<merklize_policy>()),
    ("merklize_timings", core::mem::size_of::<merklize_timings>(), core::mem::align_of::<merklize_timings>()),
    ("merklize_run_options", core::mem::size_of::<merklize_run_options>(), core::mem::align_of::<merklize_run_options>()),
    ("merklize_file_digest", core::mem::size_of::<merklize_file_digest>(), core::mem::align_of::<merklize_file_digest>()),
    ("merklize_forest_info", core::mem::size_of::<merklize_forest_info>(), core::mem::align_of::<merklize_forest_info>()),
    ("merklize_form", core::mem::size_of::<merklize_form>(), core::mem::align_of::<merklize_form>()),
    ("merklize_tree_info", core::mem::size_of::<merklize_tree_info>(), core::mem::align_of::<merklize_tree_info>()),
    ("merklize_input", core::mem::size_of::<merklize_input>(), core::mem::align_of::<merklize_input>()),
    ("merklize_proof_info", core::mem::size_of::<merklize_proof_info>(), core::mem::align_of::<merklize_proof_info>()),
    ("merklize_expect", core::mem::size_of::<merklize_expect>(), core::mem::align_of::<merklize_expect>()),
    ("merklize_wrong_node", core::mem::size_of::<merklize_wrong_node>(), core::mem::align_of::<merklize_wrong_node>()),
    ("merklize_matrix", core::mem::size_of::<merklize_matrix>(), core::mem::align_of::<merklize_matrix>()),
    ("merklize_commitment_form", core::mem::size_of::<merklize_commitment_form>(), core::mem::align_of::<merklize_commitment_form>()),
    ("merklize_commitment_info", core::mem::size_of::<merklize_commitment_info>(), core::mem::align_of::<merklize_commitment_info>()),
    ("merklize_matrix_dims", core::mem::size_of::<merklize_matrix_dims>(), core::mem::align_of::<merklize_matrix_dims>()),
    ("merklize_format_info", core::mem::size_of::<merklize_format_info>(), core::mem::align_of::<merklize_format_info>()),
    ("merklize_fs_verity_form", core::mem::size_of::<merklize_fs_verity_form>(), core::mem::align_of::<merklize_fs_verity_form>()),
    ("merklize_xet_chunk", core::mem::size_of::<merklize_xet_chunk>(), core::mem::align_of::<merklize_xet_chunk>()),
    ("merklize_bao_form", core::mem::size_of::<merklize_bao_form>(), core::mem::align_of::<merklize_bao_form>()),
    ("merklize_bao_fault", core::mem::size_of::<merklize_bao_fault>(), core::mem::align_of::<merklize_bao_fault>()),
    ("merklize_manifest_options", core::mem::size_of::<merklize_manifest_options>(), core::mem::align_of::<merklize_manifest_options>()),
    ("merklize_difference", core::mem::size_of::<merklize_difference>(), core::mem::align_of::<merklize_difference>()),
];
