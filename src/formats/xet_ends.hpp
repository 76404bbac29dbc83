#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace merklize::runtime {

/// Where chunks of xet end.
///
/// The rule: at a chunk's start h = 0. The first 8127 bytes are skipped. Each later byte sets h = 2h + gear[byte] mod
/// 2^64. The chunk ends after the first byte at which the top 16 bits of h are 0 and the chunk has at least 8192 bytes.
/// It ends at 131072 bytes or with the file at the latest.
///
/// Several threads may look for ends, although h starts again in each chunk. k bytes after a byte was added, its part
/// of h is gear[byte] * 2^k, which is 0 mod 2^64 from k = 64 on. So after 64 bytes h is the sum of gear[b[i - k]] * 2^k
/// over k = 0 ... 63: a function of the last 64 bytes, whatever the chunk's start. An end by content needs 8192 bytes,
/// of which 8192 - 8127 = 65 were added. So *whether a chunk may end after byte i* depends on bytes i - 63 ... i alone,
/// and a candidate is one for every start. Threads find the candidates of any stretch, about one in 65536 bytes, and
/// one pass over the candidates chooses the ends.
inline constexpr std::size_t xet_least = 8192, xet_most = 131072, xet_memory = 64;

/// Appends the candidates first <= i < last to `out`, in order.
/// data  the file, or a part of it that begins at least xet_memory bytes before `first`
void find_xet_candidates(std::span<const std::byte> data, std::size_t first, std::size_t last,
                         std::vector<std::size_t>& out);

/// The ends (one past the last byte) of the chunks of data that begins with a chunk.
/// candidates  all candidates in the data, in order
/// is_last     whether the file ends with the data; otherwise the last chunk has no end yet and is left out
std::vector<std::size_t> xet_ends(std::size_t bytes, std::span<const std::size_t> candidates, bool is_last);

}  // namespace merklize::runtime
