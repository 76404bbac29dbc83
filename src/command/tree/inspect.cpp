// `merklize tree root`, `info` and `export`.
#include <algorithm>

#include "command/endings.hpp"
#include "command/line/options.hpp"
#include "command/line/values.hpp"
#include "command/output/output.hpp"
#include "command/tree/common.hpp"
#include "texts/json.hpp"

namespace merklize::command {
namespace {

constexpr std::uint64_t nodes_at_once = 1 << 17;  // 4 MiB

int run_tree_root(Call& call, const Arguments& arguments) {
    const std::string& file = arguments.words()[0];
    const std::string root = open_tree(call, file).root().hex();
    call.line(arguments.has("json") ? json::Object().name("file", shown_name(call, file)).text("root", root).done()
                                    : root);
    return 0;
}

int run_tree_info(Call& call, const Arguments& arguments) {
    const std::string& file = arguments.words()[0];
    const TreeFile tree = open_tree(call, file);
    const std::string hash(traits(tree.form().hash).name), rule(rule_name(tree.form().rule));
    const bool pads = tree.form().rule == TreeRule::pad;
    const LeafSource& source = tree.source();
    if (arguments.has("json")) {
        json::Object facts;
        facts.name("file", shown_name(call, file))
            .text("hash", hash)
            .text("rule", rule)
            .number("keyed", tree.is_keyed());
        facts.number("n_leaves", tree.n_leaves()).number("height", tree.height());
        facts.number("leaf_size", source.leaf_bytes).number("file_size", source.total_bytes);
        facts.text("root", tree.root().hex());
        if (pads) facts.text("padding", tree.form().padding.hex());
        call.line(facts.done());
        return 0;
    }
    std::string pieces;
    if (source.leaf_bytes != 0) pieces = ", pieces of " + std::to_string(source.leaf_bytes) + " bytes";
    if (source.leaf_bytes != 0 && source.total_bytes != 0)
        pieces += " of a file of " + std::to_string(source.total_bytes);
    call.line("hash    " + hash + (tree.is_keyed() ? ", keyed" : ""));
    call.line("rule    " + rule + (pads ? ", padding " + tree.form().padding.hex() : ""));
    call.line("leaves  " + std::to_string(tree.n_leaves()) + pieces);
    call.line("height  " + std::to_string(tree.height()));
    call.line("root    " + tree.root().hex());
    return 0;
}

int run_tree_export(Call& call, const Arguments& arguments) {
    const bool raw = arguments.has("raw"), as_json = arguments.has("json");
    if (raw && as_json) throw UsageError{"--raw and --json exclude each other"};
    const std::uint64_t wanted = count_value(arguments, "level").value_or(0);
    refuse_input_as_output(call, arguments.words()[0], arguments.value("output"));
    const TreeFile tree = open_tree(call, arguments.words()[0]);
    if (wanted > tree.height()) throw UsageError{"--level must be 0 to " + std::to_string(tree.height())};
    const auto level = static_cast<unsigned>(wanted);
    const std::uint64_t count = ((tree.n_leaves() - 1) >> level) + 1;
    Target target(call, arguments.value("output"));
    if (as_json) target.write("{\"level\": " + std::to_string(level) + ", \"nodes\": [");
    for (std::uint64_t first = 0; first < count; first += nodes_at_once) {
        const std::vector<Digest> nodes = tree.read(level, first, std::min(nodes_at_once, count - first));
        if (raw) {
            target.write(std::as_bytes(std::span(nodes)));
            continue;
        }
        std::string text;
        for (const Digest& node : nodes) {
            if (as_json) text += first == 0 && text.empty() ? "\"" : ", \"";
            append_hex(text, node.bytes);
            text += as_json ? "\"" : "\n";
        }
        target.write(text);
    }
    if (as_json) target.write(std::string_view("]}\n"));
    target.finish();
    return 0;
}

constexpr Option export_options[] = {
    {"level", 0, "NUM", "The level: 0 has the leaves, the height of the tree the root."},
    {"output", 'o', "FILE", "Write to this file instead of standard output."},
    {"raw", 0, {}, "32 bytes a node instead of a line of 64 hexadecimal digits."},
    options::json,
    options::help,
};

}  // namespace

extern constinit const Command tree_root_command{
    .name = "root",
    .arguments = "TREE",
    .summary = "Print the root of a tree file.",
    .help = "Print the root of a tree file: 64 hexadecimal digits and nothing else.",
    .options = options::json_and_help,
    .run = run_tree_root,
    .takes_urls = true,
};

extern constinit const Command tree_info_command{
    .name = "info",
    .arguments = "TREE",
    .summary = "Show what a tree file holds.",
    .help = "Show what a tree file holds.",
    .options = options::json_and_help,
    .run = run_tree_info,
    .takes_urls = true,
};

extern constinit const Command tree_export_command{
    .name = "export",
    .arguments = "TREE",
    .summary = "Write the nodes of a level.",
    .help = "Write the nodes of a level.",
    .options = export_options,
    .run = run_tree_export,
    .takes_urls = true,
};

}  // namespace merklize::command
