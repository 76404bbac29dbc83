#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command/manifest/entries.hpp"

namespace merklize::command::manifest {

/// One thing that is not as the manifest says.
struct Difference {
    std::string kind{};  ///< missing, unexpected, dtype, shape, bytes, size, header, unreadable
    std::string what{};  ///< tensor, file, shard
    std::string name{};
    std::optional<std::string> shard{};  ///< the file that a tensor lies in
    /// Of "bytes": the first piece that differs is bytes begin to end of the tensor or file.
    std::optional<std::uint64_t> begin{}, end{};
    std::string detail{};

    std::string sentence() const;
    std::string json() const;
};
using Differences = std::vector<Difference>;

/// Lists that are sorted by their keys. What is in one of them alone is a difference, too.
/// excused  names for which there is another difference already
void compare(const std::vector<Tensor>& expected, const std::vector<Tensor>& found, std::uint64_t piece_size,
             const std::vector<std::string>& excused, Differences& out);
void compare(const std::vector<File>& expected, const std::vector<File>& found, std::uint64_t piece_size,
             const std::vector<std::string>& excused, Differences& out);
void compare(const std::vector<Shard>& expected, const std::vector<Shard>& found, std::uint64_t piece_size,
             const std::vector<std::string>& excused, Differences& out);

}  // namespace merklize::command::manifest
