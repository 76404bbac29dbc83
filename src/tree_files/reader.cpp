#include "tree_files/reader.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "host/journal.hpp"
#include "levels/merges.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

TreeHeader read_header(const InputFile& file, const std::filesystem::path& path) {
    const std::uint64_t bytes = file.regular_size();
    std::array<std::byte, TreeHeader::size> header{};
    const auto there = std::span(header).first(std::min<std::uint64_t>(bytes, header.size()));
    file.read_at(there, 0);
    return TreeHeader::decode(there, bytes, path.string());
}

}  // namespace

TreeFileReader::TreeFileReader(const std::filesystem::path& path)
    : path_(path), file_(path), header_((roll_back(follow_links(path), file_.fd()), read_header(file_, path))) {
    require_root();
}

TreeFileReader::TreeFileReader(const std::filesystem::path& path, const FileLock& lock)
    : path_(path),
      file_(
          (roll_back(follow_links(path), lock), lock ? InputFile::beside(lock.fd(), path.string()) : InputFile(path))),
      header_(read_header(file_, path)) {
    require_root();
}

void TreeFileReader::require_root() const {
    if ((header_.n_leaves == 0 ? empty_root() : node(layout().height(), 0)) != header_.root) {
        throw Error(ErrorCode::io,
                    path_.string() + ": a damaged tree file: its last node is not the root that its header says");
    }
}

void TreeFileReader::read(unsigned level, std::uint64_t first, std::span<Digest> out) const {
    file_.read_at(std::as_writable_bytes(out), header_.offset(level, first));
}

Digest TreeFileReader::node(unsigned level, std::uint64_t index) const {
    Digest out;
    read(level, index, {&out, 1});
    return out;
}

std::vector<Digest> TreeFileReader::nodes(std::span<const NodeAt> places) const {
    constexpr std::uint64_t window_nodes = 128;  // 4 KiB: one page of the system's cache
    std::vector<Digest> out(places.size());
    std::array<Digest, window_nodes> window;
    unsigned level = 0;
    std::uint64_t first = 0, count = 0;  // the nodes in the window
    for (std::size_t i = 0; i < places.size(); i++) {
        const NodeAt& at = places[i];
        if (at.level != level || at.index - first >= count) {
            const bool follows = i + 1 < places.size() && places[i + 1].level == at.level &&
                                 places[i + 1].index - at.index < window_nodes;
            level = at.level;
            first = at.index;
            count = follows ? std::min(window_nodes, layout().level_size(level) - first) : 1;
            read(level, first, std::span(window).first(count));
        }
        out[i] = window[at.index - first];
    }
    return out;
}

}  // namespace merklize::runtime
