#include "programs/variant.hpp"

#include <optional>

#include "merklize/hash.hpp"
#include "programs/kernel_text.hpp"

namespace merklize::runtime {

Variant variant_of(std::uint32_t hash, const mkz_policy& policy) {
    return {.hash = hash,
            .group_size = policy.group_size,
            .lanes = policy.lanes,
            .constants = mkz_find_hash(hash)->table_words != 0 ? policy.constants : 0,
            .cells = policy.cells,
            .min_groups = policy.min_groups,
            .read_ahead = policy.read_ahead,
            .mul_by_halves = policy.mul_by_halves};
}

std::string entry_name(const Variant& variant, const Body& body) {
    if (variant.hash == Variant::no_hash) return body.name;
    return std::string(body.name) + "_" + std::string(traits(static_cast<Hash>(variant.hash)).name);
}

std::vector<std::pair<std::string, std::string>> macros_of(const Variant& variant, const Target& target) {
    std::vector<std::pair<std::string, std::string>> macros = {
        {"MKZ_GROUP_SIZE", std::to_string(variant.group_size)},
        {"MKZ_ALIGN", std::to_string(variant.align)},
        {"MKZ_LANES", std::to_string(variant.lanes)},
    };
    const auto add = [&](const char* name, std::uint32_t value) {
        if (value != 0) macros.emplace_back(name, std::to_string(value));
    };
    add("MKZ_ONLY", variant.only);
    add("MKZ_CONSTANTS", variant.constants);
    add("MKZ_RP_CELLS", variant.cells);
    add("MKZ_MIN_GROUPS", variant.min_groups);
    add("MKZ_READ_AHEAD", variant.read_ahead);
    add("MKZ_MUL_BY_HALVES", variant.mul_by_halves);
    add("MKZ_KEYED", variant.keyed);
    // Inline PTX is NVIDIA's alone; its OpenCL compiler takes it, too.
    add("MKZ_NVIDIA_PTX",
        target.language == MKZ_LANGUAGE_CUDA || (target.language == MKZ_LANGUAGE_OPENCL && target.is_nvidia));
    return macros;
}

std::string text_of(const Variant& variant, const Target& target) {
    return program_text(macros_of(variant, target), variant.hash == Variant::no_hash
                                                        ? std::nullopt
                                                        : std::optional(static_cast<Hash>(variant.hash)));
}

std::string options_of(const Variant& variant, const Target& target) {
    // Intel's compiler for processors makes vectors of neighbouring items on top of an item's own lanes: 16 by 16 takes it minutes.
    return target.language == MKZ_LANGUAGE_SYCL && target.is_cpu && variant.lanes > 1 ? "-fno-vectorize" : "";
}

}  // namespace merklize::runtime
