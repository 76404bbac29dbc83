#pragma once

#include <vector>

#include "host/byte_source.hpp"
#include "merklize/bao.hpp"

namespace merklize::runtime {

/// As bao_verify_file(), for a source, which must state its size. `what` is the function that the user called.
std::vector<BaoFault> verify_source(const char* what, const ByteSource& source, const FileRange& range,
                                    const BaoTrust& trust, const RunOptions& options);

}  // namespace merklize::runtime
