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

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_digest {
    pub bytes: [u8; 32],
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_view {
    pub data: *const c_void,
    pub bytes: u64,
    pub buffer: *const merklize_buffer,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_output {
    pub data: *mut c_void,
    pub bytes: u64,
    pub buffer: *mut merklize_buffer,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_device_info {
    pub memory_bytes: u64,
    pub units: u32,
    pub id: [c_char; 128],
    pub backend: [c_char; 32],
    pub name: [c_char; 128],
    pub vendor: [c_char; 64],
    pub driver: [c_char; 64],
    pub isa: [c_char; 32],
}

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
pub const MERKLIZE_HASH_blake2s: merklize_hash_id = 55;
pub const MERKLIZE_HASH_sha3_256: merklize_hash_id = 56;
pub const MERKLIZE_HASH_rpjive64_256: merklize_hash_id = 57;
pub const MERKLIZE_HASH_poseidon_goldilocks_8: merklize_hash_id = 58;
pub const MERKLIZE_HASH_poseidon_goldilocks_12: merklize_hash_id = 59;
pub const MERKLIZE_HASH_poseidon_babybear_16: merklize_hash_id = 60;
pub const MERKLIZE_HASH_poseidon_koalabear_16: merklize_hash_id = 61;
pub const MERKLIZE_HASH_poseidon_babybear_24: merklize_hash_id = 62;
pub const MERKLIZE_HASH_poseidon_koalabear_24: merklize_hash_id = 63;
pub const MERKLIZE_HASH_blake3_parent: merklize_hash_id = 64;
pub const MERKLIZE_HASH_sha256_trunc254: merklize_hash_id = 65;
pub const MERKLIZE_HASH_rp64_256: merklize_hash_id = MERKLIZE_HASH_rp64_256_v3;

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_hash_info {
    pub hash: merklize_hash_id,
    pub is_field: u32,
    pub element_bytes: u32,
    pub modulus: u64,
    pub name: [c_char; 32],
}
pub const MERKLIZE_FIELD_GOLDILOCKS: u32 = 0;
pub const MERKLIZE_FIELD_BABYBEAR: u32 = 1;
pub const MERKLIZE_FIELD_KOALABEAR: u32 = 2;

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_poseidon2 {
    pub field: u32,
    pub width: u32,
    pub rate: u32,
    pub external_rounds: u32,
    pub internal_rounds: u32,
    pub constants: *const u64,
    pub constant_count: usize,
    pub diagonal: *const u64,
    pub diagonal_count: usize,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_poseidon {
    pub field: u32,
    pub width: u32,
    pub rate: u32,
    pub full_rounds: u32,
    pub partial_rounds: u32,
    pub constants: *const u64,
    pub constant_count: usize,
    pub matrix: *const u64,
    pub matrix_count: usize,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_mode {
    pub key: *const u8,
    pub key_bytes: usize,
    pub context: *const c_char,
    pub context_bytes: usize,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_policy {
    pub levels_per_launch: u32,
    pub group_size: u32,
    pub lanes: u32,
    pub constants: u32,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_timings {
    pub available: u32,
    pub kernel: f64,
    pub to_device: f64,
    pub to_host: f64,
}

pub type merklize_progress = Option<unsafe extern "C" fn(context: *mut c_void, done: f64) -> c_int>;

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_run_options {
    pub device: *const merklize_device,
    pub threads: u32,
    pub progress: merklize_progress,
    pub progress_context: *mut c_void,
    pub stream: *const merklize_stream,
    pub policy: *const merklize_policy,
    pub timings: *mut merklize_timings,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_file_digest {
    pub output: *const u8,
    pub error: *const c_char,
    pub system_error: c_int,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_forest_info {
    pub n_trees: u64,
    pub n_leaves: u64,
    pub height: u32,
    pub on_device: u32,
}

pub type merklize_rule = u32;
pub const MERKLIZE_RULE_DEFAULT: merklize_rule = 0;
pub const MERKLIZE_RULE_PERFECT: merklize_rule = 1;
pub const MERKLIZE_RULE_LEFT_FULL: merklize_rule = 2;
pub const MERKLIZE_RULE_PAD: merklize_rule = 3;
pub const MERKLIZE_RULE_DUPLICATE_LAST: merklize_rule = 4;

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_form {
    pub hash: merklize_hash_id,
    pub rule: merklize_rule,
    pub mode: *const merklize_mode,
    pub padding: merklize_digest,
    pub unambiguous: u32,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_tree_info {
    pub n_leaves: u64,
    pub hash: merklize_hash_id,
    pub rule: merklize_rule,
    pub height: u32,
    pub drop_levels: u32,
    pub on_device: u32,
    pub is_keyed: u32,
    pub root: merklize_digest,
    pub leaf_bytes: u64,
    pub total_bytes: u64,
}
pub const MERKLIZE_INPUT_BLOCKS: u32 = 0;
pub const MERKLIZE_INPUT_ROWS: u32 = 1;
pub const MERKLIZE_INPUT_LEAVES: u32 = 2;

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_input {
    pub path: *const c_char,
    pub leaf_bytes: u64,
    pub kind: u32,
    pub has_descriptor: u32,
    pub descriptor: i32,
}
pub const MERKLIZE_PROOF_SINGLE: u32 = 0;
pub const MERKLIZE_PROOF_MULTI: u32 = 1;
pub const MERKLIZE_PROOF_CONSISTENCY: u32 = 2;

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_proof_info {
    pub kind: u32,
    pub hash: merklize_hash_id,
    pub rule: merklize_rule,
    pub n_leaves: u64,
    pub old_leaves: u64,
    pub leaves: u64,
    pub siblings: u64,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_expect {
    pub leaf: *const merklize_digest,
    pub index: *const u64,
    pub n_leaves: *const u64,
    pub hash: *const merklize_hash_id,
    pub rule: merklize_rule,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_wrong_node {
    pub index: u64,
    pub level: u32,
}
pub const MERKLIZE_ELEMENTS_CANONICAL: u32 = 0;
pub const MERKLIZE_ELEMENTS_ANY: u32 = 1;
pub const MERKLIZE_ELEMENTS_MONTGOMERY: u32 = 2;

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_matrix {
    pub words: *const c_void,
    pub buffer: *const merklize_buffer,
    pub first: u64,
    pub rows: u64,
    pub columns: u64,
    pub row_stride: i64,
    pub column_stride: i64,
    pub word_bytes: u32,
    pub elements: u32,
}
pub const MERKLIZE_ROW_ORDER_NATURAL: u32 = 0;
pub const MERKLIZE_ROW_ORDER_BIT_REVERSED: u32 = 1;

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_extend_form {
    pub field: u32,
    pub added_bits: u32,
    pub shift: u64,
    pub order: u32,
}
pub const MERKLIZE_SUM_OVER_ROWS: u32 = 0;
pub const MERKLIZE_SUM_OVER_COLUMNS: u32 = 1;

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_sum_form {
    pub field: u32,
    pub over: u32,
    pub degree: u32,
}
pub const MERKLIZE_CONSTRAINT_OP_ADD: u32 = 0;
pub const MERKLIZE_CONSTRAINT_OP_SUBTRACT: u32 = 1;
pub const MERKLIZE_CONSTRAINT_OP_MULTIPLY: u32 = 2;
pub const MERKLIZE_CONSTRAINT_OP_SUM: u32 = 3;

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_constraint_step {
    pub op: u32,
    pub to: u32,
    pub a: u32,
    pub b: u32,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_constraint_form {
    pub steps: *const merklize_constraint_step,
    pub n_steps: u64,
    pub scalars: *const c_void,
    pub scalar_bytes: u64,
    pub weights: *const c_void,
    pub weight_bytes: u64,
    pub next: u64,
    pub field: u32,
    pub order: u32,
    pub degree: u32,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_commitment_form {
    pub hash: merklize_hash_id,
    pub arity: u32,
    pub cap_height: u32,
    pub montgomery: u32,
    pub word_bytes: u32,
    pub keep: u32,
    pub drop_levels: u32,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_commitment_info {
    pub hash: merklize_hash_id,
    pub arity: u32,
    pub cap_height: u32,
    pub height: u32,
    pub n_leaves: u64,
    pub cap_size: u64,
    pub path_length: u64,
    pub row_bytes: u64,
    pub on_device: u32,
    pub keeps_matrices: u32,
    pub drop_levels: u32,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_extended_matrix {
    pub matrix: merklize_matrix,
    pub form: merklize_extend_form,
    pub out: *mut c_void,
    pub out_bytes: u64,
    pub buffer: *mut merklize_buffer,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_matrix_dims {
    pub rows: u64,
    pub columns: u64,
}

pub type merklize_dm_verity_algorithm = u32;
pub const MERKLIZE_DM_VERITY_SHA256: merklize_dm_verity_algorithm = 0;
pub const MERKLIZE_DM_VERITY_SHA512: merklize_dm_verity_algorithm = 1;

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_dm_verity_form {
    pub algorithm: merklize_dm_verity_algorithm,
    pub salt_after: u32,
    pub data_block_size: u32,
    pub hash_block_size: u32,
    pub data_blocks: u64,
    pub salt: *const u8,
    pub salt_bytes: usize,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_dm_verity_area {
    pub offset: u64,
    pub without_superblock: u32,
    pub uuid: [u8; 16],
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_dm_verity_facts {
    pub algorithm: merklize_dm_verity_algorithm,
    pub salt_after: u32,
    pub data_block_size: u32,
    pub hash_block_size: u32,
    pub data_blocks: u64,
    pub salt: [u8; 256],
    pub salt_bytes: usize,
    pub uuid: [u8; 16],
    pub hash_blocks: u64,
    pub end: u64,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_dm_verity_root {
    pub bytes: [u8; 64],
    pub length: usize,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_dm_verity_fault {
    pub block: u64,
    pub in_hashes: u32,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_format_info {
    pub name: [c_char; 32],
    pub hash: merklize_hash_id,
    pub rule: merklize_rule,
    pub hashes_messages: u32,
    pub is_ambiguous: u32,
    pub piece_size: u64,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_fs_verity_form {
    pub block_size: u32,
    pub salt: *const u8,
    pub salt_bytes: usize,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_piece_cid_info {
    pub root: merklize_digest,
    pub bytes: u64,
    pub padded_bytes: u64,
    pub padding: u64,
    pub height: u32,
    pub v1: [c_char; 96],
    pub v2: [c_char; 96],
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_xet_chunk {
    pub hash: merklize_digest,
    pub bytes: u64,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_bao_form {
    pub group_log: u32,
    pub post_order: u32,
    pub without_size: u32,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_bao_fault {
    pub offset: u64,
    pub bytes: u64,
    pub in_outboard: u32,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_manifest_options {
    pub piece_size: u64,
    pub patterns: *const *const c_char,
    pub pattern_count: usize,
    pub exclude: *const c_char,
    pub follow_links: u32,
    pub everything: u32,
    pub tiles: u32,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_difference {
    pub kind: *const c_char,
    pub what: *const c_char,
    pub name: *const c_char,
    pub shard: *const c_char,
    pub sentence: *const c_char,
    pub begin: u64,
    pub end: u64,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_file_range {
    pub offset: u64,
    pub bytes: u64,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_tiled_matrices {
    pub elements: *const c_void,
    pub buffer: *const merklize_buffer,
    pub first: u64,
    pub matrices: u64,
    pub rows: u64,
    pub columns: u64,
    pub row_pitch: i64,
    pub matrix_pitch: i64,
    pub element_bytes: u32,
    pub tile_rows: u32,
    pub tile_columns: u32,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct merklize_range_node {
    pub index: u64,
    pub level: u32,
}

opaque! {
    merklize_device
    merklize_buffer
    merklize_stream
    merklize_event
    merklize_hasher
    merklize_file_digests
    merklize_tree
    merklize_tree_builder
    merklize_tree_file
    merklize_tree_writer
    merklize_forest
    merklize_openzeppelin_tree
    merklize_proof
    merklize_commitment
    merklize_manifest
    merklize_differences
    merklize_xmss_key
}
zeroed! {
    merklize_digest
    merklize_view
    merklize_output
    merklize_device_info
    merklize_hash_info
    merklize_poseidon2
    merklize_poseidon
    merklize_mode
    merklize_policy
    merklize_timings
    merklize_run_options
    merklize_file_digest
    merklize_forest_info
    merklize_form
    merklize_tree_info
    merklize_input
    merklize_proof_info
    merklize_expect
    merklize_wrong_node
    merklize_matrix
    merklize_extend_form
    merklize_sum_form
    merklize_constraint_step
    merklize_constraint_form
    merklize_commitment_form
    merklize_commitment_info
    merklize_extended_matrix
    merklize_matrix_dims
    merklize_dm_verity_form
    merklize_dm_verity_area
    merklize_dm_verity_facts
    merklize_dm_verity_root
    merklize_dm_verity_fault
    merklize_format_info
    merklize_fs_verity_form
    merklize_piece_cid_info
    merklize_xet_chunk
    merklize_bao_form
    merklize_bao_fault
    merklize_manifest_options
    merklize_difference
    merklize_file_range
    merklize_tiled_matrices
    merklize_range_node
}

functions! {
    pub fn merklize_status_name(status: merklize_status) -> *const c_char;
    pub fn merklize_last_error() -> *const c_char;
    pub fn merklize_last_error_call() -> *const c_char;
    pub fn merklize_last_error_argument() -> *const c_char;
    pub fn merklize_last_error_rule() -> *const c_char;
    pub fn merklize_last_system_error() -> c_int;
    pub fn merklize_last_error_path() -> *const c_char;
    pub fn merklize_version() -> *const c_char;
    pub fn merklize_abi_version() -> u32;
    pub fn merklize_check_abi(abi: u32) -> merklize_status;
    pub fn merklize_device_count(count: *mut usize) -> merklize_status;
    pub fn merklize_device_describe(index: usize, info: *mut merklize_device_info) -> merklize_status;
    pub fn merklize_why_unavailable(name: *const c_char, text: *mut c_char, capacity: usize, length: *mut usize) -> merklize_status;
    pub fn merklize_device_open(name: *const c_char, device: *mut *mut merklize_device) -> merklize_status;
    pub fn merklize_device_get_info(device: *const merklize_device, info: *mut merklize_device_info) -> merklize_status;
    pub fn merklize_device_free(device: *mut merklize_device);
    pub fn merklize_device_set_memory_limit(device: *const merklize_device, bytes: u64) -> merklize_status;
    pub fn merklize_device_get_memory_limit(device: *const merklize_device, bytes: *mut u64) -> merklize_status;
    pub fn merklize_stream_create(device: *const merklize_device, stream: *mut *mut merklize_stream) -> merklize_status;
    pub fn merklize_stream_wrap(device: *const merklize_device, native: *mut c_void, stream: *mut *mut merklize_stream) -> merklize_status;
    pub fn merklize_stream_synchronize(stream: *mut merklize_stream) -> merklize_status;
    pub fn merklize_stream_is_capturing(stream: *const merklize_stream, capturing: *mut c_int) -> merklize_status;
    pub fn merklize_stream_free(stream: *mut merklize_stream);
    pub fn merklize_stream_record(stream: *mut merklize_stream, event: *mut *mut merklize_event) -> merklize_status;
    pub fn merklize_stream_wait(stream: *mut merklize_stream, event: *const merklize_event) -> merklize_status;
    pub fn merklize_event_wait(event: *const merklize_event) -> merklize_status;
    pub fn merklize_event_query(event: *const merklize_event, reached: *mut c_int) -> merklize_status;
    pub fn merklize_event_check(event: *const merklize_event) -> merklize_status;
    pub fn merklize_event_native(event: *const merklize_event, native: *mut *mut c_void) -> merklize_status;
    pub fn merklize_event_free(event: *mut merklize_event);
    pub fn merklize_buffer_create(device: *const merklize_device, bytes: u64, buffer: *mut *mut merklize_buffer) -> merklize_status;
    pub fn merklize_buffer_wrap(device: *const merklize_device, native: *mut c_void, bytes: u64, buffer: *mut *mut merklize_buffer) -> merklize_status;
    pub fn merklize_buffer_wrap_const(device: *const merklize_device, native: *const c_void, bytes: u64, buffer: *mut *mut merklize_buffer) -> merklize_status;
    pub fn merklize_buffer_slice(buffer: *const merklize_buffer, first: u64, bytes: u64, slice: *mut *mut merklize_buffer) -> merklize_status;
    pub fn merklize_buffer_size(buffer: *const merklize_buffer) -> u64;
    pub fn merklize_buffer_native(buffer: *const merklize_buffer, native: *mut *mut c_void, offset: *mut u64) -> merklize_status;
    pub fn merklize_buffer_upload(buffer: *mut merklize_buffer, first: u64, host: *const c_void, bytes: usize, stream: *const merklize_stream) -> merklize_status;
    pub fn merklize_buffer_download(buffer: *const merklize_buffer, first: u64, host: *mut c_void, bytes: usize, stream: *const merklize_stream) -> merklize_status;
    pub fn merklize_buffer_free(buffer: *mut merklize_buffer);
    pub fn merklize_hash_count() -> usize;
    pub fn merklize_hash_describe(index: usize, info: *mut merklize_hash_info) -> merklize_status;
    pub fn merklize_hash_from_name(name: *const c_char, hash: *mut merklize_hash_id) -> merklize_status;
    pub fn merklize_hash_poseidon2(instance: *const merklize_poseidon2, quad: *const merklize_poseidon2, hash: *mut merklize_hash_id) -> merklize_status;
    pub fn merklize_hash_poseidon(instance: *const merklize_poseidon, hash: *mut merklize_hash_id) -> merklize_status;
    pub fn merklize_hash_get_info(hash: merklize_hash_id, info: *mut merklize_hash_info) -> merklize_status;
    pub fn merklize_hash_name(hash: merklize_hash_id, text: *mut c_char, capacity: usize, length: *mut usize) -> merklize_status;
    pub fn merklize_policy_from_text(text: *const c_char, policy: *mut merklize_policy) -> merklize_status;
    pub fn merklize_policy_to_text(policy: *const merklize_policy, text: *mut c_char, capacity: usize, length: *mut usize) -> merklize_status;
    pub fn merklize_hash(data: merklize_view, hash: merklize_hash_id, mode: *const merklize_mode, seek: u64, out: *mut u8, out_bytes: usize, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_hash_file(path: *const c_char, hash: merklize_hash_id, mode: *const merklize_mode, seek: u64, out: *mut u8, out_bytes: usize, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_hash_descriptor(descriptor: c_int, name: *const c_char, hash: merklize_hash_id, mode: *const merklize_mode, seek: u64, out: *mut u8, out_bytes: usize, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_hash_files(paths: *const *const c_char, n: usize, hash: merklize_hash_id, mode: *const merklize_mode, seek: u64, length: usize, options: *const merklize_run_options, digests: *mut *mut merklize_file_digests) -> merklize_status;
    pub fn merklize_file_digests_get(digests: *const merklize_file_digests, index: usize, digest: *mut merklize_file_digest) -> merklize_status;
    pub fn merklize_file_digests_free(digests: *mut merklize_file_digests);
    pub fn merklize_hash_each(messages: *const merklize_view, n: usize, hash: merklize_hash_id, mode: *const merklize_mode, seek: u64, out: *mut u8, length: usize, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_hash_parts(parts: *const *const merklize_buffer, n: usize, mode: *const merklize_mode, seek: u64, out: *mut u8, out_bytes: usize, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_hash_leaves(rows: merklize_view, row_bytes: u64, hash: merklize_hash_id, mode: *const merklize_mode, out: merklize_output, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_merge(left: merklize_view, right: merklize_view, hash: merklize_hash_id, mode: *const merklize_mode, out: merklize_output, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_hasher_create(hash: merklize_hash_id, mode: *const merklize_mode, options: *const merklize_run_options, hasher: *mut *mut merklize_hasher) -> merklize_status;
    pub fn merklize_hasher_update(hasher: *mut merklize_hasher, data: *const c_void, bytes: usize) -> merklize_status;
    pub fn merklize_hasher_output(hasher: *const merklize_hasher, seek: u64, out: *mut u8, out_bytes: usize) -> merklize_status;
    pub fn merklize_hasher_count(hasher: *const merklize_hasher) -> u64;
    pub fn merklize_hasher_reset(hasher: *mut merklize_hasher) -> merklize_status;
    pub fn merklize_hasher_copy(hasher: *const merklize_hasher, copy: *mut *mut merklize_hasher) -> merklize_status;
    pub fn merklize_hasher_free(hasher: *mut merklize_hasher);
    pub fn merklize_forest_from_leaves(leaves: merklize_view, n_leaves: u64, form: *const merklize_form, options: *const merklize_run_options, forest: *mut *mut merklize_forest) -> merklize_status;
    pub fn merklize_forest_free(forest: *mut merklize_forest);
    pub fn merklize_forest_get_info(forest: *const merklize_forest, info: *mut merklize_forest_info) -> merklize_status;
    pub fn merklize_forest_roots(forest: *const merklize_forest, roots: *mut merklize_digest, capacity: usize, count: *mut usize) -> merklize_status;
    pub fn merklize_forest_level(forest: *const merklize_forest, level: u32, nodes: *mut *const merklize_digest, count: *mut u64) -> merklize_status;
    pub fn merklize_forest_prove(forest: *const merklize_forest, tree: u64, index: u64, proof: *mut *mut merklize_proof) -> merklize_status;
    pub fn merklize_heap_slots(n_leaves: u64, slots: *mut u64) -> merklize_status;
    pub fn merklize_build_tree(nodes: merklize_output, form: *const merklize_form, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_merkle_root(leaves: merklize_view, form: *const merklize_form, root: *mut merklize_digest, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_merkle_root_parts(parts: *const *const merklize_buffer, n: usize, form: *const merklize_form, root: *mut merklize_digest, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_merkle_root_file(input: *const merklize_input, form: *const merklize_form, info: *mut merklize_tree_info, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_tree_from_leaves(leaves: merklize_view, form: *const merklize_form, drop_levels: u32, options: *const merklize_run_options, tree: *mut *mut merklize_tree) -> merklize_status;
    pub fn merklize_tree_from_messages(messages: *const merklize_view, n: usize, form: *const merklize_form, options: *const merklize_run_options, tree: *mut *mut merklize_tree) -> merklize_status;
    pub fn merklize_tree_from_rows(rows: merklize_view, n: u64, form: *const merklize_form, options: *const merklize_run_options, tree: *mut *mut merklize_tree) -> merklize_status;
    pub fn merklize_tree_from_file(input: *const merklize_input, form: *const merklize_form, options: *const merklize_run_options, tree: *mut *mut merklize_tree) -> merklize_status;
    pub fn merklize_tree_free(tree: *mut merklize_tree);
    pub fn merklize_tree_get_info(tree: *const merklize_tree, info: *mut merklize_tree_info) -> merklize_status;
    pub fn merklize_tree_root(tree: *const merklize_tree, root: *mut merklize_digest) -> merklize_status;
    pub fn merklize_tree_nodes(tree: *const merklize_tree, nodes: *mut *const merklize_digest, slots: *mut u64) -> merklize_status;
    pub fn merklize_tree_level(tree: *const merklize_tree, level: u32, nodes: *mut *const merklize_digest, count: *mut u64) -> merklize_status;
    pub fn merklize_tree_cap(tree: *const merklize_tree, height: u32, nodes: *mut merklize_digest, capacity: usize, count: *mut usize) -> merklize_status;
    pub fn merklize_tree_device_nodes(tree: *const merklize_tree, nodes: *mut *mut merklize_buffer) -> merklize_status;
    pub fn merklize_tree_device_level(tree: *const merklize_tree, level: u32, nodes: *mut *mut merklize_buffer) -> merklize_status;
    pub fn merklize_tree_prove(tree: *const merklize_tree, index: u64, leaves: *const merklize_digest, n_leaves: u64, proof: *mut *mut merklize_proof) -> merklize_status;
    pub fn merklize_tree_prove_each(tree: *const merklize_tree, indices: *const u64, count: usize, leaves: *const merklize_digest, n_leaves: u64, proofs: *mut *mut merklize_proof) -> merklize_status;
    pub fn merklize_tree_prove_together(tree: *const merklize_tree, indices: *const u64, count: usize, leaves: *const merklize_digest, n_leaves: u64, proof: *mut *mut merklize_proof) -> merklize_status;
    pub fn merklize_tree_prove_range(tree: *const merklize_tree, first: u64, last: u64, leaves: *const merklize_digest, n_leaves: u64, proof: *mut *mut merklize_proof) -> merklize_status;
    pub fn merklize_tree_prove_consistency(tree: *const merklize_tree, old_leaves: u64, proof: *mut *mut merklize_proof) -> merklize_status;
    pub fn merklize_tree_update(tree: *mut merklize_tree, indices: *const u64, leaves: *const merklize_digest, count: usize, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_tree_append(tree: *mut merklize_tree, leaves: *const merklize_digest, count: u64, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_tree_save(tree: *const merklize_tree, path: *const c_char) -> merklize_status;
    pub fn merklize_tree_builder_create(form: *const merklize_form, options: *const merklize_run_options, builder: *mut *mut merklize_tree_builder) -> merklize_status;
    pub fn merklize_tree_builder_append(builder: *mut merklize_tree_builder, leaves: merklize_view) -> merklize_status;
    pub fn merklize_tree_builder_count(builder: *const merklize_tree_builder) -> u64;
    pub fn merklize_tree_builder_root(builder: *const merklize_tree_builder, root: *mut merklize_digest) -> merklize_status;
    pub fn merklize_tree_builder_free(builder: *mut merklize_tree_builder);
    pub fn merklize_proof_get_info(proof: *const merklize_proof, info: *mut merklize_proof_info) -> merklize_status;
    pub fn merklize_proof_read(proof: *const merklize_proof, indices: *mut u64, leaves: *mut merklize_digest, siblings: *mut merklize_digest) -> merklize_status;
    pub fn merklize_proof_to_bytes(proof: *const merklize_proof, bytes: *mut u8, capacity: usize, length: *mut usize) -> merklize_status;
    pub fn merklize_proof_from_bytes(bytes: *const u8, length: usize, proof: *mut *mut merklize_proof) -> merklize_status;
    pub fn merklize_proof_to_winterfell(proof: *const merklize_proof, bytes: *mut u8, capacity: usize, length: *mut usize) -> merklize_status;
    pub fn merklize_proof_from_winterfell(bytes: *const u8, length: usize, hash: merklize_hash_id, indices: *const u64, leaves: *const merklize_digest, count: usize, proof: *mut *mut merklize_proof) -> merklize_status;
    pub fn merklize_proof_free(proof: *mut merklize_proof);
    pub fn merklize_proof_verify(proof: *const merklize_proof, root: *const merklize_digest, expect: *const merklize_expect, mode: *const merklize_mode, valid: *mut c_int) -> merklize_status;
    pub fn merklize_verify(bytes: *const u8, length: usize, root: *const merklize_digest, expect: *const merklize_expect, mode: *const merklize_mode, valid: *mut c_int) -> merklize_status;
    pub fn merklize_proof_verify_consistency(proof: *const merklize_proof, old_root: *const merklize_digest, new_root: *const merklize_digest, mode: *const merklize_mode, valid: *mut c_int) -> merklize_status;
    pub fn merklize_verify_consistency(bytes: *const u8, length: usize, old_root: *const merklize_digest, new_root: *const merklize_digest, mode: *const merklize_mode, valid: *mut c_int) -> merklize_status;
    pub fn merklize_verify_each(proofs: *const *const merklize_proof, count: usize, root: *const merklize_digest, mode: *const merklize_mode, valid: *mut u8, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_build_tree_file(input: *const merklize_input, output: *const c_char, form: *const merklize_form, resume: c_int, info: *mut merklize_tree_info, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_tree_file_open(path: *const c_char, file: *mut *mut merklize_tree_file) -> merklize_status;
    pub fn merklize_tree_file_free(file: *mut merklize_tree_file);
    pub fn merklize_tree_file_set_mode(file: *mut merklize_tree_file, mode: *const merklize_mode) -> merklize_status;
    pub fn merklize_tree_file_get_info(file: *const merklize_tree_file, info: *mut merklize_tree_info) -> merklize_status;
    pub fn merklize_tree_file_root(file: *const merklize_tree_file, root: *mut merklize_digest) -> merklize_status;
    pub fn merklize_tree_file_read(file: *const merklize_tree_file, level: u32, first: u64, nodes: *mut merklize_digest, count: usize) -> merklize_status;
    pub fn merklize_tree_file_prove(file: *const merklize_tree_file, index: u64, proof: *mut *mut merklize_proof) -> merklize_status;
    pub fn merklize_tree_file_prove_together(file: *const merklize_tree_file, indices: *const u64, count: usize, proof: *mut *mut merklize_proof) -> merklize_status;
    pub fn merklize_tree_file_prove_range(file: *const merklize_tree_file, first: u64, last: u64, proof: *mut *mut merklize_proof) -> merklize_status;
    pub fn merklize_tree_file_prove_consistency(file: *const merklize_tree_file, old_leaves: u64, proof: *mut *mut merklize_proof) -> merklize_status;
    pub fn merklize_tree_file_check(file: *const merklize_tree_file, wrong: *mut merklize_wrong_node, capacity: usize, count: *mut usize, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_tree_file_update(file: *mut merklize_tree_file, indices: *const u64, leaves: *const merklize_digest, count: usize, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_tree_file_append(file: *mut merklize_tree_file, leaves: *const merklize_digest, count: u64, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_tree_writer_create(path: *const c_char, n_leaves: u64, form: *const merklize_form, leaf_bytes: u64, total_bytes: u64, resume: c_int, options: *const merklize_run_options, writer: *mut *mut merklize_tree_writer) -> merklize_status;
    pub fn merklize_tree_writer_free(writer: *mut merklize_tree_writer);
    pub fn merklize_tree_writer_written(writer: *const merklize_tree_writer) -> u64;
    pub fn merklize_tree_writer_append(writer: *mut merklize_tree_writer, leaves: *const merklize_digest, count: u64) -> merklize_status;
    pub fn merklize_tree_writer_checkpoint(writer: *mut merklize_tree_writer) -> merklize_status;
    pub fn merklize_tree_writer_finish(writer: *mut merklize_tree_writer, total_bytes: u64, root: *mut merklize_digest) -> merklize_status;
    pub fn merklize_hash_rows(matrices: *const merklize_matrix, count: usize, hash: merklize_hash_id, montgomery: u32, mode: *const merklize_mode, out: merklize_output, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_extend(matrix: *const merklize_matrix, form: *const merklize_extend_form, out: merklize_output, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_weighted_sums(matrix: *const merklize_matrix, weights: *const c_void, weight_bytes: u64, form: *const merklize_sum_form, out: *mut c_void, out_bytes: u64, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_evaluate_constraints(matrices: *const merklize_matrix, count: usize, form: *const merklize_constraint_form, out: *mut c_void, out_bytes: u64, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_commitment_build(matrices: *const merklize_matrix, count: usize, form: *const merklize_commitment_form, options: *const merklize_run_options, commitment: *mut *mut merklize_commitment) -> merklize_status;
    pub fn merklize_commit_extended(matrices: *const merklize_extended_matrix, count: usize, form: *const merklize_commitment_form, options: *const merklize_run_options, commitment: *mut *mut merklize_commitment) -> merklize_status;
    pub fn merklize_commitment_free(commitment: *mut merklize_commitment);
    pub fn merklize_commitment_get_info(commitment: *const merklize_commitment, info: *mut merklize_commitment_info) -> merklize_status;
    pub fn merklize_commitment_cap(commitment: *const merklize_commitment, cap: *mut merklize_digest, capacity: usize, count: *mut usize) -> merklize_status;
    pub fn merklize_commitment_open(commitment: *const merklize_commitment, indices: *const u64, count: usize, matrices: *const merklize_matrix, matrix_count: usize, rows: *mut u8, siblings: *mut merklize_digest) -> merklize_status;
    pub fn merklize_commitment_open_together(commitment: *const merklize_commitment, indices: *const u64, count: usize, matrices: *const merklize_matrix, matrix_count: usize, rows: *mut u8, siblings: *mut merklize_digest, capacity: usize, needed: *mut usize) -> merklize_status;
    pub fn merklize_verify_opening(indices: *const u64, count: usize, rows: *const u8, row_bytes: usize, siblings: *const merklize_digest, sibling_count: usize, cap: *const merklize_digest, cap_count: usize, dims: *const merklize_matrix_dims, dims_count: usize, form: *const merklize_commitment_form, valid: *mut c_int) -> merklize_status;
    pub fn merklize_dm_verity(data: *const c_void, bytes: usize, form: *const merklize_dm_verity_form, root: *mut merklize_dm_verity_root, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_dm_verity_file(path: *const c_char, form: *const merklize_dm_verity_form, root: *mut merklize_dm_verity_root, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_dm_verity_format(data: *const c_char, hashes: *const c_char, form: *const merklize_dm_verity_form, area: *const merklize_dm_verity_area, root: *mut merklize_dm_verity_root, facts: *mut merklize_dm_verity_facts, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_dm_verity_dump(hashes: *const c_char, offset: u64, facts: *mut merklize_dm_verity_facts) -> merklize_status;
    pub fn merklize_dm_verity_verify(data: *const c_char, hashes: *const c_char, root: *const u8, root_bytes: usize, form: *const merklize_dm_verity_form, area: *const merklize_dm_verity_area, faults: *mut merklize_dm_verity_fault, capacity: usize, written: *mut usize, count: *mut u64, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_format_count() -> usize;
    pub fn merklize_format_describe(index: usize, info: *mut merklize_format_info) -> merklize_status;
    pub fn merklize_format_get_info(name: *const c_char, info: *mut merklize_format_info) -> merklize_status;
    pub fn merklize_require_unambiguous(tree: *const merklize_tree, format: *const c_char) -> merklize_status;
    pub fn merklize_fs_verity(data: *const c_void, bytes: usize, form: *const merklize_fs_verity_form, digest: *mut merklize_digest, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_fs_verity_file(path: *const c_char, form: *const merklize_fs_verity_form, digest: *mut merklize_digest, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_glacier(data: *const c_void, bytes: usize, digest: *mut merklize_digest, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_bittorrent_v2(data: *const c_void, bytes: usize, piece_length: u64, root: *mut merklize_digest, layer: *mut merklize_digest, capacity: usize, count: *mut usize, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_ssz(chunks: *const merklize_digest, n: usize, limit: *const u64, length: *const u64, root: *mut merklize_digest, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_piece_leaves(data: *const c_void, bytes: usize, leaves: *mut merklize_digest, capacity: usize, count: *mut usize) -> merklize_status;
    pub fn merklize_piece_cid(data: *const c_void, bytes: usize, piece: *mut merklize_piece_cid_info, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_piece_cid_file(path: *const c_char, piece: *mut merklize_piece_cid_info, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_xet_hash(data: *const c_void, bytes: usize, digest: *mut merklize_digest, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_xet_hash_file(path: *const c_char, digest: *mut merklize_digest, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_xet_hash_files(paths: *const *const c_char, n: usize, options: *const merklize_run_options, digests: *mut *mut merklize_file_digests) -> merklize_status;
    pub fn merklize_xet_chunks(data: *const c_void, bytes: usize, chunks: *mut merklize_xet_chunk, capacity: usize, count: *mut usize, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_xet_hex(digest: *const merklize_digest, text: *mut c_char) -> merklize_status;
    pub fn merklize_openzeppelin_leaf(abi_encoded: *const c_void, bytes: usize, leaf: *mut merklize_digest) -> merklize_status;
    pub fn merklize_openzeppelin_tree_create(leaves: *const merklize_digest, n: usize, tree_indices: *const u64, options: *const merklize_run_options, tree: *mut *mut merklize_openzeppelin_tree) -> merklize_status;
    pub fn merklize_openzeppelin_tree_free(tree: *mut merklize_openzeppelin_tree);
    pub fn merklize_openzeppelin_tree_nodes(tree: *const merklize_openzeppelin_tree, nodes: *mut *const merklize_digest, count: *mut u64) -> merklize_status;
    pub fn merklize_openzeppelin_tree_index(tree: *const merklize_openzeppelin_tree, index: u64, tree_index: *mut u64) -> merklize_status;
    pub fn merklize_openzeppelin_tree_prove(tree: *const merklize_openzeppelin_tree, index: u64, proof: *mut merklize_digest, capacity: usize, length: *mut usize) -> merklize_status;
    pub fn merklize_openzeppelin_tree_prove_together(tree: *const merklize_openzeppelin_tree, indices: *const u64, count: usize, leaves: *mut merklize_digest, proof: *mut merklize_digest, capacity: usize, length: *mut usize, flags: *mut u8) -> merklize_status;
    pub fn merklize_verify_openzeppelin(proof: *const merklize_digest, length: usize, root: *const merklize_digest, leaf: *const merklize_digest, valid: *mut c_int) -> merklize_status;
    pub fn merklize_bao_outboard_bytes(message_bytes: u64, form: *const merklize_bao_form, bytes: *mut u64) -> merklize_status;
    pub fn merklize_bao_outboard(data: merklize_view, form: *const merklize_bao_form, out: merklize_output, root: *mut merklize_digest, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_bao_outboard_descriptor(descriptor: c_int, name: *const c_char, form: *const merklize_bao_form, output: *const c_char, root: *mut merklize_digest, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_bao_slice(data: *const c_void, bytes: usize, outboard: *const u8, outboard_bytes: usize, form: *const merklize_bao_form, first: u64, count: u64, slice: *mut u8, capacity: usize, length: *mut usize) -> merklize_status;
    pub fn merklize_bao_decode_slice(slice: *const u8, slice_bytes: usize, root: *const merklize_digest, form: *const merklize_bao_form, first: u64, count: u64, message_bytes: u64, out: *mut u8, capacity: usize, length: *mut usize, valid: *mut c_int) -> merklize_status;
    pub fn merklize_bao_verify(part: *const c_void, bytes: usize, offset: u64, message_bytes: u64, root: *const merklize_digest, outboard: *const u8, outboard_bytes: usize, form: *const merklize_bao_form, faults: *mut merklize_bao_fault, capacity: usize, count: *mut usize, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_bao_verify_descriptor(descriptor: c_int, name: *const c_char, first: u64, bytes: u64, root: *const merklize_digest, outboard: *const u8, outboard_bytes: usize, form: *const merklize_bao_form, faults: *mut merklize_bao_fault, capacity: usize, count: *mut usize, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_enqueue_hash(stream: *mut merklize_stream, data: *const merklize_buffer, mode: *const merklize_mode, out: *mut merklize_buffer, policy: *const merklize_policy, event: *mut *mut merklize_event) -> merklize_status;
    pub fn merklize_enqueue_hash_leaves(stream: *mut merklize_stream, rows: *const merklize_buffer, row_bytes: u64, hash: merklize_hash_id, mode: *const merklize_mode, out: *mut merklize_buffer, policy: *const merklize_policy, event: *mut *mut merklize_event) -> merklize_status;
    pub fn merklize_enqueue_merge(stream: *mut merklize_stream, left: *const merklize_buffer, right: *const merklize_buffer, hash: merklize_hash_id, mode: *const merklize_mode, out: *mut merklize_buffer, policy: *const merklize_policy, event: *mut *mut merklize_event) -> merklize_status;
    pub fn merklize_enqueue_build_tree(stream: *mut merklize_stream, nodes: *mut merklize_buffer, form: *const merklize_form, policy: *const merklize_policy, event: *mut *mut merklize_event) -> merklize_status;
    pub fn merklize_enqueue_merkle_root(stream: *mut merklize_stream, leaves: *const merklize_buffer, form: *const merklize_form, out: *mut merklize_buffer, policy: *const merklize_policy, event: *mut *mut merklize_event) -> merklize_status;
    pub fn merklize_enqueue_gather_nodes(stream: *mut merklize_stream, nodes: *const merklize_buffer, slots: *const merklize_buffer, out: *mut merklize_buffer, event: *mut *mut merklize_event) -> merklize_status;
    pub fn merklize_manifest_create(path: *const c_char, options: *const merklize_manifest_options, run: *const merklize_run_options, manifest: *mut *mut merklize_manifest) -> merklize_status;
    pub fn merklize_manifest_parse(text: *const c_char, bytes: usize, manifest: *mut *mut merklize_manifest) -> merklize_status;
    pub fn merklize_manifest_load(path: *const c_char, manifest: *mut *mut merklize_manifest) -> merklize_status;
    pub fn merklize_manifest_free(manifest: *mut merklize_manifest);
    pub fn merklize_manifest_root(manifest: *const merklize_manifest, root: *mut merklize_digest) -> merklize_status;
    pub fn merklize_manifest_missing_count(manifest: *const merklize_manifest) -> usize;
    pub fn merklize_manifest_missing_get(manifest: *const merklize_manifest, index: usize, name: *mut *const c_char) -> merklize_status;
    pub fn merklize_manifest_to_json(manifest: *const merklize_manifest, with_seen: c_int, text: *mut c_char, capacity: usize, length: *mut usize) -> merklize_status;
    pub fn merklize_manifest_check(manifest: *const merklize_manifest, path: *const c_char, options: *const merklize_manifest_options, run: *const merklize_run_options, differences: *mut *mut merklize_differences) -> merklize_status;
    pub fn merklize_manifest_diff(manifest: *const merklize_manifest, other: *const merklize_manifest, differences: *mut *mut merklize_differences) -> merklize_status;
    pub fn merklize_manifest_refresh(manifest: *const merklize_manifest, path: *const c_char, options: *const merklize_manifest_options, run: *const merklize_run_options, made: *mut *mut merklize_manifest) -> merklize_status;
    pub fn merklize_differences_count(differences: *const merklize_differences) -> usize;
    pub fn merklize_differences_get(differences: *const merklize_differences, index: usize, difference: *mut merklize_difference) -> merklize_status;
    pub fn merklize_differences_missing_count(differences: *const merklize_differences) -> usize;
    pub fn merklize_differences_missing_get(differences: *const merklize_differences, index: usize, name: *mut *const c_char) -> merklize_status;
    pub fn merklize_differences_free(differences: *mut merklize_differences);
    pub fn merklize_hash_pieces(data: merklize_view, piece_size: u64, digest: *mut merklize_digest, pieces: *mut merklize_digest, capacity: usize, count: *mut usize, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_hash_file_ranges(descriptor: c_int, name: *const c_char, ranges: *const merklize_file_range, n_ranges: usize, piece_size: u64, digests: *mut merklize_digest, pieces: *mut merklize_digest, capacity: usize, count: *mut usize, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_piece_values(part: *const c_void, bytes: usize, offset: u64, piece_size: u64, mode: *const merklize_mode, pieces: *mut merklize_digest, capacity: usize, count: *mut usize, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_value_of_pieces(pieces: *const merklize_digest, n: usize, mode: *const merklize_mode, value: *mut merklize_digest) -> merklize_status;
    pub fn merklize_digest_of_pieces(pieces: *const merklize_digest, n: usize, mode: *const merklize_mode, seek: u64, out: *mut u8, out_bytes: usize) -> merklize_status;
    pub fn merklize_hash_tiles(matrices: *const merklize_tiled_matrices, out: merklize_output, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_range_nodes(first: u64, count: u64, total: u64, nodes: *mut merklize_range_node, capacity: usize, needed: *mut usize) -> merklize_status;
    pub fn merklize_merge_ranges(leaves: merklize_view, trees: u64, first: u64, total: u64, out: merklize_output, options: *const merklize_run_options) -> merklize_status;
    pub fn merklize_xmss_keys(seeds: *const u8, count: usize, first_epoch: u64, last_epoch: u64, options: *const merklize_run_options, keys: *mut *mut merklize_xmss_key) -> merklize_status;
    pub fn merklize_xmss_key_free(key: *mut merklize_xmss_key);
    pub fn merklize_xmss_key_info(key: *const merklize_xmss_key, public_key: *mut u8, first_epoch: *mut u64, last_epoch: *mut u64) -> merklize_status;
    pub fn merklize_xmss_key_path(key: *const merklize_xmss_key, epoch: u64, options: *const merklize_run_options, path: *mut u8) -> merklize_status;
    pub fn merklize_xmss_key_sign(key: *const merklize_xmss_key, epoch: u64, message: *const u8, length: usize, options: *const merklize_run_options, signature: *mut u8) -> merklize_status;
    pub fn merklize_xmss_verify(public_key: *const u8, public_key_bytes: usize, epoch: u64, message: *const u8, message_bytes: usize, signature: *const u8, signature_bytes: usize, valid: *mut c_int) -> merklize_status;
    pub fn merklize_xmss_verify_each(public_keys: *const u8, epochs: *const u64, messages: *const u8, signatures: *const u8, count: usize, options: *const merklize_run_options, valid: *mut u8) -> merklize_status;
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
            (BLAKE2S, blake2s, 55)
            (SHA3_256, sha3_256, 56)
            (RPJIVE64_256, rpjive64_256, 57)
            (POSEIDON_GOLDILOCKS_8, poseidon_goldilocks_8, 58)
            (POSEIDON_GOLDILOCKS_12, poseidon_goldilocks_12, 59)
            (POSEIDON_BABYBEAR_16, poseidon_babybear_16, 60)
            (POSEIDON_KOALABEAR_16, poseidon_koalabear_16, 61)
            (POSEIDON_BABYBEAR_24, poseidon_babybear_24, 62)
            (POSEIDON_KOALABEAR_24, poseidon_koalabear_24, 63)
            (BLAKE3_PARENT, blake3_parent, 64)
            (SHA256_TRUNC254, sha256_trunc254, 65)
        }
    };
}

/// The functions by name: all of them are linked, and none is called.
#[doc(hidden)]
pub const FUNCTIONS: [(&str, *const ()); 219] = [
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
    ("merklize_commit_extended", merklize_commit_extended as *const ()),
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
    ("merklize_device_get_memory_limit", merklize_device_get_memory_limit as *const ()),
    ("merklize_device_open", merklize_device_open as *const ()),
    ("merklize_device_set_memory_limit", merklize_device_set_memory_limit as *const ()),
    ("merklize_differences_count", merklize_differences_count as *const ()),
    ("merklize_differences_free", merklize_differences_free as *const ()),
    ("merklize_differences_get", merklize_differences_get as *const ()),
    ("merklize_differences_missing_count", merklize_differences_missing_count as *const ()),
    ("merklize_differences_missing_get", merklize_differences_missing_get as *const ()),
    ("merklize_digest_of_pieces", merklize_digest_of_pieces as *const ()),
    ("merklize_dm_verity", merklize_dm_verity as *const ()),
    ("merklize_dm_verity_dump", merklize_dm_verity_dump as *const ()),
    ("merklize_dm_verity_file", merklize_dm_verity_file as *const ()),
    ("merklize_dm_verity_format", merklize_dm_verity_format as *const ()),
    ("merklize_dm_verity_verify", merklize_dm_verity_verify as *const ()),
    ("merklize_enqueue_build_tree", merklize_enqueue_build_tree as *const ()),
    ("merklize_enqueue_gather_nodes", merklize_enqueue_gather_nodes as *const ()),
    ("merklize_enqueue_hash", merklize_enqueue_hash as *const ()),
    ("merklize_enqueue_hash_leaves", merklize_enqueue_hash_leaves as *const ()),
    ("merklize_enqueue_merge", merklize_enqueue_merge as *const ()),
    ("merklize_enqueue_merkle_root", merklize_enqueue_merkle_root as *const ()),
    ("merklize_evaluate_constraints", merklize_evaluate_constraints as *const ()),
    ("merklize_event_check", merklize_event_check as *const ()),
    ("merklize_event_free", merklize_event_free as *const ()),
    ("merklize_event_native", merklize_event_native as *const ()),
    ("merklize_event_query", merklize_event_query as *const ()),
    ("merklize_event_wait", merklize_event_wait as *const ()),
    ("merklize_extend", merklize_extend as *const ()),
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
    ("merklize_hash_file_ranges", merklize_hash_file_ranges as *const ()),
    ("merklize_hash_files", merklize_hash_files as *const ()),
    ("merklize_hash_from_name", merklize_hash_from_name as *const ()),
    ("merklize_hash_get_info", merklize_hash_get_info as *const ()),
    ("merklize_hash_leaves", merklize_hash_leaves as *const ()),
    ("merklize_hash_name", merklize_hash_name as *const ()),
    ("merklize_hash_parts", merklize_hash_parts as *const ()),
    ("merklize_hash_pieces", merklize_hash_pieces as *const ()),
    ("merklize_hash_poseidon", merklize_hash_poseidon as *const ()),
    ("merklize_hash_poseidon2", merklize_hash_poseidon2 as *const ()),
    ("merklize_hash_rows", merklize_hash_rows as *const ()),
    ("merklize_hash_tiles", merklize_hash_tiles as *const ()),
    ("merklize_hasher_copy", merklize_hasher_copy as *const ()),
    ("merklize_hasher_count", merklize_hasher_count as *const ()),
    ("merklize_hasher_create", merklize_hasher_create as *const ()),
    ("merklize_hasher_free", merklize_hasher_free as *const ()),
    ("merklize_hasher_output", merklize_hasher_output as *const ()),
    ("merklize_hasher_reset", merklize_hasher_reset as *const ()),
    ("merklize_hasher_update", merklize_hasher_update as *const ()),
    ("merklize_heap_slots", merklize_heap_slots as *const ()),
    ("merklize_last_error", merklize_last_error as *const ()),
    ("merklize_last_error_argument", merklize_last_error_argument as *const ()),
    ("merklize_last_error_call", merklize_last_error_call as *const ()),
    ("merklize_last_error_path", merklize_last_error_path as *const ()),
    ("merklize_last_error_rule", merklize_last_error_rule as *const ()),
    ("merklize_last_system_error", merklize_last_system_error as *const ()),
    ("merklize_manifest_check", merklize_manifest_check as *const ()),
    ("merklize_manifest_create", merklize_manifest_create as *const ()),
    ("merklize_manifest_diff", merklize_manifest_diff as *const ()),
    ("merklize_manifest_free", merklize_manifest_free as *const ()),
    ("merklize_manifest_load", merklize_manifest_load as *const ()),
    ("merklize_manifest_missing_count", merklize_manifest_missing_count as *const ()),
    ("merklize_manifest_missing_get", merklize_manifest_missing_get as *const ()),
    ("merklize_manifest_parse", merklize_manifest_parse as *const ()),
    ("merklize_manifest_refresh", merklize_manifest_refresh as *const ()),
    ("merklize_manifest_root", merklize_manifest_root as *const ()),
    ("merklize_manifest_to_json", merklize_manifest_to_json as *const ()),
    ("merklize_merge", merklize_merge as *const ()),
    ("merklize_merge_ranges", merklize_merge_ranges as *const ()),
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
    ("merklize_piece_cid", merklize_piece_cid as *const ()),
    ("merklize_piece_cid_file", merklize_piece_cid_file as *const ()),
    ("merklize_piece_leaves", merklize_piece_leaves as *const ()),
    ("merklize_piece_values", merklize_piece_values as *const ()),
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
    ("merklize_range_nodes", merklize_range_nodes as *const ()),
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
    ("merklize_tree_device_level", merklize_tree_device_level as *const ()),
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
    ("merklize_tree_from_messages", merklize_tree_from_messages as *const ()),
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
    ("merklize_value_of_pieces", merklize_value_of_pieces as *const ()),
    ("merklize_verify", merklize_verify as *const ()),
    ("merklize_verify_consistency", merklize_verify_consistency as *const ()),
    ("merklize_verify_each", merklize_verify_each as *const ()),
    ("merklize_verify_opening", merklize_verify_opening as *const ()),
    ("merklize_verify_openzeppelin", merklize_verify_openzeppelin as *const ()),
    ("merklize_version", merklize_version as *const ()),
    ("merklize_weighted_sums", merklize_weighted_sums as *const ()),
    ("merklize_why_unavailable", merklize_why_unavailable as *const ()),
    ("merklize_xet_chunks", merklize_xet_chunks as *const ()),
    ("merklize_xet_hash", merklize_xet_hash as *const ()),
    ("merklize_xet_hash_file", merklize_xet_hash_file as *const ()),
    ("merklize_xet_hash_files", merklize_xet_hash_files as *const ()),
    ("merklize_xet_hex", merklize_xet_hex as *const ()),
    ("merklize_xmss_key_free", merklize_xmss_key_free as *const ()),
    ("merklize_xmss_key_info", merklize_xmss_key_info as *const ()),
    ("merklize_xmss_key_path", merklize_xmss_key_path as *const ()),
    ("merklize_xmss_key_sign", merklize_xmss_key_sign as *const ()),
    ("merklize_xmss_keys", merklize_xmss_keys as *const ()),
    ("merklize_xmss_verify", merklize_xmss_verify as *const ()),
    ("merklize_xmss_verify_each", merklize_xmss_verify_each as *const ()),
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
    ("merklize_poseidon", core::mem::size_of::<merklize_poseidon>(), core::mem::align_of::<merklize_poseidon>()),
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
    ("merklize_extend_form", core::mem::size_of::<merklize_extend_form>(), core::mem::align_of::<merklize_extend_form>()),
    ("merklize_sum_form", core::mem::size_of::<merklize_sum_form>(), core::mem::align_of::<merklize_sum_form>()),
    ("merklize_constraint_step", core::mem::size_of::<merklize_constraint_step>(), core::mem::align_of::<merklize_constraint_step>()),
    ("merklize_constraint_form", core::mem::size_of::<merklize_constraint_form>(), core::mem::align_of::<merklize_constraint_form>()),
    ("merklize_commitment_form", core::mem::size_of::<merklize_commitment_form>(), core::mem::align_of::<merklize_commitment_form>()),
    ("merklize_commitment_info", core::mem::size_of::<merklize_commitment_info>(), core::mem::align_of::<merklize_commitment_info>()),
    ("merklize_extended_matrix", core::mem::size_of::<merklize_extended_matrix>(), core::mem::align_of::<merklize_extended_matrix>()),
    ("merklize_matrix_dims", core::mem::size_of::<merklize_matrix_dims>(), core::mem::align_of::<merklize_matrix_dims>()),
    ("merklize_dm_verity_form", core::mem::size_of::<merklize_dm_verity_form>(), core::mem::align_of::<merklize_dm_verity_form>()),
    ("merklize_dm_verity_area", core::mem::size_of::<merklize_dm_verity_area>(), core::mem::align_of::<merklize_dm_verity_area>()),
    ("merklize_dm_verity_facts", core::mem::size_of::<merklize_dm_verity_facts>(), core::mem::align_of::<merklize_dm_verity_facts>()),
    ("merklize_dm_verity_root", core::mem::size_of::<merklize_dm_verity_root>(), core::mem::align_of::<merklize_dm_verity_root>()),
    ("merklize_dm_verity_fault", core::mem::size_of::<merklize_dm_verity_fault>(), core::mem::align_of::<merklize_dm_verity_fault>()),
    ("merklize_format_info", core::mem::size_of::<merklize_format_info>(), core::mem::align_of::<merklize_format_info>()),
    ("merklize_fs_verity_form", core::mem::size_of::<merklize_fs_verity_form>(), core::mem::align_of::<merklize_fs_verity_form>()),
    ("merklize_piece_cid_info", core::mem::size_of::<merklize_piece_cid_info>(), core::mem::align_of::<merklize_piece_cid_info>()),
    ("merklize_xet_chunk", core::mem::size_of::<merklize_xet_chunk>(), core::mem::align_of::<merklize_xet_chunk>()),
    ("merklize_bao_form", core::mem::size_of::<merklize_bao_form>(), core::mem::align_of::<merklize_bao_form>()),
    ("merklize_bao_fault", core::mem::size_of::<merklize_bao_fault>(), core::mem::align_of::<merklize_bao_fault>()),
    ("merklize_manifest_options", core::mem::size_of::<merklize_manifest_options>(), core::mem::align_of::<merklize_manifest_options>()),
    ("merklize_difference", core::mem::size_of::<merklize_difference>(), core::mem::align_of::<merklize_difference>()),
    ("merklize_file_range", core::mem::size_of::<merklize_file_range>(), core::mem::align_of::<merklize_file_range>()),
    ("merklize_tiled_matrices", core::mem::size_of::<merklize_tiled_matrices>(), core::mem::align_of::<merklize_tiled_matrices>()),
    ("merklize_range_node", core::mem::size_of::<merklize_range_node>(), core::mem::align_of::<merklize_range_node>()),
];
