#include "programs/fatbins.hpp"

#include <algorithm>

#include "merklize/hash.hpp"

namespace merklize::runtime {

std::string fatbin_name(const Variant& variant) {
    std::string name(variant.hash == Variant::no_hash ? "data" : traits(static_cast<Hash>(variant.hash)).name);
    for (const auto& [macro, value] : macros_of(variant, {.language = MKZ_LANGUAGE_CUDA})) {
        name.append(" ").append(macro).append("=").append(value);
    }
    return name;
}

std::span<const std::byte> find_fatbin(const Variant& variant) {
    const std::span<const Fatbin> all = fatbins();
    if (all.empty()) return {};
    const std::string name = fatbin_name(variant);
    const auto found = std::ranges::lower_bound(all, std::string_view(name), {}, &Fatbin::name);
    return found != all.end() && found->name == name ? found->image : std::span<const std::byte>();
}

}  // namespace merklize::runtime
