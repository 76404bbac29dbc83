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

/// Everything that a kept file depends on; the names are those of a compiled program, the most common case.
struct KeptIdentity {
    std::string_view text;
    std::string_view options;
    std::string_view compiler;  ///< compiler, its version, device, driver: mkz_driver_facts
    std::string_view version;   ///< of this library
    std::string_view driver{};  ///< where `compiler` does not have it
};

/// The name of a program in the cache: 64 hexadecimal digits, BLAKE3 of all parts and the cache's format. Empty, which
/// no cache knows, if this processor cannot hash (an instruction set is forced that is not there).
std::string kept_key(const KeptIdentity& identity);

/// A folder for kept files, or why there is none.
struct KeptFolder {
    std::filesystem::path path{};
    std::string why_none{};
};

/// Of the environment: $MERKLIZE_CACHE_DIR, else $XDG_CACHE_HOME/merklize, else $HOME/.cache/merklize; in it "kernels".
/// MERKLIZE_CACHE_DIR set and empty means none.
KeptFolder kept_folder();

/// What is kept on disk between processes of one user, by keys: compiled programs, costs of devices, tuned policies. A
/// file is there whole or not at all, whoever writes at the same time; what is damaged is as good as missing. Nothing
/// here is an error: without kept files, programs are compiled and devices measured again.
///
/// Compiled code is run, so nothing is taken from a folder or file that somebody else than this user and root owns or
/// may write.
///
/// Safe to use from several threads and processes at once, also on one folder.
class KeptFiles {
public:
    /// Bytes of all files together; store() removes those not used for longest.
    static constexpr std::uint64_t usual_max_bytes = std::uint64_t{256} << 20;

    /// In kept_folder(), as the environment was at the first call.
    static const KeptFiles& process();

    /// `folder` is made when something is stored. One without a path stores and finds nothing.
    explicit KeptFiles(KeptFolder folder, std::uint64_t max_bytes = usual_max_bytes)
        : folder_(std::move(folder)), max_bytes_(max_bytes) {}

    /// The program stored as `key`, or nothing. Removes a damaged file.
    /// cost  a hash of it and about ten system calls
    std::optional<std::vector<std::byte>> load(std::string_view key) const noexcept;

    /// Stores a program, in the place of an older one of the same key.
    /// returns  why not, for people, or an empty text
    std::string store(std::string_view key, std::span<const std::byte> program) const;

    /// Why nothing is found here, whatever was stored: no folder, or one that is not trusted. Empty for a good or
    /// missing folder.
    std::string why_unusable() const;

    const std::filesystem::path& folder() const noexcept { return folder_.path; }

private:
    void tidy(int folder, const std::string& stored) const;

    KeptFolder folder_;
    std::uint64_t max_bytes_;
};

}  // namespace merklize::runtime
