// `merklize tree show`: the top of a tree and the path of a leaf, as text or inside the page that verifies.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "command/endings.hpp"
#include "command/line/options.hpp"
#include "command/line/values.hpp"
#include "command/output/output.hpp"
#include "command/tree/common.hpp"
#include "command/tree/proof_json.hpp"
#include "texts/json.hpp"
#include "tree_files/require_fit.hpp"

namespace merklize::command {
namespace {

constexpr std::uint64_t most_levels = 6;
constexpr std::uint64_t most_inside = 16 << 20;  // bytes of a tree file that a page has inside
constexpr std::size_t shown_digits = 16;

std::string node_name(unsigned level, std::uint64_t index) {
    return "level " + std::to_string(level) + ", node " + std::to_string(index);
}
std::uint64_t level_size(const TreeFile& tree, unsigned level) { return ((tree.n_leaves() - 1) >> level) + 1; }

/// The shown levels, from the root down.
class Top {
public:
    Top(const TreeFile& tree, unsigned lowest) : tree_(tree), lowest_(lowest) {
        for (unsigned level = tree.height() + 1; level-- > lowest;)
            levels_.push_back(tree.read(level, 0, level_size(tree, level)));
    }

    std::string json() const {
        json::Array top;
        for (const auto& level : levels_) {
            json::Array nodes;
            for (const Digest& node : level) nodes.put(json::text(node.hex()));
            top.put(nodes.done());
        }
        return top.done();
    }

