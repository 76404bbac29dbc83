#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <merklize/merklize.hpp>

#include "check.hpp"
#include "reference.hpp"

// Small helpers that the tests share.
namespace support {

using merklize::Digest;
using merklize::Hash;
using reference::Bytes;

inline std::span<const std::byte> view(const Bytes& bytes) { return std::as_bytes(std::span(bytes)); }
inline std::span<std::byte> view(Bytes& bytes) { return std::as_writable_bytes(std::span(bytes)); }

inline Bytes to_bytes(const Digest& digest) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(digest.bytes.data());
    return Bytes(data, data + Digest::size);
}
inline Digest to_digest(const Bytes& bytes) {
    Digest digest;
    for (std::size_t i = 0; i < Digest::size; ++i) digest.bytes[i] = std::byte{bytes[i]};
    return digest;
}
inline std::string hex(const Bytes& bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    for (const std::uint8_t byte : bytes) out += {digits[byte >> 4], digits[byte & 15]};
    return out;
}

inline Bytes from_hex(const std::string& text) {
    Bytes out;
    for (std::size_t i = 0; i < text.size(); i += 2)
        out.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
    return out;
}

/// Byte i is i mod 251, as in BLAKE3's published test vectors.
inline Bytes pattern(std::size_t size) {
    Bytes out(size);
    for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::uint8_t>(i % 251);
    return out;
}

/// The modulus of Goldilocks.
inline constexpr std::uint64_t p = 0xffffffff00000001;

/// n_threads  0: as many as there are processors
inline merklize::RunOptions on_cpu(unsigned n_threads = 0) {
    return {.device = merklize::Device("cpu"), .threads = n_threads};
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// A file that is open for reading.
struct Descriptor {
    explicit Descriptor(const std::filesystem::path& path) : fd(::open(path.c_str(), O_RDONLY)) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { ::close(fd); }
    int fd;
};

/// SplitMix64: small, seeded, the same everywhere.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t operator()() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    std::uint64_t below(std::uint64_t n) { return (*this)() % n; }
    Bytes bytes(std::size_t n) {
        Bytes out(n);
        for (std::uint8_t& byte : out) byte = static_cast<std::uint8_t>((*this)() >> 56);
        return out;
    }
    /// A canonical field word; one in four is close to an edge of the field or of its 32-bit halves.
    std::uint64_t element(std::uint64_t p = 0xffffffff00000001) {
        const std::uint64_t edges[] = {0, 1, 0xffffffff, 0x100000000, 0x7fffffff80000000, p - 0x100000000, p - 1};
        return below(4) == 0 ? (edges[below(7)] + below(3)) % p : (*this)() % p;
    }

private:
    std::uint64_t state_;
};

/// Random bytes that a field hash takes as words.
inline Bytes random_elements(const merklize::HashTraits& t, std::size_t bytes, Random& random) {
    Bytes out;
    while (out.size() < bytes) {
        const std::uint64_t word = random.element(t.modulus);
        for (unsigned i = 0; i < t.element_bits; i += 8) out.push_back(static_cast<std::uint8_t>(word >> i));
    }
    return out;
}

/// Whether the words of a digest are below the modulus, if the hash is a field hash.
inline bool is_canonical(const merklize::HashTraits& t, const Digest& digest) {
    const Bytes bytes = to_bytes(digest);
    for (std::size_t i = 0; t.is_field && i < bytes.size(); i += t.element_bits / 8) {
        std::uint64_t word = 0;
        for (unsigned k = 0; k < t.element_bits / 8; k++) word |= std::uint64_t{bytes[i + k]} << (8 * k);
        if (word >= t.modulus) return false;
    }
    return true;
}

/// Whether the tests run this hash. MERKLIZE_TEST_HASHES has names, separated by commas; unset: all.
inline bool is_wanted(const merklize::HashTraits& t) {
    const char* names = std::getenv("MERKLIZE_TEST_HASHES");
    return names == nullptr ||
           ("," + std::string(names) + ",").find("," + std::string(t.name) + ",") != std::string::npos;
}

/// True under sanitizers and emulators, which are slow (MERKLIZE_FEWER_HASHES, set by CMake).
#ifdef MERKLIZE_FEWER_HASHES
inline constexpr bool is_slowed = true;
#else
inline constexpr bool is_slowed = false;
#endif

