#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <merklize/proof.hpp>
#include <merklize/tree.hpp>

namespace merklize {

/// Merkle trees in files (.mkl): a header of 128 bytes with a checksum, then the levels one after another, leaves first.
/// docs/file-format.md gives it byte by byte.

/// Writes a tree to a file: whole or not at all, also when the process is killed; an old file stays until then.
/// source  to be noted in the file; nothing: the tree's own
/// errors  io (with the path and the system's text; a disk that is too small, with the numbers, before anything is written),
///         invalid_argument (dropped levels)
void save_tree(const MerkleTree& tree, const std::filesystem::path& path,
               const std::optional<LeafSource>& source = std::nullopt);

/// A node that is not what its children say.
struct WrongNode {
    unsigned level;
    std::uint64_t index;  ///< within the level
};

/// A tree file, open: reads what it is asked for and holds nothing. Safe to use from several threads. Never maps: the file may
/// shrink under us, which is an error here, not a signal.
class TreeFile {
public:
    /// errors  io (cannot open or read; damaged, truncated or too long, of a newer version: the text says which)
    explicit TreeFile(const std::filesystem::path& path);
    TreeFile(TreeFile&&) noexcept;
    TreeFile& operator=(TreeFile&&) noexcept;
    ~TreeFile();

    /// The form as written. A keyed tree's key is not in its file: is_keyed() says that there is one, set_mode() gives it for check()
    /// and update().
    const TreeForm& form() const noexcept;
    bool is_keyed() const noexcept;
    /// errors  invalid_argument (not the tree's mode)
    void set_mode(const Mode& mode);
    std::uint64_t n_leaves() const noexcept;
    unsigned height() const noexcept;
    const Digest& root() const noexcept;
    const LeafSource& source() const noexcept;
    const std::filesystem::path& path() const noexcept;
    /// The open file, for the caller's own reads: it belongs to this object, and update() and append() close it.
    int descriptor() const noexcept;
    /// Where a level begins in the file, in bytes.
    std::uint64_t level_offset(unsigned level) const;

    /// Nodes first .. first+out.size()-1 of a level.  errors  io; invalid_argument (outside)
    void read(unsigned level, std::uint64_t first, std::span<Digest> out) const;
    /// The same; memory is taken for nodes that there are.
    std::vector<Digest> read(unsigned level, std::uint64_t first, std::uint64_t count) const;
    /// Reads one node a level and leaf. A keyed tree of the rule pad needs its mode: padding is in its proofs.
    /// errors  io; as MerkleTree
    MerkleProof prove(std::uint64_t index) const;
    MultiProof prove_together(std::span<const std::uint64_t> indices) const;
    /// That of leaves first .. last-1.
    MultiProof prove_range(std::uint64_t first, std::uint64_t last) const;
    ConsistencyProof prove_consistency(std::uint64_t old_leaves) const;

    /// Every node against its children: those that are wrong, and of field hashes those that are no digests; at most `most`, by level
    /// and index. Reads the file once, about 32 MiB at a time.
    /// errors  io, cancelled, invalid_argument (the mode of a keyed tree is not given)
    std::vector<WrongNode> check(std::size_t most = 1000, const RunOptions& options = {}) const;

    /// Replaces leaves / adds leaves (rule left_full) as MerkleTree does, in a copy that takes the file's place when it is whole; where
    /// the file system can, the copy shares what does not change. Other TreeFiles go on reading the file that they opened. append()
    /// leaves no source: its bytes are not known.
    /// order   one process or thread at a time changes a file (flock): others wait, and what they changed is kept. The change is made to
    ///         the file as it is then, so this object may come back with more leaves than it had
    /// errors  as MerkleTree, and io: then the file is as before; cancelled, also while waiting
    void update(std::span<const std::uint64_t> indices, std::span<const Digest> leaves, const RunOptions& options = {});
    void append(std::span<const Digest> leaves, const RunOptions& options = {});
    /// The same with the leaves that an input makes, which are held in memory.
    /// returns  how many
    std::uint64_t append(const TreeInput& input, const RunOptions& options = {});

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Builds a tree file from leaves that come in pieces; memory stays below about 128 MiB whatever the count. The work goes on in
/// PATH.partial beside the file, which takes the place of PATH when finish() is done. One process at a time writes it. What a killed
/// process or a power failure left in PATH.partial can be taken up again, if the caller says that the leaves are the same.
/// docs/file-format.md says what is in it.
class TreeWriter {
public:
    /// n_leaves  of the whole tree; 0: not known, as from a pipe. Then the levels above the leaves are built by finish(), which
    ///           reads the leaves back.
    /// source    of a tree of unknown count: without total_bytes; finish() may have it
    /// resume    go on from the leaves in PATH.partial, if it has this form, count and source: the caller knows that they are the first
    ///           leaves of this very tree. They are not checked. Otherwise, and by default, what PATH.partial holds is discarded
    /// errors    io (a disk that is too small, with the numbers, if the count is known; a PATH that is no regular file; another build of
    ///           the same PATH at work),
    ///           invalid_argument (as build_tree; a count that is not what the source makes)
    TreeWriter(const std::filesystem::path& path, std::uint64_t n_leaves, const TreeForm& form = {},
               const LeafSource& source = {}, bool resume = false, const RunOptions& options = {});
    TreeWriter(TreeWriter&&) noexcept;
    TreeWriter& operator=(TreeWriter&&) noexcept;
    /// Without finish() PATH.partial stays, to be resumed.
    ~TreeWriter();

    /// Leaves so far: where the caller's next leaf belongs. Not 0 after a resume.
    std::uint64_t written() const noexcept;
    /// errors  io (a full disk: what is written stays resumable), invalid_argument (more leaves than n_leaves; a word >= p), cancelled:
    ///         written() says how far it came
    void append(std::span<const Digest> leaves);
    /// Waits until all leaves so far are on the disk: nothing that happens later takes them away. Done about every two seconds of
    /// writing, and by the destructor.
    void checkpoint();
    /// Writes what is left and gives the file its name.
    /// total_bytes  of the source, if the count of leaves was not known
    /// returns  the root
    /// errors   io, invalid_argument (leaves missing, with the counts; none; a count that the rule does not take), cancelled
    Digest finish(std::uint64_t total_bytes = 0);

private:
    class State;
    std::unique_ptr<State> state_;
};

/// The tree over an input, in a file, in little memory. Reading, hashing and writing go on at once. A regular file is read by all
/// threads, and PATH.partial is taken up again if the input is the same file, not written to since; anything else, such as a pipe, is read
/// in order.
/// errors   io (as TreeWriter); invalid_argument (as TreeInput says; an input that is the output); cancelled (PATH.partial stays)
TreeFacts build_tree_file(const TreeInput& input, const std::filesystem::path& output, const TreeForm& form = {},
                          bool resume = true, const RunOptions& options = {});

}  // namespace merklize
