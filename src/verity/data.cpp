#include "verity/data.hpp"

#include "host/invalid.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {
DmVerity with_data_blocks(const DmVerity& how, std::uint64_t bytes, const std::string& name) {
    require_verity(how);
    const std::uint64_t block = how.data_block_size, whole = bytes / block;
    const auto refuse = [&](const std::string& rule) {
        invalid_call(name + " has " + std::to_string(bytes) + " bytes, " + rule);
    };
    DmVerity known = how;
    if (how.data_blocks) {
        if (*how.data_blocks > whole) {
            refuse("and data_blocks states " + std::to_string(*how.data_blocks) + " blocks of " +
                   std::to_string(block));
        }
        return known;
    }
    if (whole == 0) refuse("less than a block of " + std::to_string(block));
    if (bytes % block != 0) {
        refuse("no multiple of data_block_size, " + std::to_string(block) +
               ": state data_blocks to leave out what is behind the last whole block");
    }
    known.data_blocks = whole;
    return known;
}

VerityFile::VerityFile(const std::filesystem::path& path) : file_(path) {
    if (const auto extent = file_.extent()) {
        bytes_ = extent->bytes;
        identity_ = extent->identity;
        return;
    }
    if (!file_.is_seekable()) invalid_call(name() + ": a file or a block device is wanted, not a pipe");
    std::byte first;
    if (file_.read_up_to({&first, 1}, 0) != 0) runtime::require_extent(file_);  // throws; an empty file has no extent
}

}  // namespace merklize::runtime
