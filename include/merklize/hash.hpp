#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <merklize/buffer.hpp>
#include <merklize/device.hpp>
#include <merklize/digest.hpp>
#include <merklize/hashes.hpp>

namespace merklize {

struct HashTraits {
    Hash hash;
    std::string_view name;
    bool is_field;  ///< digests are 4 Goldilocks elements: little-endian words < p
};

/// All hashes, by id.
std::span<const HashTraits> hashes() noexcept;
/// errors  invalid_argument (no such id)
const HashTraits& traits(Hash hash);
/// `name` as in core/hashes.h, or the alias "rp64_256".
/// errors  invalid_argument (unknown name; the text lists the known ones)
Hash hash_from_name(std::string_view name);

/// Which of BLAKE3's modes: plain, keyed, or key derivation. Holds a copy of the key and wipes it when destroyed.
class Mode {
public:
    /// Plain hash.
    Mode() noexcept;
    /// key  exactly 32 bytes.  errors  invalid_argument (length)
    static Mode keyed(std::span<const std::byte> key);
    /// context  globally unique text that names the purpose (BLAKE3's derive_key); the data hashed is then the key material.
    static Mode derive_key(std::string_view context);

    Mode(const Mode&) = default;
    Mode& operator=(const Mode&) = default;
    ~Mode();

