#include "merklize/formats.hpp"

#include <algorithm>
#include <string>

#include "host/invalid.hpp"
#include "host/names.hpp"
#include "levels/right_edge.hpp"
#include "merklize/error.hpp"

namespace merklize::inline v0 {
namespace {

constexpr FormatTraits all[] = {
    {Format::merklize, "merklize", Hash::blake3, TreeRule::left_full, true, 0, false},
    {Format::rfc6962, "rfc6962", Hash::sha256_rfc6962, TreeRule::left_full, true, 0, false},
    {Format::bitcoin, "bitcoin", Hash::sha256d, TreeRule::duplicate_last, true, 0, true},
    {Format::ssz, "ssz", Hash::sha256, TreeRule::pad, false, 0, false},
    {Format::bittorrent_v2, "bittorrent_v2", Hash::sha256, TreeRule::pad, true, 1 << 14, false},
    {Format::glacier, "glacier", Hash::sha256, TreeRule::left_full, true, 1 << 20, false},
    {Format::winterfell, "winterfell", Hash::rp64_256, TreeRule::perfect, true, 0, false},
    {Format::miden, "miden", Hash::eidos, TreeRule::perfect, true, 0, false},
    {Format::plonky3, "plonky3", Hash::poseidon2_goldilocks_8, TreeRule::perfect, true, 0, false},
};

}  // namespace

std::span<const FormatTraits> formats() noexcept { return all; }

const FormatTraits& traits(Format format) {
    const auto* found = std::ranges::find(all, format, &FormatTraits::format);
    if (found == std::end(all)) invalid("unknown format number " + std::to_string(static_cast<unsigned>(format)));
    return *found;
}

Format format_from_name(std::string_view name) { return runtime::row_named("format", all, name).format; }

TreeForm form_of(Format format) {
    TreeForm form(traits(format).hash, traits(format).rule);
    form.unambiguous = traits(format).is_ambiguous;
    return form;
}

void require_unambiguous(const MerkleTree& tree, Format format) {
    const PublicCall entry("require_unambiguous");
    const FormatTraits& facts = traits(format);
    if (!facts.is_ambiguous) return;
    runtime::require_unambiguous({tree.n_leaves()}, [&](unsigned level, std::uint64_t first, std::span<Digest> out) {
        std::ranges::copy(tree.level(level).subspan(first, out.size()), out.begin());
    });
}

}  // namespace merklize::inline v0
