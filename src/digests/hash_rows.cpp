// Batches of independent inputs in memory of the host or of a device: hash_leaves, merge.
#include <algorithm>
#include <cstring>
#include <string>

#include "calls/calibration.hpp"
#include "calls/enqueue.hpp"
#include "calls/operands.hpp"
#include "calls/run.hpp"
#include "digests/chunk_tree.hpp"
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

void require_rows(Hash hash, const Mode& mode, std::uint64_t bytes, std::uint64_t row_bytes, std::uint64_t n) {
    runtime::require_merges(hash, mode);
    if (row_bytes != 0 ? bytes / row_bytes != n || bytes % row_bytes != 0 : bytes != 0) {
        invalid_call("rows must be one for each of " + std::to_string(n) + " digests of out, of " +
                     std::to_string(row_bytes) + " bytes each, got " + std::to_string(bytes) + " bytes");
    }
    const mkz_hash_info& facts = runtime::info(hash);
    if (row_bytes % facts.element_bytes != 0) {
        invalid_call(std::string("a row of '") + facts.name + "' must be a multiple of " +
                     std::to_string(facts.element_bytes) + " bytes, its words, got " + std::to_string(row_bytes) +
                     " bytes");
    }
}

void require_pair_sizes(std::uint64_t left, std::uint64_t right, std::uint64_t out) {
    if (left == right && left == out) return;
    invalid_call("left, right and out must have equal counts of digests, got " + std::to_string(left) + ", " +
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
    run.on_device().require_canonical(facts, place_of(left), words, "left");
    run.on_device().require_canonical(facts, place_of(right), words, "right");
    launch_pairs(hash, mode, place_of(left), place_of(right), n, place_of(out), run);
}

// The count of items in a buffer, which must have no partial item.
std::uint64_t count_of(const ConstBuffer& buffer, std::uint64_t item_bytes, const char* argument) {
    if (buffer.size() % item_bytes != 0) {
        invalid_call(argument, "must be a multiple of " + std::to_string(item_bytes) + " bytes, got " +
                                   std::to_string(buffer.size()) + " bytes");
    }
    return buffer.size() / item_bytes;
}

// Enqueues rows of bytes or of words, which have been checked.  length  in units
Event enqueue_rows(const Stream& stream, Hash hash, const ConstBuffer& rows, std::size_t n, std::uint64_t length,
                   const Buffer& out, const Mode& mode, const Policy& policy) {
    return runtime::enqueue(stream, policy, [&](runtime::Run& run) {
        if (n == 0) return;
        run.on_device().require_canonical(runtime::info(hash), place_of(rows), n * length, "");
        launch_rows(hash, place_of(rows), n, length, place_of(out), mode, run);
    });
}

}  // namespace

void hash_leaves(ByteView rows, std::uint64_t row_bytes, std::span<Digest> out, Hash hash, const Mode& mode,
                 const RunOptions& options) {
    const PublicCall entry("hash_leaves");
    require_rows(hash, mode, rows.size(), row_bytes, out.size());
    runtime::require_apart({{Use::reads, "rows", rows}, {Use::writes, "out", std::as_bytes(out)}});
    const mkz_hash_info& facts = runtime::info(hash);
    const std::uint64_t length = row_bytes / facts.element_bytes;
    if (runtime::is_field(facts)) runtime::require_canonical(facts, rows.data(), out.size() * length, "");
    if (out.empty()) return;
    const RunOptions here = runtime::chosen(options, Job::rows, hash, rows.size(), rows.data());
    runtime::Run run(here);
    if (!facts.has_chunk_tree || row_bytes <= long_bytes)
        return launch_rows(hash, host_place(rows.data()), out.size(), length, host_place(out.data()), mode, run);
    for (std::size_t i = 0; i < out.size(); i++) {
        runtime::root_of(rows.subspan(i * row_bytes, row_bytes), mode, run, 1.0 / static_cast<double>(out.size()))
            .expand(out[i].bytes, 0, run);
    }
}

