#include "files/spooled_source.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "files/atomic_file.hpp"

namespace merklize::runtime {
namespace {

[[noreturn]] void fail(const ByteSource& source, const std::filesystem::path& folder, int error) {
    throw Error(ErrorCode::io,
                source.name() + ": cannot keep a copy of its bytes in " + folder.string() + ": " +
                    std::generic_category().message(error),
                error, folder.string());
}

int open_unnamed(const ByteSource& source, const std::filesystem::path& folder) {
#ifdef O_TMPFILE
    constexpr mode_t for_the_user = 0600;
    const int unnamed = unnamed_files ? open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, for_the_user) : -1;
    if (unnamed >= 0) return unnamed;
#endif
    std::string name = (folder / ".merklize-XXXXXX").string();
    const int named = mkostemp(name.data(), O_CLOEXEC);
    if (named < 0) fail(source, folder, errno);
    unlink(name.c_str());
    return named;
}

}  // namespace

SpooledSource::SpooledSource(const ByteSource& source, const std::filesystem::path& folder,
                             const ByteStream::Wait& wait, const Most& most)
    : ByteSource(source.name()), file_(InputFile::taken(open_unnamed(source, folder), source.name())) {
    const auto stream = source.stream();
    std::array<std::byte, 8> begin{};
    std::uint64_t longest = UINT64_MAX;
    for (auto piece = stream->next(wait); !piece.empty() && bytes_ <= longest; piece = stream->next(wait)) {
        if (bytes_ < begin.size()) {
            const auto rest = std::span(begin).subspan(bytes_);
            std::ranges::copy(piece.first(std::min(piece.size(), rest.size())), rest.begin());
            if (most && piece.size() >= rest.size()) longest = most(begin);
        }
        while (!piece.empty()) {
            const ssize_t count = ::write(file_.fd(), piece.data(), piece.size());
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) fail(source, folder, count < 0 ? errno : ENOSPC);
            piece = piece.subspan(static_cast<std::size_t>(count));
            bytes_ += static_cast<std::uint64_t>(count);
        }
    }
    if (source.file() == nullptr && bytes_ <= longest) source.require_unchanged({});
    if (lseek(file_.fd(), 0, SEEK_SET) < 0) fail(source, folder, errno);
}

std::unique_ptr<ByteStream> SpooledSource::stream() const {
    const ByteRange whole{0, bytes_};
    return file_.stream({&whole, 1});
}

std::unique_ptr<ByteSource> with_ranges(std::unique_ptr<ByteSource> source, const std::filesystem::path& folder,
                                        const ByteStream::Wait& wait, const SpooledSource::Most& most) {
    if (source->extent()) return source;
    return std::make_unique<SpooledSource>(*source, folder, wait, most);
}

}  // namespace merklize::runtime
