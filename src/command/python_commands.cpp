// The commands that Python's package runs: python/merklize/cli has a module for each.
#include "command/bao/common.hpp"
#include "command/line/options.hpp"

namespace merklize::command {
namespace {

constexpr Option one_device{"device", 0, "NAME", "A device of `merklize devices`.", {}, options::device.choices};
constexpr Option fetch_options[] = {
    {"root", 0, "HEX", "The BLAKE3 digest of the file; must be given."},
    {"outboard", 0, "FILE", "Its outboard, as `merklize bao outboard` makes it; must be given."},
    {"output", 'o', "FILE", "Write to FILE; by default to the last name in the URL. - is standard output."},
    {"format", 0, "NAME", "Format of the outboard (bao).", {}, options::bao_format.choices},
    {"group-size", 0, "SIZE", "Bytes of the outboard's groups, such as 16K, if not the format's."},
    {"size", 0, "BYTES", "Size of the file; needed if the format does not state it."},
    {"retries", 0, "NUM", "Give up after NUM attempts in a row that receive nothing (5)."},
    {"timeout", 0, "SECONDS", "Seconds without data before a connection counts as dead (30)."},
    {"min-speed", 0, "BYTES", "Slowest acceptable speed, bytes/s, averaged over --timeout (1024; 0: no limit)."},
    {"speed-limit", 0, "BYTES", {}, "min-speed"},
    options::json,
    options::help,
};
constexpr Option bench_options[] = {
    {"device", 0, "NAME", "Where to measure (auto); all: everywhere.", {}, options::device.choices},
    {"policy", 0, "P", "all, tuned, or NAME=VALUE,..."},
    {"sizes", 0, "A..B", "log2 of the leaves, rows or bytes."},
    {"hash", 0, "NAME", "Only this hash; may be given several times.", {}, "{hashes}"},
    {"repeat", 0, "N", "Calls that are timed (11)."},
    {"peers", 0, {}, "Do the same work by published packages, too, in turns with merklize."},
    {"json", 0, "FILE", "Write all rows to FILE, after each row."},
    {"plot", 0, "FILE", "Draw a picture: .png or .svg. Needs merklize[plot]."},
    {"force", 0, {}, "Write over files that exist."},
    options::threads,
    options::threads_too,
    options::help,
};
constexpr Option tune_options[] = {
    one_device,
    {"all", 0, {}, "Every device."},
    {"hash", 0, "NAME", "Only this hash; may be given several times.", {}, "{hashes}"},
    {"job", 0, "NAME", "Only this job; may be given several times."},
    {"sizes", 0, "A..B", "log2 of the leaves, rows or bytes."},
    {"repeat", 0, "N", "Calls that are timed (11)."},
    {"policies", 0, "N", "Try at most N policies a job (64): on processors some take minutes to compile."},
    {"dry-run", 0, {}, "Keep nothing."},
    {"json", 0, "FILE", "Write what was tried to FILE, after every job."},
    {"force", 0, {}, "Write over FILE if it exists."},
    options::help,
};
constexpr Option clear_options[] = {one_device, {"all", 0, {}, "Every device."}, options::help};
constexpr Option kernels_options[] = {
    {"target", 0, "FORM", "Form of the modules (spirv).", {}, "spirv"},
    {"device", 0, "NAME", "The device whose tuning chooses the programs (opencl:0).", {}, "opencl"},
    {"clang", 0, "PROGRAM", "The compiler; by default the clang of the translator's version."},
    {"llvm-spirv", 0, "PROGRAM", "The translator; by default the newest."},
    options::json,
    options::help,
};

}  // namespace

extern constinit const Command fetch_command{
    .name = "fetch",
    .arguments = "URL",
    .summary = "Download a file, verified against its digest as it comes; resumable.",
    .help =
        "Download URL, verify every part of it against the root, and ask again for parts that are wrong.\n\n"
        "Verified parts are in FILE.partial until the file is whole; the same command goes on from FILE.partial.",
    .options = fetch_options,
    .takes_urls = true,
    .is_python = true,
};

extern constinit const Command bench_command{
    .name = "bench",
    .arguments = "SUITE...",
    .summary = "Measure this machine: digests, trees, proofs, files.",
    .help =
        "Measure this machine: digests, trees, proofs, files. SUITE is all, or one of blake3-hash, blake3-merklize, "
        "rescue-hash, rescue-merklize, sha256-merklize, proofs, update, files, hash-each and stream.\n\n"
        "Kernels and copies are timed by the device's clock, whole calls by the host's: medians of --repeat calls "
        "after a first one. Every answer is compared with the CPU's. With --peers the CPU is measured by one thread "
        "and by all. Above 1x merklize is faster.",
    .options = bench_options,
    .is_python = true,
    .words =
        "all, blake3-hash, blake3-merklize, rescue-hash, rescue-merklize, sha256-merklize, proofs, update, files, "
        "hash-each, stream",
};

extern constinit const Command tune_list_command{
    .name = "list",
    .summary = "Show the kept policies.",
    .help = "Show the kept policies of every device; `merklize devices` shows them, too.",
    .options = options::json_and_help,
    .is_python = true,
};

extern constinit const Command tune_clear_command{
    .name = "clear",
    .summary = "Forget the kept policies.",
    .help = "Forget the kept policies of a device, so that the built-in table counts again.",
    .options = clear_options,
    .is_python = true,
};

extern constinit const Command build_kernels_command{
    .name = "build-kernels",
    .summary = "Compile OpenCL kernels to SPIR-V, ahead of time.",
    .help =
        "Compile the kernels that an OpenCL device uses to SPIR-V, ahead of time.\n\n"
        "Needs clang and llvm-spirv. A device that takes SPIR-V is then given these modules instead of the text, which "
        "spares the vendor's front end. They lie in $MERKLIZE_MODULES_DIR, else in merklize/modules of the user's data "
        "folder.",
    .options = kernels_options,
    .is_python = true,
};

constexpr const Command* tune_commands[] = {&tune_list_command, &tune_clear_command};
extern constinit const Command tune_command{
    .name = "tune",
    .summary = "Find this machine's fastest policies, and keep them.",
    .help =
        "Find the policy that is fastest for each job and size on a device, and keep it. `list` shows all kept "
        "ones.\n\n"
        "The saved policy is used whenever the caller passes none, for inputs within 4x of the measured size, on the "
        "same device, driver and merklize version. Every timed run is compared with the CPU's answer: a run that is "
        "wrong, or fails, disqualifies its policy. A policy wins if it is at least 2 % faster than the built-in table, "
        "and by more than the spread of the table's times.",
    .options = tune_options,
    .commands = tune_commands,
    .is_python = true,
};

}  // namespace merklize::command
