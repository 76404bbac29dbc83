#include "merklize/formats.hpp"

#include <algorithm>
#include <string>

#include "host/invalid.hpp"
#include "host/names.hpp"
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

TreeForm form_of(Format format) { return {traits(format).hash, traits(format).rule}; }

void require_unambiguous(const MerkleTree& tree, Format format) {
    const PublicCall entry("require_unambiguous");
    const FormatTraits& facts = traits(format);
    if (!facts.is_ambiguous) return;
    for (unsigned level = 0; level < tree.height(); level++) {
        const std::span<const Digest> nodes = tree.level(level);
        if (nodes.size() % 2 == 0 && nodes.back() == nodes[nodes.size() - 2]) {
            invalid_call("format '" + std::string(facts.name) + "': the last two of the " +
                         std::to_string(nodes.size()) + " nodes of level " + std::to_string(level) +
                         " are equal, so a list without those below the last has the same root (CVE-2012-2459)");
        }
    }
}

}  // namespace merklize::inline v0
