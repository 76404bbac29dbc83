#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/bytes.hpp>
#include <merklize/device.hpp>

/// Keys of Ethereum's XMSS: trees whose leaves are one-time keys, made from a seed. docs/xmss.md says first what you
/// must not do with such a key.
namespace merklize::inline v0::xmss {

inline constexpr std::size_t seed_bytes = 32;
inline constexpr std::size_t node_bytes = 16;
inline constexpr std::size_t public_key_bytes = 32;  ///< the root, then the parameter: 16 bytes each
inline constexpr std::size_t message_bytes = 32;
inline constexpr std::size_t signature_bytes = 1208;  ///< 42 chains of 16 bytes, 24 random bytes, 32 siblings
/// Levels above the leaves. There are 2^32 epochs, each with a leaf.
inline constexpr unsigned height = 32;

using Node = std::array<std::byte, node_bytes>;
using PublicKey = std::array<std::byte, public_key_bytes>;
using Signature = std::array<std::byte, signature_bytes>;

/// The key of a seed for a range of epochs: it has the seed, and the nodes above bottom trees of about the square root
/// of the range. The destructor wipes the seed. Any number of threads may use one key.
class MERKLIZE_API Key {
public:
    Key(Key&&) noexcept;
    Key& operator=(Key&&) noexcept;
    ~Key();

    PublicKey public_key() const noexcept;
    std::uint32_t first_epoch() const noexcept;
    std::uint32_t last_epoch() const noexcept;

    /// The siblings from the leaf of an epoch up. The bottom tree of the epoch is made again, unless the last call
    /// needed the same one.
    /// errors  invalid_argument (an epoch outside the range), out_of_memory, cancelled
    std::vector<Node> path(std::uint64_t epoch, const RunOptions& options = {}) const;
    /// Never sign two different messages with one epoch: together they let others sign. The key does not know what it
    /// has signed, so the caller must store, before a signature leaves the process, that its epoch is used.
    ///
    /// The same key, epoch and message give the same signature. A signature takes about 2^15 attempts.
    /// message  32 bytes
    /// errors   as of path(); invalid_argument (a message of another length)
    Signature sign(std::uint64_t epoch, ByteView message, const RunOptions& options = {}) const;

private:
    struct State;
    friend MERKLIZE_API std::vector<Key> keys(ByteView seeds, std::uint64_t first_epoch, std::uint64_t last_epoch,
                                              const RunOptions& options);
    explicit Key(std::unique_ptr<State> state) noexcept;
    std::unique_ptr<State> state_;
};

/// The keys of seeds, all for the epochs from first_epoch to last_epoch, both included. A node without such an epoch
/// below it is made from the seed directly, so only the epochs of the range cost time.
/// seeds   32 secret random bytes for each key; wipe them when you no longer need them. Copies of them are wiped here,
///         on the devices, too
/// errors  invalid_argument (bytes that are not whole seeds; a range that ends before it begins, or after epoch
///         2^32 - 1), out_of_memory, cancelled
/// cost    347 compressions of BLAKE2s an epoch and a key, and one a node
MERKLIZE_API std::vector<Key> keys(ByteView seeds, std::uint64_t first_epoch, std::uint64_t last_epoch,
                                   const RunOptions& options = {});

/// Whether a signature is one of the message by the key and the epoch. Anything else is false: other lengths, and
/// epochs of 2^32 or more. Takes no memory and about 150 compressions of BLAKE2s.
MERKLIZE_API bool verify(ByteView public_key, std::uint64_t epoch, ByteView message, ByteView signature);
/// The same for many, 64 of them at once in the lanes of a thread.
/// public_keys, messages, signatures  one behind another: as many as epochs
/// valid   written: 1 or 0 for each
/// errors  invalid_argument (bytes that are not one for each epoch), out_of_memory, cancelled
MERKLIZE_API void verify_each(ByteView public_keys, std::span<const std::uint64_t> epochs, ByteView messages,
                              ByteView signatures, std::span<std::uint8_t> valid, const RunOptions& options = {});

}  // namespace merklize::inline v0::xmss
