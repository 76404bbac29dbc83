#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "files/file_lock.hpp"

namespace merklize::runtime {

/// Changes of few bytes of a large file, in place. The old bytes are written to a journal beside the file,
/// PATH.journal, and are on the disk before the file changes. If the process is killed or the power fails, the journal
/// stays, and the next process that opens the file rolls the change back. docs/file-format.md gives the journal byte by
/// byte and the order of the steps.

/// Whether files are changed in place at all. Tests turn it off.
inline constinit std::atomic<bool> changes_in_place{true};
/// Smaller files are copied, because a copy waits for the disk twice and a change in place four times. Tests lower
/// this.
inline constinit std::atomic<std::uint64_t> least_bytes_in_place{std::uint64_t{1} << 20};

/// Bytes to be changed. before and after have equal sizes.
struct Patch {
    std::uint64_t offset;
    std::span<const std::byte> before, after;
};

/// The file that the path leads to through links, or would be made at: its journal and its .partial file are beside it.
/// errors  io (links without an end)
std::filesystem::path follow_links(const std::filesystem::path& path);
/// PATH.journal, or a shorter name where that one is too long for its folder.
std::filesystem::path journal_of(const std::filesystem::path& path);

/// Changes the bytes of the file that `lock` holds. When it returns true, they are on the disk.
/// path     the file's, with links followed
/// returns  false, and nothing has changed: somebody else has the file open, so that a reader would see half of the
///          change; the system cannot tell whether somebody has; the process may not write to the file; or no journal
///          can be written beside it
/// errors   io. The file is as before, or its journal is there and the next opening rolls the change back
bool change_in_place(const std::filesystem::path& path, const FileLock& lock, std::span<const Patch> patches);

/// A journal counts if it is a regular file with one link, and only the effective user and those who may write to the
/// file (its owner, root, and those whom its mode lets write) can have written it. Any other file of that name is
/// ignored.

/// Whether a file begins as a journal does; true as well if it cannot be read. Any other file of that name is
/// somebody's own, and is left as it is.
bool may_be_journal(const std::filesystem::path& name);

/// Whether there is a journal that counts.
/// file    the file, open
/// errors  io (the journal cannot be looked at)
bool has_journal(const std::filesystem::path& path, int file);

/// Rolls back the change that PATH.journal describes, and removes the journal. An incomplete journal is only removed,
/// because then the change had not begun. So is a journal of another file.
/// path    with links followed
/// lock    on the file; none: nothing happens
/// errors  io (the file is changed in part and cannot be written to, or the journal does not count; only parts of it
///         are what the journal says)
void roll_back(const std::filesystem::path& path, const FileLock& lock);
/// The same for a reader of the file. Waits for the lock only if there is a journal that counts.
/// file    the file, open: from then on nobody begins a change in place
void roll_back(const std::filesystem::path& path, int file);

}  // namespace merklize::runtime
