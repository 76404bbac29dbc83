// Batches of independent inputs in memory of the host or of a device: hash_leaves, merge.
#include <algorithm>
#include <cstring>
#include <string>

#include "calls/calibration.hpp"
#include "calls/enqueue.hpp"
#include "calls/operands.hpp"
#include "calls/run.hpp"
#include "digests/chunk_tree.hpp"
#include "digests/leaves.hpp"
#include "hashes/field.hpp"
#include "hashes/merge_one.hpp"
#include "host/invalid.hpp"
#include "merklize/error.hpp"
#include "merklize/hash.hpp"

namespace merklize::inline v0 {
namespace {

using runtime::host_place;
using runtime::place_of;
using Use = runtime::Operand::Use;

// Long messages gain nothing from a batch, so they run one after another, each on the whole device.
constexpr std::size_t long_bytes = 4 << 20;

// length  units of a row, as in HashRows
void launch_rows(Hash hash, const runtime::Place& rows, std::size_t n, std::size_t length, const runtime::Place& out,
                 const Mode& mode, runtime::Run& run) {
    run.launch(runtime::HashRows{.hash = hash, .rows = rows, .n = n, .length = length, .mode = mode, .out = out}, 1);
}

void require_rows(const char* what, Hash hash, const Mode& mode, std::uint64_t bytes, std::uint64_t row_bytes,
                  std::uint64_t n) {
    runtime::require_merges(hash, mode, what);
    if (row_bytes != 0 ? bytes / row_bytes != n || bytes % row_bytes != 0 : bytes != 0) {
        invalid(what, "rows must be one for each of " + std::to_string(n) + " digests of out, of " +
                          std::to_string(row_bytes) + " bytes each, got " + std::to_string(bytes) + " bytes");
    }
    const mkz_hash_info& facts = runtime::info(hash);
    if (row_bytes % facts.element_bytes != 0) {
        invalid(what, std::string("a row of '") + facts.name + "' must be a multiple of " +
                          std::to_string(facts.element_bytes) + " bytes, its words, got " + std::to_string(row_bytes) +
                          " bytes");
    }
}

void require_pair_sizes(const char* what, std::uint64_t left, std::uint64_t right, std::uint64_t out) {
    if (left == right && left == out) return;
    invalid(what, "left, right and out must have equal counts of digests, got " + std::to_string(left) + ", " +
                      std::to_string(right) + " and " + std::to_string(out));
}

void launch_pairs(Hash hash, const Mode& mode, const runtime::Place& left, const runtime::Place& right, std::uint64_t n,
                  const runtime::Place& out, runtime::Run& run) {
    run.launch(runtime::MergePairs{.hash = hash, .mode = mode, .left = left, .right = right, .n = n, .out = out}, 1);
}

// merge() of buffers whose sizes have been checked.
void merge_there(Hash hash, const Mode& mode, const ConstBuffer& left, const ConstBuffer& right, std::uint64_t n,
                 const Buffer& out, runtime::Run& run) {
    const mkz_hash_info& facts = runtime::info(hash);
    const std::uint64_t words = runtime::is_field(facts) ? runtime::node_words(facts) * n : 0;
    run.on_device().require_canonical(facts, place_of(left), words, "merge: left");
    run.on_device().require_canonical(facts, place_of(right), words, "merge: right");
    launch_pairs(hash, mode, place_of(left), place_of(right), n, place_of(out), run);
}

// The count of items in a buffer, which must have no partial item.
std::uint64_t count_of(const ConstBuffer& buffer, std::uint64_t item_bytes, const std::string& what) {
    if (buffer.size() % item_bytes != 0) {
        invalid(what + " must be a multiple of " + std::to_string(item_bytes) + " bytes, got " +
                std::to_string(buffer.size()) + " bytes");
    }
    return buffer.size() / item_bytes;
}

// Enqueues rows of bytes or of words, which have been checked.  length  in units
Event enqueue_rows(const char* what, const Stream& stream, Hash hash, const ConstBuffer& rows, std::size_t n,
                   std::uint64_t length, const Buffer& out, const Mode& mode, const Policy& policy) {
    return runtime::enqueue(stream, policy, [&](runtime::Run& run) {
        if (n == 0) return;
        run.on_device().require_canonical(runtime::info(hash), place_of(rows), n * length, what);
        launch_rows(hash, place_of(rows), n, length, place_of(out), mode, run);
    });
}

}  // namespace

}  // namespace merklize::inline v0