void hash_leaves(const ConstBuffer& rows, std::uint64_t row_bytes, Buffer out, Hash hash, const Mode& mode,
                 const RunOptions& options) {
    const PublicCall entry("hash_leaves");
    const std::uint64_t n = count_of(out, Digest::size, "out");
    require_rows(hash, mode, rows.size(), row_bytes, n);
    if (n == 0) return;
    runtime::require_same_device(rows, out);
    runtime::require_apart({{Use::reads, "rows", rows}, {Use::writes, "out", out}});
    const mkz_hash_info& facts = runtime::info(hash);
    const std::uint64_t length = row_bytes / facts.element_bytes;
    const RunOptions here = runtime::on_device_of(out, options);
    runtime::Run run(here);
    if (!facts.has_chunk_tree || row_bytes <= long_bytes) {
        if (runtime::is_field(facts)) run.on_device().require_canonical(facts, place_of(rows), n * length, "");
        launch_rows(hash, place_of(rows), n, length, place_of(out), mode, run);
        return run.finish();
    }
    std::vector<Digest> digests(n);
    for (std::size_t i = 0; i < n; i++) {
        runtime::root_of(place_of(rows.slice(i * row_bytes, row_bytes)), row_bytes, mode, run,
                         1.0 / static_cast<double>(n))
            .expand(digests[i].bytes, 0, run);
    }
    run.on_device().upload(place_of(out), digests.data(), out.size());
}

void merge(std::span<const Digest> left, std::span<const Digest> right, std::span<Digest> out, Hash hash,
           const Mode& mode, const RunOptions& options) {
    const PublicCall entry("merge");
    runtime::require_merges(hash, mode);
    require_pair_sizes(left.size(), right.size(), out.size());
    runtime::require_apart({{Use::reads, "left", std::as_bytes(left)},
                            {Use::reads, "right", std::as_bytes(right)},
                            {Use::replaces, "out", std::as_bytes(out)}});
    runtime::require_canonical(hash, left, "left");
    runtime::require_canonical(hash, right, "right");
    if (out.empty()) return;
    runtime::Run run(options);
    launch_pairs(hash, mode, host_place(left.data()), host_place(right.data()), out.size(), host_place(out.data()),
                 run);
}

void merge(const ConstBuffer& left, const ConstBuffer& right, Buffer out, Hash hash, const Mode& mode,
           const RunOptions& options) {
    const PublicCall entry("merge");
    runtime::require_merges(hash, mode);
    const std::uint64_t n = count_of(out, Digest::size, "out");
    require_pair_sizes(count_of(left, Digest::size, "left"), count_of(right, Digest::size, "right"), n);
    if (n == 0) return;
    runtime::require_same_device(left, out);
    runtime::require_same_device(right, out);
    runtime::require_apart({{Use::reads, "left", left}, {Use::reads, "right", right}, {Use::replaces, "out", out}});
    const RunOptions here = runtime::on_device_of(out, options);
    runtime::Run run(here);
    merge_there(hash, mode, left, right, n, out, run);
    run.finish();
}

// ---- Calls that enqueue ---------------------------------------------------------------------------------------------

Event hash(const Stream& stream, const HashCall& call) {
    const PublicCall entry("hash");
    runtime::require_blake3(call.mode);
    runtime::require_bytes("out", call.out, Digest::size);
    runtime::require_on_stream(stream, {{Use::reads, "data", call.data}, {Use::writes, "out", call.out}});
    return enqueue_rows(stream, Hash::blake3, call.data, 1, call.data.size(), call.out, call.mode, call.policy);
}

Event hash_leaves(const Stream& stream, const HashLeavesCall& call) {
    const PublicCall entry("hash_leaves");
    const std::uint64_t n = count_of(call.out, Digest::size, "out");
    require_rows(call.hash, call.mode, call.rows.size(), call.row_bytes, n);
    runtime::require_on_stream(stream, {{Use::reads, "rows", call.rows}, {Use::writes, "out", call.out}});
    return enqueue_rows(stream, call.hash, call.rows, n, call.row_bytes / runtime::row_unit(call.hash), call.out,
                        call.mode, call.policy);
}

Event merge(const Stream& stream, const MergeCall& call) {
    const PublicCall entry("merge");
    runtime::require_merges(call.hash, call.mode);
    const std::uint64_t n = count_of(call.out, Digest::size, "out");
    require_pair_sizes(count_of(call.left, Digest::size, "left"), count_of(call.right, Digest::size, "right"), n);
    runtime::require_on_stream(
        stream, {{Use::reads, "left", call.left}, {Use::reads, "right", call.right}, {Use::replaces, "out", call.out}});
    return runtime::enqueue(stream, call.policy, [&](runtime::Run& run) {
        if (n != 0) merge_there(call.hash, call.mode, call.left, call.right, n, call.out, run);
    });
}

Digest merge(const Digest& left, const Digest& right, Hash hash, const Mode& mode) {
    const PublicCall entry("merge");
    runtime::require_merges(hash, mode);
    runtime::require_canonical(hash, {&left, 1}, "left");
    runtime::require_canonical(hash, {&right, 1}, "right");
    return runtime::merge_one(hash, left, right, mode);
}

}  // namespace merklize::inline v0
