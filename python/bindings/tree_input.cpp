// Inputs of trees, and the functions that build trees of them: build_tree_file() and merkle_root_file().
#include "tree_input.hpp"

#include <string>

#include "arguments.hpp"
#include "digests/leaf_reader.hpp"
#include "form.hpp"
#include "module.hpp"
#include "run.hpp"

namespace merklize::binding {

namespace {

TreeInput input_of(const std::filesystem::path& path, nb::handle leaf_size, nb::handle row_size) {
    if (!leaf_size.is_none() && !row_size.is_none())
        throw Error(ErrorCode::invalid_argument, "give leaf_size or row_size, not both");
    return !leaf_size.is_none()  ? TreeInput::blocks(path, to_u64(leaf_size, "leaf_size"))
           : !row_size.is_none() ? TreeInput::rows(path, to_u64(row_size, "row_size"))
                                 : TreeInput::leaves(path);
}

bool is_source(nb::handle input) { return nb::hasattr(input, "pieces"); }

std::filesystem::path path_of(nb::handle input) {
    if (is_source(input)) return text_of(input.attr("name"));
    if (!nb::isinstance<nb::int_>(input)) return to_path(input, "input");
    const int descriptor = to_int(input, "input");
    if (descriptor < 0) {
        throw Error(ErrorCode::invalid_argument,
                    "input: a descriptor must be at least 0, got " + std::to_string(descriptor));
    }
    return descriptor == 0 ? "standard input" : "descriptor " + std::to_string(descriptor);
}

}  // namespace

LeafInput::LeafInput(nb::handle input, nb::handle leaf_size, nb::handle row_size, bool needs_bytes)
    : input_(input_of(path_of(input), leaf_size, row_size)) {
    input_.needs_bytes = needs_bytes;
    if (is_source(input)) {
        input_.source = &source_.emplace(input);
    } else if (nb::isinstance<nb::int_>(input)) {
        input_.descriptor = to_int(input, "input");
    }
}

namespace {

TreeFacts build_tree_file(nb::handle input, nb::handle leaf_size, nb::handle row_size, nb::handle output,
                          const TreeForm& form, nb::handle resume, const Settings& settings, nb::handle needs_bytes) {
    const LeafInput from(input, leaf_size, row_size, to_flag(needs_bytes, "needs_bytes"));
    const std::filesystem::path to = to_path(output, "output");
    const bool go_on = to_flag(resume, "resume");
    TreeFacts facts{};
    Run{settings}(
        [&](const RunOptions& options) { facts = merklize::build_tree_file(from.get(), to, form, go_on, options); });
    return facts;
}

TreeFacts merkle_root_file(nb::handle input, nb::handle leaf_size, nb::handle row_size, const TreeForm& form,
                           const Settings& settings, nb::handle needs_bytes) {
    const LeafInput from(input, leaf_size, row_size, to_flag(needs_bytes, "needs_bytes"));
    TreeFacts facts{};
    Run{settings}([&](const RunOptions& options) { facts = merklize::merkle_root_file(from.get(), form, options); });
    return facts;
}

// A source of which only name and size are known.
class Unread final : public runtime::ByteSource {
public:
    Unread(std::string_view name, std::uint64_t size) : ByteSource(name), size_(size) {}

    std::optional<Extent> extent() const override { return Extent{0, size_, {}}; }
    void read_at(std::span<std::byte>, std::uint64_t) const override { refuse(); }
    std::unique_ptr<runtime::ByteStream> stream(std::span<const runtime::ByteRange>) const override { refuse(); }
    std::unique_ptr<runtime::ByteStream> stream() const override { refuse(); }
    void require_unchanged(const Identity&) const override { refuse(); }

private:
    [[noreturn]] void refuse() const { throw Error(ErrorCode::internal, name() + ": must not be read"); }