namespace merklize::runtime {

void hash_leaves(const char* what, std::span<const std::byte> rows, std::uint64_t row_bytes, std::span<Digest> out,
                 Hash hash, const Mode& mode, const RunOptions& options) {
    require_rows(what, hash, mode, rows.size(), row_bytes, out.size());
    require_apart(what, {{Use::reads, "rows", rows}, {Use::writes, "out", std::as_bytes(out)}});
    const mkz_hash_info& facts = info(hash);
    const std::uint64_t length = row_bytes / facts.element_bytes;
    if (is_field(facts)) require_canonical(facts, rows.data(), out.size() * length, what);
    if (out.empty()) return;
    const RunOptions here = chosen(options, Job::rows, hash, rows.size(), rows.data());
    Run run(here);
    if (!facts.has_chunk_tree || row_bytes <= long_bytes)
        return launch_rows(hash, host_place(rows.data()), out.size(), length, host_place(out.data()), mode, run);
    for (std::size_t i = 0; i < out.size(); i++) {
        root_of(rows.subspan(i * row_bytes, row_bytes), mode, run, 1.0 / static_cast<double>(out.size()))
            .expand(out[i].bytes, 0, run);
    }
}

void hash_leaves(const char* what, const ConstBuffer& rows, std::uint64_t row_bytes, const Buffer& out, Hash hash,
                 const Mode& mode, const RunOptions& options) {
    const std::uint64_t n = count_of(out, Digest::size, std::string(what) + ": out");
    require_rows(what, hash, mode, rows.size(), row_bytes, n);
    if (n == 0) return;
    require_same_device(what, rows, out);
    require_apart(what, {{Use::reads, "rows", rows}, {Use::writes, "out", out}});
    const mkz_hash_info& facts = info(hash);
    const std::uint64_t length = row_bytes / facts.element_bytes;
    const RunOptions here = on_device_of(out, options);
    Run run(here);
    if (!facts.has_chunk_tree || row_bytes <= long_bytes) {
        if (is_field(facts)) run.on_device().require_canonical(facts, place_of(rows), n * length, what);
        launch_rows(hash, place_of(rows), n, length, place_of(out), mode, run);
        return run.finish();
    }
    std::vector<Digest> digests(n);
    for (std::size_t i = 0; i < n; i++) {
        root_of(place_of(rows.slice(i * row_bytes, row_bytes)), row_bytes, mode, run, 1.0 / static_cast<double>(n))
            .expand(digests[i].bytes, 0, run);
    }
    run.on_device().upload(place_of(out), digests.data(), out.size());
}

Event hash_leaves(const char* what, const Stream& stream, const HashLeavesCall& call) {
    const std::uint64_t n = count_of(call.out, Digest::size, std::string(what) + ": out");
    require_rows(what, call.hash, call.mode, call.rows.size(), call.row_bytes, n);
    require_on_stream(what, stream, {{Use::reads, "rows", call.rows}, {Use::writes, "out", call.out}});
    return enqueue_rows(what, stream, call.hash, call.rows, n, call.row_bytes / row_unit(call.hash), call.out,
                        call.mode, call.policy);
}

void merge_pairs(const char* what, std::span<const Digest> left, std::span<const Digest> right, std::span<Digest> out,
                 Hash hash, const Mode& mode, const RunOptions& options) {
    require_merges(hash, mode, what);
    require_pair_sizes(what, left.size(), right.size(), out.size());
    require_apart(what, {{Use::reads, "left", std::as_bytes(left)},
                         {Use::reads, "right", std::as_bytes(right)},
                         {Use::replaces, "out", std::as_bytes(out)}});
    require_canonical(hash, left, (std::string(what) + ": left").c_str());
    require_canonical(hash, right, (std::string(what) + ": right").c_str());
    if (out.empty()) return;
    Run run(options);
    launch_pairs(hash, mode, host_place(left.data()), host_place(right.data()), out.size(), host_place(out.data()),
                 run);
}

}  // namespace merklize::runtime

