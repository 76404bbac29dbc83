#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/buffer.hpp>
#include <merklize/bytes.hpp>
#include <merklize/device.hpp>
#include <merklize/digest.hpp>
#include <merklize/hashes.hpp>

namespace merklize::runtime {
class HasherState;
}

namespace merklize::inline v0 {

struct HashTraits {
    Hash hash;
    std::string_view name;
    bool is_field;          ///< digests are field elements: little-endian words below the modulus
    unsigned element_bits;  ///< of field hashes: 64 (a digest is 4 words) or 32 (8 words); 0 for hashes of bytes
    std::uint64_t modulus;  ///< of field hashes; 0 for hashes of bytes
};

/// All hashes, by id.
MERKLIZE_API std::span<const HashTraits> hashes() noexcept;
/// errors  invalid_argument (unknown id)
MERKLIZE_API const HashTraits& traits(Hash hash);
/// name    one of core/hashes.h, or the alias "rp64_256"
/// errors  invalid_argument (unknown name; the text lists the known ones)
MERKLIZE_API Hash hash_from_name(std::string_view name);

/// A mode of a hash: plain; under a key (BLAKE3, BLAKE2s); or key derivation (BLAKE3). Holds a copy of the key and
/// wipes it when destroyed. A mode with a key is of one hash: other hashes refuse it.
class MERKLIZE_API Mode {
public:
    /// Plain hash.
    Mode() noexcept;
    /// key   `blake3`: exactly 32 bytes; `blake2s`: 1 to 32 bytes
    /// errors  invalid_argument (length; a hash that has no keys)
    static Mode keyed(ByteView key, Hash hash = Hash::blake3);
    /// BLAKE3's derive_key: the data that is hashed is the key material.
    /// context  a globally unique text that names the purpose
    static Mode derive_key(std::string_view context);

    Mode(const Mode&) = default;
    Mode& operator=(const Mode&) = default;
    ~Mode();

    /// What kernels take: BLAKE3's key; the state of BLAKE2s behind the block of its key.
    const std::uint32_t* key_words() const noexcept { return key_; }
    /// 0: plain; BLAKE3's flags of the mode; of BLAKE2s 256 + bytes of its key.
    std::uint32_t flags() const noexcept { return flags_; }
    /// The key of BLAKE2s; of other modes no bytes.
    ByteView secret() const noexcept { return {secret_, is_blake2s() ? flags_ - blake2s_flag : 0}; }
    bool is_blake2s() const noexcept { return flags_ >= blake2s_flag; }

private:
    static constexpr std::uint32_t blake2s_flag = 256;

    alignas(8) std::uint32_t key_[8];
    std::byte secret_[32]{};
    std::uint32_t flags_ = 0;
};

/// What a message is hashed by: a hash of bytes, and its mode.
struct MessageForm {
    Hash hash = Hash::blake3;
    Mode mode{};

