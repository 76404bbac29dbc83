#include "backends/sycl/error.hpp"

#include <new>
#include <sycl/exception.hpp>

namespace merklize::sycl_plugin {
namespace {

struct LastError {
    std::string text;
    const char* shown = "";

    mkz_status keep(mkz_status status, const std::string& what) noexcept {
        try {
            text = what;
            shown = text.c_str();
        } catch (...) {
            shown = "sycl: out of host memory";
        }
        return status;
    }
};

thread_local LastError kept;

mkz_status status_of(const ::sycl::exception& e) noexcept {
    if (e.code() == ::sycl::errc::memory_allocation) return MKZ_OUT_OF_MEMORY;
    if (e.code() == ::sycl::errc::feature_not_supported) return MKZ_UNAVAILABLE;
    return MKZ_INTERNAL;
}

}  // namespace

mkz_status keep_exception() noexcept {
    try {
        throw;
    } catch (const Failure& e) {
        return kept.keep(e.status(), e.what());
    } catch (const ::sycl::exception& e) {
        try {
            return kept.keep(status_of(e), "sycl: " + e.code().message() + ": " + e.what());
        } catch (...) {
            return kept.keep(MKZ_OUT_OF_MEMORY, {});
        }
    } catch (const std::bad_alloc&) {
        kept.shown = "sycl: out of host memory";
        return MKZ_OUT_OF_MEMORY;
    } catch (const std::exception& e) {
        kept.shown = "sycl: out of host memory";
        try {
            return kept.keep(MKZ_INTERNAL, std::string("sycl: ") + e.what());
        } catch (...) {
            return MKZ_OUT_OF_MEMORY;
        }
    } catch (...) {
        kept.shown = "sycl: a foreign exception";
        return MKZ_INTERNAL;
    }
}

const char* last_error() noexcept { return kept.shown; }

}  // namespace merklize::sycl_plugin
