#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/device.hpp>
#include <merklize/digest.hpp>

/// Manifests of weights: what tensors and files are, under one root. docs/manifest-format.md has the text and the tree.
/// All names are UTF-8. Paths are paths of the system.
namespace merklize::inline v0::manifests {

/// A tensor, wherever it lies.
struct Tensor {
    std::string name{}, dtype{};  ///< dtype as safetensors names it: "BF16", "F8_E4M3", "BOOL" ...
    std::vector<std::uint64_t> shape{};
    Digest digest{};                     ///< of the manifest's DigestKind
    std::uint64_t size = 0;              ///< bytes
    std::optional<std::string> shard{};  ///< the file that it lies in; none: memory
    std::uint64_t offset = 0;            ///< its first byte in that file
    std::vector<Digest> pieces{};        ///< values of its pieces; none if it is no longer than one

    const std::string& key() const noexcept { return name; }
    /// Its leaf of the manifest's tree.
    MERKLIZE_API Digest leaf() const;
};

/// A file that is hashed as a whole.
struct File {
    std::string path{};
    std::uint64_t size = 0;
    Digest digest{};
    std::vector<Digest> pieces{};

    const std::string& key() const noexcept { return path; }
    /// Its leaf of the manifest's tree.
    MERKLIZE_API Digest leaf() const;
};

/// A safetensors file: its header and its tensors are all of its bytes.
struct Shard {
    std::string path{};
    std::uint64_t size = 0;
    Digest header{};  ///< BLAKE3 of what comes before the first tensor

    const std::string& key() const noexcept { return path; }
};

/// What the system said of a file when it was hashed. By it refresh() finds the files that changed.
struct Seen {
    std::string path{};
    std::uint64_t size = 0;
    std::int64_t seconds = 0;       ///< of the last write, since 1970
    std::uint32_t nanoseconds = 0;  ///< after these seconds
    std::uint64_t inode = 0;

    const std::string& key() const noexcept { return path; }
    bool operator==(const Seen&) const = default;
};

/// What a manifest was made of.
enum class Kind { tensors, file, index, folder };
/// "tensors", "file", "index", "folder"
MERKLIZE_API std::string_view name_of(Kind kind) noexcept;

/// What the digests of tensors are.
enum class DigestKind {
    bytes,  ///< BLAKE3 of a tensor's bytes in C order, little endian
    tiles,  ///< "tiles-v1": a root over tiles, the same however the tensor is sharded (docs/tiles-format.md)
};

/// All that a manifest says. Lists are sorted by the bytes of their keys, each of which is there once.
struct Manifest {
    Kind kind = Kind::folder;
    std::optional<std::string> name{};  ///< of the file or index
    DigestKind digest = DigestKind::bytes;
    /// Differences are located to a piece of this size; 0: there are no pieces. Tensors by tiles have none.
    std::uint64_t piece_size = 0;
    std::vector<Tensor> tensors{};
    std::vector<File> files{};  ///< the other files of a folder
    std::vector<Shard> shards{};
    std::vector<std::vector<std::string>> aliases{};  ///< groups of names of tensors that shared memory
    std::vector<std::string> ignore{};                ///< patterns of names that were left out
    std::vector<Seen> seen{};
    Digest root{};  ///< root_of() of this manifest
    /// Files that an index of shards in the folder names, but that were not there when it was hashed: a download may
    /// have been broken off. Not in the text.
    std::vector<std::string> missing{};

