#include <optional>

#include "arguments.hpp"
#include "digest_array.hpp"
#include "form.hpp"
#include "module.hpp"
#include "policy.hpp"
#include "run.hpp"

namespace merklize::binding {

namespace {

MerkleForest make_forest(nb::handle leaves, const TreeForm& form, const Settings& settings) {
    const DigestArray input(leaves, "leaves", "m, n", &settings);
    const auto n = static_cast<std::uint64_t>(input.shape()[1]);
    std::optional<MerkleForest> forest;
    Run(settings, input.on_device())([&](const RunOptions& options) {
        if (input.on_device() != nullptr) {
            forest.emplace(input.buffer(), n, form, options);
        } else {
            forest.emplace(input.digests(), n, form, options);
        }
    });
    return std::move(*forest);
}

nb::bytes level(const MerkleForest& forest, nb::handle number) {
    std::span<const Digest> nodes;
    const auto which = static_cast<unsigned>(to_int(number, "level"));
    Run::without_gil([&] { nodes = forest.level(which); });
    return to_bytes(std::as_bytes(nodes));
}

}  // namespace

void bind_forest(nb::module_& m) {
    nb::class_<MerkleForest>(m, "Forest", "Many trees of one form and size.")
        .def_prop_ro(
            "hash", [](const MerkleForest& self) { return name_of(self.form().hash); },
            nb::sig("def hash(self) -> str"))
        .def_prop_ro("n_trees", &MerkleForest::n_trees)
        .def_prop_ro("n_leaves", &MerkleForest::n_leaves)
        .def_prop_ro("height", &MerkleForest::height)
        .def_prop_ro("device", [](const MerkleForest& self) { return self.device().id; })
        .def_prop_ro(
            "policy", [](const MerkleForest& self) { return to_dict(self.policy(), self.device().backend == "cpu"); },
            nb::sig("def policy(self) -> dict[str, int | str]"))
        .def_prop_ro("on_device", &MerkleForest::on_device)
        .def("level", level, nb::sig("def level(self, level: int, /) -> bytes"))
        .def("device_level", [](const MerkleForest& self,
                                unsigned which) { return digests_array(self.device_level(which), self.form().hash); })
        .def(
            "prove",
            [](const MerkleForest& self, nb::handle tree, nb::handle index) {
                return self.prove(to_u64(tree, "tree"), to_u64(index, "index"));
            },
            nb::arg().none(), nb::arg().none(), nb::sig("def prove(self, tree: int, index: int, /) -> MerkleProof"));
    define(m, "def make_forest(leaves: object, form: TreeForm, settings: Settings, /) -> Forest", make_forest);
}

}  // namespace merklize::binding
