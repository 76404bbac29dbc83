#include "queue/executor.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "hashes/field.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {

QueueExecutor::QueueExecutor(std::shared_ptr<QueueDevice> device, const RunOptions& options, unsigned threads,
                             Ending ending)
    : timeline_(std::move(device), options, ending),
      kernels_(timeline_, threads),
      staging_(timeline_, threads),
      launches_(timeline_, kernels_, staging_),
      trees_(timeline_, kernels_, staging_, threads) {}

Place QueueExecutor::aligned_nodes(const Place& nodes, std::uint64_t n) {
    return kernels_.aligned_to(range_of(nodes), 32, 32 * n).place();
}

void QueueExecutor::clear_nodes(const Place& nodes, std::uint64_t n) {
    constexpr std::uint64_t most = QueueDevice::zeros_bytes / Digest::size;
    const Place zeros = timeline_.device()->zeros().at(0);
    std::uint64_t done = std::min(n, most);
    timeline_.copy_on_device(nodes, zeros, Digest::size * done);
    // The rest by doubling: a copy takes as long as its bytes, and a few microseconds.
    while (done < n) {
        const std::uint64_t more = std::min(done, n - done);
        timeline_.copy_on_device(at_node(nodes, done), nodes, Digest::size * more);
        done += more;
    }
}

void QueueExecutor::require_canonical(const mkz_hash_info& hash, const Place& words, std::uint64_t n,
                                      const char* what) {
    if (n == 0 || !is_field(hash)) return;
    const std::uint64_t word_bytes = hash.word_bits / 8;
    const Range range = kernels_.aligned_to(range_of(words), word_bytes, word_bytes * n);
    const Kernel check_words =
        kernels_.find({.group_size = 256}, word_bytes == 8 ? bodies::check_words64 : bodies::check_words32, true);
    const auto enqueue = [&](mkz_memory* flag) {
        timeline_.launch(check_words, divide_up(n, check_words.group_size), range.memory, range.offset / word_bytes, n,
                         hash.modulus, flag);
    };
    if (timeline_.enqueues()) return timeline_.note_check(what, hash, enqueue);
    const auto flag = timeline_.scratch(256);
    const std::uint32_t zero = 0;
    copy_to_device(flag->at(0), &zero, sizeof zero);
    enqueue(flag->memory());
    std::uint32_t found = 0;
    copy_to_host(&found, flag->at(0), sizeof found);
    timeline_.synchronize_main();
    if (found == 0) return;
    // Rare, so it may be slow: the host looks where, and says it.
    constexpr std::uint64_t per_piece = 1 << 20;
    std::vector<std::byte> piece(word_bytes * std::min(per_piece, n));
    for (std::uint64_t first = 0; first < n; first += per_piece) {
        const std::uint64_t count = std::min(per_piece, n - first);
        timeline_.check(timeline_.driver().copy_to_host(timeline_.main(), piece.data(), range.memory,
                                                        range.offset + word_bytes * first, word_bytes * count,
                                                        nullptr));
        timeline_.synchronize_main();
        runtime::require_canonical(hash, piece.data(), count, what, first);
    }
    throw Error(ErrorCode::internal, std::string(what) + ": a word that is no field element was there on " +
                                         timeline_.device()->id() +
                                         " and then was not: the memory changed during the call");
}

}  // namespace merklize::runtime