    /// Bytes of all tensors and files.
    std::uint64_t bytes() const noexcept;
};

/// The leaves of all tensors, then of all files.
MERKLIZE_API std::vector<Digest> leaves_of(const Manifest& manifest);
/// The root of the tree over leaves_of().
/// errors  invalid_argument (there are none)
MERKLIZE_API Digest root_of(const Manifest& manifest);

/// Reads the text of a manifest.
/// errors  invalid_argument (whatever to_json() does not write; root or pieces do not fit the digests)
/// cost    proportional to the text
MERKLIZE_API Manifest parse(std::string_view text);
/// The same of a file.  errors  those of parse(), with the path; io
MERKLIZE_API Manifest load(const std::string& path);
/// The text, with fields and entries in one order.
/// with_seen  with the times and inodes of files; without, the text is the same on all machines
MERKLIZE_API std::string to_json(const Manifest& manifest, bool with_seen = true);

inline constexpr std::uint64_t default_piece_size = std::uint64_t{1} << 20;

struct Options {
    /// Bytes of a piece: a power of two of at least 256 KiB, or 0. In longer tensors and files, check() tells which
    /// piece differs. That costs 32 bytes a piece and no time.
    std::uint64_t piece_size = default_piece_size;
    /// Of a folder: patterns of names, or of paths below it, that are left out (`*.lock`, `.git`), as in a shell. A
    /// `./` in front, a `/` behind and a `**/` in front of a name change nothing.
    std::vector<std::string> ignore{};
    bool follow_links = false;  ///< take symbolic links to files for the files; otherwise they are an error
    std::string exclude{};      ///< of a folder: a path that is left out, such as the manifest's own
    /// Of tensors: DigestKind::tiles, by the CPU. Their digests are those of merklize.sharded in Python.
    DigestKind digest = DigestKind::bytes;
};

/// Hashes a safetensors file, an index of shards (*.index.json), or a folder: its safetensors files tensor by tensor,
/// all others as files. Names of tensors in folders below begin with the folder ("unet/conv.weight"); a name that
/// several files of one folder have begins with the file.
/// errors  invalid_argument (options; a header that breaks safetensors' rules; names that no manifest holds; links), io
///         (unreadable, changed while being read), cancelled
/// cost    every byte is read once; all threads read and hash at once
MERKLIZE_API Manifest create(const std::string& path, const Options& options = {}, const RunOptions& run = {});

/// One thing that is not as the manifest says.
struct Difference {
    std::string kind{};  ///< missing, unexpected, dtype, shape, bytes, size, header, unreadable
    std::string what{};  ///< tensor, file, shard
    std::string name{};
    std::optional<std::string> shard{};  ///< the file that a tensor lies in
    /// Of "bytes": the first piece that differs is bytes begin to end of the tensor or file.
    std::optional<std::uint64_t> begin{}, end{};
    std::string detail{};

    MERKLIZE_API std::string sentence() const;
    MERKLIZE_API std::string json() const;
};
using Differences = std::vector<Difference>;

struct CheckOptions {
    std::vector<std::string> only{};  ///< patterns of tensors, files or shards; the rest is not read. None: all
    bool follow_links = false;
    std::string exclude{};  ///< as in Options
};

/// What a check found.
struct Report {
    Differences differences{};
    std::uint64_t checked = 0;  ///< tensors and files that were hashed and compared
    std::uint64_t bytes = 0;    ///< of these
    /// As in Manifest, but for what the differences name.
    std::vector<std::string> missing{};

    explicit operator bool() const noexcept { return differences.empty(); }
};

/// Hashes again and tells what is not as the manifest says. A file that cannot be read, or is no safetensors file, is a
/// difference, not an error.
/// path    the file, index or folder that the manifest was made of, under any name; or the folder that holds the file
///         or index
/// errors  invalid_argument (a pattern that nothing in the manifest has), io (a folder that cannot be read), cancelled
MERKLIZE_API Report check(const Manifest& known, const std::string& path, const CheckOptions& options = {},
                          const RunOptions& run = {});

/// How `other` differs from `manifest`: tensors and files, by name.
/// errors  invalid_argument (one has digests of tiles, the other of bytes)
MERKLIZE_API Differences diff(const Manifest& manifest, const Manifest& other);

struct RefreshOptions {
    bool everything = false;  ///< hash all files, not only those whose size, time of the last write or inode changed
    bool follow_links = false;
    std::string exclude{};  ///< as in Options
};

struct Refreshed {
    Manifest manifest{};
    std::vector<std::string> hashed{};  ///< files that were hashed
    std::vector<std::string> kept{};    ///< files whose digests are those of before
};

/// A manifest of the files as they are now. A write that keeps size, time and inode is not found; check() finds it.
/// path    as in check()
/// errors  those of create(); invalid_argument (a manifest of tensors in memory)
MERKLIZE_API Refreshed refresh(const Manifest& known, const std::string& path, const RefreshOptions& options = {},
                               const RunOptions& run = {});

}  // namespace merklize::inline v0::manifests
