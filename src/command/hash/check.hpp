#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "command/hash/job.hpp"

namespace merklize::command {

/// Bytes of the longest output that is checked. HashResult::digest holds it whole.
inline constexpr std::uint64_t most_checked_length = digest_piece / 2;

/// How `merklize hash --check` reports, and what counts as a failure.
struct CheckRules {
    bool is_quiet = false;         ///< no line for a file that is as listed
    bool is_silent = false;        ///< no line for any file, and no summary
    bool warns = false;            ///< every improper line is named, not only the first ones
    bool is_strict = false;        ///< an improper line is a failure; of BLAKE3's lists it always is
    bool ignores_missing = false;  ///< files that do not exist are left out
    bool as_json = false;
};

/// `merklize hash --check`: reads lists of digests, hashes the files again, compares and reports on every line.
/// BLAKE3's lists are read as b3sum does, and those of other hashes as sha256sum does.
/// lists    names of files, or "-"
/// returns  whether all lists could be read, each had something to check, and nothing failed
bool check_lists(Call& call, const std::vector<std::string>& lists, HashJob& job, const CheckRules& rules);

}  // namespace merklize::command
