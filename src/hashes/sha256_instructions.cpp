#include "hashes/sha256_instructions.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#include "host/features.hpp"
#include "merklize/core/hashes/sha256_compression.h"

namespace merklize::runtime {

extern const Sha256Instructions sha256_x86, sha256_arm;

namespace {

const Sha256Instructions* choose_sha256() noexcept {
    const char* wish = std::getenv("MERKLIZE_CPU_SHA");
    if (wish != nullptr && std::string_view(wish) == "0") return nullptr;
#if defined(__x86_64__)
    if (cpu_features().sha) return &sha256_x86;
#elif defined(__aarch64__) && defined(__linux__)
    constexpr unsigned long has_sha2 = 1 << 6;
    if ((getauxval(AT_HWCAP) & has_sha2) != 0) return &sha256_arm;
#endif
    return nullptr;
}

}  // namespace

const Sha256Instructions* sha256_instructions() noexcept {
    static const Sha256Instructions* const chosen = choose_sha256();
    return chosen;
}

namespace {

using Bytes = const std::uint8_t*;

struct GoOn {
    bool (*ask)(const void* of);
    const void* of;
};

constexpr std::size_t block_bytes = 64, blocks_between_checks = 65536;

// How a hash differs from SHA-256: in the prefix of a message, and in what is done to a digest.
struct Form {
    Hash hash;
    int leaf_prefix, node_prefix;  // a byte, or -1
    bool is_padded_node = true;    // else a node is one compression
    bool is_twice = false;         // a digest is hashed again
    bool is_cut = false;           // a digest loses its two highest bits
};
constexpr Form forms[] = {
    {Hash::sha256, -1, -1},
    {Hash::sha256_rfc6962, 0, 1},
    {Hash::sha256d, -1, -1, true, true},
    {Hash::sha256_compress, -1, -1, false},
    {Hash::sha256_trunc254, -1, -1, true, false, true},
};
const Form* form_of(Hash hash) noexcept {
    const Form* const found = std::ranges::find(forms, hash, &Form::hash);
    return found == std::end(forms) ? nullptr : found;
}

// A message: a prefix, if any, and `length` bytes. Its blocks are read in place, or made in `made`.
class Message {
public:
    Message(int prefix, Bytes data, std::size_t length) : prefix_(prefix >= 0), data_(data), length_(length) {
        made_[0] = static_cast<std::uint8_t>(prefix);
    }
    std::size_t blocks() const { return (length_ + prefix_ + 8) / block_bytes + 1; }

    Bytes block(std::size_t b) {
        const std::size_t skip = b == 0 ? prefix_ : 0, from = block_bytes * b - (b == 0 ? 0 : prefix_);
        const std::size_t count = from < length_ ? std::min(length_ - from, block_bytes - skip) : 0;
        if (count == block_bytes) return data_ + from;
        if (count != 0) std::memcpy(made_ + skip, data_ + from, count);
        if (skip + count == block_bytes) return made_;
        std::memset(made_ + skip + count, 0, block_bytes - skip - count);
        if (from <= length_) made_[skip + count] = 0x80;
        if (b + 1 == blocks()) {
            const std::uint64_t bits = 8 * static_cast<std::uint64_t>(length_ + prefix_);
            for (int i = 0; i < 8; i++) made_[56 + i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
        }
        return made_;
    }

private:
    std::size_t prefix_;
    Bytes data_;
    std::size_t length_;
    std::uint8_t made_[block_bytes];
};

void store(std::uint8_t out[32], const std::uint32_t h[8]) {
    for (int k = 0; k < 8; k++) {
        const std::uint32_t word = __builtin_bswap32(h[k]);
        std::memcpy(out + 4 * k, &word, 4);
    }
}

// Hashes two messages of one length to two digests. False if go_on returned false.
bool digest_two(Message& a, Message& b, std::size_t blocks, std::uint8_t* out_a, std::uint8_t* out_b, GoOn go_on) {
    const Sha256Instructions& sha = *sha256_instructions();
    std::uint32_t h[2][8];
    mkz_sha256_iv(h[0]);
    mkz_sha256_iv(h[1]);
    for (std::size_t i = 0; i < blocks; i++) {
        sha.two(h[0], h[1], a.block(i), b.block(i));
        if (i % blocks_between_checks == blocks_between_checks - 1 && !go_on.ask(go_on.of)) return false;
    }
    store(out_a, h[0]);
    store(out_b, h[1]);
    return true;
}

bool digest_one(Message& a, std::size_t blocks, std::uint8_t* out, GoOn go_on) {
    const Sha256Instructions& sha = *sha256_instructions();
    std::uint32_t h[8];
    mkz_sha256_iv(h);
    for (std::size_t i = 0; i < blocks; i++) {
        sha.blocks(h, a.block(i), 1);
        if (i % blocks_between_checks == blocks_between_checks - 1 && !go_on.ask(go_on.of)) return false;
    }
    store(out, h);
    return true;
}

constexpr GoOn always{[](const void*) { return true; }, nullptr};

bool digest_all(int prefix, bool is_padded, Bytes rows, std::size_t n, std::size_t length, std::uint8_t* out,
                GoOn go_on) {
    for (std::size_t i = 0; i < n; i += 2) {
        Message a(prefix, rows + i * length, length);
        const std::size_t blocks = is_padded ? a.blocks() : length / block_bytes;
        if (i + 1 == n) {
            if (!digest_one(a, blocks, out + 32 * i, go_on)) return false;
        } else {
            Message b(prefix, rows + (i + 1) * length, length);
            if (!digest_two(a, b, blocks, out + 32 * i, out + 32 * (i + 1), go_on)) return false;
        }
    }
    return true;
}

// Makes the hash's digests of n digests of SHA-256.
void finish(const Form& form, std::size_t n, std::uint8_t* out) {
    for (std::size_t i = 0; form.is_cut && i < n; i++) out[32 * i + 31] &= 0x3f;
    if (form.is_twice) digest_all(-1, true, out, n, 32, out, always);
}

}  // namespace

bool is_on_sha256(Hash hash) noexcept { return form_of(hash) != nullptr; }

void sha256_merges(Hash hash, Bytes in, std::size_t n, std::uint8_t* out) noexcept {
    const Form& form = *form_of(hash);
    digest_all(form.node_prefix, form.is_padded_node, in, n, 64, out, always);
    finish(form, n, out);
}

bool sha256_rows(Hash hash, Bytes rows, std::size_t n, std::size_t length, std::uint8_t* out,
                 bool (*ask)(const void* of), const void* of) {
    const Form& form = *form_of(hash);
    if (!digest_all(form.leaf_prefix, true, rows, n, length, out, {ask, of})) return false;
    finish(form, n, out);
    return true;
}

}  // namespace merklize::runtime