/// The hashes that most tests loop over. On the CPU these are all. A device compiles each kernel for seconds, so there,
/// and under slow tools, these are one or two hashes of each family; `vectors` and `every_kernel` run the others.
inline std::vector<merklize::HashTraits> hashes_here() {
    const bool is_slow = is_slowed || merklize::Device().info().backend != "cpu";
    constexpr Hash others[] = {Hash::blake3_parent,
                               Hash::rp64_256_v2,
                               Hash::rpx256,
                               Hash::rpo256_r1,
                               Hash::rpo256_r2,
                               Hash::rpx256_r2,
                               Hash::poseidon2_goldilocks_8,
                               Hash::poseidon2_miden,
                               Hash::poseidon_goldilocks_8,
                               Hash::poseidon_babybear_16,
                               Hash::poseidon_babybear_24,
                               Hash::poseidon_koalabear_16,
                               Hash::poseidon2_babybear_16,
                               Hash::poseidon2_koalabear_16,
                               Hash::poseidon2_koalabear_24,
                               Hash::sha256,
                               Hash::sha256d,
                               Hash::sha256_trunc254,
                               Hash::keccak256_sorted,
                               Hash::keccakf64,
                               Hash::sha3_256,
                               Hash::rpjive64_256,
                               Hash::eidos_v0};
    std::vector<merklize::HashTraits> out;
    for (const merklize::HashTraits& t : merklize::hashes()) {
        if (!is_wanted(t) || (is_slow && std::ranges::find(others, t.hash) != std::end(others))) continue;
        out.push_back(t);
    }
    return out;
}

/// n digests that `hash` takes as leaves: for field hashes, canonical words.
inline std::vector<Digest> leaves(Hash hash, std::size_t n, std::uint64_t seed = 1) {
    Random random(seed);
    std::vector<Digest> out(n);
    for (Digest& leaf : out) {
        const merklize::HashTraits& t = merklize::traits(hash);
        leaf = to_digest(t.is_field ? random_elements(t, Digest::size, random) : random.bytes(Digest::size));
    }
    return out;
}

/// n digests from BLAKE3's extendable output of "leaves". They are the leaves of the published roots.
inline std::vector<Digest> known_leaves(std::size_t n) {
    std::vector<Digest> out(n);
    merklize::hash(view(Bytes{'l', 'e', 'a', 'v', 'e', 's'}), std::as_writable_bytes(std::span(out)));
    return out;
}

inline merklize::RunOptions threads(unsigned n, const merklize::Policy& policy = {}) {
    merklize::RunOptions options;
    options.threads = n;
    options.policy = policy;
    return options;
}

/// Copies bytes to the default device, to `offset` in a block.
inline merklize::Buffer on_device(std::span<const std::byte> bytes, std::uint64_t offset = 0) {
    const merklize::Buffer block(merklize::Device(), bytes.size() + offset);
    merklize::Buffer part = block.slice(offset, bytes.size());
    part.copy_from(bytes);
    return part;
}
template <class T>
merklize::Buffer on_device(const std::vector<T>& values, std::uint64_t offset = 0) {
    return on_device(std::as_bytes(std::span(values)), offset);
}
template <class T>
std::vector<T> on_host(const merklize::ConstBuffer& buffer) {
    std::vector<T> values(buffer.size() / sizeof(T));
    buffer.copy_to(std::as_writable_bytes(std::span(values)));
    return values;
}

/// A folder that is removed at the end.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "merklize-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
        path_ = name;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path write(const std::string& name, const Bytes& bytes) const {
        std::ofstream(path_ / name, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        return path_ / name;
    }

private:
    std::filesystem::path path_;
};

/// hash_leaves() by BLAKE3 of messages of one length; `out` has 32 bytes for each.
inline void hash_messages(std::span<const std::byte> messages, std::size_t bytes, std::span<std::byte> out,
                          const merklize::Mode& mode = {}, const merklize::RunOptions& options = {}) {
    merklize::hash_leaves(
        messages, bytes,
        std::span(reinterpret_cast<merklize::Digest*>(out.data()), out.size() / merklize::Digest::size),
        merklize::Hash::blake3, mode, options);
}

/// hash_leaves() of rows of words; the digests as words, too.
template <class Word>
void hash_words(std::span<const Word> rows, std::size_t elements, std::span<Word> out,
                merklize::Hash hash = merklize::Hash::rp64_256, const merklize::RunOptions& options = {}) {
    const std::span digests(reinterpret_cast<merklize::Digest*>(out.data()), out.size_bytes() / merklize::Digest::size);
    merklize::hash_leaves(std::as_bytes(rows), elements * sizeof(Word), digests, hash, {}, options);
}

}  // namespace support
