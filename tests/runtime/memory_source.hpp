#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/byte_source.hpp"
#include "merklize/error.hpp"

namespace support {

/// A source in memory that gives pieces of `piece` bytes. It may state no size, and it may end early.
class MemorySource : public merklize::runtime::ByteSource {
public:
    MemorySource(std::span<const std::byte> data, std::size_t piece)
        : ByteSource("memory"), data_(data), piece_(piece) {}

    bool has_size = true;
    bool is_changed = false;
    std::size_t ends_at = SIZE_MAX;
    mutable std::size_t reads = 0;  // bytes that were given out

    std::optional<Extent> extent() const override {
        return has_size ? std::optional(Extent{0, data_.size(), {}}) : std::nullopt;
    }
    void read_at(std::span<std::byte> out, std::uint64_t offset) const override {
        std::ranges::copy(data_.subspan(offset, out.size()), out.begin());
        reads += out.size();
    }
    std::unique_ptr<merklize::runtime::ByteStream> stream(
        std::span<const merklize::runtime::ByteRange> ranges) const override {
        return std::make_unique<Stream>(*this, std::vector(ranges.begin(), ranges.end()));
    }
    std::unique_ptr<merklize::runtime::ByteStream> stream() const override {
        const merklize::runtime::ByteRange all{0, data_.size()};
        return stream({&all, 1});
    }
    void require_unchanged(const Identity&) const override {
        if (is_changed) throw merklize::Error(merklize::ErrorCode::io, "memory: changed while being read");
    }

private:
    class Stream : public merklize::runtime::ByteStream {
    public:
        Stream(const MemorySource& source, std::vector<merklize::runtime::ByteRange> ranges)
            : source_(source), ranges_(std::move(ranges)) {}

        std::span<const std::byte> next(const Wait&) override {
            while (at_ < ranges_.size() && ranges_[at_].bytes == 0) at_++;
            if (at_ == ranges_.size() || ranges_[at_].offset >= source_.ends_at) return {};
            auto& [offset, bytes] = ranges_[at_];
            // Each piece is in memory of its own, which the next call frees.
            const auto data = source_.data_.subspan(offset, std::min<std::uint64_t>(bytes, source_.piece_));
            copy_.assign(data.begin(), data.end());
            offset += data.size();
            bytes -= data.size();
            source_.reads += data.size();
            return copy_;
        }

    private:
        const MemorySource& source_;
        std::vector<merklize::runtime::ByteRange> ranges_;
        std::size_t at_ = 0;
        std::vector<std::byte> copy_{};
    };

    const std::span<const std::byte> data_;
    const std::size_t piece_;
};

}  // namespace support
