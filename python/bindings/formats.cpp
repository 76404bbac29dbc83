#include <optional>
#include <vector>

#include "arguments.hpp"
#include "module.hpp"
#include "run.hpp"
#include "tree.hpp"

namespace merklize::binding {

namespace {

nb::bytes joined(const std::vector<Digest>& digests) { return to_bytes(std::as_bytes(std::span(digests))); }

std::optional<std::uint64_t> to_optional_count(nb::handle value, const char* argument) {
    return value.is_none() ? std::nullopt : std::optional(to_u64(value, argument));
}

nb::bytes fs_verity(nb::handle data, nb::handle block_size, nb::handle salt, const Settings& settings) {
    const InputBytes input(data, "data"), salted(salt, "salt");
    const FsVerity how{static_cast<std::uint32_t>(to_int(block_size, "block_size")), salted.span()};
    Digest digest;
    Run{settings}([&](const RunOptions& options) { digest = merklize::fs_verity(input.span(), how, options); });
    return to_bytes(digest.bytes);
}

nb::bytes fs_verity_file(nb::handle path, nb::handle block_size, nb::handle salt, const Settings& settings) {
    const std::filesystem::path file = to_path(path, "path");
    const InputBytes salted(salt, "salt");
    const FsVerity how{static_cast<std::uint32_t>(to_int(block_size, "block_size")), salted.span()};
    Digest digest;
    Run{settings}([&](const RunOptions& options) { digest = merklize::fs_verity_file(file, how, options); });
    return to_bytes(digest.bytes);
}

nb::bytes glacier(nb::handle data, const Settings& settings) {
    const InputBytes input(data, "data");
    Digest root;
    Run{settings}([&](const RunOptions& options) { root = merklize::glacier(input.span(), options); });
    return to_bytes(root.bytes);
}

nb::tuple bittorrent_v2(nb::handle data, nb::handle piece_length, const Settings& settings) {
    const InputBytes input(data, "data");
    const std::uint64_t piece = to_u64(piece_length, "piece_length");
    BitTorrentFile file;
    Run{settings}([&](const RunOptions& options) { file = merklize::bittorrent_v2(input.span(), piece, options); });
    return nb::make_tuple(file.root ? nb::object(to_bytes(file.root->bytes)) : nb::none(), joined(file.layers));
}

nb::bytes ssz(nb::handle chunks, nb::handle limit, nb::handle mix_in_length, const Settings& settings) {
    const InputBytes input(chunks, "chunks");
    const auto most = to_optional_count(limit, "limit"), length = to_optional_count(mix_in_length, "mix_in_length");
    Digest root;
    Run{settings}([&](const RunOptions& options) {
        root = merklize::ssz(as_digests(input.span(), "chunks"), most, length, options);
    });
    return to_bytes(root.bytes);
}

nb::bytes openzeppelin_leaves(nb::handle encoded, const Settings& settings) {
    std::vector<std::span<const std::byte>> values;
    for (nb::handle one : nb::cast<nb::list>(encoded)) {
        const auto bytes = nb::cast<nb::bytes>(one);
        values.emplace_back(static_cast<const std::byte*>(bytes.data()), bytes.size());
    }
    std::vector<Digest> leaves;
    Run{settings}([&](const RunOptions& options) { leaves = merklize::openzeppelin_leaves(values, options); });
    return joined(leaves);
}

/// tree_indices  uint64[n], or None
OpenZeppelinTree make_openzeppelin_tree(nb::handle leaves, nb::handle sort_leaves, nb::handle tree_indices,
                                        const Settings& settings) {
    const InputBytes input(leaves, "leaves");
    const bool is_sorted = to_flag(sort_leaves, "sort_leaves");
    std::optional<std::vector<std::uint64_t>> indices;
    if (!tree_indices.is_none()) indices = to_indices(tree_indices);
    std::optional<OpenZeppelinTree> tree;
    Run{settings}([&](const RunOptions& options) {
        if (indices)
            tree.emplace(as_digests(input.span(), "leaves"), *indices, options);
        else
            tree.emplace(as_digests(input.span(), "leaves"), is_sorted, options);
    });
    return *std::move(tree);
}

bool verify_openzeppelin(nb::handle proof, nb::handle root, nb::handle leaf) {
    const InputBytes siblings(proof, "proof");
    return merklize::verify_openzeppelin(as_digests(siblings.span(), "proof"), to_digest(root, "root"),
                                         to_digest(leaf, "leaf"));
}

/// Buffer protocol: all nodes, read-only.
int get_openzeppelin_buffer(PyObject* self, Py_buffer* view, int flags) {
    if (!nb::inst_ready(self)) {
        view->obj = nullptr;
        PyErr_SetString(PyExc_BufferError, "OpenZeppelinTree: nothing made it");
        return -1;
    }
    const auto nodes = std::as_bytes(nb::inst_ptr<OpenZeppelinTree>(self)->nodes());
    return PyBuffer_FillInfo(view, self, const_cast<std::byte*>(nodes.data()), static_cast<Py_ssize_t>(nodes.size()), 1,
                             flags);
}

PyType_Slot openzeppelin_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_openzeppelin_buffer)}, {0, nullptr}};

}  // namespace

