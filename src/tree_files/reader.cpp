#include "tree_files/reader.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "files/journal.hpp"
#include "levels/merges.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

TreeHeader read_header(const ByteSource& source, const std::filesystem::path& path) {
    const auto extent = source.extent();
    if (source.file() != nullptr) source.file()->require_seekable();
    const std::uint64_t bytes = extent ? extent->position + extent->bytes : 0;
    std::array<std::byte, TreeHeader::size> header{};
    const auto there = std::span(header).first(std::min<std::uint64_t>(bytes, header.size()));
    source.read_at(there, 0);
    return TreeHeader::decode(there, bytes, path.string());
}

std::unique_ptr<const InputFile> rolled_back(const std::filesystem::path& path) {
    auto file = std::make_unique<const InputFile>(path);
    roll_back(follow_links(path), file->fd());
    return file;
}

std::unique_ptr<const InputFile> rolled_back(const std::filesystem::path& path, const FileLock& lock) {
    roll_back(follow_links(path), lock);
    if (!lock) return std::make_unique<const InputFile>(path);
    return std::unique_ptr<const InputFile>(new InputFile(InputFile::beside(lock.fd(), path.string())));
}

// One read takes two wanted places if the gap between them is at most this number of bytes.
constexpr std::uint64_t gap = 64 << 10;

}  // namespace

TreeFileReader::TreeFileReader(const std::filesystem::path& path)
    : path_(path), source_(rolled_back(path)), header_(read_header(*source_, path)) {
    require_root();
}

TreeFileReader::TreeFileReader(const std::filesystem::path& path, const FileLock& lock)
    : path_(path), source_(rolled_back(path, lock)), header_(read_header(*source_, path)) {
    require_root();
}

TreeFileReader::TreeFileReader(std::unique_ptr<const ByteSource> source)
    : path_(source->name()), source_(std::move(source)), header_(read_header(*source_, path_)) {
    require_root();
}

void TreeFileReader::require_root() const {
    if ((header_.n_leaves == 0 ? empty_root() : node(layout().height(), 0)) != header_.root) {
        throw Error(ErrorCode::io,
                    path_.string() + ": a damaged tree file: its last node is not the root that its header says");
    }
}

void TreeFileReader::read(unsigned level, std::uint64_t first, std::span<Digest> out) const {
    source_->read_at(std::as_writable_bytes(out), header_.offset(level, first));
    if (source_->file() == nullptr) source_->require_unchanged({});
}

Digest TreeFileReader::node(unsigned level, std::uint64_t index) const {
    Digest out;
    read(level, index, {&out, 1});
    return out;
}

std::vector<Digest> TreeFileReader::nodes(std::span<const NodeAt> places) const {
    if (source_->file() == nullptr) return nodes_at_once(places);
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

std::vector<Digest> TreeFileReader::nodes_at_once(std::span<const NodeAt> places) const {
    std::vector<std::pair<std::uint64_t, std::size_t>> wanted;  // offset, and which place it is
    for (std::size_t i = 0; i < places.size(); i++)
        wanted.emplace_back(header_.offset(places[i].level, places[i].index), i);
    std::ranges::sort(wanted);
    std::vector<ByteRange> ranges;
    for (const auto& [offset, i] : wanted) {
        const std::uint64_t end = offset + Digest::size;
        if (!ranges.empty() && offset <= ranges.back().offset + ranges.back().bytes + gap) {
            ranges.back().bytes = end - ranges.back().offset;
        } else {
            ranges.push_back({offset, Digest::size});
        }
    }
    std::vector<Digest> out(places.size());
    const auto stream = source_->stream(ranges);
    std::span<const std::byte> piece;
    auto next = wanted.begin();
    for (const auto& [begin, bytes] : ranges) {
        std::vector<std::byte> data;
        while (data.size() < bytes) {
            if (piece.empty()) piece = stream->next();
            if (piece.empty()) throw EndedEarly(ErrorCode::io, source_->name() + ": changed while being read");
            const auto more = piece.first(std::min<std::uint64_t>(piece.size(), bytes - data.size()));
            data.insert(data.end(), more.begin(), more.end());
            piece = piece.subspan(more.size());
        }
        for (; next != wanted.end() && next->first < begin + bytes; ++next)
            std::memcpy(out[next->second].bytes.data(), &data[next->first - begin], Digest::size);
    }
    source_->require_unchanged({});
    return out;
}

}  // namespace merklize::runtime
