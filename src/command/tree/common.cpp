#include "command/tree/common.hpp"

#include "command/endings.hpp"
#include "command/output/output.hpp"
#include "files/storage.hpp"

namespace merklize::command {

unsigned word_bytes(Hash hash) {
    const unsigned bits = traits(hash).element_bits;
    return bits == 0 ? 1 : bits / 8;
}

TreeFile open_tree(Call& call, const std::string& path) {
    constexpr std::uint64_t header_bytes = 128;
    return is_url(path) ? TreeFile(open_input(call, path, header_bytes)) : TreeFile(path);
}

Hash hash_of_tree(Call& call, const std::string& path) { return open_tree(call, path).form().hash; }

TreeFile open_tree(Call& call, const std::string& path, const std::optional<Mode>& mode) {
    TreeFile tree = open_tree(call, path);
    if (tree.is_keyed() != mode.has_value()) {
        throw Failure{sentence(shown_name(call, path)) + ": this tree " +
                      (tree.is_keyed() ? "needs --keyed or --derive-key" : "has no key")};
    }
    if (mode) tree.set_mode(*mode);
    return tree;
}

void refuse_input_as_output(Call& call, const std::string& input, const std::optional<std::string>& output) {
    using runtime::Storage;
    const bool is_to_file = output && *output != "-";
    if (is_url(input) || (is_to_file && is_url(*output))) {
        if (input == output) throw UsageError{shown_name(call, input) + " is the input itself"};
        return;
    }
    const Storage from = input == standard_input_name ? Storage(call.standard_input()) : Storage(input);
    const Storage to = is_to_file ? Storage(*output) : Storage(call.standard_output());
    if (to.overwrites(from))
        throw UsageError{(is_to_file ? sentence(*output) : "standard output") + " is the input itself, or lies in it"};
}

TreeInput tree_input(Call& call, const std::string& name, TreeInput::Kind kind, std::uint64_t leaf_bytes,
                     std::unique_ptr<runtime::ByteSource>& opened) {
    TreeInput input{name, kind, kind == TreeInput::Kind::leaves ? Digest::size : leaf_bytes};
    if (name == standard_input_name) {
        input.path = "standard input";
        input.descriptor = call.standard_input();
    }
    if (is_url(name)) {
        opened = open_input(call, name);
        input.path = opened->name();
        input.source = opened.get();
    }
    return input;
}

}  // namespace merklize::command
