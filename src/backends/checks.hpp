// Checks that every driver makes before it calls the vendor's library, so that one mistake has one text on all devices.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "backends/failure.hpp"
#include "backends/sealed.hpp"

// device: the beginning of the text, "opencl:0 (NAME)".
namespace merklize::backends {

[[noreturn]] inline void refuse(mkz_status status, const std::string& device, const std::string& text) {
    throw Failure(status, device + ": " + text);
}

/// The backend's own object behind a handle. A null handle is refused.
/// backend  "opencl"
/// what     "stream"
template <class Object, class Handle>
Object& object_of(Handle* handle, const char* backend, const char* what) {
    if (handle == nullptr) refuse(MKZ_INVALID_ARGUMENT, backend, std::string("the ") + what + " is null");
    return *reinterpret_cast<Object*>(handle);
}

inline void require_device(const char* backend, std::uint32_t index, std::uint64_t count) {
    if (index < count) return;
    refuse(MKZ_INVALID_ARGUMENT, backend + (":" + std::to_string(index)),
           "no such device; there are " + std::to_string(count));
}

/// `bytes` from `offset` on must be inside a block of `block_bytes`.
/// doing  the driver's function
inline void require_range(const std::string& device, const char* doing, std::uint64_t block_bytes, std::uint64_t offset,
                          std::uint64_t bytes) {
    if (offset <= block_bytes && bytes <= block_bytes - offset) return;
    refuse(MKZ_INVALID_ARGUMENT, device,
           std::string(doing) + ": " + std::to_string(bytes) + " bytes at " + std::to_string(offset) +
               " are not in a block of " + std::to_string(block_bytes) + " bytes");
}

/// Two ranges of a copy on the device must not overlap.
/// to, from  their addresses, or their offsets in one block
inline void require_apart(const std::string& device, std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    if (to >= from + bytes || from >= to + bytes) return;
    refuse(MKZ_INVALID_ARGUMENT, device,
           "copy_on_device: the two ranges of " + std::to_string(bytes) + " bytes overlap: they begin " +
               std::to_string(to > from ? to - from : from - to) + " bytes apart");
}

inline std::string allocating(std::uint64_t bytes, const char* what = "") {
    return "allocating " + std::to_string(bytes) + " bytes" + what;
}

inline void require_any_bytes(const std::string& device, std::uint64_t bytes) {
    if (bytes == 0) refuse(MKZ_INVALID_ARGUMENT, device, "a block of memory needs at least 1 byte");
}

/// For allocate_host().
/// page  the driver allocates up to a page more
inline void require_host_bytes(const std::string& device, std::uint64_t bytes, std::uint64_t page) {
    require_any_bytes(device, bytes);
    if (bytes > SIZE_MAX - page) {
        refuse(MKZ_OUT_OF_MEMORY, device, allocating(bytes, " of host memory") + ": more than there can be");
    }
}

[[noreturn]] inline void refuse_wrap_host(const std::string& device) {
    refuse(MKZ_INVALID_ARGUMENT, device, "host memory as a block: the device has memory of its own");
}

[[noreturn]] inline void refuse_kernel_name(const std::string& device, const std::string& name) {
    refuse(MKZ_INVALID_ARGUMENT, device, "the program has no kernel " + name);
}

[[noreturn]] inline void refuse_launch(const std::string& device, const std::string& kernel, const std::string& text) {
    refuse(MKZ_INVALID_ARGUMENT, device, "kernel " + kernel + ": " + text);
}

inline void require_arguments(const std::string& device, const std::string& kernel, std::uint32_t given,
                              std::uint64_t wanted) {
    if (given == wanted) return;
    refuse_launch(device, kernel, "it takes " + std::to_string(wanted) + " arguments, not " + std::to_string(given));
}

/// most  items of a group of this kernel
inline void require_group(const std::string& device, const std::string& kernel, std::uint32_t group_size,
                          std::uint32_t most) {
    if (group_size >= 1 && group_size <= most) return;
    refuse_launch(device, kernel,
                  "groups of " + std::to_string(group_size) + " items; here it takes 1 to " + std::to_string(most));
}

/// most  groups that the device can count
inline void require_groups(const std::string& device, const std::string& kernel, std::uint64_t groups,
                           std::uint64_t most) {
    if (groups <= most) return;
    refuse_launch(device, kernel,
                  std::to_string(groups) + " groups are more than the device can count, " + std::to_string(most));
}

/// A sealed binary must be of the compiler `maker`.
inline void require_maker(const std::string& device, const Opened& opened, std::string_view maker) {
    if (opened.maker == maker) return;
    refuse(MKZ_INVALID_ARGUMENT, device,
           "a compiled program of " + std::to_string(opened.binary.size()) +
               " bytes was made by another compiler: " + std::string(opened.maker) + ", not " + std::string(maker));
}

/// Opens what program_binary() gave: the binary inside, if it is whole and of the compiler `maker`.
inline std::string open_own(const std::string& device, std::string_view sealed, std::string_view maker) {
    const Opened opened = open_sealed(sealed, device);
    require_maker(device, opened, maker);
    return std::string(opened.binary);
}

/// The end of program_binary(): gives the caller what open_own() takes.
/// binary  the vendor's; empty: there is none
inline void give_own(const std::string& device, const std::string& binary, std::string_view maker,
                     void (*sink)(void* context, const void* bytes, std::uint64_t size), void* context) {
    if (binary.empty()) refuse(MKZ_UNAVAILABLE, device, "the device gives no compiled form of a program");
    const std::string all = seal(maker, binary);
    sink(context, all.data(), all.size());
}

/// A compiler's log, cut for an error text, because its first errors matter most.
inline std::string shortened(std::string log) {
    constexpr std::size_t shown = 8192;
    if (log.size() <= shown) return log;
    const std::string rest = "\n... and " + std::to_string(log.size() - shown) + " bytes more";
    log.resize(shown);
    return log + rest;
}

/// Copies a text into a field of facts, cut to what fits.
template <std::size_t Size>
void put(char (&to)[Size], const std::string& text) {
    std::snprintf(to, Size, "%s", text.c_str());
}

/// The same for a text on which compiled programs depend. It ends with a checksum, so that the part that does not fit
/// counts, too.
template <std::size_t Size>
void put_summed(char (&to)[Size], const std::string& text) {
    char sum[20];
    std::snprintf(sum, sizeof sum, " #%016llx", static_cast<unsigned long long>(checksum(text)));
    put(to, text.substr(0, Size - sizeof sum) + sum);
}

}  // namespace merklize::backends
