// Batches of independent inputs in memory of the host or of a device: hash_many, hash_elements, hash_leaves, merge.
#include <algorithm>
#include <cstring>
#include <string>

#include "digests/chunk_tree.hpp"
#include "hashes/field.hpp"
#include "hashes/merge_one.hpp"
#include "host/invalid.hpp"
#include "jobs/enqueue.hpp"
#include "jobs/run.hpp"
#include "merklize/error.hpp"
#include "merklize/hash.hpp"

namespace merklize::inline v0 {
namespace {

using runtime::host_place;
using runtime::place_of;

// Long messages gain nothing from a batch: they run one after another, each on the whole device.
constexpr std::size_t long_bytes = 4 << 20;

// The number of messages in `bytes` bytes, which must be as many as `out_bytes` has room for.
std::size_t messages_in(std::uint64_t bytes, std::size_t message_bytes, std::uint64_t out_bytes) {
    if (out_bytes % Digest::size != 0)
        invalid("hash_many: out must be a multiple of 32 bytes, got " + std::to_string(out_bytes) + " bytes");
    const std::size_t n = out_bytes / Digest::size;
    if (message_bytes != 0 ? bytes / message_bytes != n || bytes % message_bytes != 0 : bytes != 0) {
        invalid("hash_many: messages must have 32 bytes of out each: out is for " + std::to_string(n) +
                " messages of " + std::to_string(message_bytes) + " bytes, got " + std::to_string(bytes) +
                " bytes of messages");
    }
    return n;
}

// length  units of a row, as in HashRows
void launch_rows(Hash hash, const runtime::Place& rows, std::size_t n, std::size_t length, const runtime::Place& out,
                 const Mode& mode, runtime::Run& run) {
    run.launch(runtime::HashRows{.hash = hash,
                                 .rows = rows,
                                 .n = n,
                                 .length = length,
                                 .mode = mode,
                                 .out = out,
                                 .policy = runtime::to_seam(run.options().policy)},
               1);
}

// The facts of a field hash.
const mkz_hash_info& field_info(Hash hash) {
    const mkz_hash_info& facts = runtime::info(hash);
    if (!runtime::is_field(facts))
        invalid(std::string("hash_elements: '") + facts.name + "' hashes bytes, not field elements");
    return facts;
}

// words, out_words  counts of the hash's words
void require_element_sizes(const mkz_hash_info& facts, std::uint64_t words, std::size_t n_rows, std::size_t elements,
                           std::uint64_t out_words) {
    const unsigned node_words = runtime::node_words(facts);
    if (out_words / node_words != n_rows || out_words % node_words != 0) {
        invalid("hash_elements: out must have " + std::to_string(node_words) + " words a row, for " +
                std::to_string(n_rows) + " rows, got " + std::to_string(out_words) + " words");
    }
    if (elements != 0 ? words / elements != n_rows || words % elements != 0 : words != 0) {
        invalid("hash_elements: rows must be " + std::to_string(n_rows) + " rows of " + std::to_string(elements) +
                " elements, got " + std::to_string(words) + " words");
    }
}

// Hashes rows of canonical words; error texts begin with `what`. The sizes have been checked.
void element_rows(Hash hash, const void* rows, std::size_t n_rows, std::size_t elements, void* out, const char* what,
                  const RunOptions& options) {
    runtime::require_canonical(runtime::info(hash), rows, n_rows * elements, what);
    if (n_rows == 0) return;
    runtime::Run run(options);
    launch_rows(hash, host_place(rows), n_rows, elements, host_place(out), {}, run);
}

void element_rows(Hash hash, const ConstBuffer& rows, std::size_t n_rows, std::size_t elements, Buffer out,
                  const char* what, const RunOptions& options) {
    if (n_rows == 0) return;
    runtime::require_same_device(what, rows, out);
    const RunOptions here = runtime::on_device_of(out, options);
    runtime::Run run(here);
    run.memory().require_canonical(runtime::info(hash), place_of(rows), n_rows * elements, what);
    launch_rows(hash, place_of(rows), n_rows, elements, place_of(out), {}, run);
    run.finish();
}

void require_records(Hash hash, const Mode& mode, std::uint64_t bytes, std::uint64_t record_bytes, std::uint64_t n) {
    runtime::require_merges(hash, mode, "hash_leaves");
    if (record_bytes != 0 ? bytes / record_bytes != n || bytes % record_bytes != 0 : bytes != 0) {
        invalid("hash_leaves: records must be one for each of " + std::to_string(n) + " leaves, of " +
                std::to_string(record_bytes) + " bytes each, got " + std::to_string(bytes) + " bytes");
    }
    const mkz_hash_info& facts = runtime::info(hash);
    if (record_bytes % facts.row_unit_bytes != 0) {
        invalid(std::string("hash_leaves: a record of '") + facts.name + "' must be a multiple of " +
                std::to_string(facts.row_unit_bytes) + " bytes, its words, got " + std::to_string(record_bytes) +
                " bytes");
    }
}

void require_pair_sizes(std::uint64_t left, std::uint64_t right, std::uint64_t out) {
    if (left == right && left == out) return;
    invalid("merge: left, right and out must have equal counts of digests, got " + std::to_string(left) + ", " +
            std::to_string(right) + " and " + std::to_string(out));
}

void launch_pairs(Hash hash, const Mode& mode, const runtime::Place& left, const runtime::Place& right, std::uint64_t n,
                  const runtime::Place& out, runtime::Run& run) {
    run.launch(runtime::MergePairs{.hash = hash,
                                   .mode = mode,
                                   .left = left,
                                   .right = right,
                                   .n = n,
                                   .out = out,
                                   .policy = runtime::to_seam(run.options().policy)},
               1);
}

// The same of buffers whose sizes have been checked.
void merge_there(Hash hash, const Mode& mode, const ConstBuffer& left, const ConstBuffer& right, std::uint64_t n,
                 const Buffer& out, runtime::Run& run) {
    const mkz_hash_info& facts = runtime::info(hash);
    const std::uint64_t words = runtime::is_field(facts) ? runtime::node_words(facts) * n : 0;
    run.memory().require_canonical(facts, place_of(left), words, "merge: left");
    run.memory().require_canonical(facts, place_of(right), words, "merge: right");
    launch_pairs(hash, mode, place_of(left), place_of(right), n, place_of(out), run);
}

// The count of items in a buffer, which must have no partial item.
std::uint64_t count_of(const ConstBuffer& buffer, std::uint64_t item_bytes, const char* what) {
    if (buffer.size() % item_bytes != 0) {
        invalid(std::string(what) + " must be a multiple of " + std::to_string(item_bytes) + " bytes, got " +
                std::to_string(buffer.size()) + " bytes");
    }
    return buffer.size() / item_bytes;
}

}  // namespace

void hash_many(std::span<const std::byte> messages, std::size_t message_bytes, std::span<std::byte> out,
               const Mode& mode, const RunOptions& options) {
    const std::size_t n = messages_in(messages.size(), message_bytes, out.size());
    if (n == 0) return;
    runtime::Run run(options);
    if (message_bytes <= long_bytes)
        return launch_rows(Hash::blake3, host_place(messages.data()), n, message_bytes, host_place(out.data()), mode,
                           run);
    for (std::size_t i = 0; i < n; i++) {
        const auto message = messages.subspan(i * message_bytes, message_bytes);
        runtime::root_of(message, mode, run, 1.0 / static_cast<double>(n))
            .expand(out.subspan(i * Digest::size, Digest::size), 0, run);
    }
}

void hash_many(const ConstBuffer& messages, std::size_t message_bytes, Buffer out, const Mode& mode,
               const RunOptions& options) {
    const std::size_t n = messages_in(messages.size(), message_bytes, out.size());
    if (n == 0) return;
    runtime::require_same_device("hash_many", messages, out);
    const RunOptions here = runtime::on_device_of(out, options);
    runtime::Run run(here);
    if (message_bytes <= long_bytes) {
        launch_rows(Hash::blake3, place_of(messages), n, message_bytes, place_of(out), mode, run);
        return run.finish();
    }
    std::vector<Digest> digests(n);
    for (std::size_t i = 0; i < n; i++) {
        runtime::root_of(place_of(messages.slice(i * message_bytes, message_bytes)), message_bytes, mode, run,
                         1.0 / static_cast<double>(n))
            .expand(digests[i].bytes, 0, run);
    }
    run.memory().upload(place_of(out), digests.data(), out.size());
}

namespace {

template <class Word>
void hash_words(std::span<const Word> rows, std::size_t n_rows, std::size_t elements, std::span<Word> out, Hash hash,
                const RunOptions& options) {
    const mkz_hash_info& facts = field_info(hash);
    if (facts.word_bits != 8 * sizeof(Word)) {
        invalid(std::string("hash_elements: elements of '") + facts.name + "' have " + std::to_string(facts.word_bits) +
                " bits, got words of " + std::to_string(8 * sizeof(Word)));
    }
    require_element_sizes(facts, rows.size(), n_rows, elements, out.size());
    element_rows(hash, rows.data(), n_rows, elements, out.data(), "hash_elements", options);
}

}  // namespace

void hash_elements(std::span<const std::uint64_t> rows, std::size_t n_rows, std::size_t elements,
                   std::span<std::uint64_t> out, Hash hash, const RunOptions& options) {
    hash_words(rows, n_rows, elements, out, hash, options);
}

void hash_elements(std::span<const std::uint32_t> rows, std::size_t n_rows, std::size_t elements,
                   std::span<std::uint32_t> out, Hash hash, const RunOptions& options) {
    hash_words(rows, n_rows, elements, out, hash, options);
}

void hash_elements(const ConstBuffer& rows, std::size_t n_rows, std::size_t elements, Buffer out, Hash hash,
                   const RunOptions& options) {
    const mkz_hash_info& facts = field_info(hash);
    const std::uint64_t word_bytes = facts.row_unit_bytes, words = count_of(rows, word_bytes, "hash_elements: rows");
    require_element_sizes(facts, words, n_rows, elements, count_of(out, word_bytes, "hash_elements: out"));
    element_rows(hash, rows, n_rows, elements, out, "hash_elements", options);
}

void hash_leaves(std::span<const std::byte> records, std::uint64_t record_bytes, std::span<Digest> out, Hash hash,
                 const Mode& mode, const RunOptions& options) {
    require_records(hash, mode, records.size(), record_bytes, out.size());
    const mkz_hash_info& facts = runtime::info(hash);
    if (runtime::is_field(facts)) {
        return element_rows(hash, records.data(), out.size(), record_bytes / facts.row_unit_bytes, out.data(),
                            "hash_leaves", options);
    }
    if (facts.has_chunk_tree) return hash_many(records, record_bytes, std::as_writable_bytes(out), mode, options);
    if (out.empty()) return;
    runtime::Run run(options);
    launch_rows(hash, host_place(records.data()), out.size(), record_bytes, host_place(out.data()), mode, run);
}

void hash_leaves(const ConstBuffer& records, std::uint64_t record_bytes, Buffer out, Hash hash, const Mode& mode,
                 const RunOptions& options) {
    const std::uint64_t n = count_of(out, Digest::size, "hash_leaves: out");
    require_records(hash, mode, records.size(), record_bytes, n);
    const mkz_hash_info& facts = runtime::info(hash);
    if (runtime::is_field(facts)) {
        return element_rows(hash, records, n, record_bytes / facts.row_unit_bytes, out, "hash_leaves", options);
    }
    if (facts.has_chunk_tree) return hash_many(records, record_bytes, out, mode, options);
    if (n == 0) return;
    runtime::require_same_device("hash_leaves", records, out);
    const RunOptions here = runtime::on_device_of(out, options);
    runtime::Run run(here);
    launch_rows(hash, place_of(records), n, record_bytes, place_of(out), mode, run);
    run.finish();
}

void merge(std::span<const Digest> left, std::span<const Digest> right, std::span<Digest> out, Hash hash,
           const Mode& mode, const RunOptions& options) {
    runtime::require_merges(hash, mode, "merge");
    require_pair_sizes(left.size(), right.size(), out.size());
    runtime::require_canonical(hash, left, "merge: left");
    runtime::require_canonical(hash, right, "merge: right");
    if (out.empty()) return;
    runtime::Run run(options);
    launch_pairs(hash, mode, host_place(left.data()), host_place(right.data()), out.size(), host_place(out.data()),
                 run);
}

void merge(const ConstBuffer& left, const ConstBuffer& right, Buffer out, Hash hash, const Mode& mode,
           const RunOptions& options) {
    runtime::require_merges(hash, mode, "merge");
    const std::uint64_t n = count_of(out, Digest::size, "merge: out");
    require_pair_sizes(count_of(left, Digest::size, "merge: left"), count_of(right, Digest::size, "merge: right"), n);
    if (n == 0) return;
    runtime::require_same_device("merge", left, out);
    runtime::require_same_device("merge", right, out);
    const RunOptions here = runtime::on_device_of(out, options);
    runtime::Run run(here);
    merge_there(hash, mode, left, right, n, out, run);
    run.finish();
}

// ---- Calls that enqueue -------------------------------------------------------------------------------------------------

namespace {

// Checked rows of bytes or of words, length in units.
Event enqueue_rows(const char* what, const Stream& stream, Hash hash, const ConstBuffer& rows, std::size_t n,
                   std::uint64_t length, const Buffer& out, const Mode& mode, const Policy& policy) {
    return runtime::enqueue(stream, policy, [&](runtime::Run& run) {
        if (n == 0) return;
        run.memory().require_canonical(runtime::info(hash), place_of(rows), n * length, what);
        launch_rows(hash, place_of(rows), n, length, place_of(out), mode, run);
    });
}

}  // namespace

Event hash(const Stream& stream, const HashCall& call) {
    runtime::require_on_stream("hash", stream, {{"data", call.data}, {"out", call.out}});
    runtime::require_bytes("hash", {"out", call.out}, Digest::size);
    runtime::require_apart("hash", {"out", call.out}, {"data", call.data});
    return enqueue_rows("hash", stream, Hash::blake3, call.data, 1, call.data.size(), call.out, call.mode, call.policy);
}

Event hash_many(const Stream& stream, const HashManyCall& call) {
    const std::size_t n = messages_in(call.messages.size(), call.message_bytes, call.out.size());
    runtime::require_on_stream("hash_many", stream, {{"messages", call.messages}, {"out", call.out}});
    runtime::require_apart("hash_many", {"out", call.out}, {"messages", call.messages});
    return enqueue_rows("hash_many", stream, Hash::blake3, call.messages, n, call.message_bytes, call.out, call.mode,
                        call.policy);
}

Event hash_elements(const Stream& stream, const HashElementsCall& call) {
    const mkz_hash_info& facts = field_info(call.hash);
    const std::uint64_t word_bytes = facts.word_bits / 8;
    require_element_sizes(facts, count_of(call.rows, word_bytes, "hash_elements: rows"), call.n_rows, call.elements,
                          count_of(call.out, word_bytes, "hash_elements: out"));
    runtime::require_on_stream("hash_elements", stream, {{"rows", call.rows}, {"out", call.out}});
    runtime::require_apart("hash_elements", {"out", call.out}, {"rows", call.rows});
    return enqueue_rows("hash_elements", stream, call.hash, call.rows, call.n_rows, call.elements, call.out, {},
                        call.policy);
}

Event hash_leaves(const Stream& stream, const HashLeavesCall& call) {
    const std::uint64_t n = count_of(call.out, Digest::size, "hash_leaves: out");
    require_records(call.hash, call.mode, call.records.size(), call.record_bytes, n);
    runtime::require_on_stream("hash_leaves", stream, {{"records", call.records}, {"out", call.out}});
    runtime::require_apart("hash_leaves", {"out", call.out}, {"records", call.records});
    return enqueue_rows("hash_leaves", stream, call.hash, call.records, n,
                        call.record_bytes / runtime::row_unit(call.hash), call.out, call.mode, call.policy);
}

Event merge(const Stream& stream, const MergeCall& call) {
    runtime::require_merges(call.hash, call.mode, "merge");
    const std::uint64_t n = count_of(call.out, Digest::size, "merge: out");
    require_pair_sizes(count_of(call.left, Digest::size, "merge: left"),
                       count_of(call.right, Digest::size, "merge: right"), n);
    runtime::require_on_stream("merge", stream, {{"left", call.left}, {"right", call.right}, {"out", call.out}});
    runtime::require_apart("merge", {"out", call.out}, {"left", call.left}, true);
    runtime::require_apart("merge", {"out", call.out}, {"right", call.right}, true);
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
