// `merklize tree build`.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "command/endings.hpp"
#include "command/line/options.hpp"
#include "command/line/values.hpp"
#include "command/output/output.hpp"
#include "command/output/progress.hpp"
#include "command/tree/common.hpp"
#include "command/urls.hpp"
#include "files/atomic_file.hpp"
#include "formats/sources.hpp"
#include "host/names.hpp"
#include "merklize/file_formats.hpp"
#include "merklize/formats.hpp"
#include "merklize/tree.hpp"
#include "texts/json.hpp"

namespace merklize::command {
namespace {

// The leaves of the tree, by the command line.
struct Leaves {
    std::optional<std::uint64_t> leaf_size, row_size;
    bool are_given = false;  // the input holds the leaves themselves

    std::uint64_t size() const { return leaf_size.value_or(0) + row_size.value_or(0); }
    TreeInput::Kind kind() const {
        return are_given ? TreeInput::Kind::leaves : row_size ? TreeInput::Kind::rows : TreeInput::Kind::blocks;
    }
};

constexpr std::string_view fs_verity_name = "fs_verity";  // no tree of whole levels

int build_fs_verity(Call& call, const Arguments& arguments, const std::string& file) {
    refuse_all_but(arguments, "--format fs_verity", {"format", "device", "num-threads", "policy", "json"});
    const auto input = open_input(call, file);
    Bar bar(call, "hashing");
    RunOptions options = run_options(call, arguments);
    options.progress = bar.part_of(*input);
    const std::string digest = "sha256:" + runtime::fs_verity_of(*input, {}, options).hex();
    call.line(arguments.has("json") ? json::Object().name("file", shown_name(call, file)).text("digest", digest).done()
                                    : digest);
    return 0;
}

Format format_named(const std::string& name) {
    std::vector<std::string_view> names;
    for (const FormatTraits& format : formats()) names.push_back(format.name);
    names.emplace_back(fs_verity_name);
    if (std::ranges::find(names, name) == names.end())
        refuse_value("format", runtime::unknown_name("format", name, names));
    return format_from_name(name);
}

// The form that --format, --hash, --rule, --padding and the key give together. A format may also fix the size of a
// leaf.
TreeForm form_of(const Arguments& arguments, const std::optional<Mode>& mode, Leaves& leaves) {
    const auto given = named_value(arguments, "hash", hash_from_name);
    Hash hash = given.value_or(Hash::blake3);
    auto rule = named_value(arguments, "rule", rule_from_name);
    const auto format = named_value(arguments, "format", format_named);
    if (format) {
        const FormatTraits& fixed = traits(*format);
        const std::string name(fixed.name);
        const auto refuse = [&](bool is_wrong, const char* option) {
            if (is_wrong) throw UsageError{"format '" + name + "' fixes " + option + ": leave it out"};
        };
        refuse(given && *given != fixed.hash, "hash");
        refuse(rule && rule != fixed.rule, "rule");
        // BLAKE3 has a key and a context for leaves and nodes.
        refuse(mode.has_value() && format != Format::merklize, "key");
        refuse(arguments.has("padding"), "padding");
        const bool is_other_size = leaves.row_size || leaves.leaf_size.value_or(fixed.piece_size) != fixed.piece_size;
        refuse(fixed.piece_size != 0 && is_other_size, "the size of a leaf");
        hash = fixed.hash;
        rule = fixed.rule;
        if (fixed.piece_size != 0 && !leaves.are_given && leaves.size() == 0) leaves.leaf_size = fixed.piece_size;
        if (!fixed.hashes_messages && !leaves.are_given)
            throw UsageError{"--format " + name + " needs --leaves: it has leaves of 32 bytes that are not hashed"};
    }
    TreeForm form(hash);
    if (rule) form.rule = *rule;
    form.unambiguous = format && traits(*format).is_ambiguous;
    if (mode) form.mode = *mode;
    if (const auto padding = arguments.value("padding")) {
        const auto digest = Digest::from_hex(*padding);
        if (!digest) throw UsageError{"--padding must be 64 hexadecimal digits"};
        form.padding = *digest;
        if (form.rule != TreeRule::pad)
            throw UsageError{"--padding is for the rule pad, got rule " + std::string(rule_name(form.rule))};
    }
    return form;
}

std::string policy_json(const MerkleTree& tree) {
    json::Object fields;
    const bool on_host = tree.device().backend == "cpu";
    for (const PolicyField& field : policy_fields) {
        if (on_host && field.name != "levels_per_launch") continue;
        if (field.values == PolicyValues::name) {
            fields.text(field.name, field_text(field, tree.policy()));
        } else {
            fields.number(field.name, field.get(tree.policy()));
        }
    }
    return fields.done();
}

int run_tree_build(Call& call, const Arguments& arguments) {
    const std::string& file = arguments.words()[0];
    const auto out = arguments.value("output");
    if (out == "-")
        throw UsageError{"-o: a tree file cannot be written to standard output, for its parts come in no order"};
    Leaves leaves{size_value(arguments, "leaf-size"), size_value(arguments, "row-size"), arguments.has("leaves")};
    const bool shows_times = arguments.has("timings");
    if (arguments.value("format") == fs_verity_name) return build_fs_verity(call, arguments, file);
    if (leaves.leaf_size == 0 || leaves.row_size == 0)
        throw UsageError{"--leaf-size and --row-size must be at least 1"};
    if (out) {
        refuse_unused(arguments, "-o", {"policy", "timings"});
        refuse_input_as_output(call, file, out);
    } else {
        require_with(arguments, "output", {"no-resume"});
    }
    const auto mode = mode_of(call, arguments, [&] { return form_of(arguments, {}, leaves).hash; });
    const TreeForm form = form_of(arguments, mode, leaves);
    if (leaves.are_given + leaves.leaf_size.has_value() + leaves.row_size.has_value() != 1)
        throw UsageError{"give one of --leaf-size, --row-size and --leaves"};
    if (const unsigned width = word_bytes(form.hash); leaves.size() % width != 0) {
        throw UsageError{std::string(traits(form.hash).name) + " takes words of " + std::to_string(width) +
                         " bytes: a leaf must have a multiple of " + std::to_string(width)};
    }

    RunOptions options = run_options(call, arguments);
    std::optional<OutputFile> made;
    if (out) made.emplace(call, *out);
    std::unique_ptr<runtime::ByteSource> opened;
    TreeInput input = tree_input(call, file, leaves.kind(), leaves.size(), opened);
    input.needs_bytes = arguments.value("format") == traits(Format::bittorrent_v2).name;
    json::Object facts;
    facts.name("file", shown_name(call, file));
    Timings times{};
    TreeFacts built{};
    {
        Bar bar(call, "building the tree");
        options.progress = opened ? bar.part_of(*opened) : bar.part_of(file);
        if (out) {
            std::optional<KeptByInterruption> kept;
            const std::string partial = runtime::AtomicFile::partial_of(made->path()).string();
            // A pipe cannot be read again.
            if (file != standard_input_name && std::filesystem::is_regular_file(file) && !is_url(*out) &&
                !arguments.has("no-resume")) {
                kept.emplace(call, partial);
            }
            try {
                built = build_tree_file(input, made->path(), form, !arguments.has("no-resume"), options);
            } catch (const Error& error) {
                const bool is_of_another_build = std::string_view(error.what()).starts_with(partial);
                const bool fails_again = error.code() == ErrorCode::invalid_argument;
                if (!kept || is_of_another_build || fails_again || error.code() == ErrorCode::cancelled) throw;
                throw Failure{reason_of(error) + kept->hint()};
            }
        } else if (options.policy != Policy{} || shows_times) {
            if (shows_times) options.timings = &times;
            const MerkleTree tree = MerkleTree::from_file(input, form, options);
            built = {tree.root(), tree.n_leaves(), tree.height(), 0, tree.hash(), tree.form().rule};
            if (shows_times) facts.text("device", tree.device().id).put("policy", policy_json(tree));
        } else {
            built = merkle_root_file(input, form, options);
        }
    }
    if (out && made) {
        made->finish();
        call.has_made(sentence(shown_name(call, *out)) + " has been written");
    }
    if (!arguments.has("json")) {
        call.line(built.root.hex());
        if (shows_times) report_timings(call, times);
        return 0;
    }
    facts.text("root", built.root.hex()).number("n_leaves", built.n_leaves).text("hash", traits(built.hash).name);
    facts.text("rule", rule_name(built.rule));
    if (shows_times) facts.put("timings", timings_json(times));
    if (leaves.row_size) {
        facts.number("row_size", *leaves.row_size);
    } else if (leaves.leaf_size) {
        facts.number("leaf_size", *leaves.leaf_size);
    } else {
        facts.put("leaf_size", "null");
    }
    if (out) facts.name("tree", shown_name(call, *out));
    call.line(facts.done());
    return 0;
}

constexpr Option build_options[] = {
    {"output", 'o', "TREE", "Write the whole tree to this file."},
    {"leaf-size", 0, "SIZE", "Bytes of INPUT that a leaf stands for: 4096, 64K, 1MiB."},
    {"row-size", 0, "SIZE", "Bytes of a row of INPUT, each a leaf; the last row must be whole, too."},
    options::leaves,
    {"hash", 0, "NAME", "One of {hashes} (blake3).", {}, "{hashes}"},
    {"format", 0, "NAME", "The system that verifies the tree, which fixes hash and rule: {formats}.", {}, "{formats}"},
    {"rule",
     0,
     "RULE",
     "A level's odd node: left_full (promote), pad, duplicate_last; perfect: a power of two of leaves.",
     {},
     options::rules},
    {"padding", 0, "HEX", "What --rule pad fills with: 64 digits; zeros by default."},
    options::derive_key,
    options::keyed,
    {"no-resume", 0, {}, "Begin with the first leaf, whatever a killed build left in TREE.partial."},
    options::device,
    options::threads,
    options::threads_too,
    options::policy,
    options::timings,
    options::json,
    options::help,
};

}  // namespace

extern constinit const Command tree_build_command{
    .name = "build",
    .arguments = "INPUT",
    .summary = "Build the tree over a file, print its root, keep it in a file.",
    .help =
        "Build the tree over INPUT (- is standard input) and print its root.\n\n"
        "INPUT and TREE may be URLs. INPUT may be larger than memory. With -o, the tree is written to TREE.partial, "
        "which becomes TREE when it is whole; a killed build goes on from TREE.partial. --policy and --timings exclude "
        "-o, and build the tree in memory, from a regular file or a block device.",
    .options = build_options,
    .run = run_tree_build,
    .takes_urls = true,
};

}  // namespace merklize::command