    /// A node and the subtree below it. Nodes on the path to `leaf`, if one is given, have a mark.
    void draw(Call& call, std::optional<std::uint64_t> leaf, unsigned level, std::uint64_t index = 0,
              const std::string& branch = "", const std::string& indent = "") const {
        const std::string hex = levels_[tree_.height() - level][index].hex();
        const bool on_path = leaf && *leaf >> level == index;
        call.line(branch + hex.substr(0, shown_digits) + (on_path ? " *" : "  ") + " " + node_name(level, index) +
                  (level == tree_.height() ? ", the root"
                   : level == 0            ? ", a leaf"
                                           : ""));
        if (level == lowest_) return;
        const std::uint64_t first = 2 * index, count = std::min<std::uint64_t>(2, level_size(tree_, level - 1) - first);
        for (std::uint64_t i = 0; i < count; i++) {
            const bool last = i + 1 == count;
            draw(call, leaf, level - 1, first + i, indent + (last ? "└─ " : "├─ "), indent + (last ? "   " : "│  "));
        }
    }

private:
    const TreeFile& tree_;
    const unsigned lowest_;
    std::vector<std::vector<Digest>> levels_{};
};

/// The path from a leaf to the root, with a pair of nodes for each level.
void draw_path(Call& call, const TreeFile& tree, std::uint64_t leaf) {
    call.line("");
    call.line("leaf " + std::to_string(leaf) + ", up to the root (* is on the path):");
    for (unsigned level = 0; level <= tree.height(); level++) {
        const std::uint64_t index = leaf >> level, first = index / 2 * 2;
        const std::uint64_t count = std::min<std::uint64_t>(2, level_size(tree, level) - first);
        const std::vector<Digest> nodes = tree.read(level, first, count);
        for (std::uint64_t i = 0; i < count; i++)
            call.line(std::string(first + i == index ? "* " : "  ") + nodes[i].hex().substr(0, shown_digits) + "  " +
                      node_name(level, first + i));
    }
}

std::string path_json(const TreeFile& tree, std::uint64_t leaf) {
    json::Array path;
    for (unsigned level = 0; level <= tree.height(); level++)
        path.put(json::text(tree.read(level, leaf >> level, 1)[0].hex()));
    return path.done();
}

std::string base64(std::span<const std::byte> data) {
    static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((data.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < data.size(); i += 3) {
        const std::size_t left = std::min<std::size_t>(3, data.size() - i);
        std::uint32_t bits = 0;
        for (std::size_t k = 0; k < 3; k++)
            bits = bits << 8 | (k < left ? std::to_integer<std::uint32_t>(data[i + k]) : 0);
        for (std::size_t k = 0; k < 4; k++) out += k <= left ? digits[bits >> (18 - 6 * k) & 63] : '=';
    }
    return out;
}

/// The page of `make wasm`: --page, MERKLIZE_PAGE, or the one installed with the program.
std::string page_text(Call& call, const Arguments& arguments) {
    std::string path = arguments.value_or("page", "");
    if (const char* named = std::getenv("MERKLIZE_PAGE"); path.empty() && named != nullptr) path = named;
    if (path.empty()) {
        std::error_code unknown;
        path = (call.caller().installed() / "share/merklize/verify.html").string();
        if (!std::filesystem::exists(path, unknown)) {
            throw Failure{"--html needs verify.html, and the page is not installed (" + sentence(path) +
                          "): clang and lld were missing. Install both and reinstall merklize, or run `make wasm` in a "
                          "checkout and pass --page build/web/verify.html, or set MERKLIZE_PAGE"};
        }
    }
    constexpr std::uint64_t most = 64 << 20;
    const auto may_be_page = [](std::string_view begin, std::size_t) { return begin.starts_with('<'); };
    const std::vector<std::byte> data = read_all(call, *open_input(call, path), most, may_be_page);
    if (data.size() > most)
        throw Failure{"--page: " + sentence(path) + ": a page must have at most " + std::to_string(most) + " bytes"};
    return {reinterpret_cast<const char*>(data.data()), data.size()};
}

/// The page with the tree inside. For a large tree it holds only the proof of the leaf.
void write_page(Call& call, const Arguments& arguments, const TreeFile& tree, std::uint64_t leaf,
                const std::string& output) {
    constexpr std::string_view place = R"(<script id="data" type="application/json">null</script>)";
    const std::string page = page_text(call, arguments), &name = arguments.words()[0];
    const std::size_t at = page.find(place);
    if (at == page.npos) throw Failure{"--page: this is not the page that `make wasm` writes"};
    json::Object data;
    data.text("name", display(std::filesystem::path(shown_name(call, name)).filename().string()));
    if (tree.level_offset(tree.height()) + Digest::size <= most_inside) {
        data.number("leaf", leaf).text("tree", base64(read_all(call, *open_input(call, name), most_inside)));
    } else {
        const MerkleProof proof = tree.prove(leaf);
        runtime::require_fit(tree, proof);
        data.put("proof", proof_json(proof)).text("root", tree.root().hex());
    }
    std::string inside;
    for (const char c : data.done()) c == '<' ? inside += "\\u003c" : inside += c;
    Target file(call, output);
    const std::size_t begin = at + place.find("null");
    file.write(std::string_view(page).substr(0, begin));
    file.write(inside);
    file.write(std::string_view(page).substr(begin + 4));
    file.finish();
}

int run_tree_show(Call& call, const Arguments& arguments) {
    const std::string& name = arguments.words()[0];
    const auto html = arguments.value("html");
    require_with(arguments, "html", {"page"});
    if (html) refuse_unused(arguments, "--html", {"levels", "json"});
    if (html) refuse_input_as_output(call, name, html);
    const auto mode = mode_of(call, arguments, [&] { return hash_of_tree(call, name); });
    const TreeFile tree = mode ? open_tree(call, name, mode) : open_tree(call, name);
    std::optional<std::uint64_t> leaf;
    if (arguments.words().size() > 1) {
        leaf = plain_number(arguments.words()[1]);
        if (!leaf || *leaf >= tree.n_leaves()) {
            throw UsageError{"LEAF must be a number below the " + std::to_string(tree.n_leaves()) + " leaves, not '" +
                             sentence(arguments.words()[1]) + "'"};
        }
    }
    const std::uint64_t levels = count_value(arguments, "levels").value_or(3);
    if (levels > most_levels) throw UsageError{"--levels must be 0 to " + std::to_string(most_levels)};
    if (tree.n_leaves() == 0) {
        if (html) throw Failure{sentence(shown_name(call, name)) + ": --html: the tree is empty"};
        call.line(arguments.has("json") ? json::Object().text("root", tree.root().hex()).done()
                                        : "the tree has no leaves");
        return 0;
    }
    if (html) {
        write_page(call, arguments, tree, leaf.value_or(0), *html);
        return 0;
    }
    const Top top(tree, tree.height() - static_cast<unsigned>(std::min<std::uint64_t>(levels, tree.height())));
    if (arguments.has("json")) {
        json::Object found;
        found.name("file", shown_name(call, name)).number("n_leaves", tree.n_leaves()).number("height", tree.height());
        found.put("top", top.json());
        if (leaf) found.number("leaf", *leaf).put("path", path_json(tree, *leaf));
        call.line(found.done());
        return 0;
    }
    top.draw(call, leaf, tree.height());
    if (leaf) draw_path(call, tree, *leaf);
    return 0;
}

constexpr Option show_options[] = {
    {"levels", 0, "NUM", "Levels below the root, 0 to 6 (3)."},
    {"html", 0, "FILE",
     "Write the page that verifies, with the tree inside, or with LEAF's proof if the tree is above 16 MiB."},
    {"page", 0, "FILE", "The page for --html, as `make wasm` writes it; by default the installed page."},
    options::derive_key,
    options::keyed,
    options::json,
    options::help,
};

}  // namespace

extern constinit const Command tree_show_command{
    .name = "show",
    .arguments = "TREE [LEAF]",
    .summary = "Draw the top of a tree, and a leaf's path.",
    .help =
        "Draw the top of a tree, and the path from LEAF to the root. Each node is shown by its first digits; --json "
        "prints them in full. --html writes a page that checks the tree in any browser.",
    .options = show_options,
    .run = run_tree_show,
    .takes_urls = true,
};

}  // namespace merklize::command
