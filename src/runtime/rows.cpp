// Batches of independent inputs: hash_many, hash_elements, merge.
#include <algorithm>
#include <cstring>
#include <string>

#include "merklize/error.hpp"
#include "merklize/hash.hpp"
#include "runtime/chunk_tree.hpp"
#include "runtime/field.hpp"
#include "runtime/run.hpp"

namespace merklize {
namespace {

[[noreturn]] void invalid(const std::string& text) { throw Error(ErrorCode::invalid_argument, text); }

}  // namespace

void hash_many(std::span<const std::byte> messages, std::size_t message_bytes, std::span<std::byte> out,
               const Mode& mode, const RunOptions& options) {
    if (out.size() % Digest::size != 0)
        invalid("hash_many: out has " + std::to_string(out.size()) + " bytes, not a multiple of 32");
    const std::size_t n = out.size() / Digest::size;
    if (message_bytes != 0 ? messages.size() / message_bytes != n || messages.size() % message_bytes != 0
                           : !messages.empty()) {
        invalid("hash_many: " + std::to_string(n) + " messages of " + std::to_string(message_bytes) +
                " bytes do not make " + std::to_string(messages.size()) + " bytes");
    }
    if (n == 0) return;
    runtime::Run run(options);
    // Long messages gain nothing from each other: one after another, each by all threads.
    constexpr std::size_t long_bytes = 4 << 20;
    if (message_bytes > long_bytes) {
        for (std::size_t i = 0; i < n; i++) {
            const auto message = messages.subspan(i * message_bytes, message_bytes);
            runtime::root_of(message, mode, run, 1.0 / static_cast<double>(n))
                .expand(out.subspan(i * Digest::size, Digest::size), 0, run);
        }
        return;
    }
    mkz_hash_rows arguments{messages.data(), n, message_bytes, {}, mode.flags(), out.data()};
    std::copy_n(mode.key_words(), 8, arguments.key);
    run.launch(MKZ_KERNEL_HASH_ROWS, arguments, 1);
}

void hash_elements(std::span<const std::uint64_t> rows, std::size_t n_rows, std::size_t elements,
                   std::span<std::uint64_t> out, Hash hash, const RunOptions& options) {
    if (!traits(hash).is_field) {
        invalid("hash_elements: hash '" + std::string(traits(hash).name) + "' is of bytes, not of field elements");
    }
    if (out.size() / 4 != n_rows || out.size() % 4 != 0) {
        invalid("hash_elements: out has " + std::to_string(out.size()) + " words, not 4 for each of " +
                std::to_string(n_rows) + " rows");
    }
    if (elements != 0 ? rows.size() / elements != n_rows || rows.size() % elements != 0 : !rows.empty()) {
        invalid("hash_elements: " + std::to_string(n_rows) + " rows of " + std::to_string(elements) +
                " elements do not make " + std::to_string(rows.size()) + " words");
    }
    runtime::require_canonical(rows.data(), rows.size(), "hash_elements");
    if (n_rows == 0) return;
    runtime::Run run(options);
    const mkz_hash_elements arguments{static_cast<std::uint32_t>(hash), rows.data(), n_rows, elements, out.data()};
    run.launch(MKZ_KERNEL_HASH_ELEMENTS, arguments, 1);
}

void merge(std::span<const Digest> left, std::span<const Digest> right, std::span<Digest> out, Hash hash,
           const RunOptions& options) {
    if (left.size() != right.size() || left.size() != out.size()) {
        invalid("merge: " + std::to_string(left.size()) + " left, " + std::to_string(right.size()) + " right and " +
                std::to_string(out.size()) + " output digests");
    }
    if (traits(hash).is_field) {
        runtime::require_canonical(left.data(), 4 * left.size(), "merge: left");
        runtime::require_canonical(right.data(), 4 * right.size(), "merge: right");
    }
    if (out.empty()) return;
    runtime::Run run(options);
    const mkz_merge_pairs arguments{static_cast<std::uint32_t>(hash), left.data(), right.data(), out.size(),
                                    out.data()};
    run.launch(MKZ_KERNEL_MERGE_PAIRS, arguments, 1);
}

Digest merge(const Digest& left, const Digest& right, Hash hash) {
    Digest out;
    merge({&left, 1}, {&right, 1}, {&out, 1}, hash);
    return out;
}

}  // namespace merklize
