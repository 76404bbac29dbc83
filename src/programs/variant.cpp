#include "programs/variant.hpp"

#include <optional>

#include "hashes/hash_info.hpp"
#include "merklize/hash.hpp"
#include "programs/kernel_text.hpp"

namespace merklize::runtime {

Variant variant_of(std::uint32_t unit, const mkz_policy& policy) {
    Variant variant{.hash = unit, .policy = policy};
#define MKZ_FIELD_program(field)
#define MKZ_FIELD_launch(field) variant.policy.field = 0;
#define MKZ_POLICY(field, chooser, values, greatest, part, macro) MKZ_FIELD_##part(field)
#include "merklize/policy.def"
#undef MKZ_FIELD_program
#undef MKZ_FIELD_launch
    const mkz_hash_info* info = mkz_find_hash(unit);
    if (info == nullptr || info->table_words == 0) variant.policy.constants = 0;  // the hash has no constants to place
    if (info != nullptr && info->table_is_given != 0) variant.policy.constants = MKZ_CONSTANTS_global;
    return variant;
}

std::string entry_name(const Variant& variant, const Body& body) {
    if (variant.hash == Variant::no_hash) return body.name;
    return std::string(body.name) + "_" + std::string(traits(static_cast<Hash>(variant.hash)).name);
}

std::vector<std::pair<std::string, std::string>> macros_of(const Variant& variant, const Target& target) {
    std::vector<std::pair<std::string, std::string>> macros;
    const auto add = [&](const char* name, std::uint32_t value) {
        if (value != 0) macros.emplace_back(name, std::to_string(value));
    };
#define MKZ_POLICY(field, chooser, values, greatest, part, macro) add(macro, variant.policy.field);
#include "merklize/policy.def"
    add("MKZ_ALIGN", variant.align);
    add("MKZ_ONLY", variant.only);
    add("MKZ_KEYED", variant.keyed);
    add("MKZ_CPU", target.is_cpu);
    // Only NVIDIA's compilers take inline PTX, its OpenCL compiler included.
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
    // Intel's compiler for processors makes vectors of neighbouring items on top of an item's own lanes. With 16 items
    // and 16 lanes it takes minutes.
    return target.language == MKZ_LANGUAGE_SYCL && target.is_cpu && variant.policy.lanes > 1 ? "-fno-vectorize" : "";
}

}  // namespace merklize::runtime
