// `merklize tree prove` and `verify`.
#include <algorithm>

#include "command/endings.hpp"
#include "command/line/options.hpp"
#include "command/line/values.hpp"
#include "command/output/output.hpp"
#include "command/tree/common.hpp"
#include "command/tree/proof_json.hpp"
#include "command/urls.hpp"
#include "digests/file_root.hpp"
#include "hashes/hash_info.hpp"
#include "proofs/check.hpp"
#include "texts/json.hpp"
#include "texts/json_reader.hpp"
#include "tree_files/require_fit.hpp"

namespace merklize::command {
namespace {

constexpr std::size_t most_proof = 1 << 28;  // bytes; a proof of a million leaves of 2^24 has about 300 MB as JSON
constexpr std::uint64_t most_range = 1 << 24;

// "7" or "8-15": first and last index.
std::pair<std::uint64_t, std::uint64_t> range_of(const std::string& text) {
    const std::size_t dash = text.find('-');
    const std::string_view digits = text;
    const auto first = plain_number(digits.substr(0, dash));
    const auto last = dash == text.npos ? first : plain_number(digits.substr(dash + 1));
    if (!first || !last || *first > *last || *last - *first >= most_range) {
        throw UsageError{"'" + sentence(text) +
                         "' is no index from 0 and no range such as 8-15 of at most 2^24 leaves"};
    }
    return {*first, *last};
}

// Only the bytes of a proof of several leaves may be many.
bool may_be_proof(json::Prefix& prefix, std::string_view begin, std::size_t checked) {
    constexpr std::size_t header = 16, at_kind = 7, most_of_others = 4096;
    if (!begin.starts_with(std::string_view("MKZP").substr(0, begin.size()))) return prefix.take(begin.substr(checked));
    return begin.size() < header || begin[at_kind] == 1 || begin.size() <= most_of_others;
}

// Malformed proofs end the command with code 1, as invalid ones do.
AnyProof read_proof(Call& call, const std::string& path) {
    const auto input = open_input(call, path);
    const json::SizeLimit limit(input->extent().has_value(), most_proof);
    json::Prefix prefix;
    const auto may_be = [&](std::string_view begin, std::size_t checked) {
        return may_be_proof(prefix, begin, checked);
    };
    const std::vector<std::byte> data = read_all(call, *input, limit.most, may_be);
    const std::string_view text{reinterpret_cast<const char*>(data.data()), data.size()};
    const auto refuse = [&](const std::string& why) -> AnyProof {
        throw Failure{sentence(shown_name(call, path)) + ": not a proof: " + why};
    };
    if (data.size() > limit.most) return refuse("it " + limit.text());
    try {
        AnyProof proof = text.starts_with("MKZP") ? proof_from_bytes(data) : proof_from_json(text);
        static_cast<void>(proof_bytes(proof));  // throws if counts do not fit
        return proof;
    } catch (const Error& error) {
        return refuse(error.what());
    }
}

// The leaf of a file that holds one piece of the data.
Digest leaf_of(Call& call, const std::string& piece, Hash hash, const std::optional<Mode>& mode) {
    Digest leaf;
    if (runtime::info(hash).has_chunk_tree) {
        runtime::hash_source(*open_input(call, piece), {hash, mode.value_or(Mode())}, leaf.bytes, 0, {});
        return leaf;
    }
    constexpr std::uint64_t most = std::uint64_t{64} << 20;  // as in every tree of such a hash
    const std::vector<std::byte> data = read_all(call, *open_input(call, piece), most);
    if (data.size() > most) {
        throw Failure{sentence(shown_name(call, piece)) + ": a leaf of " + std::string(traits(hash).name) +
                      " must have at most " + std::to_string(most) + " bytes, got more"};
    }
    const unsigned width = word_bytes(hash);
    if (data.size() % width != 0) {
        throw Failure{sentence(shown_name(call, piece)) + ": " + std::string(traits(hash).name) + " takes words of " +
                      std::to_string(width) + " bytes, not " + std::to_string(data.size()) + " bytes"};
    }
    hash_leaves(data, data.size(), {&leaf, 1}, hash, mode.value_or(Mode()));
    return leaf;
}

std::string said(const AnyProof& claim) {
    if (const auto* single = std::get_if<MerkleProof>(&claim))
        return "leaf " + std::to_string(single->index) + " of " + std::to_string(single->n_leaves);
    if (const auto* several = std::get_if<MultiProof>(&claim))
        return std::to_string(several->indices.size()) + " leaves of " + std::to_string(several->n_leaves);
    const auto& consistency = std::get<ConsistencyProof>(claim);
    return std::to_string(consistency.new_leaves) + " leaves begin with the " + std::to_string(consistency.old_leaves) +
           " of the old root";
}

void put_facts(json::Object& facts, const AnyProof& claim) {
    if (const auto* single = std::get_if<MerkleProof>(&claim)) {
        facts.number("index", single->index)
            .number("n_leaves", single->n_leaves)
            .text("hash", traits(single->hash).name);
        facts.text("rule", rule_name(single->rule)).text("leaf", single->leaf.hex());
    } else if (const auto* several = std::get_if<MultiProof>(&claim)) {
        json::Array indices, leaves;
        for (const std::uint64_t index : several->indices) indices.put(std::to_string(index));
        for (const Digest& leaf : several->leaves) leaves.put(json::text(leaf.hex()));
        facts.put("indices", indices.done()).number("n_leaves", several->n_leaves);
        facts.text("hash", traits(several->hash).name).text("rule", rule_name(several->rule));
        facts.put("leaves", leaves.done());
    } else {
        const auto& consistency = std::get<ConsistencyProof>(claim);
        facts.number("old_leaves", consistency.old_leaves).number("n_leaves", consistency.new_leaves);
        facts.text("hash", traits(consistency.hash).name);
    }
}

Hash hash_of(const AnyProof& claim) {
    return std::visit([](const auto& proof) { return proof.hash; }, claim);
}

int run_tree_prove(Call& call, const Arguments& arguments) {
    const auto& words = arguments.words();
    const auto since = count_value(arguments, "since", 1);
    if ((words.size() > 1) == since.has_value()) throw UsageError{"give either an INDEX or --since"};
    std::vector<std::uint64_t> indices;
    for (std::size_t i = 1; i < words.size(); i++) {
        const auto [first, last] = range_of(words[i]);
        for (std::uint64_t k = 0; k <= last - first; k++) indices.push_back(first + k);
    }
    refuse_input_as_output(call, words[0], arguments.value("output"));
    const auto mode = mode_of(call, arguments, [&] { return hash_of_tree(call, words[0]); });
    const TreeFile tree = mode ? open_tree(call, words[0], mode) : open_tree(call, words[0]);
    AnyProof proof;
    if (since) {
        proof = tree.prove_consistency(*since);
    } else if (words.size() == 2 && words[1].find('-') == std::string::npos) {
        proof = tree.prove(indices[0]);
    } else {
        proof = tree.prove_together(indices);
    }
    std::visit([&](const auto& made) { runtime::require_fit(tree, made); }, proof);
    Target target(call, arguments.value("output"));
    if (arguments.has("binary")) {
        target.write(std::span<const std::byte>(proof_bytes(proof)));
    } else {
        target.write(proof_json(proof) + "\n");
    }
    target.finish();
    return 0;
}

int run_tree_verify(Call& call, const Arguments& arguments) {
    const std::string& path = arguments.words()[0];
    const Digest root = required_digest(arguments, "root");
    const auto index = count_value(arguments, "index"), n_leaves = count_value(arguments, "n-leaves");
    const auto piece = arguments.value("leaf-file");
    const auto hash = named_value(arguments, "hash", hash_from_name);
    const auto rule = named_value(arguments, "rule", rule_from_name);
    const auto old_root = digest_value(arguments, "old-root");
    const auto mode = mode_of(call, arguments, [&] { return hash_of(read_proof(call, path)); }, true);
    const Mode merges = mode.value_or(Mode());
    const AnyProof claim = read_proof(call, path);

    std::vector<std::string> wrong;
    const auto expect = [&](const char* name, bool same) {
        if (!same) wrong.emplace_back(name);
    };
    const auto* single = std::get_if<MerkleProof>(&claim);
    const auto* several = std::get_if<MultiProof>(&claim);
    const auto* consistency = std::get_if<ConsistencyProof>(&claim);
    if (single != nullptr) {
        if (piece) {
            expect("leaf", runtime::can_merge(single->hash, merges) &&
                               leaf_of(call, *piece, single->hash, mode) == single->leaf);
        }
        if (index) expect("index", *index == single->index);
    } else if (piece || index) {
        throw UsageError{"--leaf-file and --index are for a proof of one leaf"};
    }
    if ((consistency != nullptr) != old_root.has_value())
        throw UsageError{"--old-root is for a proof made with --since, and needed there"};
    const std::uint64_t claimed = single != nullptr    ? single->n_leaves
                                  : several != nullptr ? several->n_leaves
                                                       : consistency->new_leaves;
    const TreeRule by = single != nullptr ? single->rule : several != nullptr ? several->rule : TreeRule::left_full;
    if (n_leaves) expect("n_leaves", *n_leaves == claimed);
    if (hash) expect("hash", *hash == hash_of(claim));
    if (rule) expect("rule", *rule == by);
    const std::optional<Digest> computed = single != nullptr    ? runtime::root_of(*single, merges)
                                           : several != nullptr ? runtime::root_of(*several, merges)
                                                                : std::nullopt;
    expect("root", consistency != nullptr
                       ? verify(*consistency, {.old_root = old_root.value_or(Digest{}), .new_root = root}, merges)
                       : computed == root);
    if (arguments.has("json")) {
        json::Array names;
        for (const std::string& name : wrong) names.put(json::text(name));
        json::Object facts;
        facts.number("valid", wrong.empty()).put("wrong", names.done());
        if (computed) facts.text("computed_root", computed->hex());
        put_facts(facts, claim);
        call.line(facts.done());
    } else if (!wrong.empty()) {
        std::string text = "NOT valid:";
        for (const std::string& name : wrong) text += (text.ends_with(':') ? " another " : ", another ") + name;
        call.line(text);
        if (computed && *computed != root)
            call.line("  the proof's: " + computed->hex() + "\n  --root:      " + root.hex());
    } else {
        call.line("valid: " + said(claim) + ", " + std::string(traits(hash_of(claim)).name));
    }
    return wrong.empty() ? 0 : 1;
}

constexpr Option prove_options[] = {
    {"since", 0, "N", "Prove that the tree grew from N leaves."},
    {"output", 'o', "PROOF", "Write the proof to this file."},
    {"binary", 0, {}, "Compact bytes instead of JSON."},
    options::derive_key,
    options::keyed,
    options::help,
};
constexpr Option verify_options[] = {
    {"root", 0, "HEX", "The root that you trust; must be given."},
    {"old-root", 0, "HEX", "For a proof made with --since: the root of the older tree."},
    {"leaf-file", 0, "FILE", "A file with the block that the leaf stands for."},
    {"piece", 0, "FILE", {}, "leaf-file"},
    {"index", 0, "NUM", "The leaf must be this one."},
    {"n-leaves", 0, "NUM", "The tree must have this many leaves."},
    {"hash", 0, "NAME", "The tree must use this hash.", {}, "{hashes}"},
    {"rule", 0, "RULE", "The tree must be of this rule.", {}, options::rules},
    options::derive_key,
    options::keyed,
    options::json,
    options::help,
};

}  // namespace

extern constinit const Command tree_prove_command{
    .name = "prove",
    .arguments = "TREE [INDEX]...",
    .summary = "Prove that leaves are in the tree, or that it grew from an older one.",
    .help =
        "Prove that leaves are in the tree. INDEX is a number from 0, or a range: 8-15.\n\n"
        "One INDEX makes a proof of one leaf. Several, or a range, make one proof of all these leaves. --keyed or "
        "--derive-key is needed where a proof of a tree of the rule pad has a node of padding.",
    .options = prove_options,
    .run = run_tree_prove,
    .takes_urls = true,
};

extern constinit const Command tree_verify_command{
    .name = "verify",
    .arguments = "PROOF",
    .summary = "Verify a proof against a root.",
    .help =
        "Verify a proof (JSON or binary; - is standard input) against a root. Exit code 0: valid; 1: not.\n\n"
        "Leaves, indices, count of leaves, hash and rule are only claims: state with the options what you know of "
        "them.",
    .options = verify_options,
    .run = run_tree_verify,
    .takes_urls = true,
};

}  // namespace merklize::command