    const std::uint64_t size_;
};

// Leaves of an input of this name and size, as a tree has them.
std::uint64_t count_leaves(nb::handle name, nb::handle size, nb::handle leaf_size, nb::handle row_size,
                           const TreeForm& form) {
    const Unread source(to_text(name, "input"), to_u64(size, "size"));
    TreeInput input = input_of(source.name(), leaf_size, row_size);
    input.source = &source;
    const runtime::LeafReader reader(input, form.hash, form.mode);
    return reader.has_extent() ? reader.n_leaves() : input.kind == TreeInput::Kind::blocks;
}

// Leaves [first, first + count) of an input that states its size.
nb::bytes leaves_of_input(nb::handle input, nb::handle leaf_size, nb::handle row_size, nb::handle first,
                          nb::handle count, const TreeForm& form, const Settings& settings) {
    const LeafInput from(input, leaf_size, row_size);
    const std::uint64_t begin = to_u64(first, "first"), n = to_u64(count, "count");
    std::vector<Digest> leaves;
    Run{settings}([&](const RunOptions& options) {
        runtime::LeafReader reader(from.get(), form.hash, form.mode);
        runtime::Run run(options);
        if (!reader.has_extent()) return void(leaves = reader.read_all(run));
        if (begin > reader.n_leaves() || n > reader.n_leaves() - begin) {
            throw Error(ErrorCode::invalid_argument,
                        reader.input().name() + ": there are " + std::to_string(reader.n_leaves()) +
                            " leaves, got leaf " + std::to_string(begin) + " and " + std::to_string(n) + " in all");
        }
        reader.choose(begin, begin + n);
        leaves.resize(n);
        reader.read(leaves, run, 1);
    });
    return to_bytes(std::as_bytes(std::span(leaves)));
}

// The facts of a tree that a cluster built.
TreeFacts make_tree_facts(nb::handle root, nb::handle n_leaves, nb::handle height, nb::handle file_size,
                          const TreeForm& form) {
    return {to_digest(root, "root"),
            to_u64(n_leaves, "n_leaves"),
            static_cast<unsigned>(to_int(height, "height")),
            to_u64(file_size, "file_size"),
            form.hash,
            form.rule};
}

}  // namespace

void bind_tree_input(nb::module_& m) {
    nb::class_<TreeFacts> facts(m, "TreeFacts", nb::is_weak_referenceable(), "What was built of an input.");
    refuse_init(facts, "TreeFacts: merkle_root_file() and build_tree_file() make one");
    facts
        .def_prop_ro(
            "root", [](const TreeFacts& self) { return to_bytes(self.root.bytes); }, nb::sig("def root(self) -> bytes"),
            "The root, 32 bytes.")
        .def_ro("n_leaves", &TreeFacts::n_leaves, "Count of leaves.")
        .def_ro("height", &TreeFacts::height, "Levels above the leaves.")
        .def_ro("file_size", &TreeFacts::bytes, "Bytes of the input.")
        .def_prop_ro(
            "hash", [](const TreeFacts& self) { return name_of(self.hash); }, nb::sig("def hash(self) -> str"),
            "Name of the hash.")
        .def_prop_ro(
            "rule", [](const TreeFacts& self) { return name_of(self.rule); }, nb::sig("def rule(self) -> str"),
            "Name of the rule.")
        .def("__repr__", [](const TreeFacts& self) {
            return to_str("<TreeFacts: " + std::to_string(self.n_leaves) + " leaves, " +
                          std::string(traits(self.hash).name) + ", root " + self.root.hex() + ">");
        });
    define(
        m,
        "def make_tree_facts(root: bytes, n_leaves: int, height: int, file_size: int, form: TreeForm, /) -> TreeFacts",
        make_tree_facts);
    define(m,
           "def count_leaves(name: str, size: int, leaf_size: int | None, row_size: int | None, form: TreeForm, /) -> "
           "int",
           count_leaves);
    define(m,
           "def leaves_of_input(input: object, leaf_size: int | None, row_size: int | None, first: int, count: int, "
           "form: TreeForm, settings: Settings, /) -> bytes",
           leaves_of_input);
    define(m,
           "def build_tree_file(input: object, leaf_size: int | None, row_size: int | None, output: bytes, form: "
           "TreeForm, resume: bool, settings: Settings, needs_bytes: bool, /) -> TreeFacts",
           build_tree_file);
    define(m,
           "def merkle_root_file(input: object, leaf_size: int | None, row_size: int | None, form: "
           "TreeForm, settings: Settings, needs_bytes: bool, /) -> TreeFacts",
           merkle_root_file);
}

}  // namespace merklize::binding
