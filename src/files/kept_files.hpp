#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace merklize::runtime {

/// Everything that a kept file depends on. The members are named for a compiled program, the most common case.
struct KeptIdentity {
    std::string_view text;
    std::string_view options;
    std::string_view compiler;  ///< compiler, its version, device, driver: mkz_driver_facts
    std::string_view version;   ///< of this library
    std::string_view driver{};  ///< if `compiler` does not include it
};

/// The name of a program in the cache: 64 hexadecimal digits, the BLAKE3 of all parts and the cache's format.
std::string kept_key(const KeptIdentity& identity);

/// A folder for kept files, or why there is none.
struct KeptFolder {
    std::filesystem::path path{};
    std::string why_none{};
};

/// The folder that the environment names: $MERKLIZE_CACHE_DIR/kernels, else $XDG_CACHE_HOME/merklize/kernels, else
/// $HOME/.cache/merklize/kernels. If MERKLIZE_CACHE_DIR is set and empty, there is none.
KeptFolder kept_folder();

/// A key-value cache on disk, one a user: compiled programs, costs of devices, tuned policies. A file is there
/// completely or not at all, even when several processes write it. A damaged file counts as missing. Nothing here is an
/// error, because without kept files programs are compiled and devices measured again.
///
/// Compiled code is run, so nothing is read from a folder or file that anybody but this user and root owns or may
/// write to.
///
/// Safe to use from several threads and processes at once, even on one folder.
class KeptFiles {
public:
    /// The most bytes of all files together. store() removes the least recently used files.
    static constexpr std::uint64_t usual_max_bytes = std::uint64_t{256} << 20;

    /// The files in kept_folder(), by the environment at the first call.
    static const KeptFiles& process();

    /// `folder` is made when something is stored. Without a path nothing is stored or found.
    explicit KeptFiles(KeptFolder folder, std::uint64_t max_bytes = usual_max_bytes)
        : folder_(std::move(folder)), max_bytes_(max_bytes) {}

    /// The program stored as `key`, or nothing. Removes a damaged file.
    /// cost  one hash of the program and about ten system calls
    std::optional<std::vector<std::byte>> load(std::string_view key) const noexcept;

    /// Stores a program. Replaces an older one of the same key.
    /// returns  why the program was not stored, for people to read; empty if it was
    std::string store(std::string_view key, std::span<const std::byte> program) const;

    /// Why nothing can be found here: there is no folder, or it is not trusted. Empty for a good or missing folder.
    std::string why_unusable() const;

    const std::filesystem::path& folder() const noexcept { return folder_.path; }

private:
    void tidy(int folder, const std::string& stored) const;

    KeptFolder folder_;
    std::uint64_t max_bytes_;
};

}  // namespace merklize::runtime