    MessageForm(Hash of = Hash::blake3, const Mode& by = {}) : hash(of), mode(by) {}  // NOLINT: a hash is a form
};

/// BLAKE3 digest of bytes.
/// data    host memory of any length; only read
/// order   complete when it returns
/// errors  unavailable, cancelled
/// cost    reads `data` once
MERKLIZE_API Digest hash(ByteView data, const Mode& mode = {}, const RunOptions& options = {});

/// The same with extendable output: fills `out` with the output bytes from position `seek` on. out.size() + seek must
/// be < 2^64.
MERKLIZE_API void hash(ByteView data, std::span<std::byte> out, std::uint64_t seek = 0, const Mode& mode = {},
                       const RunOptions& options = {});

/// The same for bytes in the memory of a device, hashed there. The device is the buffer's; options.device is ignored.
/// data    of any alignment and length; only read
/// order   begins after what is enqueued on options.stream; complete when it returns
/// errors  invalid_argument (a stream of another device), out_of_memory, internal (the driver's text)
MERKLIZE_API Digest hash(const ConstBuffer& data, const Mode& mode = {}, const RunOptions& options = {});
/// The same with extendable output, which the host makes from the root.
MERKLIZE_API void hash(const ConstBuffer& data, std::span<std::byte> out, std::uint64_t seek = 0, const Mode& mode = {},
                       const RunOptions& options = {});

/// BLAKE3 digest of several buffers, one after another, which may lie on several devices. Each buffer is hashed where
/// it lies; all devices work at once, with one host thread each.
/// parts   any number of buffers. Each non-empty part but the last must be a multiple of 1024 bytes. Fastest if the
///         size of each part is a power of two and divides the part's offset in the message, as with equal parts of 2^k
///         bytes.
/// order   complete when it returns. There is no common stream: whatever wrote the parts must have ended.
/// errors  invalid_argument (a part of another length; a stream), and the errors of hash()
MERKLIZE_API Digest hash_parts(std::span<const ConstBuffer> parts, const Mode& mode = {},
                               const RunOptions& options = {});
/// The same with extendable output.
MERKLIZE_API void hash_parts(std::span<const ConstBuffer> parts, std::span<std::byte> out, std::uint64_t seek = 0,
                             const Mode& mode = {}, const RunOptions& options = {});

/// BLAKE3 digest of a file or of anything else that can be opened and read. It takes at most about 32 MiB of memory.
/// All threads read a regular file at once. One thread at a time reads a pipe; the others hash.
/// errors  io (cannot open or read; a regular file that changed its size while it was read)
MERKLIZE_API void hash_file(const std::filesystem::path& path, std::span<std::byte> out, std::uint64_t seek = 0,
                            const Mode& mode = {}, const RunOptions& options = {});
/// The same for an open descriptor, read from its current position to its end and not closed.
/// name  for error texts
MERKLIZE_API void hash_descriptor(int fd, std::string_view name, std::span<std::byte> out, std::uint64_t seek = 0,
                                  const Mode& mode = {}, const RunOptions& options = {});

/// The result for one file of hash_files().
struct FileDigest {
    std::vector<std::byte> output;  ///< empty if the file failed
    std::string error;              ///< why it failed, or empty
    int system_error = 0;           ///< errno's value, if a system call failed
};

/// Digests of many files, several files at once. One result for each path, in order; a file that fails does not stop
/// the others.
/// length  output bytes for each file
MERKLIZE_API std::vector<FileDigest> hash_files(std::span<const std::filesystem::path> paths,
                                                std::size_t length = Digest::size, std::uint64_t seek = 0,
                                                const Mode& mode = {}, const RunOptions& options = {});

/// Digest of one message by a hash of bytes: "sha256" is SHA-256, "keccak256" is Ethereum's Keccak-256, "eidos" is
/// Miden's hash of bytes, "rpjive64_256" is Winterfell's. `blake3` is hash(). Every other hash is one chain of blocks.
/// The calling thread computes it, whatever the device, with the processor's SHA instructions if there are any.
/// errors  invalid_argument (a hash of field elements, or `sha256_rfc6962`, which puts a prefix before leaves, or
///         `keccakf64`, which binds no length; a mode that the hash does not have; a policy)
MERKLIZE_API Digest hash_message(ByteView data, const MessageForm& form, const RunOptions& options = {});
/// The same of bytes in the memory of a device, which are copied to the host in pieces.
MERKLIZE_API Digest hash_message(const ConstBuffer& data, const MessageForm& form, const RunOptions& options = {});
/// The same of a file or of anything else that can be opened and read.
/// errors  io; invalid_argument (Eidos and rpjive64_256 of a pipe: they begin with the length)
MERKLIZE_API Digest hash_message_file(const std::filesystem::path& path, const MessageForm& form,
                                      const RunOptions& options = {});
/// The same of an open descriptor, read from its current position to its end and not closed.
MERKLIZE_API Digest hash_message_descriptor(int fd, std::string_view name, const MessageForm& form,
                                            const RunOptions& options = {});

/// The same with a digest of out.size() bytes. `blake2s` has digests of 1 to 32 bytes, each length a function of its
/// own, and `blake3` of any length; the other hashes have 32 bytes.
/// errors  invalid_argument (a length that the hash does not have)
MERKLIZE_API void hash_message(ByteView data, std::span<std::byte> out, const MessageForm& form,
                               const RunOptions& options = {});
MERKLIZE_API void hash_message(const ConstBuffer& data, std::span<std::byte> out, const MessageForm& form,
                               const RunOptions& options = {});
MERKLIZE_API void hash_message_file(const std::filesystem::path& path, std::span<std::byte> out,
                                    const MessageForm& form, const RunOptions& options = {});
MERKLIZE_API void hash_message_descriptor(int fd, std::string_view name, std::span<std::byte> out,
                                          const MessageForm& form, const RunOptions& options = {});
/// The same for many files, one thread for each file. One result for each path, in order; a file that fails does not
/// stop the others.
/// length  bytes of each digest
MERKLIZE_API std::vector<FileDigest> hash_message_files(std::span<const std::filesystem::path> paths,
                                                        const MessageForm& form, const RunOptions& options = {},
                                                        std::size_t length = Digest::size);

/// Digests of n rows of equal length, as leaves of a tree of this hash: the leaves of MerkleTree::from_rows().
/// `blake3`: BLAKE3 of the row (with `mode`), side by side in SIMD lanes. `sha256_rfc6962`: SHA-256 of the byte 0 and
/// the row. Field hashes: the hash of the row's words (HashTraits::element_bits), each below the modulus. Rows of
/// matrices of any strides: hash_rows(), merklize/matrix.hpp.
/// rows    [n, row_bytes] bytes; rows of words as their bytes, little endian
/// out     [n]; must not overlap `rows`
/// errors  invalid_argument (sizes that do not fit; an overlap; a field hash with rows of no whole words, or with a
///         word >= p, with its place; a mode that the hash does not have)
/// cost    of field hashes: ceil(words of a row / rate) permutations a row; docs/hashes.md has the rates
MERKLIZE_API void hash_leaves(ByteView rows, std::uint64_t row_bytes, std::span<Digest> out, Hash hash = Hash::blake3,
                              const Mode& mode = {}, const RunOptions& options = {});
/// The same on a device: [n, row_bytes] and [n, 32] bytes on one device, of any alignment. The device finds a word >=
/// p.
MERKLIZE_API void hash_leaves(const ConstBuffer& rows, std::uint64_t row_bytes, Buffer out, Hash hash = Hash::blake3,
                              const Mode& mode = {}, const RunOptions& options = {});

/// Merges n pairs: out[i] = merge(left[i], right[i]). `out` may be `left` or `right`, but must not overlap them in
/// part.
/// mode    merges under a key, or of key derivation: of blake3 and blake2s
/// errors  invalid_argument (unequal sizes; a field hash with a word >= p; a mode that the hash does not have)
MERKLIZE_API void merge(std::span<const Digest> left, std::span<const Digest> right, std::span<Digest> out,
                        Hash hash = Hash::blake3, const Mode& mode = {}, const RunOptions& options = {});
/// The same on a device: [n, 32] bytes each, all on one device.
MERKLIZE_API void merge(const ConstBuffer& left, const ConstBuffer& right, Buffer out, Hash hash = Hash::blake3,
                        const Mode& mode = {}, const RunOptions& options = {});
/// One pair, on the CPU.
MERKLIZE_API Digest merge(const Digest& left, const Digest& right, Hash hash = Hash::blake3, const Mode& mode = {});

/// Streaming BLAKE3, or another hash of bytes. Large updates use all threads. If two threads share a Hasher, the caller
/// must lock it.
class MERKLIZE_API Hasher {
public:
    explicit Hasher(const Mode& mode = {}, const RunOptions& options = {});
    /// The same by another hash of bytes, as hash_message().
    /// length  bytes of each digest, as of hash_message()
    /// errors  invalid_argument (one that hash_message() does not take, or that begins with the length: Eidos,
    ///         rpjive64_256)
    static Hasher of(const MessageForm& form, const RunOptions& options = {}, std::size_t length = Digest::size);
    Hasher(const Hasher& other);
    Hasher& operator=(const Hasher& other);
    Hasher(Hasher&&) noexcept;
    Hasher& operator=(Hasher&&) noexcept;
    ~Hasher();

    /// Appends bytes. After Error(cancelled) the state is lost; call reset() before further use.
    void update(ByteView data);
    /// The digest of all bytes so far. More bytes may follow.
    Digest digest() const;
    /// Output bytes from position `seek` on.
    /// errors  invalid_argument (a hash without extendable output: other than its bytes at 0)
    void digest(std::span<std::byte> out, std::uint64_t seek = 0) const;
    /// Back to the empty input, in the same mode.
    void reset();
    /// Number of bytes so far.
    std::uint64_t count() const noexcept;

private:
    std::unique_ptr<runtime::HasherState> state_;
};

}  // namespace merklize::inline v0