namespace merklize::inline v0 {

void hash_leaves(ByteView rows, std::uint64_t row_bytes, std::span<Digest> out, Hash hash, const Mode& mode,
                 const RunOptions& options) {
    runtime::hash_leaves("hash_leaves", rows, row_bytes, out, hash, mode, options);
}

void hash_leaves(const ConstBuffer& rows, std::uint64_t row_bytes, Buffer out, Hash hash, const Mode& mode,
                 const RunOptions& options) {
    runtime::hash_leaves("hash_leaves", rows, row_bytes, out, hash, mode, options);
}

void merge(std::span<const Digest> left, std::span<const Digest> right, std::span<Digest> out, Hash hash,
           const Mode& mode, const RunOptions& options) {
    runtime::merge_pairs("merge", left, right, out, hash, mode, options);
}

void merge(const ConstBuffer& left, const ConstBuffer& right, Buffer out, Hash hash, const Mode& mode,
           const RunOptions& options) {
    runtime::require_merges(hash, mode, "merge");
    const std::uint64_t n = count_of(out, Digest::size, "merge: out");
    require_pair_sizes("merge", count_of(left, Digest::size, "merge: left"),
                       count_of(right, Digest::size, "merge: right"), n);
    if (n == 0) return;
    runtime::require_same_device("merge", left, out);
    runtime::require_same_device("merge", right, out);
    runtime::require_apart("merge",
                           {{Use::reads, "left", left}, {Use::reads, "right", right}, {Use::replaces, "out", out}});
    const RunOptions here = runtime::on_device_of(out, options);
    runtime::Run run(here);
    merge_there(hash, mode, left, right, n, out, run);
    run.finish();
}

// ---- Calls that enqueue -------------------------------------------------------------------------------------------------

Event hash(const Stream& stream, const HashCall& call) {
    runtime::require_blake3(call.mode, "hash");
    runtime::require_bytes("hash", "out", call.out, Digest::size);
    runtime::require_on_stream("hash", stream, {{Use::reads, "data", call.data}, {Use::writes, "out", call.out}});
    return enqueue_rows("hash", stream, Hash::blake3, call.data, 1, call.data.size(), call.out, call.mode, call.policy);
}

Event hash_leaves(const Stream& stream, const HashLeavesCall& call) {
    return runtime::hash_leaves("hash_leaves", stream, call);
}

Event merge(const Stream& stream, const MergeCall& call) {
    runtime::require_merges(call.hash, call.mode, "merge");
    const std::uint64_t n = count_of(call.out, Digest::size, "merge: out");
    require_pair_sizes("merge", count_of(call.left, Digest::size, "merge: left"),
                       count_of(call.right, Digest::size, "merge: right"), n);
    runtime::require_on_stream(
        "merge", stream,
        {{Use::reads, "left", call.left}, {Use::reads, "right", call.right}, {Use::replaces, "out", call.out}});
    return runtime::enqueue(stream, call.policy, [&](runtime::Run& run) {
        if (n != 0) merge_there(call.hash, call.mode, call.left, call.right, n, call.out, run);
    });
}

Digest merge(const Digest& left, const Digest& right, Hash hash, const Mode& mode) {
    runtime::require_merges(hash, mode, "merge");
    runtime::require_canonical(hash, {&left, 1}, "merge: left");
    runtime::require_canonical(hash, {&right, 1}, "merge: right");
    return runtime::merge_one(hash, left, right, mode);
}

}  // namespace merklize::inline v0