void bind_formats(nb::module_& m) {
    define(m, "def fs_verity(data: object, block_size: int, salt: bytes, settings: Settings, /) -> bytes", fs_verity);
    define(m, "def fs_verity_file(path: bytes, block_size: int, salt: bytes, settings: Settings, /) -> bytes",
           fs_verity_file);
    define(m, "def glacier(data: object, settings: Settings, /) -> bytes", glacier);
    define(m, "def bittorrent_v2(data: object, piece_length: int, settings: Settings, /) -> tuple[bytes | None, bytes]",
           bittorrent_v2);
    define(m, "def ssz(chunks: object, limit: int | None, mix_in_length: int | None, settings: Settings, /) -> bytes",
           ssz);
    define(m, "def openzeppelin_leaves(encoded: list[bytes], settings: Settings, /) -> bytes", openzeppelin_leaves);

    nb::class_<OpenZeppelinTree>(m, "OpenZeppelinTree", nb::type_slots(openzeppelin_slots),
                                 "A tree; a buffer of its nodes, the root first.")
        .def_prop_ro("n_leaves", [](const OpenZeppelinTree& self) { return self.n_leaves(); })
        .def(
            "tree_index",
            [](const OpenZeppelinTree& self, nb::handle index) { return self.tree_index(to_u64(index, "index")); },
            nb::arg().none(), nb::sig("def tree_index(self, index: int, /) -> int"))
        .def(
            "prove",
            [](const OpenZeppelinTree& self, nb::handle index) { return joined(self.prove(to_u64(index, "index"))); },
            nb::arg().none(), nb::sig("def prove(self, index: int, /) -> bytes"))
        .def(
            "prove_together",
            [](const OpenZeppelinTree& self, nb::handle indices) {
                const OpenZeppelinMultiProof made = self.prove_together(to_indices(indices));
                nb::list flags;
                for (const bool flag : made.flags) flags.append(flag);
                return nb::make_tuple(joined(made.leaves), joined(made.proof), flags);
            },
            nb::arg().none(),
            nb::sig("def prove_together(self, indices: object, /) -> tuple[bytes, bytes, list[bool]]"),
            "indices: uint64[k].");
    define(m,
           "def make_openzeppelin_tree(leaves: object, sort_leaves: bool, tree_indices: object, settings: Settings, /) "
           "-> OpenZeppelinTree",
           make_openzeppelin_tree);
    define(m, "def verify_openzeppelin(proof: bytes, root: bytes, leaf: bytes, /) -> bool", verify_openzeppelin);
}

}  // namespace merklize::binding
