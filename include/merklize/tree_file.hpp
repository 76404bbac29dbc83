#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/proof.hpp>
#include <merklize/tree.hpp>

namespace merklize::inline v0 {

/// Merkle trees in files (.mkl): a header of 128 bytes with a checksum, then the levels one after another, leaves
/// first. docs/file-format.md gives it byte by byte.

/// Writes a tree to a file: completely or not at all, even if the process is killed. An old file stays until the new
/// one is complete.
/// source  recorded in the file; none: the tree's own source
/// errors  io (with the path and the system's text; if the disk is too small, with the numbers, before anything is
///         written), invalid_argument (dropped levels)
MERKLIZE_API void save_tree(const MerkleTree& tree, const std::filesystem::path& path,
                            const std::optional<LeafSource>& source = std::nullopt);

/// A node that does not match its children.
struct WrongNode {
    unsigned level;
    std::uint64_t index;  ///< within the level
};

/// An open tree file. It reads what each call needs and holds no nodes. Safe to use from several threads. It never maps
/// the file: if another process shortens the file, that is an error here, not a signal.
class MERKLIZE_API TreeFile {
public:
    /// Rolls back a change that a killed process left half done.
    /// errors  io (cannot open or read; damaged, truncated, too long, or of a newer version; changed in part, and this
    ///         process may not roll that back: the text says which)
    explicit TreeFile(const std::filesystem::path& path);
    /// For the library itself: a tree file in a store. Only the nodes that a call needs are read, and the file is never
    /// changed.
    explicit TreeFile(std::unique_ptr<const runtime::ByteSource> source);
    TreeFile(TreeFile&&) noexcept;
    TreeFile& operator=(TreeFile&&) noexcept;
    ~TreeFile();

    /// The form as written in the file. The key of a keyed tree is not in its file: is_keyed() says whether there is
    /// one, and set_mode() supplies it for check() and update().
    const TreeForm& form() const noexcept;
    bool is_keyed() const noexcept;
    /// For the library itself: whether merges of two trees have one key or context, as far as their files tell.
    bool has_key_of(const TreeFile& other) const noexcept;
    /// errors  invalid_argument (a mode that is not the tree's)
    void set_mode(const Mode& mode);
    std::uint64_t n_leaves() const noexcept;
    unsigned height() const noexcept;
    const Digest& root() const noexcept;
    const LeafSource& source() const noexcept;
    const std::filesystem::path& path() const noexcept;
    /// The open file, for the caller's own reads. It belongs to this object; update() and append() close it. -1: it is
    /// in a store.
    int descriptor() const noexcept;
    /// Offset in bytes at which a level begins in the file.
    std::uint64_t level_offset(unsigned level) const;

    /// Reads nodes first .. first+out.size()-1 of a level.
    /// errors  io; invalid_argument (outside the level)
    void read(unsigned level, std::uint64_t first, std::span<Digest> out) const;
    /// The same. Memory is allocated only for nodes that exist.
    std::vector<Digest> read(unsigned level, std::uint64_t first, std::uint64_t count) const;
    /// Reads one node a level and the leaf. A keyed tree with the rule pad needs its mode for a proof with a node of
    /// padding above the leaves. A proof from a store is compared with the root (of a keyed tree, with its mode); one
    /// from a damaged file of the system does not verify.
    /// errors  io; as MerkleTree
    MerkleProof prove(std::uint64_t index) const;
    std::vector<MerkleProof> prove(std::span<const std::uint64_t> indices) const;
    MultiProof prove_together(std::span<const std::uint64_t> indices) const;
    /// The same for leaves first .. last-1.
    MultiProof prove_range(std::uint64_t first, std::uint64_t last) const;
    /// errors  io; as MerkleTree
    ConsistencyProof prove_consistency(std::uint64_t old_leaves) const;

    /// Checks every node against its children. Returns the wrong nodes, at most `most`, ordered by level and index. For
    /// field hashes a node with a word >= p is also wrong. Reads the file once, about 32 MiB at a time.
    /// errors  io, cancelled, invalid_argument (a keyed tree without its mode)
    std::vector<WrongNode> check(std::size_t most = 1000, const RunOptions& options = {}) const;

