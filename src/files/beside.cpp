#include "files/beside.hpp"

#include <unistd.h>

#include <algorithm>
#include <span>

#include "host/blake3/digest.hpp"
#include "merklize/digest.hpp"

namespace merklize::runtime {
namespace {

constexpr std::size_t usual_most = 255;
constexpr std::size_t digits = 16;

std::size_t most_bytes_of_name(const std::filesystem::path& folder) {
    const long most = pathconf(folder.empty() ? "." : folder.c_str(), _PC_NAME_MAX);
    return most > 0 ? static_cast<std::size_t>(most) : usual_most;
}

}  // namespace

std::string name_for(const std::filesystem::path& path, std::size_t more) {
    std::string name = path.filename().string();
    const std::size_t most = std::max(most_bytes_of_name(path.parent_path()), more + digits + 2) - more;
    if (name.size() <= most) return name;
    std::size_t kept = most - digits - 1;
    while (kept != 0 && (static_cast<unsigned char>(name[kept]) & 0xc0) == 0x80) kept--;  // no half of a character
    return name.substr(0, kept) + "-" + blake3_digest(std::as_bytes(std::span(name))).hex().substr(0, digits);
}

std::filesystem::path beside(const std::filesystem::path& path, std::string_view end) {
    return path.parent_path() / (name_for(path, end.size()) + std::string(end));
}

}  // namespace merklize::runtime
