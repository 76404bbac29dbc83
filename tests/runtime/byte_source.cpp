// Sources that are no files: pieces of any size, in order.
#include "host/byte_source.hpp"

#include "digests/file_root.hpp"
#include "runtime/memory_source.hpp"
#include "support.hpp"

using namespace support;
using merklize::Mode;
using merklize::RunOptions;
namespace runtime = merklize::runtime;

namespace {

Bytes digest_of(const runtime::ByteSource& source, Hash hash = Hash::blake3, const Mode& mode = {},
                std::size_t length = Digest::size, std::uint64_t seek = 0, const RunOptions& options = on_cpu()) {
    Bytes out(length);
    runtime::hash_source(source, hash, mode, view(out), seek, options);
    return out;
}

}  // namespace

TEST("byte_source: digests of pieces of any size") {
    const Bytes data = pattern((1 << 20) + 777), key = pattern(32);
    const Mode keyed = Mode::keyed(view(key));
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{1024}, std::size_t{1025}, std::size_t{65536}, data.size()}) {
        const auto part = view(data).first(size);
        for (const std::size_t piece :
             {std::size_t{1000}, std::size_t{1024}, std::size_t{4097}, std::size_t{1} << 18, data.size()}) {
            for (const bool has_size : {true, false}) {
                support::MemorySource source(part, piece);
                source.has_size = has_size;
                CHECK(digest_of(source) == to_bytes(merklize::hash(part)));
                Bytes expected(70);
                merklize::hash(part, view(expected), 5, keyed);
                CHECK(digest_of(source, Hash::blake3, keyed, 70, 5) == expected);
                CHECK(digest_of(source, Hash::sha256) == to_bytes(merklize::hash_message(part, Hash::sha256)));
            }
        }
    }
}

TEST("byte_source: one that changes, ends early or is not wanted any more") {
    const Bytes data = pattern(300000);
    for (const Hash hash : {Hash::blake3, Hash::sha256}) {
        support::MemorySource changed(view(data), 4096), ended(view(data), 4096), whole(view(data), 4096);
        changed.is_changed = true;
        CHECK_ERROR(io, "memory: changed while being read", digest_of(changed, hash));
        ended.ends_at = 8192;
        CHECK_ERROR(io, "memory: changed while being read: it has 8192 bytes, and not 300000", digest_of(ended, hash));
        // The first piece may have come from afar, so the progress function is asked at once.
        const RunOptions stop{.device = merklize::Device("cpu"), .progress = [](double) { return false; }};
        CHECK_ERROR(cancelled, "cancelled", digest_of(whole, hash, {}, Digest::size, 0, stop));
        CHECK_EQ(whole.reads, 4096u);
    }
}
