#include "digests/file_reads.hpp"

#include <algorithm>
#include <vector>

namespace merklize::runtime {

std::span<std::byte> thread_buffer() {
    thread_local std::vector<std::byte> buffer(read_bytes);
    return buffer;
}

void read_together(const InputFile& file, std::span<std::byte> out, std::uint64_t offset, Run& run, double share) {
    run.parallel((out.size() + read_bytes - 1) / read_bytes,
                 [&](std::size_t i) {
                     const std::uint64_t first = i * read_bytes;
                     file.read_at(out.subspan(first, std::min<std::uint64_t>(read_bytes, out.size() - first)),
                                  offset + first);
                 },
                 share);
}

}  // namespace merklize::runtime
