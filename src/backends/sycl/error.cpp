#include "backends/sycl/error.hpp"

#include <sycl/exception.hpp>

namespace merklize::sycl_plugin {
namespace {

mkz_status status_of(const ::sycl::exception& e) noexcept {
    if (e.code() == ::sycl::errc::memory_allocation) return MKZ_OUT_OF_MEMORY;
    if (e.code() == ::sycl::errc::feature_not_supported) return MKZ_UNAVAILABLE;
    return MKZ_INTERNAL;
}

}  // namespace

void rethrow_as_failure() {
    try {
        throw;
    } catch (const ::sycl::exception& e) {
        throw Failure(status_of(e), "sycl: " + e.code().message() + ": " + e.what());
    }
}

}  // namespace merklize::sycl_plugin
