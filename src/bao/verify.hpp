#pragma once

#include <vector>

#include "host/byte_source.hpp"
#include "merklize/bao.hpp"

namespace merklize::runtime {

/// A verified message.
struct VerifiedSource {
    std::vector<BaoFault> faults;
    std::uint64_t bytes;  // of the whole message
};
/// As bao_verify_file(), for any source. What can only be read in order is copied to the folder for temporary files
/// first.
/// range  of the message, which begins where the source does. UINT64_MAX bytes: to its end
VerifiedSource verify_source(const ByteSource& source, const FileRange& range, const BaoTrust& trust,
                             const RunOptions& options);

}  // namespace merklize::runtime
