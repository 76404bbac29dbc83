// Signatures, verified side by side.
#include <array>
#include <memory>
#include <string>

#include "calls/operands.hpp"
#include "calls/run.hpp"
#include "host/invalid.hpp"
#include "xmss/tweaked.hpp"

namespace merklize::inline v0::xmss {
namespace {

// A signature, with the public key, message and epoch that it is verified for. Each pointer is to whole bytes of its
// kind.
struct Signed {
    const std::byte *public_key, *message, *signature;
    std::uint64_t epoch;

    Parameter parameter() const { return Parameter(public_key + node_bytes, node_bytes); }
    const std::byte* randomizer() const { return signature + chains * node_bytes; }
    const std::byte* sibling(unsigned level) const { return randomizer() + randomizer_bytes + node_bytes * level; }
};

// Memory to verify up to n signatures at once.
template <std::size_t n>
class Verifier {
public:
    // valid  written: 1 for each valid signature, else 0
    void verify(std::span<const Signed> all, std::uint8_t* valid) {
        encode(all, valid);
        std::size_t count = 0;  // of candidates: signatures that may be valid
        for (std::size_t i = 0; i < all.size(); i++) {
            if (valid[i] == 0) continue;
            for (std::uint32_t c = 0; c < chains; c++) {
                Chain& chain = walked_[chains * count + c];
                chain = {{}, all[i].parameter().data(), epoch(all[i]), c, steps_[i][c], chain_steps - 1};
                std::memcpy(chain.value.data(), all[i].signature + node_bytes * c, node_bytes);
            }
            candidates_[count++] = i;
        }
        if (count == 0) return;
        walk(std::span(walked_).first(chains * count), memory_);
        Tweaked leaves(memory_, chains * node_bytes);
        for (std::size_t k = 0; k < count; k++) {
            const Signed& item = all[candidates_[k]];
            std::byte* ends = leaves.add({MKZ_XMSS_LEAF, 0, epoch(item)}, item.parameter());
            for (std::size_t c = 0; c < chains; c++)
                std::memcpy(ends + node_bytes * c, walked_[chains * k + c].value.data(), node_bytes);
        }
        leaves.hash();
        for (std::size_t k = 0; k < count; k++) nodes_[k] = leaves.node(k);
        for (unsigned level = 0; level < height; level++) climb(all, count, level);
        for (std::size_t k = 0; k < count; k++) {
            const Signed& item = all[candidates_[k]];
            valid[candidates_[k]] = std::memcmp(nodes_[k].data(), item.public_key, node_bytes) == 0 ? 1 : 0;
        }
    }

private:
    static std::uint32_t epoch(const Signed& item) { return static_cast<std::uint32_t>(item.epoch); }

    void encode(std::span<const Signed> all, std::uint8_t* valid) {
        Tweaked encodings(memory_, encoded_bytes);
        for (const Signed& item : all) {
            add_encoding(encodings, item.parameter(), epoch(item), {item.message, message_bytes},
                         std::span<const std::byte, randomizer_bytes>(item.randomizer(), randomizer_bytes));
        }
        encodings.hash();
        for (std::size_t i = 0; i < all.size(); i++)
            valid[i] = read_steps(encodings[i], steps_[i]) && all[i].epoch >> 32 == 0 ? 1 : 0;
    }

    void climb(std::span<const Signed> all, std::size_t count, unsigned level) {
        Tweaked merges(memory_, 2 * node_bytes);
        for (std::size_t k = 0; k < count; k++) {
            const Signed& item = all[candidates_[k]];
            const std::uint32_t at = epoch(item) >> level;
            const auto above = static_cast<std::uint32_t>(std::uint64_t{at} >> 1);
            std::byte* pair = merges.add({MKZ_XMSS_NODE, level + 1, above}, item.parameter());
            std::memcpy(pair + (at % 2 == 0 ? 0 : node_bytes), nodes_[k].data(), node_bytes);
            std::memcpy(pair + (at % 2 == 0 ? node_bytes : 0), item.sibling(level), node_bytes);
        }
        merges.hash();
        for (std::size_t k = 0; k < count; k++) nodes_[k] = merges.node(k);
    }

    std::array<std::byte, walk_bytes(chains* n)> memory_;
    std::array<Chain, chains * n> walked_;
    std::array<std::array<std::uint8_t, chains>, n> steps_;
    std::array<std::size_t, n> candidates_;
    std::array<Node, n> nodes_;
};

void require_bytes(ByteView bytes, const char* name, std::size_t each, std::size_t n) {
    if (bytes.size() / each == n && bytes.size() % each == 0) return;
    invalid_call(name, "must be " + std::to_string(each) + " bytes for each of " + std::to_string(n) + " epochs, got " +
                           std::to_string(bytes.size()));
}

}  // namespace

bool verify(ByteView public_key, std::uint64_t epoch, ByteView message, ByteView signature) {
    if (public_key.size() != public_key_bytes || message.size() != message_bytes || signature.size() != signature_bytes)
        return false;
    const Signed item{public_key.data(), message.data(), signature.data(), epoch};
    Verifier<1> verifier;
    std::uint8_t valid = 0;
    verifier.verify({&item, 1}, &valid);
    return valid != 0;
}

void verify_each(ByteView public_keys, std::span<const std::uint64_t> epochs, ByteView messages, ByteView signatures,
                 std::span<std::uint8_t> valid, const RunOptions& options) {
    const PublicCall entry("verify_each");
    const std::size_t n = epochs.size();
    require_bytes(public_keys, "public_keys", public_key_bytes, n);
    require_bytes(messages, "messages", message_bytes, n);
    require_bytes(signatures, "signatures", signature_bytes, n);
    if (valid.size() != n) {
        invalid_call("valid",
                     "must have one for each of " + std::to_string(n) + " epochs, got " + std::to_string(valid.size()));
    }
    using Use = runtime::Operand::Use;
    runtime::require_apart({{Use::writes, "valid", std::as_bytes(valid)},
                            {Use::reads, "public_keys", public_keys},
                            {Use::reads, "epochs", std::as_bytes(epochs)},
                            {Use::reads, "messages", messages},
                            {Use::reads, "signatures", signatures}});
    constexpr std::size_t at_once = 64;
    runtime::Run run(options);
    run.parallel((n + at_once - 1) / at_once, [&](std::size_t piece) {
        const std::size_t begin = at_once * piece, count = std::min(at_once, n - begin);
        std::array<Signed, at_once> all;
        for (std::size_t i = 0; i < count; i++) {
            const std::size_t k = begin + i;
            all[i] = {&public_keys[public_key_bytes * k], &messages[message_bytes * k],
                      &signatures[signature_bytes * k], epochs[k]};
        }
        std::make_unique_for_overwrite<Verifier<at_once>>()->verify(std::span(all).first(count), &valid[begin]);
    });
    run.finish();
}

}  // namespace merklize::inline v0::xmss
