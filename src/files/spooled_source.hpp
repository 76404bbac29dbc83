#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "host/byte_source.hpp"
#include "host/input_file.hpp"

namespace merklize::runtime {

/// The bytes of a source that can only be read in order, copied to a file without a name, so that ranges of them can be
/// read. The file is gone when the object is. It is no file() to readers: the program would map it, and all of it would
/// count as the process's memory.
class SpooledSource final : public ByteSource {
public:
    /// How many bytes the source may have, by its first 8. Not called for a source that has fewer.
    using Most = std::function<std::uint64_t(std::span<const std::byte, 8> begin)>;

    /// Reads all of the source.
    /// folder  has the file
    /// wait    as of ByteStream::next(). If it returns false, the copy is not whole
    /// most    a source that has more is not read to its end, and the copy has more, too
    /// errors  io (those of the source; a folder that is full or takes no files)
    SpooledSource(const ByteSource& source, const std::filesystem::path& folder, const ByteStream::Wait& wait,
                  const Most& most = {});

    std::optional<Extent> extent() const override { return Extent{0, bytes_, {}}; }
    void read_at(std::span<std::byte> out, std::uint64_t offset) const override { file_.read_at(out, offset); }
    std::unique_ptr<ByteStream> stream(std::span<const ByteRange> ranges) const override {
        return file_.stream(ranges);
    }
    std::unique_ptr<ByteStream> stream() const override;
    void require_unchanged(const Identity&) const override {}  // nobody else can open it

private:
    InputFile file_;
    std::uint64_t bytes_ = 0;
};

/// The source itself, if ranges of it can be read, else a copy of its bytes.
std::unique_ptr<ByteSource> with_ranges(std::unique_ptr<ByteSource> source, const std::filesystem::path& folder,
                                        const ByteStream::Wait& wait, const SpooledSource::Most& most);

}  // namespace merklize::runtime
