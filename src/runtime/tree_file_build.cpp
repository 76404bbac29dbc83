// build_tree_file(): from a file of data or of leaves, or a pipe of them, to a tree file.
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "merklize/error.hpp"
#include "merklize/tree_file.hpp"
#include "runtime/field.hpp"
#include "runtime/file.hpp"
#include "runtime/tree_output.hpp"

namespace merklize {
namespace {

using runtime::Batch;
using runtime::File;
using runtime::TreeOutput;
using runtime::part_of;

constexpr double hash_share = 0.7;  // of a batch: reading and making its leaves

// Tells another file, or the same after it was written to. What was built of the one must not go on with the other.
std::uint64_t stamp_of(const File& file) {
    std::uint64_t position = 0, bytes = 0;
    // Also what is empty, or made up by the kernel: reading shows.
    if (!file.has_extent(position, bytes)) return from_stream(file, input.string(), leaves, output, form, options);
    return from_extent(file, bytes, input.string(), leaves, output, form, resume, options);
}

}  // namespace

Digest build_tree_file(const std::filesystem::path& input, std::uint64_t leaf_bytes,
                       const std::filesystem::path& output, const TreeForm& form, bool resume,
                       const RunOptions& options) {
    return build(input, Leaves(leaf_bytes, true, form), output, form, resume, options);
}

Digest build_tree_file(const std::filesystem::path& leaves, const std::filesystem::path& output, const TreeForm& form,
                       bool resume, const RunOptions& options) {
    return build(leaves, Leaves(Digest::size, false, form), output, form, resume, options);
}

}  // namespace merklize
