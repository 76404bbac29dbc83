#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace merklize::runtime {

class InputFile;

struct ByteRange {
    std::uint64_t offset, bytes;
};

/// Bytes that come in order, in pieces of the source's choice.
class ByteStream {
public:
    /// Called about every 50 ms while no bytes come, if the source can do that. False: wait no longer.
    using Wait = std::function<bool()>;

    ByteStream() = default;
    ByteStream(const ByteStream&) = delete;
    ByteStream& operator=(const ByteStream&) = delete;
    virtual ~ByteStream() = default;

    /// The next bytes, at least one. They stay until the next call. Empty: the end, or `wait` has returned false.
    /// errors  those of the source
    virtual std::span<const std::byte> next(const Wait& wait) = 0;
    std::span<const std::byte> next() {
        return next([] { return true; });
    }
};

/// Where bytes come from: a file, a pipe, an object of a store. All bytes read through one source are of one version:
/// if somebody changes them meanwhile, reading throws. A source decides how often it retries and how many requests are
/// in flight. Every function throws io with the name. Safe to use from several threads, but for stream().
class ByteSource {
public:
    explicit ByteSource(std::string_view name) : name_(name) {}
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;
    virtual ~ByteSource() = default;

    /// For error texts. Without secrets.
    const std::string& name() const noexcept { return name_; }

    /// Tells a file from any other file, and from its own earlier content. Zeros for other sources, which know their
    /// version.
    struct Identity {
        std::uint64_t device, inode, bytes;
        /// Times of the last change of the content, and of the last change of anything. The latter cannot be set back.
        std::uint64_t written_seconds, written_nanoseconds, changed_seconds, changed_nanoseconds;
        bool operator==(const Identity&) const = default;
    };
    /// What there is to read: `bytes` bytes from `position` on.
    struct Extent {
        std::uint64_t position, bytes;
        Identity identity;
    };
    /// None if only reading tells where the bytes end: a pipe, a file that has more or fewer bytes than it states (in
    /// /proc and /sys, of a FUSE system), a server that states no size. Nothing else asks for a size: readers take this
    /// or read in order.
    virtual std::optional<Extent> extent() const = 0;

    /// Reads exactly out.size() bytes at `offset`.
    virtual void read_at(std::span<std::byte> out, std::uint64_t offset) const = 0;
    /// Reads ranges of the extent one after another. An object of a store fetches several ranges at once.
    virtual std::unique_ptr<ByteStream> stream(std::span<const ByteRange> ranges) const = 0;
    /// Reads everything from a source without an extent. May be called once.
    virtual std::unique_ptr<ByteStream> stream() const = 0;

    /// Throws io if the bytes may have changed since extent() gave this identity.
    virtual void require_unchanged(const Identity& before) const = 0;
    /// Moves the position of the caller's descriptor to `position`, as reading in order would have.
    virtual void leave_at([[maybe_unused]] std::uint64_t position) const noexcept {}

    /// The source as a file of the system, which all threads read at once; null if it is none.
    virtual const InputFile* file() const noexcept { return nullptr; }

private:
    std::string name_;
};

/// The extent of a source.  errors  io (only reading tells where its bytes end, so parts of it cannot be read)
ByteSource::Extent require_extent(const ByteSource& source);

}  // namespace merklize::runtime
