#include "command/line/table.hpp"

#include <algorithm>
#include <vector>

#include "command/line/options.hpp"
#include "host/names.hpp"

namespace merklize::command {

// A command stands beside its function, and Python's in python_commands.cpp. Here is their order in --help.

extern const Command tree_build_command, tree_root_command, tree_info_command, tree_check_command, tree_diff_command,
    tree_prove_command, tree_verify_command, tree_update_command, tree_append_command, tree_export_command,
    tree_show_command;
constexpr const Command* tree_commands[] = {&tree_build_command,  &tree_root_command,   &tree_info_command,
                                            &tree_check_command,  &tree_diff_command,   &tree_prove_command,
                                            &tree_verify_command, &tree_update_command, &tree_append_command,
                                            &tree_export_command, &tree_show_command};
constexpr Command tree_group{
    .name = "tree",
    .summary = "Merkle trees: build, check, diff, prove, verify, update, append.",
    .help =
        "Binary Merkle trees: build a tree over a file, check and change it, prove blocks of the file, verify "
        "proofs.\n\n"
        "Leaf k is the digest of block k of the file; a parent is the hash of its two children's 64 bytes.\n\n"
        "Example: merklize tree build disk.img --leaf-size 64K -o disk.mkl",
    .options = options::only_help,
    .commands = tree_commands,
};

extern const Command bao_outboard_command, bao_encode_command, bao_decode_command, bao_slice_command,
    bao_verify_command;
constexpr const Command* bao_commands[] = {&bao_outboard_command, &bao_encode_command, &bao_decode_command,
                                           &bao_slice_command, &bao_verify_command};
constexpr Command bao_group{
    .name = "bao",
    .summary = "Verified streaming: outboards, encodings and slices of bao and bao-tree.",
    .help =
        "BLAKE3's own tree, written down, so that parts of a file can be verified against its digest, the root.\n\n"
        "The bytes are those of the programs bao 0.13 and bao-tree.\n\n"
        "Example: merklize bao outboard disk.img -o disk.obao",
    .options = options::only_help,
    .commands = bao_commands,
};

extern const Command manifest_create_command, manifest_check_command, manifest_diff_command, manifest_show_command,
    manifest_refresh_command;
constexpr const Command* manifest_commands[] = {&manifest_create_command, &manifest_check_command,
                                                &manifest_diff_command, &manifest_show_command,
                                                &manifest_refresh_command};
constexpr Command manifest_group{
    .name = "manifest",
    .summary = "Weights, tensor by tensor: create, check, diff, show, refresh manifests.",
    .help =
        "Record a digest of every tensor under one root, and check weights against that record.\n\n"
        "Example: merklize manifest create model/ -o model.json",
    .options = options::only_help,
    .commands = manifest_commands,
};

extern const Command verity_format_command, verity_verify_command, verity_dump_command;
constexpr const Command* verity_commands[] = {&verity_format_command, &verity_verify_command, &verity_dump_command};
constexpr Command verity_group{
    .name = "verity",
    .summary = "dm-verity: the root hash and tree of a disk, as veritysetup has them.",
    .help =
        "Create and verify dm-verity hash trees, which Linux checks while it reads a disk. Output is byte-identical to "
        "veritysetup's, and either tool reads the other's.\n\n"
        "Example: merklize verity format disk.img disk.verity",
    .options = options::only_help,
    .commands = verity_commands,
};

extern const Command xmss_key_command, xmss_verify_command;
constexpr const Command* xmss_commands[] = {&xmss_key_command, &xmss_verify_command};
constexpr Command xmss_group{
    .name = "xmss",
    .summary = "Ethereum's XMSS keys: make public keys, verify signatures.",
    .help =
        "Keys of Ethereum's XMSS: trees over one-time keys, one for each epoch.\n\n"
        "The command does not sign, because it would have to remember which epochs were used. Your client remembers "
        "them.\n\n"
        "Example: merklize xmss key --first-epoch 0 --last-epoch 1048575 < seeds",
    .options = options::only_help,
    .commands = xmss_commands,
};

// completions.cpp is in one unit with this file, so that clang-tidy sees its command declared twice.
extern const Command hash_command, fetch_command, piece_command, devices_command, bench_command, tune_command,
    build_kernels_command, demo_command, completions_command;  // NOLINT(readability-redundant-declaration)
constexpr const Command* commands[] = {&hash_command,    &tree_group,         &bao_group,    &fetch_command,
                                       &manifest_group,  &verity_group,       &xmss_group,   &piece_command,
                                       &devices_command, &bench_command,      &tune_command, &build_kernels_command,
                                       &demo_command,    &completions_command};
constexpr Option whole_options[] = {options::version, options::help};
constexpr Command whole{
    .name = "merklize",
    .summary = "Digests and whole Merkle trees at the speed of the hardware",
    .help =
        "BLAKE3 digests and whole Merkle trees, on all cores.\n\n"
        "Exit codes: 0 all went well; 1 a file could not be read, did not match or is not valid; 2 the command line is "
        "wrong.",
    .options = whole_options,
    .commands = commands,
};

namespace {

std::string hint_of(std::span<const std::string_view> names, std::string_view typed, const char* dashes) {
    const std::string_view nearest = runtime::nearest_name(typed, names);
    return nearest.empty() ? "" : " Did you mean '" + std::string(dashes) + std::string(nearest) + "'?";
}

}  // namespace

std::string hint_of_option(const Command& command, std::string_view name) {
    std::vector<std::string_view> names;
    for (const Option& option : command.options) names.push_back(option.name);
    return hint_of(names, name, "--");
}

std::string hint_of_command(const Command& group, std::string_view name) {
    std::vector<std::string_view> names;
    for (const Command* command : group.commands) names.push_back(command->name);
    return hint_of(names, name, "");
}

const Command& whole_command() noexcept { return whole; }

const Option* find_option(const Command& command, std::string_view name) noexcept {
    const auto found = std::ranges::find(command.options, name, &Option::name);
    return found == command.options.end() ? nullptr : &*found;
}

const Command* find_command(const Command& group, std::string_view name) noexcept {
    const auto found = std::ranges::find(group.commands, name, [](const Command* command) { return command->name; });
    return found == group.commands.end() ? nullptr : *found;
}

}  // namespace merklize::command