    /// Replaces leaves, or adds leaves (rule left_full), as MerkleTree does. The change is made in a copy, which
    /// replaces the file when it is complete. Where the file system allows, the copy shares what does not change. Other
    /// TreeFiles go on reading the file that they opened. An update of few leaves of a large file that nobody else has
    /// open changes the file in place, with a journal (docs/file-format.md): as safe, and it takes milliseconds.
    /// append() of digests clears the source, because the bytes behind them are not known. update() keeps it: the new
    /// leaves are of data of the same size.
    /// order   one process or thread at a time changes a file (flock); others wait, and no change is lost. A call
    ///         changes the file as it is after the wait, so this object may then have more leaves than before.
    /// errors  as MerkleTree, and io (also if the file is damaged: every node that the change reads is compared with
    ///         the root; or if a tree has replaced it that no update or append can have made of the one that was
    ///         opened: of another hash, rule, mode, padding or leaf size, of fewer leaves, or over data of another
    ///         size); cancelled, also while waiting, but not once the change takes effect. After an error the file is
    ///         as before
    void update(std::span<const std::uint64_t> indices, std::span<const Digest> leaves, const RunOptions& options = {});
    /// As update() says.
    void append(std::span<const Digest> leaves, const RunOptions& options = {});
    /// The same with the leaves of an input, held in memory. Leaves of another size than the tree's clear the source.
    /// An input without bytes adds no leaf.
    /// returns  number of new leaves
    std::uint64_t append(const TreeInput& input, const RunOptions& options = {});

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Builds a tree file from leaves that come in pieces. It takes at most about 128 MiB of memory for any number of
/// leaves. It writes PATH.partial, which becomes PATH at the end of finish(). Only one process at a time can write it.
/// If a killed process or a power failure left a PATH.partial, the work can resume there, if the caller says that the
/// leaves are the same. docs/file-format.md defines its content.
class MERKLIZE_API TreeWriter {
public:
    /// n_leaves  leaves of the whole tree; 0: not known, as from a pipe. Then finish() reads the leaves back and builds
    ///           the levels above them.
    /// source    if n_leaves is 0, must have no total_bytes; pass them to finish()
    /// resume    true: if PATH.partial has this form, n_leaves and source, go on after its leaves. The caller must know
    ///           that they are the first leaves of this tree; they are not checked. Otherwise, and by default, the
    ///           content of PATH.partial is discarded
    /// errors    io (a disk that is too small, with the numbers, if n_leaves is known; a PATH that is not a regular
    ///           file; another build of the same PATH is running), invalid_argument (as build_tree(); a number of
    ///           leaves that does not match the source)
    TreeWriter(const std::filesystem::path& path, std::uint64_t n_leaves, const TreeForm& form = {},
               const LeafSource& source = {}, bool resume = false, const RunOptions& options = {});
    TreeWriter(TreeWriter&&) noexcept;
    TreeWriter& operator=(TreeWriter&&) noexcept;
    /// Without finish(), PATH.partial stays and can be resumed.
    ~TreeWriter();

    /// Number of leaves so far, which is the index of the leaf that the caller must append next. Not 0 after a resume.
    std::uint64_t written() const noexcept;
    /// errors  io (a full disk: the work can still be resumed), invalid_argument (more leaves than n_leaves; a word >=
    ///         p), cancelled. written() says how many leaves were taken
    void append(std::span<const Digest> leaves);
    /// Waits until all leaves so far are on the disk, where no later failure can lose them. Runs by itself about every
    /// two seconds of writing and in the destructor.
    void checkpoint();
    /// Writes the rest and gives the file its name.
    /// total_bytes  bytes of the source, if n_leaves was not known; else 0
    /// returns  the root
    /// errors   io, invalid_argument (missing leaves, with the counts; no leaves; a number that the rule does not
    ///          allow; total_bytes of a known n_leaves), cancelled (PATH is as before)
    Digest finish(std::uint64_t total_bytes = 0);

private:
    class State;
    std::unique_ptr<State> state_;
};

/// Builds the tree over an input, in a file, in little memory. Reading, hashing and writing overlap. All threads read a
/// regular file, and PATH.partial is resumed if the input is the same file and was not written to since. Anything else,
/// such as a pipe, is read in order.
/// errors   io (as TreeWriter); invalid_argument (as TreeInput says; the input is the output); cancelled (PATH.partial
///          stays)
MERKLIZE_API TreeFacts build_tree_file(const TreeInput& input, const std::filesystem::path& output,
                                       const TreeForm& form = {}, bool resume = true, const RunOptions& options = {});

}  // namespace merklize::inline v0
