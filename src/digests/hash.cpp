#include "merklize/hash.hpp"
#include "host/invalid.hpp"

#include <algorithm>
#include <cstring>

#include "calls/calibration.hpp"
#include "digests/chunk_tree.hpp"
#include "hashes/merge_one.hpp"
#include "hashes/wipe.hpp"
#include "jobs/cpu_device.hpp"
#include "jobs/internals.hpp"
#include "merklize/core/hashes/blake2s.h"
#include "merklize/core/hashes/blake3.h"

namespace merklize::inline v0 {
Mode::Mode() noexcept { mkz_blake3_iv(key_); }

Mode::~Mode() {
    runtime::wipe(key_, sizeof key_);
    runtime::wipe(secret_, sizeof secret_);
}

Mode Mode::keyed(ByteView key, Hash hash) {
    const mkz_hash_info& facts = runtime::info(hash);
    Mode mode;
    if (facts.is_keyed == 0)
        invalid("key: keys are of the hashes 'blake3' and 'blake2s', not of '" + std::string(facts.name) + "'");
    if (facts.has_chunk_tree == 0) {
        if (key.empty() || key.size() > sizeof mode.secret_)
            invalid("key of 'blake2s' must be 1 to 32 bytes, got " + std::to_string(key.size()));
        std::uint32_t block[16] = {};
        std::memcpy(mode.secret_, key.data(), key.size());
        std::memcpy(block, key.data(), key.size());
        mkz_blake2s_begin(mode.key_, Digest::size, static_cast<std::uint32_t>(key.size()));
        mkz_blake2s_compress(mode.key_, block, sizeof block, 0);
        runtime::wipe(block, sizeof block);
        mode.flags_ = blake2s_flag + static_cast<std::uint32_t>(key.size());
        return mode;
    }
    if (key.size() != 32) {
        invalid("key must be 32 bytes, got " + std::to_string(key.size()));
    }
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

Digest hash(ByteView data, const Mode& mode, const RunOptions& options) {
    Digest digest;
    hash(data, digest.bytes, 0, mode, options);
    return digest;
}

void hash(ByteView data, std::span<std::byte> out, std::uint64_t seek, const Mode& mode, const RunOptions& options) {
    const PublicCall entry("hash");
    runtime::require_blake3(mode);
    const RunOptions here = runtime::chosen(options, Job::digest, Hash::blake3, data.size(), data.data());
    runtime::Run run(here);
    runtime::root_of(data, mode, run).expand(out, seek, run);
}

Digest hash(const ConstBuffer& data, const Mode& mode, const RunOptions& options) {
    Digest digest;
    hash(data, digest.bytes, 0, mode, options);
    return digest;
}

void hash(const ConstBuffer& data, std::span<std::byte> out, std::uint64_t seek, const Mode& mode,
          const RunOptions& options) {
    const PublicCall entry("hash");
    runtime::require_blake3(mode);
    const RunOptions here = runtime::on_device_of(data, options);
    runtime::Run run(here);
    // The host copies and hashes few chunks sooner than a device does, because there a chunk is 16 compressions one
    // after another (docs/notes/gpu-calls.md). A caller who gives a policy gets kernels.
    if (data.size() <= runtime::DeviceCall::most_fetched && options.policy == Policy{}) {
        const std::span<const std::byte> copy = run.on_device().fetch(runtime::place_of(data), data.size());
        run.finish();
        constexpr std::size_t little = 32 << 10;  // one thread hashes it before others join
        RunOptions on_host = runtime::on_this_thread();
        if (copy.size() > little) on_host.threads = options.threads;
        return hash(copy, out, seek, mode, on_host);
    }
    // The device computes the whole digest of some chunks. The host makes longer output, and the upper part of large
    // trees.
    constexpr std::uint64_t most = std::uint64_t{16} << 20;
    if (out.size() == Digest::size && seek == 0 && data.size() > MKZ_BLAKE3_CHUNK_LEN && data.size() <= most) {
        const runtime::Lease digest = run.on_device().scratch(Digest::size);
        run.launch(runtime::HashRows{.hash = Hash::blake3,
                                     .rows = runtime::place_of(data),
                                     .n = 1,
                                     .length = data.size(),
                                     .mode = mode,
                                     .out = digest.place()},
                   1);
        return run.on_device().download(out.data(), digest.place(), out.size());
    }
    runtime::root_of(runtime::place_of(data), data.size(), mode, run).expand(out, seek, run);
}

}  // namespace merklize::inline v0
