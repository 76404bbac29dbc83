#include <merklize/formats.hpp>

#include <atomic>
#include <optional>
#include <vector>

#include "arguments.hpp"
#include "digest_array.hpp"
#include "form.hpp"
#include "module.hpp"
#include "object_lock.hpp"
#include "policy.hpp"
#include "proof.hpp"
#include "run.hpp"
#include "tree.hpp"
#include "tree_files/save.hpp"
#include "tree_input.hpp"

namespace merklize::binding {

std::vector<std::uint64_t> to_indices(nb::handle indices) {
    const InputBytes bytes(indices, "indices");
    const auto* first = reinterpret_cast<const std::uint64_t*>(bytes.span().data());
    return {first, first + bytes.span().size() / sizeof(std::uint64_t)};
}

namespace {

/// A tree for Python: the tree, and the number of exported buffers of its nodes.
struct Tree {
    Shared<MerkleTree> shared;
    std::atomic<int> views{0};

    explicit Tree(MerkleTree built) : shared(std::move(built)) {}
    Tree(Tree&& other) noexcept : shared(std::move(other.shared)) {}

    template <class Use>
    auto read(Use&& use) const {
        return shared.read("MerkleTree", use);
    }
    template <class Use>
    auto change(Use&& use) {
        return shared.change("MerkleTree", use);
    }
};

template <class Build>
Tree made(const Run& run, Build&& build) {
    std::optional<MerkleTree> tree;
    run([&](const RunOptions& options) { tree.emplace(build(options)); });
    return Tree(std::move(*tree));
}

Tree make_tree(nb::handle leaves, const TreeForm& form, nb::handle drop_levels, const Settings& settings) {
    const DigestArray input(leaves, "leaves", "n", &settings);
    const auto drop = static_cast<unsigned>(to_int(drop_levels, "drop_levels"));
    return made(Run(settings, input.on_device()), [&](const RunOptions& options) {
        return input.on_device() != nullptr ? MerkleTree(input.buffer(), form, options, drop)
                                            : MerkleTree(input.digests(), form, options, drop);
    });
}

Tree make_tree_from_rows(nb::handle rows, nb::handle n_rows, const TreeForm& form, const Settings& settings) {
    const Input input(rows, "rows", settings);
    const std::uint64_t n = to_u64(n_rows, "rows");
    return made(Run(settings, input.on_device()), [&](const RunOptions& options) {
        return input.on_device() != nullptr ? MerkleTree::from_rows(input.buffer(), n, form, options)
                                            : MerkleTree::from_rows(input.span(), n, form, options);
    });
}

Tree make_tree_from_file(nb::handle input, nb::handle leaf_size, nb::handle row_size, const TreeForm& form,
                         const Settings& settings, nb::handle needs_bytes) {
    const LeafInput from(input, leaf_size, row_size, to_flag(needs_bytes, "needs_bytes"));
    return made(Run(settings, nullptr),
                [&](const RunOptions& options) { return MerkleTree::from_file(from.get(), form, options); });
}

nb::dict build_tree(nb::handle nodes, const TreeForm& form, const Settings& settings) {
    const DeviceArray* array = bound_in<DeviceArray>(nodes);
    const Run run(settings, array);
    Policy used;
    if (array != nullptr) {
        run([&](const RunOptions& options) { used = merklize::build_tree(array->writable(), form, options); });
    } else {
        const OutputBytes slots(nodes);
        run([&](const RunOptions& options) { used = merklize::build_tree(as_digests(slots.span()), form, options); });
    }
    return to_dict(used, run.on_host());
}

nb::bytes merkle_root(nb::handle leaves, const TreeForm& form, const Settings& settings) {
    const DigestArray input(leaves, "leaves", "n", &settings);
    Digest root;
    Run(settings, input.on_device())([&](const RunOptions& options) {
        root = input.on_device() != nullptr ? merklize::merkle_root(input.buffer(), form, options)
                                            : merklize::merkle_root(input.digests(), form, options);
    });
    return to_bytes(root.bytes);
}

/// The leaves that the caller gives again, for a tree without its lowest levels.
class Leaves {
public:
    explicit Leaves(nb::handle leaves) {
        if (!leaves.is_none()) bytes_.emplace(leaves, "leaves");
    }
    std::span<const Digest> span() const {
        return bytes_ ? as_digests(bytes_->span(), "leaves") : std::span<const Digest>();
    }

private:
    std::optional<InputBytes> bytes_;
};

nb::list prove(const Tree& self, nb::handle indices, nb::handle leaves) {
    const std::vector<std::uint64_t> wanted = to_indices(indices);
    const Leaves again(leaves);
    return self.read([&](const MerkleTree& tree) {
        // Dropped levels are computed again for all proofs of a piece together.
        const std::size_t piece = tree.drop_levels() != 0 ? wanted.size() : std::size_t{1} << 12;
        return prove_in_pieces(wanted, piece,
                               [&](std::span<const std::uint64_t> some) { return tree.prove(some, again.span()); });
    });
}

MultiProof prove_together(const Tree& self, nb::handle indices, nb::handle leaves) {
    const std::vector<std::uint64_t> wanted = to_indices(indices);
    const Leaves again(leaves);
    return self.read([&](const MerkleTree& tree) {
        MultiProof proof;
        Run::without_gil([&] { proof = tree.prove_together(wanted, again.span()); });
        return proof;
    });
}

MultiProof prove_range(const Tree& self, nb::handle first, nb::handle last, nb::handle leaves) {
    const std::uint64_t from = to_u64(first, "first"), to = to_u64(last, "last");
    const Leaves again(leaves);
    return self.read([&](const MerkleTree& tree) {
        MultiProof proof;
        Run::without_gil([&] { proof = tree.prove_range(from, to, again.span()); });
        return proof;
    });
}

ConsistencyProof prove_consistency(const Tree& self, nb::handle old_leaves) {
    const std::uint64_t n = to_u64(old_leaves, "old_leaves");
    return self.read([&](const MerkleTree& tree) { return tree.prove_consistency(n); });
}

void update(Tree& self, nb::handle indices, nb::handle leaves, const Settings& settings) {
    const std::vector<std::uint64_t> which = to_indices(indices);
    const DigestArray given(leaves, "leaves", "k", nullptr);
    self.change([&](MerkleTree& tree) {
        Run{settings}([&](const RunOptions& options) { tree.update(which, given.digests(), options); });
    });
}

// As with a bytearray, memory that somebody views must not move.
void append(Tree& self, nb::handle leaves, const Settings& settings) {
    const DigestArray given(leaves, "leaves", "k", nullptr);
    self.change([&](MerkleTree& tree) {
        if (self.views != 0)
            throw nb::buffer_error(in_call("views of the tree's nodes exist; delete them first").c_str());
        Run{settings}([&](const RunOptions& options) { tree.append(given.digests(), options); });
    });
}

/// All nodes on the host. For a tree on a device they are a copy that the tree keeps.
nb::object host_nodes(nb::handle self) {
    bound<Tree>(self).read([](const MerkleTree& tree) { Run::without_gil([&] { (void)tree.nodes(); }); });
    return checked(PyMemoryView_FromObject(self.ptr()));
}

/// Buffer protocol: all nodes, read-only. A view holds a reference to the tree, whose nodes do not move while there is
/// one.
int get_tree_buffer(PyObject* self, Py_buffer* view, int flags) {
    try {
        Tree& shared = bound<Tree>(self);
        return shared.read([&](const MerkleTree& tree) {
            const auto nodes = std::as_bytes(tree.nodes());
            const int result = PyBuffer_FillInfo(view, self, const_cast<std::byte*>(nodes.data()),
                                                 static_cast<Py_ssize_t>(nodes.size()), 1, flags);
            if (result == 0) shared.views++;
            return result;
        });
    } catch (nb::python_error& error) {
        error.restore();
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_BufferError, error.what());
    }
    view->obj = nullptr;
    return -1;
}

void release_buffer(PyObject* self, Py_buffer*) { nb::inst_ptr<Tree>(self)->views--; }

PyType_Slot tree_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_tree_buffer)},
                            {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                            {0, nullptr}};

}  // namespace