    const std::uint32_t* key_words() const noexcept { return key_; }
    std::uint32_t flags() const noexcept { return flags_; }

private:
    std::uint32_t key_[8];
    std::uint32_t flags_ = 0;
};

/// BLAKE3 digest of bytes.
/// data    host memory; only read; any length
/// order   synchronous
/// errors  unavailable, cancelled
/// cost    reads `data` once
Digest hash(std::span<const std::byte> data, const Mode& mode = {}, const RunOptions& options = {});

/// The same with extendable output: fills `out` with the output bytes from position `seek` on. out.size() + seek < 2^64.
void hash(std::span<const std::byte> data, std::span<std::byte> out, std::uint64_t seek = 0, const Mode& mode = {},
          const RunOptions& options = {});

/// The same of bytes in the memory of a device, hashed there: the device is the buffer's, options.device is not looked at.
/// data    any alignment; only read; of any length
/// order   after what is enqueued on options.stream; complete when it returns
/// errors  invalid_argument (a stream of another device), out_of_memory, internal (the driver's text)
Digest hash(const Buffer& data, const Mode& mode = {}, const RunOptions& options = {});
/// Extendable output is made on the host from the root.
void hash(const Buffer& data, std::span<std::byte> out, std::uint64_t seek = 0, const Mode& mode = {},
          const RunOptions& options = {});

/// BLAKE3 digest of the bytes of several buffers, one after another, which may lie on several devices: each is hashed where it
/// lies, all devices at once, by one host thread each.
/// parts   any count; each but the last of those not empty is a multiple of 1024 bytes. Fastest if each begins at a multiple
///         of its own size, a power of two, as equal shares of 2^k bytes do
/// order   complete when it returns. There is no common stream: what wrote the parts must have ended
/// errors  invalid_argument (a part of another length; a stream), and those of hash()
Digest hash_parts(std::span<const Buffer> parts, const Mode& mode = {}, const RunOptions& options = {});
/// The same with extendable output.
void hash_parts(std::span<const Buffer> parts, std::span<std::byte> out, std::uint64_t seek = 0, const Mode& mode = {},
                const RunOptions& options = {});

/// BLAKE3 of a file or any other readable thing with a descriptor, never held in memory as a whole: at most about 32 MiB.
/// A regular file is read by all threads at once; a pipe by one thread while the others hash.
/// errors  io (cannot open or read; a regular file that changed its size while being read)
void hash_file(const std::filesystem::path& path, std::span<std::byte> out, std::uint64_t seek = 0,
               const Mode& mode = {}, const RunOptions& options = {});
/// fd  open for reading, read from its current position to its end; not closed.
void hash_descriptor(int fd, std::string_view name, std::span<std::byte> out, std::uint64_t seek = 0,
                     const Mode& mode = {}, const RunOptions& options = {});

/// What became of one file of hash_files().
struct FileDigest {
    std::vector<std::byte> output;  ///< empty if the file failed
    std::string error;              ///< why, or empty
    int system_error = 0;           ///< errno's value, if the system refused
};

/// Many files, several at once. One result a path, in order; a file that fails does not stop the others.
/// length  output bytes a file
std::vector<FileDigest> hash_files(std::span<const std::filesystem::path> paths, std::size_t length = Digest::size,
                                   std::uint64_t seek = 0, const Mode& mode = {}, const RunOptions& options = {});

/// BLAKE3 of n messages of equal length, side by side in SIMD lanes.
/// messages  [n, message_bytes] bytes, host memory
/// out       [n, 32] bytes
/// errors    invalid_argument (sizes that do not fit)
void hash_many(std::span<const std::byte> messages, std::size_t message_bytes, std::span<std::byte> out,
               const Mode& mode = {}, const RunOptions& options = {});

/// The same on a device: [n, message_bytes] bytes and [n, 32] bytes of one device, of any alignment.
void hash_many(const Buffer& messages, std::size_t message_bytes, const Buffer& out, const Mode& mode = {},
               const RunOptions& options = {});

/// Digests of n rows of field elements by one of the Rescue Prime hashes.
/// rows    [n, elements] words, each < p
/// out     [n, 4] words
/// errors  invalid_argument (a hash that is not of field elements; sizes; a word >= p, with its place)
/// cost    ceil(elements / 8) permutations a row
void hash_elements(std::span<const std::uint64_t> rows, std::size_t n_rows, std::size_t elements,
                   std::span<std::uint64_t> out, Hash hash = Hash::rp64_256, const RunOptions& options = {});

/// The same on a device: [n, elements] words and [n, 4] words of one device. A word >= p is found there.
void hash_elements(const Buffer& rows, std::size_t n_rows, std::size_t elements, const Buffer& out,
                   Hash hash = Hash::rp64_256, const RunOptions& options = {});

/// The digests of n records of equal length as leaves of a tree of this hash: BLAKE3 of the bytes (with `mode`), SHA-256 of the byte 0
/// and the record (RFC 6962), or hash_elements() of its words.
/// records  [n, record_bytes] bytes
/// errors   invalid_argument (sizes that do not fit; for field hashes a length that is no multiple of 8 or a word >= p; a mode for
///          another hash than blake3)
void hash_leaves(std::span<const std::byte> records, std::uint64_t record_bytes, std::span<Digest> out,
                 Hash hash = Hash::blake3, const Mode& mode = {}, const RunOptions& options = {});
/// The same on a device.
void hash_leaves(const Buffer& records, std::uint64_t record_bytes, const Buffer& out, Hash hash = Hash::blake3,
                 const Mode& mode = {}, const RunOptions& options = {});

/// Merges n pairs: out[i] = merge(left[i], right[i]).
/// mode    keyed or derive-key merges, of blake3 alone
/// errors  invalid_argument (unequal sizes; for field hashes a word >= p; a mode for another hash)
void merge(std::span<const Digest> left, std::span<const Digest> right, std::span<Digest> out, Hash hash = Hash::blake3,
           const Mode& mode = {}, const RunOptions& options = {});
/// The same on a device: [n, 32] bytes each, of one device.
void merge(const Buffer& left, const Buffer& right, const Buffer& out, Hash hash = Hash::blake3, const Mode& mode = {},
           const RunOptions& options = {});
/// One pair, on the CPU.
Digest merge(const Digest& left, const Digest& right, Hash hash = Hash::blake3, const Mode& mode = {});

namespace runtime {
class HasherState;
}

/// Streaming BLAKE3. Large updates use all threads. Not safe for use by two threads at once without the caller's lock.
class Hasher {
public:
    explicit Hasher(const Mode& mode = {}, const RunOptions& options = {});
    Hasher(const Hasher& other);
    Hasher& operator=(const Hasher& other);
    Hasher(Hasher&&) noexcept;
    Hasher& operator=(Hasher&&) noexcept;
    ~Hasher();

    /// Appends bytes. After Error(cancelled) the state is lost: reset() before further use.
    void update(std::span<const std::byte> data);
    /// The digest of all bytes so far; the state goes on.
    Digest digest() const;
    /// Output bytes from position `seek` on.
    void digest(std::span<std::byte> out, std::uint64_t seek = 0) const;
    /// Back to the empty input, same mode.
    void reset();
    /// Bytes so far.
    std::uint64_t count() const noexcept;

private:
    std::unique_ptr<runtime::HasherState> state_;
};

}  // namespace merklize
