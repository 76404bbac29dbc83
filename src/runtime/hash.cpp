#include "merklize/hash.hpp"

#include <algorithm>
#include <cstring>

#include "merklize/core/blake3.h"
#include "merklize/error.hpp"
#include "runtime/chunk_tree.hpp"
#include "runtime/wipe.hpp"

namespace merklize {
namespace {

constexpr HashTraits all_traits[] = {
#define MKZ_HASH(id, name, prefix, lane, kind) {Hash::name, #name, std::string_view(#kind) == "field"},
#include <merklize/hashes.def>
};

}  // namespace

std::span<const HashTraits> hashes() noexcept { return all_traits; }

const HashTraits& traits(Hash hash) {
    for (const HashTraits& t : all_traits) {
        if (t.hash == hash) return t;
    }
    throw Error(ErrorCode::invalid_argument, "unknown hash id " + std::to_string(static_cast<unsigned>(hash)));
}

Hash hash_from_name(std::string_view name) {
    std::string known = "rp64_256";
    if (name == known) return Hash::rp64_256;
    for (const HashTraits& t : all_traits) {
        if (t.name == name) return t.hash;
        known += ", " + std::string(t.name);
    }
    throw Error(ErrorCode::invalid_argument, "unknown hash '" + std::string(name) + "'; known: " + known);
}

Mode::Mode() noexcept { mkz_blake3_iv(key_); }

Mode::~Mode() { runtime::wipe(key_, sizeof key_); }

Mode Mode::keyed(std::span<const std::byte> key) {
    if (key.size() != 32) {
        throw Error(ErrorCode::invalid_argument, "key must be 32 bytes, got " + std::to_string(key.size()));
    }
    Mode mode;
    std::memcpy(mode.key_, key.data(), 32);
    mode.flags_ = MKZ_BLAKE3_KEYED_HASH;
    return mode;
}

Mode Mode::derive_key(std::string_view context) {
    Mode context_mode;
    context_mode.flags_ = MKZ_BLAKE3_DERIVE_KEY_CONTEXT;
    Mode mode;
    hash(std::as_bytes(std::span(context)), std::as_writable_bytes(std::span(mode.key_)), 0, context_mode);
    mode.flags_ = MKZ_BLAKE3_DERIVE_KEY_MATERIAL;
    return mode;
}

Digest hash(std::span<const std::byte> data, const Mode& mode, const RunOptions& options) {
    Digest digest;
    hash(data, digest.bytes, 0, mode, options);
    return digest;
}

void hash(std::span<const std::byte> data, std::span<std::byte> out, std::uint64_t seek, const Mode& mode,
          const RunOptions& options) {
    if (options.device.state().chooses())
        return hash(data, out, seek, mode, runtime::chosen(options, Job::digest, data.size()));
    runtime::Run run(options);
    runtime::root_of(data, mode, run).expand(out, seek, run);
}

Digest hash(const Buffer& data, const Mode& mode, const RunOptions& options) {
    Digest digest;
    hash(data, digest.bytes, 0, mode, options);
    return digest;
}

void hash(const Buffer& data, std::span<std::byte> out, std::uint64_t seek, const Mode& mode,
          const RunOptions& options) {
    const RunOptions here = runtime::on_device_of(data, options);
    runtime::Run run(here);
    runtime::root_of(data.block()->at(data.offset()), data.size(), mode, run).expand(out, seek, run);
}

}  // namespace merklize