void save(nb::handle tree, nb::handle path) {
    const std::filesystem::path to = to_path(path, "path");
    bound<Tree>(tree).read([&](const MerkleTree& which) {
        Run{Settings{.device = "cpu"}}(
            [&](const RunOptions& options) { save_tree(which, to, std::nullopt, options.progress); });
    });
}

void bind_tree(nb::module_& m) {
    nb::class_<Tree> tree(m, "Tree", nb::type_slots(tree_slots), "A tree; a buffer of its slots in heap order.");
    const auto property = [&](const char* name, auto get, const char* signature) {
        tree.def_prop_ro(name, [get](const Tree& self) { return self.read(get); }, nb::sig(signature));
    };
    property("hash", [](const MerkleTree& tree) { return name_of(tree.hash()); }, "def hash(self) -> str");
    property("rule", [](const MerkleTree& tree) { return name_of(tree.form().rule); }, "def rule(self) -> str");
    property("n_leaves", [](const MerkleTree& tree) { return tree.n_leaves(); }, "def n_leaves(self) -> int");
    property("height", [](const MerkleTree& tree) { return tree.height(); }, "def height(self) -> int");
    property("drop_levels", [](const MerkleTree& tree) { return tree.drop_levels(); }, "def drop_levels(self) -> int");
    property(
        "leaf_size", [](const MerkleTree& tree) { return tree.source().leaf_bytes; }, "def leaf_size(self) -> int");
    property(
        "file_size", [](const MerkleTree& tree) { return tree.source().total_bytes; }, "def file_size(self) -> int");
    property("root", [](const MerkleTree& tree) { return to_bytes(tree.root().bytes); }, "def root(self) -> bytes");
    property("device", [](const MerkleTree& tree) { return tree.device().id; }, "def device(self) -> str");
    property(
        "policy", [](const MerkleTree& tree) { return to_dict(tree.policy(), tree.device().backend == "cpu"); },
        "def policy(self) -> dict[str, int | str]");
    property("on_device", [](const MerkleTree& tree) { return tree.on_device(); }, "def on_device(self) -> bool");
    tree.def("host_nodes", host_nodes, nb::sig("def host_nodes(self) -> memoryview"),
             "All slots in heap order, 32 bytes each.")
        .def(
            "device_nodes",
            [](const Tree& self) {
                return self.read(
                    [](const MerkleTree& tree) { return digests_array(tree.device_nodes(), tree.hash()); });
            },
            "The same on the device.")
        .def("prove", prove, nb::arg().none(), nb::arg().none(),
             nb::sig("def prove(self, indices: object, leaves: object, /) -> list[MerkleProof]"),
             "indices: uint64[k]; leaves: None, or all leaves of a tree with dropped levels.")
        .def("prove_together", prove_together, nb::arg().none(), nb::arg().none(),
             nb::sig("def prove_together(self, indices: object, leaves: object, /) -> MultiProof"))
        .def("prove_range", prove_range, nb::arg().none(), nb::arg().none(), nb::arg().none(),
             nb::sig("def prove_range(self, first: int, last: int, leaves: object, /) -> MultiProof"))
        .def("prove_consistency", prove_consistency, nb::arg().none(),
             nb::sig("def prove_consistency(self, old_leaves: int, /) -> ConsistencyProof"))
        .def("update", update, nb::arg().none(), nb::arg().none(), nb::arg().none(),
             nb::sig("def update(self, indices: object, leaves: object, settings: Settings, /) -> None"),
             "indices: uint64[k]; leaves: uint8[k, 32].")
        .def("append", append, nb::arg().none(), nb::arg().none(),
             nb::sig("def append(self, leaves: object, settings: Settings, /) -> None"), "leaves: uint8[k, 32].");

    define(m, "def make_tree(leaves: object, form: TreeForm, drop_levels: int, settings: Settings, /) -> Tree",
           make_tree);
    define(m,
           "def make_tree_from_rows(rows: object, n_rows: int, form: TreeForm, settings: Settings, /) "
           "-> Tree",
           make_tree_from_rows);
    define(m,
           "def make_tree_from_file(input: object, leaf_size: int | None, row_size: int | None, form: TreeForm, "
           "settings: Settings, needs_bytes: bool, /) -> Tree",
           make_tree_from_file);
    define(m,
           "def build_tree(nodes: object, form: TreeForm, settings: Settings, /) "
           "-> dict[str, int | str]",
           build_tree);
    define(m,
           "def merkle_root(leaves: object, form: TreeForm, settings: Settings, /) "
           "-> bytes",
           merkle_root);
    define(
        m, "def heap_slots(n_leaves: int, /) -> int",
        +[](nb::handle n_leaves) { return heap_slots(to_u64(n_leaves, "n_leaves")); });
}

}  // namespace merklize::binding
