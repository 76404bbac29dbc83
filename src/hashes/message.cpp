#include "hashes/message.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "hashes/blake2s.hpp"
#include "hashes/merge_one.hpp"
#include "hashes/messages/rpjive.hpp"
#include "hashes/sha256_instructions.hpp"
#include "host/invalid.hpp"
#include "host/names.hpp"
#include "merklize/core/hashes.h"
#include "merklize/core/names.h"
#include "merklize/error.hpp"

namespace merklize::runtime {

struct MessageFunctions {
    std::size_t rate;
    bool needs_length;
    void (*init)(void* state, const MessageStart& start);
    void (*blocks)(void* state, const std::uint8_t* data, std::size_t n);
    void (*finish)(void* state, const std::uint8_t* rest, std::uint64_t bytes, std::uint8_t* out);
};

namespace {

#define MKZ_EACH_HASH "hashes/message_unit.inc"
#include <merklize/core/hashes.h>

// Eidos begins with the count of bytes and fills its last block with zeros; an empty message is one block of zeros.
template <void (*iv)(std::uint32_t*, std::uint32_t, std::uint32_t),
          void (*compress)(std::uint32_t*, const std::uint32_t*)>
struct EidosMessage {
    static constexpr std::size_t rate = 64;
    static constexpr bool needs_length = true;
    static void init(void* state, const MessageStart& start) {
        iv(static_cast<std::uint32_t*>(state), MKZ_EIDOS_BYTES, static_cast<std::uint32_t>(start.length));
    }
    static void blocks(void* state, const std::uint8_t* data, std::size_t n) {
        for (std::size_t i = 0; i < n; i++) {
            std::uint32_t block[16];
            std::memcpy(block, data + rate * i, rate);
            compress(static_cast<std::uint32_t*>(state), block);
        }
    }
    static void finish(void* state, const std::uint8_t* rest, std::uint64_t bytes, std::uint8_t* out) {
        if (bytes % rate != 0 || bytes == 0) {
            std::uint8_t padded[rate] = {};
            std::memcpy(padded, rest, bytes % rate);
            blocks(state, padded, 1);
        }
        std::memcpy(out, state, Digest::size);
    }
};

struct OfBlake2s {
    static constexpr std::size_t rate = Blake2sMessage::rate;
    static constexpr bool needs_length = false;
    static_assert(sizeof(Blake2sMessage) <= 200);
    static Blake2sMessage& in(void* state) { return *static_cast<Blake2sMessage*>(state); }
    static void init(void* state, const MessageStart& start) {
        (new (state) Blake2sMessage)->begin(start.digest_bytes, start.key);
    }
    static void blocks(void* state, const std::uint8_t* data, std::size_t n) { in(state).blocks(data, n); }
    static void finish(void* state, const std::uint8_t* rest, std::uint64_t bytes, std::uint8_t* out) {
        in(state).finish(rest, bytes % rate, out);
    }
};

struct OfRpJive {
    static constexpr std::size_t rate = RpJiveMessage::rate;
    static constexpr bool needs_length = true;
    static_assert(sizeof(RpJiveMessage) <= 200);
    static RpJiveMessage& in(void* state) { return *static_cast<RpJiveMessage*>(state); }
    static void init(void* state, const MessageStart& start) { (new (state) RpJiveMessage)->begin(start.length); }
    static void blocks(void* state, const std::uint8_t* data, std::size_t n) { in(state).blocks(data, n); }
    static void finish(void* state, const std::uint8_t* rest, std::uint64_t bytes, std::uint8_t* out) {
        in(state).finish(rest, bytes % rate, out);
    }
};

// SHA-256's state is the first words of these hashes' states.
void sha256_blocks(void* state, const std::uint8_t* data, std::size_t n) {
    sha256_instructions()->blocks(static_cast<std::uint32_t*>(state), data, n);
}

template <class Of>
const MessageFunctions* functions_of(bool is_sha256 = false) {
    const bool by_instructions = is_sha256 && sha256_instructions() != nullptr;
    static const MessageFunctions made = {Of::rate, Of::needs_length, Of::init,
                                          by_instructions ? sha256_blocks : Of::blocks, Of::finish};
    return &made;
}

// Null if the hash does not hash messages, or hashes them by a tree of chunks.
const MessageFunctions* find_functions(Hash hash) {
    switch (hash) {
        case Hash::sha256: return functions_of<MessageOf_sha256>(true);
        case Hash::sha256d: return functions_of<MessageOf_sha256d>(true);
        case Hash::sha256_compress: return functions_of<MessageOf_sha256_compress>(true);
        case Hash::sha256_trunc254: return functions_of<MessageOf_sha256_trunc254>(true);
        case Hash::keccak256: return functions_of<MessageOf_keccak256>();
        case Hash::keccak256_sorted: return functions_of<MessageOf_keccak256_sorted>();
        case Hash::eidos: return functions_of<EidosMessage<mkz_eidos_iv, mkz_eidos_compress>>();
        case Hash::eidos_v0: return functions_of<EidosMessage<mkz_eidos_v0_iv, mkz_eidos_v0_compress>>();
        case Hash::blake2s: return functions_of<OfBlake2s>();
        case Hash::sha3_256: return functions_of<MessageOf_sha3_256>();
        case Hash::rpjive64_256: return functions_of<OfRpJive>();
        default: return nullptr;
    }
}

}  // namespace

namespace {

void require_message_hash(Hash hash) {
    const mkz_hash_info& facts = info(hash);
    if (facts.has_chunk_tree || find_functions(hash) != nullptr) return;
    const std::string name = std::string("'") + facts.name + "' ";
    if (is_field(facts)) invalid_call(name + "hashes field elements, not bytes; hash_rows takes them");
    if (facts.leaf_prefix < 0)
        invalid_call(name + "binds no length, so it hashes rows of one length; 'keccak256' takes messages");
    invalid_call(name + "puts a prefix before a message, for leaves of trees; 'sha256' is SHA-256 of a message");
}

}  // namespace

void require_message(const MessageForm& form, std::size_t digest_bytes) {
    require_message_hash(form.hash);
    require_merges(form.hash, form.mode);
    const mkz_hash_info& facts = info(form.hash);
    if (facts.has_chunk_tree || digest_bytes == Digest::size) return;
    const std::string name = std::string("'") + facts.name + "' ", got = ", got " + std::to_string(digest_bytes);
    if (facts.is_keyed == 0)
        invalid_call(name + "has 32 bytes of output" + got + "; 'blake2s' has 1 to 32, and 'blake3' any length");
    if (digest_bytes == 0 || digest_bytes > Digest::size)
        invalid_call(name + "has 1 to 32 bytes of output" + got + "; 'blake3' has any length");
}

Hash message_hash_from_name(std::string_view name) {
    if (const std::optional<Hash> found = find_hash(name)) return *found;
    // Those that programs have for files and messages. The others are for trees of other systems.
    constexpr std::string_view names[] = {"blake3", "blake2s", "sha256", "sha256d", "sha3_256", "keccak256"};
    invalid(unknown_name("hash", name, names));
}

Message::Message(const MessageForm& form, std::uint64_t length, std::size_t digest_bytes)
    : functions_(find_functions(form.hash)), is_keyed_(form.mode.flags() != 0) {
    require_message(form, digest_bytes);
    const char* name = info(form.hash).name;
    if (functions_ == nullptr) invalid_call(std::string("'") + name + "' is hashed as a tree of chunks");
    if (functions_->needs_length && length == unknown) {
        invalid_call(std::string("'") + name +
                     "' begins with the length of the message, so it takes only data whose length is known");
    }
    functions_->init(state_, {length, digest_bytes, form.mode.secret()});
}

void Message::update(std::span<const std::byte> data) {
    if (data.empty()) return;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(data.data());
    std::size_t left = data.size();
    const std::size_t rate = functions_->rate, waiting = count_ % rate;
    count_ += left;
    if (waiting != 0) {
        const std::size_t taken = std::min(left, rate - waiting);
        std::memcpy(rest_ + waiting, bytes, taken);
        bytes += taken;
        left -= taken;
        if (waiting + taken < rate) return;
        functions_->blocks(state_, rest_, 1);
    }
    functions_->blocks(state_, bytes, left / rate);
    std::memcpy(rest_, bytes + left / rate * rate, left % rate);
}

Digest Message::digest() const {
    Message copy = *this;
    Digest digest;
    functions_->finish(copy.state_, rest_, count_, reinterpret_cast<std::uint8_t*>(digest.bytes.data()));
    return digest;
}

}  // namespace merklize::runtime
