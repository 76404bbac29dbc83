#include "command/line/table.hpp"

#include <algorithm>
#include <vector>

#include "command/line/commands.hpp"
#include "host/names.hpp"

namespace merklize::command {
namespace {

constexpr Option help{"help", 'h', {}, "Show this message and exit."};
constexpr Option version{"version", 'V', {}, "Show the version and exit."};
constexpr Option json{"json", 0, {}, "Machine-readable output."};
constexpr Option device{
    "device", 0,
    "NAME",   "Where to compute (auto); see `merklize devices`. Several: cuda:all or cuda:0,cuda:1.",
    {},       "auto, cpu, cuda, opencl, sycl"};
constexpr Option threads{"num-threads", 0, "NUM", "CPU threads to use; 0 means all. Also --threads."};
constexpr Option threads_too{"threads", 0, "NUM", {}, "num-threads"};
constexpr Option policy{"policy", 0, "NAME=VALUE,...",
                        "Tuning of the device, such as group_size=64,constants=local; never changes a byte."};
constexpr Option timings{"timings", 0, {}, "Show how long the device took."};
constexpr Option keyed{"keyed", 0, {}, "Keyed hashing; the key is the 32 bytes on standard input."};
constexpr Option derive_key{"derive-key", 0, "CONTEXT", "Key derivation with this context."};
constexpr std::string_view rules = "left_full, pad, duplicate_last, perfect";
constexpr Option leaves{"leaves", 0, {}, "INPUT holds the leaves themselves, 32 bytes each."};

constexpr Option hash_options[] = {
    {"hash", 0, "NAME", "blake3, sha256, sha256d, keccak256.", {}, "blake3, sha256, sha256d, keccak256"},
    {"xet", 0, {}, "The Hugging Face hub's hash of the file (xet)."},
    keyed,
    {"derive-key", 0, "CONTEXT", "Key derivation; the files are key material."},
    {"length", 'l', "LEN", "Output bytes (32)."},
    {"seek", 0, "SEEK", "Skip that many output bytes."},
    threads,
    threads_too,
    {"no-mmap", 0},  // b3sum has it; files are never mapped here
    {"no-names", 0, {}, "Leave out the file names."},
    {"raw", 0, {}, "Write bytes instead of hexadecimal; for one FILE."},
    {"tag", 0, {}, "BSD style: BLAKE3 (FILE) = HASH."},
    {"check", 'c', {}, "Read digests and names from the FILEs, and check them."},
    {"quiet", 0, {}, "With --check: do not print OK for each file."},
    {"recursive", 'r', {}, "Hash the files in folders; does not follow links to folders."},
    json,
    device,
    policy,
    timings,
    version,
    help,
};

constexpr Option build_options[] = {
    {"output", 'o', "TREE", "Write the whole tree to this file."},
    {"leaf-size", 0, "SIZE", "Bytes of the data a leaf stands for: 4096, 64K, 1MiB."},
    {"row-size", 0, "SIZE", "The same of rows of equal length: no shorter last one."},
    leaves,
    {"hash", 0, "NAME", "One of {hashes} (blake3).", {}, "{hashes}"},
    {"format", 0, "NAME", "Who verifies it, which fixes hash and rule: {formats}.", {}, "{formats}"},
    {"rule",
     0,
     "RULE",
     "A level's lone last node: left_full (promote), pad, duplicate_last; perfect: a power of two of leaves.",
     {},
     rules},
    {"padding", 0, "HEX", "What --rule pad fills with: 64 digits; zeros by default."},
    derive_key,
    keyed,
    {"no-resume", 0, {}, "Begin anew, whatever a killed build left in TREE.partial."},
    device,
    threads,
    threads_too,
    policy,
    timings,
    json,
    help,
};
constexpr Option json_options[] = {json, help};
constexpr Option prove_options[] = {
    {"since", 0, "N", "Prove that the tree grew from N leaves."},
    {"output", 'o', "PROOF", "Write the proof to this file."},
    {"binary", 0, {}, "Compact bytes instead of JSON."},
    help,
};
constexpr Option verify_options[] = {
    {"root", 0, "HEX", "The root you trust; must be given."},
    {"old-root", 0, "HEX", "Of a proof made with --since: the root before."},
    {"leaf-file", 0, "FILE", "A file with the piece that the leaf stands for."},
    {"piece", 0, "FILE", {}, "leaf-file"},
    {"index", 0, "NUM", "The leaf must be this one."},
    {"n-leaves", 0, "NUM", "The tree must have this many leaves."},
    {"hash", 0, "NAME", "The tree must use this hash.", {}, "{hashes}"},
    {"rule", 0, "RULE", "The tree must be of this rule.", {}, rules},
    derive_key,
    keyed,
    json,
    help,
};
constexpr Option update_options[] = {
    {"from", 0, "INPUT", "The changed data: leaf INDEX is hashed again from it."},
    derive_key,
    keyed,
    device,
    threads,
    threads_too,
    json,
    help,
};
constexpr Option append_options[] = {leaves, derive_key, keyed, device, threads, threads_too, json, help};
constexpr Option check_options[] = {derive_key, keyed, device, threads, threads_too, json, help};
constexpr Option export_options[] = {
    {"level", 0, "NUM", "0, the leaves, to the height, the root."},
    {"output", 'o', "FILE", "Write to this file instead of standard output."},
    {"raw", 0, {}, "32 bytes a node instead of a line of 64 hexadecimal digits."},
    json,
    help,
};
constexpr Option bao_format{
    "format",
    0,
    "NAME",
    "bao: groups of 1 KiB, size in front (the default); bao_tree: bao-tree's, groups of 16 KiB, "
    "no size; bao_tree_post: the same in post-order, outboards alone.",
    {},
    "bao, bao_tree, bao_tree_post"};
constexpr Option bao_group{"group-size", 0, "SIZE", "Bytes of a group, if not the format's: 16K; 1K to 1G."};
constexpr Option bao_size{"size", 0, "BYTES",
                          "Of the message, where the format does not have it; need not be trusted."};
constexpr Option bao_root{"root", 0, "HEX", "The digest of the message that you trust; must be given."};
constexpr Option bao_output{"output", 'o', "FILE", "Write to this file instead of standard output."};
constexpr Option bao_outboard_options[] = {bao_output,  bao_format, bao_group, device, threads,
                                           threads_too, policy,     json,      help};
constexpr Option bao_encode_options[] = {bao_output, bao_format, bao_group, threads, threads_too, json, help};
constexpr Option bao_slice_options[] = {
    {"range", 0, "START,LENGTH", "Bytes of the message; may be given several times."},
    {"outboard", 0, "FILE", "INPUT is the message, and this its outboard."},
    bao_output,
    bao_format,
    bao_group,
    bao_size,
    help,
};
constexpr Option bao_decode_options[] = {
    bao_root,
    {"range", 0, "START,LENGTH", "INPUT is the slice of these bytes; with --outboard: write only these."},
    {"outboard", 0, "FILE", "INPUT is the message, and this its outboard."},
    bao_output,
    bao_format,
    bao_group,
    bao_size,
    threads,
    threads_too,
    help,
};
constexpr Option bao_verify_options[] = {
    bao_root,
    {"range", 0, "START,LENGTH",
     "INPUT is the slice of these bytes; with --outboard: verify only the groups they are in."},
    {"outboard", 0, "FILE", "INPUT is the message, and this its outboard."},
    bao_format,
    bao_group,
    bao_size,
    threads,
    threads_too,
    json,
    help,
};
constexpr Option show_options[] = {
    {"levels", 0, "NUM", "Levels below the root, 0 to 6 (3)."},
    {"html", 0, "FILE", "Write the page that verifies, with the tree inside; above 16 MiB with the leaf's proof."},
    {"page", 0, "FILE", "The page itself, as `make wasm` writes it; else the installed one."},
    derive_key,
    keyed,
    json,
    help,
};
constexpr Option devices_options[] = {
    {"calibrate", 0, {}, "Measure them first, and keep the figures for --device auto."}, json, help};
constexpr Option demo_options[] = {
    {"device", 0, "NAME", "Measure this device beside the CPU; else the GPUs that are there.", {}, device.choices},
    threads,
    threads_too,
    json,
    help,
};
constexpr Option follow_links = {
    "follow-links", 0, {}, "In folders, take links to files for the files, as in the hub's cache."};
constexpr Option manifest_create_options[] = {
    {"output", 'o', "FILE", "Write the manifest here, not to standard output."},
    {"ignore", 0, "PATTERN", "Leave out files of a folder of such names, as in a shell."},
    follow_links,
    {"piece-size", 0, "SIZE", "Place differences in longer tensors to pieces of this size, such as 1M; 0: do not."},
    {"portable", 0, {}, "Leave out times and inodes of files: refresh then hashes all."},
    device,
    threads,
    threads_too,
    help,
};
constexpr Option manifest_refresh_options[] = {
    {"all", 0, {}, "Hash all files, not only those that changed."}, follow_links, device, threads, threads_too, help,
};
constexpr Option manifest_check_options[] = {
    {"only", 0, "PATTERN", "Check only tensors, files, shards of such names, as in a shell."},
    follow_links,
    json,
    device,
    threads,
    threads_too,
    help,
};
constexpr Option bench_options[] = {
    {"device", 0, "NAME", "Where to measure (auto); all: everywhere.", {}, device.choices},
    {"policy", 0, "P", "all, tuned, or NAME=VALUE,..."},
    {"sizes", 0, "A..B", "log2 of the leaves, rows or bytes."},
    {"hash", 0, "NAME", "Only this hash; may be given several times.", {}, "{hashes}"},
    {"repeat", 0, "N", "Calls that are timed (11)."},
    {"peers", 0, {}, "The same work by published packages, in turns with ours."},
    {"json", 0, "FILE", "Write all rows there, after every one."},
    {"plot", 0, "FILE", "Draw a picture: .png or .svg. Needs merklize[plot]."},
    {"force", 0, {}, "Write over files that exist."},
    threads,
    threads_too,
    help,
};
constexpr Option one_device{"device", 0, "NAME", "A device of `merklize devices`.", {}, device.choices};
constexpr Option tune_options[] = {
    one_device,
    {"all", 0, {}, "Every device."},
    {"hash", 0, "NAME", "Only this hash; may be given several times.", {}, "{hashes}"},
    {"job", 0, "NAME", "Only this job; likewise."},
    {"sizes", 0, "A..B", "log2 of the leaves, rows or bytes."},
    {"repeat", 0, "N", "Calls that are timed (11)."},
    {"policies", 0, "N", "Try at most so many a job (64): on processors some take minutes to compile."},
    {"dry-run", 0, {}, "Keep nothing."},
    {"json", 0, "FILE", "Write what was tried there, after every job."},
    {"force", 0, {}, "Write over FILE if it exists."},
    help,
};
constexpr Option clear_options[] = {one_device, {"all", 0, {}, "Of every device."}, help};
constexpr Option kernels_options[] = {
    {"target", 0, "FORM", "Form of the modules (spirv).", {}, "spirv"},
    {"device", 0, "NAME", "The device whose tuning chooses the programs (opencl:0).", {}, "opencl"},
    {"clang", 0, "PROGRAM", "The compiler; else that of the translator's version."},
    {"llvm-spirv", 0, "PROGRAM", "The translator; else the newest."},
    json,
    help,
};
constexpr Option fetch_options[] = {
    {"root", 0, "HEX", "The BLAKE3 digest of the file; must be given."},
    {"outboard", 0, "FILE", "Its outboard, as `merklize bao outboard` makes it; must be given."},
    {"output", 'o', "FILE", "Write here; else to the last name in the URL. - is standard output."},
    {"format", 0, "NAME", "Of the outboard (bao).", {}, bao_format.choices},
    {"group-size", 0, "SIZE", "Bytes of the outboard's groups: 16K. Needed only if it is not the format's."},
    {"size", 0, "BYTES", "Of the file; needed where the format does not have it."},
    {"retries", 0, "NUM", "Tries that bring nothing (5)."},
    {"timeout", 0, "SECONDS", "Of silence (30)."},
    {"speed-limit", 0, "BYTES", "A second that must come (1024), on average of --timeout seconds."},
    json,
    help,
};
constexpr Option verity_hash{"hash", 0, "NAME", "sha256 (the default) or sha512.", {}, "sha256, sha512"};
constexpr Option verity_type{"format", 0,     "NUM", "1 (the default); 0 of Chrome OS: the salt stands behind a block.",
                             {},       "1, 0"};
constexpr Option data_block{"data-block-size", 0, "SIZE", "Bytes of a block of DATA (4096)."};
constexpr Option hash_block{"hash-block-size", 0, "SIZE", "Bytes of a block of the tree (4096)."};
constexpr Option data_blocks{"data-blocks", 0, "NUM", "Only the first blocks of DATA; else all of it."};
constexpr Option hash_offset{"hash-offset", 0, "SIZE", "Where the hash area begins in HASHES (0)."};
constexpr Option no_superblock{"no-superblock", 0, {}, "The hash area has no superblock, which states these values."};
constexpr Option verity_format_options[] = {
    verity_hash, verity_type,   data_block,
    hash_block,  data_blocks,   {"salt", 0, "HEX", "At most 256 bytes; - is none. By default 32 random ones."},
    hash_offset, no_superblock, {"uuid", 0, "UUID", "Of the superblock; by default a random one."},
    device,      threads,       threads_too,
    json,        help,
};
constexpr Option verity_verify_options[] = {
    hash_offset, no_superblock,
    verity_hash, verity_type,
    data_block,  hash_block,
    data_blocks, {"salt", 0, "HEX", "Of the blocks, with --no-superblock; by default none."},
    device,      threads,
    threads_too, json,
    help,
};
constexpr Option verity_dump_options[] = {hash_offset, json, help};
constexpr Option piece_options[] = {
    {"v1", 0, {}, "Print version 1, the root alone."}, threads, threads_too, json, help};
constexpr Option only_help[] = {help};
constexpr Option whole_options[] = {version, help};

constexpr Command tree_commands[] = {
    {"build",
     "INPUT",
     "Build the tree over a file, print its root, keep it in a file.",
     "Build the tree over INPUT (- is standard input) and print its root.\n\n"
     "INPUT and TREE may be URLs. INPUT may be larger than memory. With -o, the work is in TREE.partial until it is "
     "whole, and a build that was "
     "killed goes on from there. Without -o, --policy and --timings build the tree in memory, of a regular file.",
     build_options,
     {},
     run_tree_build,
     true},
    {"root",
     "TREE",
     "Print the root of a tree file.",
     "Print the root of a tree file: 64 hexadecimal digits and nothing else.",
     json_options,
     {},
     run_tree_root,
     true},
    {"info",
     "TREE",
     "Show what a tree file holds.",
     "Show what a tree file holds.",
     json_options,
     {},
     run_tree_info,
     true},
    {"check",
     "TREE",
     "Compute every parent again.",
     "Compute every parent again. Exit code 0: all are right; 1: some are not, and which (at most 1000).",
     check_options,
     {},
     run_tree_check,
     true},
    {"prove",
     "TREE [INDEX]...",
     "Prove that leaves are in the tree, or that it grew from an older one.",
     "Prove that leaves are in the tree. INDEX is a number from 0, or a range: 8-15.\n\n"
     "One INDEX makes a proof of one leaf; several, or a range, one proof of all.",
     prove_options,
     {},
     run_tree_prove,
     true},
    {"verify",
     "PROOF",
     "Verify a proof against a root.",
     "Verify a proof (JSON or binary; - is standard input) against a root. Exit code 0: valid; 1: not.\n\n"
     "Leaves, indices, count of leaves, hash and rule are only claims: state with the options what you know of them.",
     verify_options,
     {},
     run_tree_verify,
     true},
    {"update",
     "TREE INDEX[=HEX]...",
     "Replace leaves of a tree file.",
     "Replace leaves of a tree file, hash what is above them again, and print the new root.\n\n"
     "INDEX=HEX gives the leaf; INDEX alone takes piece INDEX of --from INPUT. The file is replaced when all is done; "
     "another process that changes it is waited for.",
     update_options,
     {},
     run_tree_update},
    {"append",
     "TREE INPUT",
     "Add leaves at the end of a tree file.",
     "Add what INPUT (- is standard input) holds to a tree file of the rule left_full, and print the new root.\n\n"
     "INPUT is cut into pieces of the tree's own leaf size. The file is replaced when all is done.",
     append_options,
     {},
     run_tree_append},
    {"export",
     "TREE",
     "Write the nodes of a level.",
     "Write the nodes of a level.",
     export_options,
     {},
     run_tree_export,
     true},
    {"show",
     "TREE [LEAF]",
     "Draw the top of a tree, and a leaf's path.",
     "Draw the top of a tree, and the path from LEAF to the root, by the begins of the "
     "nodes; --json has all of them. With --html: a page for any browser that checks it.",
     show_options,
     {},
     run_tree_show,
     true},
};

constexpr Command bao_commands[] = {
    {"outboard",
     "INPUT",
     "Write the nodes of a file's tree.",
     "Write the nodes of INPUT's BLAKE3 tree (- is standard input), by which anybody can verify parts of it. With -o, "
     "print the root.\n\n"
     "Groups of 16 KiB make 0.4 % of the file, those of 1 KiB 6 %.",
     bao_outboard_options,
     {},
     run_bao_outboard},
    {"encode",
     "INPUT",
     "Write a file with the nodes of its tree in place.",
     "Write the encoding of INPUT (- is standard input): its bytes, with the nodes of its BLAKE3 tree between them. "
     "With -o, "
     "print the root.",
     bao_encode_options,
     {},
     run_bao_encode},
    {"decode",
     "INPUT",
     "Verify an encoding or a slice, and write the message.",
     "Verify INPUT (- is standard input), an encoding, a slice, or a message with its outboard, and write the "
     "message.\n\n"
     "Nothing is written that has not been verified; with -o, nothing unless all has been.",
     bao_decode_options,
     {},
     run_bao_decode,
     true},
    {"slice",
     "INPUT",
     "Write what verifies some bytes of the message.",
     "Write the slice of some bytes of the message, for somebody who knows only its root. INPUT is an encoding, or "
     "with "
     "--outboard the message. Nothing is verified here.",
     bao_slice_options,
     {},
     run_bao_slice,
     true},
    {"verify",
     "INPUT",
     "Verify a file by its outboard, or an encoding, or a slice.",
     "Verify INPUT and say what is wrong, and where. Exit code 0: all is as the root says; 1: not.",
     bao_verify_options,
     {},
     run_bao_verify,
     true},
};

constexpr Command manifest_commands[] = {
    {"create",
     "PATH",
     "Hash a safetensors file, an index of shards, or a folder.",
     "Hash PATH: a safetensors file, an index of shards (*.index.json), or a folder.",
     manifest_create_options,
     {},
     run_manifest_create,
     true},
    {"check",
     "MANIFEST [PATH]",
     "Hash again and name what is not as a manifest says.",
     "Hash PATH again and name what is not as MANIFEST says. Without PATH: what lies beside the manifest.",
     manifest_check_options,
     {},
     run_manifest_check,
     true},
    {"diff",
     "OLD NEW",
     "Name the tensors and files in which two manifests differ.",
     "Name the tensors and files in which two manifests differ. Exits with 1 if there are any.",
     json_options,
     {},
     run_manifest_diff,
     true},
    {"show",
     "MANIFEST",
     "Say what a manifest holds.",
     "Say what MANIFEST holds, with the begin of the digest of each tensor and file; --json has all of it.",
     json_options,
     {},
     run_manifest_show,
     true},
    {"refresh",
     "MANIFEST [PATH]",
     "Write a manifest anew, hashing only files that changed.",
     "Write MANIFEST anew from PATH, hashing only files whose size, time of the last write or inode changed. Without "
     "PATH: of what "
     "lies beside the manifest.",
     manifest_refresh_options,
     {},
     run_manifest_refresh,
     true},
};

constexpr Command verity_commands[] = {
    {"format",
     "DATA HASHES",
     "Hash a disk or a file, and write its tree.",
     "Hash DATA, a file or block device, write the tree to HASHES and print the root hash. Both may be one file, with "
     "--hash-offset behind --data-blocks.\n\n"
     "A new file takes the place of HASHES when it is whole. A block device, DATA itself, or a file with --hash-offset "
     "is written in place, the superblock last.",
     verity_format_options,
     {},
     run_verity_format},
    {"verify",
     "DATA HASHES ROOT",
     "Name the blocks that are not as a root hash says.",
     "Hash DATA again and compare every block of the tree in HASHES with the level above it, up to ROOT. Exit code 0: "
     "all is as the root says; 1: not, and which blocks (at most 1000).",
     verity_verify_options,
     {},
     run_verity_verify},
    {"dump",
     "HASHES",
     "Show what a superblock states.",
     "Show what the superblock in HASHES states. Nothing is verified.",
     verity_dump_options,
     {},
     run_verity_dump},
};

constexpr Command tune_commands[] = {
    {"list",
     "",
     "Show what is kept.",
     "Show what is kept, of every device; `merklize devices` shows it, too.",
     json_options,
     {},
     nullptr,
     false,
     true},
    {"clear",
     "",
     "Forget what is kept.",
     "Forget what is kept of a device, so that the built-in table counts again.",
     clear_options,
     {},
     nullptr,
     false,
     true},
};

constexpr Command commands[] = {
    {"hash",
     "[FILE]...",
     "BLAKE3 digests of files, and checking them (as b3sum).",
     "Print the digest of every FILE (BLAKE3 without --hash), or with --check verify a list of them. FILE may be a "
     "URL: s3://..., gs://..., https://...\n\n"
     "With no FILE, or when FILE is -, read standard input. Flags and output are b3sum's; each reads the other's "
     "lists.",
     hash_options,
     {},
     run_hash,
     true},
    {"tree", "", "Merkle trees: build, prove, verify, update, append, check.",
     "Binary Merkle trees: build one over a file, prove what is in it, verify such a proof, change it.\n\n"
     "Leaf k is the digest of piece k of the file; a parent is the hash of its two children's 64 bytes.",
     only_help, tree_commands},
    {"bao", "", "Verified streaming: outboards, encodings and slices of bao and bao-tree.",
     "BLAKE3's own tree, written down, so that parts of a file can be verified against its digest, the root.\n\n"
     "The bytes are those of the programs bao 0.13 and bao-tree.",
     only_help, bao_commands},
    {"fetch",
     "URL",
     "Download a file, verified against its digest as it comes; resumable.",
     "Download URL, verify every part of it against the root, and ask again for what is wrong.\n\n"
     "What is verified is in FILE.partial until all is there: the same command goes on from it.",
     fetch_options,
     {},
     nullptr,
     true,
     true},
    {"manifest", "", "Weights, tensor by tensor: create, check, diff, show, refresh manifests.",
     "Say what weights are, tensor by tensor, under one root; and check that they are.", only_help, manifest_commands},
    {"verity", "", "dm-verity: the root hash and tree of a disk, as veritysetup has them.",
     "The tree over the blocks of a disk that Linux checks while it reads. Bytes and names are veritysetup's, and each "
     "takes what the other writes.",
     only_help, verity_commands},
    {"piece",
     "FILE",
     "Filecoin's PieceCID of a file (CommP).",
     "Print the PieceCID of FILE, version 2: root, height and padding of the piece that storage providers know.",
     piece_options,
     {},
     run_piece},
    {"devices",
     "",
     "What this machine can compute on.",
     "List what this machine can compute on, and why the rest cannot be used.\n\n"
     "The first column is what --device takes. \"auto\" stands for the first line; once --calibrate has measured them, "
     "for the fastest device for a job and its size.",
     devices_options,
     {},
     run_devices},
    {"bench",
     "SUITE...",
     "Measure this machine: digests, trees, proofs, files.",
     "Measure this machine: digests and trees, as the tables of the projects before this one, and more. SUITE all: "
     "each.\n\n"
     "Kernels and copies are timed by the device's clock, whole calls by the host's: medians of --repeat calls after a "
     "first one. Every answer is compared with the CPU's. With --peers the CPU is measured by one thread and by all; "
     "above 1x the library is faster.",
     bench_options,
     {},
     nullptr,
     false,
     true},
    {"tune", "", "Find this machine's fastest policies, and keep them.",
     "Find the policy that is fastest for each job and size on a device, and keep it. `list` shows what is kept.\n\n"
     "The library goes by what is kept wherever the caller chooses nothing, on data of about the size that was "
     "measured "
     "(log2 is at most 2 away), for this device, driver and version. Every timed run is compared with the CPU's "
     "answer: "
     "one that is wrong, or fails, disqualifies its policy. What wins must be 2 % faster than the built-in table, and "
     "beyond the spread of its times.",
     tune_options, tune_commands, nullptr, false, true},
    {"build-kernels",
     "",
     "Compile OpenCL kernels to SPIR-V, ahead of time.",
     "Compile the kernels that an OpenCL device uses to SPIR-V, ahead of time.\n\n"
     "Needs clang and llvm-spirv. A device that takes SPIR-V is then given these modules instead of the text, which "
     "spares the vendor's front end. They lie in $MERKLIZE_MODULES_DIR, else in merklize/modules of the user's data "
     "folder.",
     kernels_options,
     {},
     nullptr,
     false,
     true},
    {"demo",
     "",
     "Measure digests, trees, a manifest and a proof for some seconds.",
     "Measure digests, Merkle trees, a manifest and a proof on the CPU and the GPUs, and check the answers. It takes "
     "some seconds, and at most a quarter of the free memory.",
     demo_options,
     {},
     run_demo},
    {"completions",
     "bash|zsh|fish|man",
     "Print completions for a shell, or the manual page.",
     "Print completions for a shell, or the manual page.\n\n"
     "For bash: source <(merklize completions bash). They come from the same table as --help.",
     only_help,
     {},
     run_completions},
};

constexpr Command whole{"merklize",
                        "",
                        "Digests and whole Merkle trees at the speed of the hardware",
                        "BLAKE3 digests and whole Merkle trees, on all cores.\n\n"
                        "Exit codes: 0 all went well; 1 a file could not be read, did not match or is not valid; 2 the "
                        "command line is wrong.",
                        whole_options,
                        commands};

template <class Named>
std::string hint_of(std::span<const Named> all, std::string_view typed, const char* dashes) {
    std::vector<std::string_view> names;
    for (const Named& one : all) names.push_back(one.name);
    const std::string_view nearest = runtime::nearest_name(typed, names);
    return nearest.empty() ? "" : " Did you mean '" + std::string(dashes) + std::string(nearest) + "'?";
}

}  // namespace

std::string hint_of_option(const Command& command, std::string_view name) {
    return hint_of(command.options, name, "--");
}
std::string hint_of_command(const Command& group, std::string_view name) { return hint_of(group.commands, name, ""); }

const Command& whole_command() noexcept { return whole; }

const Option* find_option(const Command& command, std::string_view name) noexcept {
    const auto found = std::ranges::find(command.options, name, &Option::name);
    return found == command.options.end() ? nullptr : &*found;
}

const Command* find_command(const Command& group, std::string_view name) noexcept {
    const auto found = std::ranges::find(group.commands, name, &Command::name);
    return found == group.commands.end() ? nullptr : &*found;
}

}  // namespace merklize::command
