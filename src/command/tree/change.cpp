// `merklize tree update` and `append`.
#include <algorithm>
#include <vector>

#include "command/endings.hpp"
#include "command/line/options.hpp"
#include "command/line/values.hpp"
#include "command/output/output.hpp"
#include "command/output/progress.hpp"
#include "command/tree/common.hpp"
#include "host/input_file.hpp"
#include "texts/json.hpp"

namespace merklize::command {
namespace {

struct Change {
    std::uint64_t index;
    std::optional<Digest> leaf;
};

Change change_of(const std::string& text) {
    const std::size_t equals = text.find('=');
    const auto index = plain_number(std::string_view(text).substr(0, equals));
    const auto leaf = equals == text.npos ? std::nullopt : Digest::from_hex(std::string_view(text).substr(equals + 1));
    if (!index || (equals != text.npos && !leaf))
        throw UsageError{"'" + sentence(text) + "' is neither INDEX nor INDEX= and 64 hexadecimal digits"};
    return {*index, leaf};
}

// The data must be cut into the tree's leaves, because the tree says of what size its data is.
void require_same_size(const std::string& data, std::uint64_t bytes, const TreeFile& tree) {
    const auto [leaf_bytes, total] = tree.source();
    const std::string has = sentence(data) + ": has " + std::to_string(bytes) + " bytes, and the tree is over ";
    const std::string remedy = ": append what is new, or build the tree again";
    if (total != 0 && bytes != total) throw Failure{has + std::to_string(total) + " bytes" + remedy};
    const std::uint64_t pieces = std::max<std::uint64_t>(1, bytes / leaf_bytes + (bytes % leaf_bytes != 0));
    if (total == 0 && pieces != tree.n_leaves()) {
        throw Failure{has + std::to_string(tree.n_leaves()) + " pieces of " + std::to_string(leaf_bytes) + " bytes" +
                      remedy};
    }
}

// The leaf of piece `index` of the data.
Digest hashed_piece(const runtime::ByteSource& data, const runtime::ByteSource::Extent& extent, std::uint64_t index,
                    const TreeFile& tree, const std::optional<Mode>& mode, const RunOptions& options) {
    const auto& [position, total, identity] = extent;
    const std::uint64_t size = tree.source().leaf_bytes;
    const std::uint64_t begin = index > UINT64_MAX / size ? UINT64_MAX : index * size;
    if (begin >= total && index != 0)
        throw Failure{sentence(data.name()) + ": it ends before piece " + std::to_string(index)};
    std::vector<std::byte> piece(std::min(size, total - std::min(begin, total)));
    data.read_at(piece, position + begin);
    const unsigned width = word_bytes(tree.form().hash);
    if (piece.size() % width != 0) {
        throw Failure{std::string(traits(tree.form().hash).name) + " takes words of " + std::to_string(width) +
                      " bytes; a leaf has " + std::to_string(piece.size()) + " bytes"};
    }
    Digest leaf;
    hash_leaves(piece, piece.size(), {&leaf, 1}, tree.form().hash, mode.value_or(Mode()), options);
    return leaf;
}

int run_tree_update(Call& call, const Arguments& arguments) {
    const std::string& file = arguments.words()[0];
    const auto from = arguments.value("from");
    std::vector<Change> changes;
    for (std::size_t i = 1; i < arguments.words().size(); i++) {
        const std::string& text = arguments.words()[i];
        changes.push_back(change_of(text));
        if (changes.back().leaf.has_value() == from.has_value())
            throw UsageError{"'" + sentence(text) + "': give INDEX=HEX, or INDEX and --from"};
    }
    std::ranges::sort(changes, {}, &Change::index);
    const auto twice = std::ranges::adjacent_find(changes, {}, &Change::index);
    if (twice != changes.end()) throw UsageError{"leaf " + std::to_string(twice->index) + " is given twice"};

    const auto mode = mode_of(call, arguments, [&] { return hash_of_tree(call, file); });
    RunOptions options = run_options(call, arguments);
    TreeFile tree = open_tree(call, file, mode);
    std::vector<std::uint64_t> indices;
    std::vector<Digest> leaves;
    std::unique_ptr<runtime::ByteSource> data;
    runtime::ByteSource::Extent extent{};
    if (from) {
        refuse_input_as_output(call, *from, file);
        if (tree.source().leaf_bytes == 0)
            throw Failure{sentence(file) + ": it does not say which bytes its leaves stand for"};
        const auto [leaf_bytes, total] = tree.source();
        std::uint64_t most = total;
        if (total == 0 && __builtin_mul_overflow(tree.n_leaves(), leaf_bytes, &most)) most = UINT64_MAX;
        data = open_for_ranges(call, *from, UINT64_MAX, [&](auto) { return most; });
        extent = runtime::require_extent(*data);
        if (data->file() == nullptr && extent.bytes > most)  // a copy of a part
            throw Failure{sentence(data->name()) + ": has more than the " + std::to_string(most) +
                          " bytes that the tree is over"};
        require_same_size(data->name(), extent.bytes, tree);
    }
    for (const Change& change : changes) {
        indices.push_back(change.index);
        if (change.leaf) leaves.push_back(*change.leaf);
        if (data) leaves.push_back(hashed_piece(*data, extent, change.index, tree, mode, options));
    }
    if (data) data->require_unchanged(extent.identity);
    {
        Bar bar(call, "updating");
        options.progress = bar.part();
        tree.update(indices, leaves, options);
    }
    if (!leaves.empty()) call.has_made(sentence(file) + " has been changed");
    const std::string root = tree.root().hex();
    call.line(arguments.has("json")
                  ? json::Object().name("tree", file).text("root", root).number("updated", leaves.size()).done()
                  : root);
    return 0;
}

int run_tree_append(Call& call, const Arguments& arguments) {
    const std::string &file = arguments.words()[0], &data = arguments.words()[1];
    const bool are_given = arguments.has("leaves");
    const auto mode = mode_of(call, arguments, [&] { return hash_of_tree(call, file); });
    RunOptions options = run_options(call, arguments);
    TreeFile tree = open_tree(call, file, mode);
    refuse_input_as_output(call, data, file);
    const std::uint64_t size = tree.source().leaf_bytes;
    if (!are_given && size == 0) throw UsageError{"the tree does not say what its leaves stand for: give --leaves"};
    const auto kind = are_given ? TreeInput::Kind::leaves : TreeInput::Kind::blocks;
    std::uint64_t appended = 0;
    {
        Bar bar(call, "appending");
        options.progress = bar.part_of(data);
        std::unique_ptr<runtime::ByteSource> opened;
        appended = tree.append(tree_input(call, data, kind, size, opened), options);
    }
    if (appended != 0) call.has_made(sentence(file) + " has been changed");
    const std::string root = tree.root().hex();
    call.line(arguments.has("json") ? json::Object()
                                          .name("tree", file)
                                          .text("root", root)
                                          .number("n_leaves", tree.n_leaves())
                                          .number("appended", appended)
                                          .done()
                                    : root);
    return 0;
}

constexpr Option update_options[] = {
    {"from", 0, "INPUT", "The changed data, of the same size as before: leaf INDEX is hashed from it."},
    options::derive_key,
    options::keyed,
    options::device,
    options::threads,
    options::threads_too,
    options::json,
    options::help,
};
constexpr Option append_options[] = {options::leaves,  options::derive_key,  options::keyed, options::device,
                                     options::threads, options::threads_too, options::json,  options::help};

}  // namespace

extern constinit const Command tree_update_command{
    .name = "update",
    .arguments = "TREE INDEX[=HEX]...",
    .summary = "Replace leaves of a tree file.",
    .help =
        "Replace leaves of a tree file, hash the nodes above them again, and print the new root.\n\n"
        "INDEX=HEX gives the leaf; INDEX alone takes block INDEX of --from INPUT. TREE changes whole or not at all. If "
        "another process is changing it, this waits.",
    .options = update_options,
    .run = run_tree_update,
};

extern constinit const Command tree_append_command{
    .name = "append",
    .arguments = "TREE INPUT",
    .summary = "Add leaves at the end of a tree file.",
    .help =
        "Add the blocks of INPUT (- is standard input) as leaves to a tree file of the rule left_full, and print the "
        "new root.\n\n"
        "Blocks have the tree's leaf size. TREE changes whole or not at all. If another process is changing it, this "
        "waits.",
    .options = append_options,
    .run = run_tree_append,
};

}  // namespace merklize::command
