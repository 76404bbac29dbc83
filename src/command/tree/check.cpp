// `merklize tree check` and `diff`.
#include <algorithm>
#include <vector>

#include "command/endings.hpp"
#include "command/line/options.hpp"
#include "command/line/values.hpp"
#include "command/output/output.hpp"
#include "command/output/progress.hpp"
#include "command/tree/common.hpp"
#include "texts/json.hpp"
#include "tree_files/differences.hpp"

namespace merklize::command {
namespace {

constexpr std::size_t most_listed = 1000;

// The words for leaves of a tree: "block 3 of 6 (bytes 196608 to 262144)", or "leaf 3 of 6" if no bytes stand behind
// them.
class Blocks {
public:
    // bytes  of the data; 0: not known
    Blocks(std::uint64_t leaf_bytes, std::uint64_t bytes, std::uint64_t n_leaves)
        : leaf_bytes_(leaf_bytes), bytes_(bytes), n_leaves_(n_leaves) {}

    const char* noun(std::uint64_t count) const {
        if (leaf_bytes_ == 0) return count == 1 ? "leaf" : "leaves";
        return count == 1 ? "block" : "blocks";
    }
    // Leaves that were appended may be shorter than the size that the file states, so a product may have no number.
    std::uint64_t begin(std::uint64_t leaf) const {
        return leaf != 0 && leaf_bytes_ > UINT64_MAX / leaf ? UINT64_MAX : leaf_bytes_ * leaf;
    }
    std::uint64_t end(std::uint64_t leaf) const {
        return bytes_ > begin(leaf) ? std::min(bytes_, begin(leaf + 1)) : begin(leaf + 1);
    }
    // Leaves first .. last.
    std::string text(std::uint64_t first, std::uint64_t last) const {
        std::string text = std::string(noun(last - first + 1)) + " " + std::to_string(first);
        if (last != first) text += " to " + std::to_string(last);
        text += " of " + std::to_string(n_leaves_);
        if (leaf_bytes_ == 0) return text;
        return text + " (bytes " + std::to_string(begin(first)) + " to " + std::to_string(end(last)) + ")";
    }
    std::string json(const std::vector<std::uint64_t>& leaves) const {
        json::Array all;
        for (const std::uint64_t leaf : leaves) {
            json::Object one;
            one.number("index", leaf);
            if (leaf_bytes_ != 0) one.number("begin", begin(leaf)).number("end", end(leaf));
            all.put(one.done());
        }
        return all.done();
    }
    // One line for each leaf that differs, and one for those that the list leaves out.
    void list(Call& call, const runtime::LeafDifferences& found) const {
        for (const std::uint64_t leaf : found.leaves) call.line(text(leaf, leaf) + " differs");
        const std::uint64_t more = found.count - found.leaves.size();
        if (more != 0) call.line(human_count(more) + " more " + noun(more) + (more == 1 ? " differs" : " differ"));
    }

private:
    const std::uint64_t leaf_bytes_, bytes_, n_leaves_;
};

// "3 of 6 blocks differ"
std::string count_text(const Blocks& blocks, std::uint64_t count, std::uint64_t n_leaves) {
    return human_count(count) + " of " + human_count(n_leaves) + " " + blocks.noun(n_leaves) +
           (count == 1 ? " differs" : " differ");
}

void list_nodes(Call& call, const std::vector<WrongNode>& wrong) {
    for (const WrongNode& node : wrong) {
        call.line("level " + std::to_string(node.level) + ", node " + std::to_string(node.index) +
                  ": not the hash of its children");
    }
}

std::string nodes_json(const std::vector<WrongNode>& wrong) {
    json::Array nodes;
    for (const WrongNode& node : wrong)
        nodes.put(json::Object().number("level", node.level).number("index", node.index).done());
    return nodes.done();
}

// What `data` is beside the tree over it.
// is_size  whether it has the size that the tree states
void list_data(Call& call, const Blocks& blocks, const TreeFile& tree, const runtime::LeafDifferences& found,
               bool is_size, const std::string& data) {
    const std::uint64_t n = tree.n_leaves();
    blocks.list(call, found);
    if (found.other_leaves < n)
        call.line(blocks.text(found.other_leaves, n - 1) + (n - found.other_leaves == 1 ? " is" : " are") + " missing");
    if (found.other_leaves > n) call.line(data + " goes on behind the tree's " + human_count(n) + " " + blocks.noun(n));
    if (!is_size) {
        call.line("NOT the same: the tree states " + std::to_string(tree.source().total_bytes) + " bytes, and " + data +
                  " has " + std::to_string(found.other_bytes));
    } else if (found.are_the_same(n)) {
        call.line((n == 1 ? "the " : "all " + human_count(n) + " ") + blocks.noun(n) + " of " + data +
                  (n == 1 ? " is" : " are") + " as the tree says");
    } else {
        const std::uint64_t count = found.count + (n - std::min(n, found.other_leaves));
        call.line("NOT the same: " + (count == 0 ? data + " is longer" : count_text(blocks, count, n)));
    }
}

int run_tree_check(Call& call, const Arguments& arguments) {
    const std::string& file = arguments.words()[0];
    const bool has_data = arguments.words().size() > 1, are_given = arguments.has("leaves");
    const std::string name = has_data ? arguments.words()[1] : std::string();
    const auto root = digest_value(arguments, "root");
    const auto n_leaves = count_value(arguments, "n-leaves");
    if (are_given && !has_data) throw UsageError{"--leaves is about INPUT: name it"};
    const auto mode = mode_of(call, arguments, [&] { return hash_of_tree(call, file); });
    RunOptions options = run_options(call, arguments);
    const TreeFile tree = open_tree(call, file, mode);
    const LeafSource source = tree.source();
    if (has_data && !are_given && source.leaf_bytes == 0)
        throw UsageError{"the tree does not say what its leaves stand for: give --leaves"};
    std::vector<WrongNode> wrong;
    {
        Bar bar(call, "checking");
        options.progress = is_url(file) ? bar.part() : bar.part_of(file);
        wrong = tree.check(most_listed, options);
    }
    runtime::LeafDifferences found{.other_leaves = tree.n_leaves()};
    if (has_data) {
        std::unique_ptr<runtime::ByteSource> opened;
        const auto kind = are_given ? TreeInput::Kind::leaves : TreeInput::Kind::blocks;
        const TreeInput data = tree_input(call, name, kind, source.leaf_bytes, opened);
        Bar bar(call, "comparing");
        options.progress = opened ? bar.part_of(*opened) : bar.part_of(name);
        found = runtime::leaves_unlike(tree, data, most_listed, options);
    }
    const bool is_root = !root || *root == tree.root(), is_count = !n_leaves || *n_leaves == tree.n_leaves();
    // The root does not prove the size that the file states. Where blocks differ, they tell more.
    const bool are_equal = found.are_the_same(tree.n_leaves());
    const bool is_size =
        !has_data || are_given || source.total_bytes == 0 || !are_equal || found.other_bytes == source.total_bytes;
    const bool is_same = are_equal && is_size, ok = wrong.empty() && is_root && is_count && is_same;
    const Blocks blocks(are_given ? 0 : source.leaf_bytes,
                        source.total_bytes != 0 ? source.total_bytes : found.other_bytes, tree.n_leaves());
    if (arguments.has("json")) {
        json::Object facts;
        facts.name("file", shown_name(call, file)).number("ok", ok).put("wrong", nodes_json(wrong));
        if (root) facts.text("root", tree.root().hex()).number("root_ok", is_root);
        if (n_leaves) facts.number("n_leaves_ok", is_count);
        if (has_data) {
            facts.name("input", shown_name(call, name)).number("same", is_same);
            facts.number("n_differing", found.count).put("differing", blocks.json(found.leaves));
            facts.number("n_leaves", tree.n_leaves()).number("input_leaves", found.other_leaves);
            if (!is_size) facts.number("file_size", source.total_bytes).number("input_size", found.other_bytes);
        }
        call.line(facts.done());
        return ok ? 0 : 1;
    }
    if (!is_root) call.line("NOT the given root: the tree's is " + tree.root().hex());
    if (root && is_root) call.line("the root is the given one");
    if (!is_count) call.line("NOT the given count of leaves: the tree's is " + human_count(tree.n_leaves()));
    list_nodes(call, wrong);
    if (wrong.empty()) call.line("every parent is the hash of its children");
    if (has_data)
        list_data(call, blocks, tree, found, is_size,
                  name == standard_input_name ? "standard input" : sentence(shown_name(call, name)));
    return ok ? 0 : 1;
}

int run_tree_diff(Call& call, const Arguments& arguments) {
    const std::string &one = arguments.words()[0], &two = arguments.words()[1];
    const TreeFile before = open_tree(call, one), now = open_tree(call, two);
    const auto found = runtime::leaves_unlike(before, now, most_listed);
    const std::uint64_t common = std::min(before.n_leaves(), now.n_leaves());
    const bool is_shorter = now.n_leaves() < before.n_leaves(), is_same = found.are_the_same(before.n_leaves());
    // Equal leaves have equal roots, unless a node of one of the files is wrong.
    if (is_same && before.root() != now.root()) {
        throw Failure{"the roots of " + sentence(shown_name(call, one)) + " and " + sentence(shown_name(call, two)) +
                      " differ, and no leaf does: one of the files is damaged, as `merklize tree check` will say"};
    }
    const TreeFile& longer = is_shorter ? before : now;
    const std::uint64_t leaf_bytes = std::max(before.source().leaf_bytes, now.source().leaf_bytes);
    const Blocks blocks(leaf_bytes, longer.source().total_bytes, longer.n_leaves());
    if (arguments.has("json")) {
        call.line(json::Object()
                      .name("old", shown_name(call, one))
                      .name("new", shown_name(call, two))
                      .number("same", is_same)
                      .number("n_differing", found.count)
                      .put("differing", blocks.json(found.leaves))
                      .number("old_leaves", before.n_leaves())
                      .number("new_leaves", now.n_leaves())
                      .done());
        return is_same ? 0 : 1;
    }
    blocks.list(call, found);
    if (before.n_leaves() != now.n_leaves())
        call.line(blocks.text(common, longer.n_leaves() - 1) + (longer.n_leaves() - common == 1 ? " is" : " are") +
                  (is_shorter ? " in OLD alone" : " in NEW alone"));
    if (is_same) {
        call.line("no " + std::string(blocks.noun(1)) + " differs");
    } else if (found.count != 0) {
        call.line("NOT the same: " + count_text(blocks, found.count, common));
    }
    return is_same ? 0 : 1;
}

constexpr Option check_options[] = {
    {"root", 0, "HEX", "The root that you trust: 64 hexadecimal digits."},
    {"n-leaves", 0, "NUM", "The tree must have this many leaves."},
    options::leaves,
    options::derive_key,
    options::keyed,
    options::device,
    options::threads,
    options::threads_too,
    options::json,
    options::help,
};

}  // namespace

extern constinit const Command tree_check_command{
    .name = "check",
    .arguments = "TREE [INPUT]",
    .summary = "Compare a tree with its root and with its data.",
    .help =
        "Compute every parent again, and compare every block of INPUT (- is standard input), the data that the tree "
        "was built from, with its leaf. Without INPUT only the tree itself is checked.\n\n"
        "A tree file is as untrusted as the data beside it, so give the root that you keep elsewhere by --root. Data "
        "of fewer blocks, which are nodes of the tree, can have the same root: --n-leaves refuses such data.\n\n"
        "Exit code 0: all is right; 1: something is wrong. The wrong nodes and blocks are named, with their bytes (at "
        "most 1000 each).",
    .options = check_options,
    .run = run_tree_check,
    .takes_urls = true,
};

extern constinit const Command tree_diff_command{
    .name = "diff",
    .arguments = "OLD NEW",
    .summary = "Name the blocks in which two trees differ.",
    .help =
        "Compare two tree files of the same form and name the blocks that differ, with their bytes (at most 1000). "
        "Only what is below unequal nodes is read.\n\n"
        "Nodes are compared as the files have them; `merklize tree check` says whether they are right. Exit code 0: no "
        "block differs; 1: some do.",
    .options = options::json_and_help,
    .run = run_tree_diff,
    .takes_urls = true,
};

}  // namespace merklize::command
