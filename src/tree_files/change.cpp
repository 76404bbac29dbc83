// Tree files that replace other files: save_tree(), TreeFile::update() and append().
#include <algorithm>
#include <string>
#include <utility>

#include "calls/run.hpp"
#include "digests/leaf_reader.hpp"
#include "files/atomic_file.hpp"
#include "files/journal.hpp"
#include "files/storage.hpp"
#include "hashes/field.hpp"
#include "host/invalid.hpp"
#include "jobs/cancelling.hpp"
#include "levels/indices.hpp"
#include "levels/merges.hpp"
#include "levels/peaks.hpp"
#include "merklize/error.hpp"
#include "tree_files/save.hpp"
#include "tree_files/state.hpp"

namespace merklize::inline v0 {
namespace {

using runtime::AtomicFile;
using runtime::NodeAt;
using runtime::TreeHeader;

// Fewer nodes are merged one by one, which is quicker than a launch.
constexpr std::size_t few = 64;

// A tree file in the making, which the caller may cancel until it takes the old file's place, and not from then on.
class NewTreeFile {
public:
    NewTreeFile(const std::filesystem::path& path, const TreeHeader& header, runtime::Progress& progress,
                runtime::FileLock lock = {})
        : header_(header), progress_(progress), out_(AtomicFile::temporary(path, std::move(lock))) {}

    void reserve() { out_.reserve(header_.file_bytes()); }
    void copy(const runtime::TreeFileReader& old, std::uint64_t from, std::uint64_t bytes, std::uint64_t to) {
        each_piece(bytes, [&](std::uint64_t at, std::uint64_t n) { out_.copy(old.fd(), from + at, n, to + at); });
    }
    void write(unsigned level, std::uint64_t first, std::span<const Digest> nodes) {
        const auto bytes = std::as_bytes(nodes);
        const std::uint64_t to = header_.offset(level, first);
        each_piece(bytes.size(), [&](std::uint64_t at, std::uint64_t n) { out_.write(bytes.subspan(at, n), to + at); });
    }
    /// The share of the file that is written.
    double done() const noexcept { return static_cast<double>(written_) / static_cast<double>(header_.file_bytes()); }
    void commit(const Digest& root) {
        header_.root = root;
        out_.write(header_.encode(), 0);
        const auto ask = [&] {
            runtime::require(progress_, done());
            return true;
        };
        const auto last = [&] {
            runtime::require_last(progress_, done());
            return true;
        };
        out_.commit(ask, last);
    }

private:
    template <class Use>
    void each_piece(std::uint64_t bytes, Use use) {
        constexpr std::uint64_t piece = 16 << 20;
        for (std::uint64_t at = 0; at < bytes; at += piece) {
            const std::uint64_t n = std::min(piece, bytes - at);
            use(at, n);
            written_ += n;
            runtime::require(progress_, done());
        }
    }

    TreeHeader header_;
    runtime::Progress& progress_;
    AtomicFile out_;
    std::uint64_t written_ = 0;
};

// The new nodes of one level, by ascending index.
struct Changed {
    std::vector<std::uint64_t> indices{};
    std::vector<Digest> nodes{};

    // Calls use(index of the first node, nodes) for each run of neighbours.
    template <class Use>
    void each_run(Use use) const {
        for (std::size_t first = 0, last = 0; first < indices.size(); first = last) {
            for (last = first + 1; last < indices.size() && indices[last] == indices[last - 1] + 1;) last++;
            use(indices[first], std::span(nodes).subspan(first, last - first));
        }
    }
};

// The parents of changed nodes. Siblings that did not change are read.
Changed above(const Changed& children, unsigned level, const runtime::TreeFileReader& reader, runtime::Merges& merges,
              const RunOptions& options, runtime::Progress& progress) {
    const std::uint64_t size = reader.layout().level_size(level);
    const auto has_index = [&](std::size_t i, std::uint64_t index) {
        return i < children.indices.size() && children.indices[i] == index;
    };
    Changed out;
    std::vector<NodeAt> missing;
    for (std::size_t i = 0; i < children.indices.size(); i++) {
        const std::uint64_t index = children.indices[i], sibling = index ^ 1;
        out.indices.push_back(index / 2);
        if (has_index(i + 1, sibling)) {
            i++;
        } else if (sibling < size) {
            missing.push_back({level, sibling});
        }
    }
    const std::vector<Digest> read = reader.nodes(missing);

    std::vector<Digest> left, right;
    bool has_odd_node = false;
    for (std::size_t i = 0, next = 0; i < children.indices.size(); i++) {
        const std::uint64_t index = children.indices[i];
        if (has_index(i + 1, index ^ 1)) {
            left.push_back(children.nodes[i]);
            right.push_back(children.nodes[++i]);
        } else if ((index ^ 1) >= size) {
            has_odd_node = true;
        } else {
            left.push_back(index % 2 == 0 ? children.nodes[i] : read[next]);
            right.push_back(index % 2 == 0 ? read[next] : children.nodes[i]);
            next++;
        }
    }
    out.nodes.resize(left.size());
    if (left.size() < few) {
        for (std::size_t i = 0; i < left.size(); i++) out.nodes[i] = merges.merge(left[i], right[i]);
    } else {
        RunOptions part = options;
        part.progress = progress.begin(0);
        merge(left, right, out.nodes, merges.form().hash, merges.form().mode, part);
    }
    if (has_odd_node) out.nodes.push_back(merges.above_odd_node(children.nodes.back(), level));
    return out;
}

// Writes changed nodes, level by level, and the header in place. False if that is not possible or gains nothing.
bool write_in_place(const runtime::TreeFileReader& reader, const runtime::FileLock& lock, const TreeHeader& header,
                    std::span<const Changed> levels, runtime::Progress& progress) {
    constexpr std::uint64_t least_ratio =
        16;  // at most a sixteenth of a file is changed in place; for more, a copy is faster
    std::uint64_t n = 0;
    for (const Changed& changed : levels) n += changed.nodes.size();
    if (header.file_bytes() < runtime::least_bytes_in_place || least_ratio * n * Digest::size > header.file_bytes())
        return false;
    std::vector<Digest> old(n);
    std::vector<runtime::Patch> patches;
    const TreeHeader::Bytes before = reader.header().encode(), after = header.encode();
    patches.push_back({0, before, after});
    auto room = std::span(old);
    for (unsigned level = 0; level < levels.size(); level++) {
        levels[level].each_run([&](std::uint64_t first, std::span<const Digest> nodes) {
            runtime::require(progress, 0);
            const auto was = room.first(nodes.size());
            reader.read(level, first, was);
            patches.push_back({header.offset(level, first), std::as_bytes(was), std::as_bytes(nodes)});
            room = room.subspan(nodes.size());
        });
    }
    runtime::require_last(progress, 0);
    return runtime::change_in_place(runtime::follow_links(reader.path()), lock, patches);
}

}  // namespace

void TreeFile::State::require_file() const {
    if (reader().source().file() != nullptr) return;
    invalid_call(reader().path().string() +
                 ": a tree file in a store cannot be changed: change the file, and write it there again");
}

runtime::FileLock TreeFile::State::begin_change(runtime::Progress& progress) {
    const std::filesystem::path path = reader().path();
    runtime::FileLock lock(path, runtime::waiting(progress));
    auto now = std::make_unique<const runtime::TreeFileReader>(path, lock);
    const TreeHeader &was = header(), &is = now->header();
    if (is.hash != was.hash || is.rule != was.rule || is.merges != was.merges || is.key_check != was.key_check ||
        is.padding != was.padding) {
        throw Error(ErrorCode::io,
                    path.string() + ": " + PublicCall::name() +
                        ": a tree of another hash, rule, mode or padding has replaced it since it was opened");
    }
    open = std::move(now);
    return lock;
}

void save_tree(const MerkleTree& tree, const std::filesystem::path& path, const std::optional<LeafSource>& source) {
    save_tree(tree, path, source, {});
}

void save_tree(const MerkleTree& tree, const std::filesystem::path& path, const std::optional<LeafSource>& source,
               const runtime::Tick& asked) {
    const PublicCall entry("save_tree");
    refuse_empty_path(path.native());
    if (tree.drop_levels() != 0) {
        invalid_call(path.string() + ": cannot write a tree whose lowest " + std::to_string(tree.drop_levels()) +
                     " levels were dropped");
    }
    runtime::Progress progress(asked);
    NewTreeFile out(path, TreeHeader(tree.form(), tree.n_leaves(), source.value_or(tree.source())), progress);
    out.reserve();
    for (unsigned level = 0; level <= tree.height(); level++) out.write(level, 0, tree.level(level));
    out.commit(tree.root());
}

void TreeFile::update(std::span<const std::uint64_t> indices, std::span<const Digest> leaves,
                      const RunOptions& options) {
    const PublicCall entry("update");
    if (indices.size() != leaves.size()) {
        invalid_call("indices and leaves must have equal counts, got " + std::to_string(indices.size()) + " and " +
                     std::to_string(leaves.size()));
    }
    if (indices.empty()) return;
    state_->require_file();
    const TreeForm& form = state_->complete_form();
    runtime::require_canonical(form.hash, leaves, "leaves");
    runtime::require_no_timings(options);
    runtime::Progress progress(options.progress);
    runtime::FileLock lock = state_->begin_change(progress);
    runtime::Ascending ascending = runtime::ascending_from(indices, n_leaves());
    std::vector<Changed> levels(1);
    levels[0].indices = std::move(ascending.indices);
    for (const std::size_t i : ascending.given_at) levels[0].nodes.push_back(leaves[i]);

    const runtime::TreeFileReader& reader = state_->reader();
    TreeHeader header = reader.header();
    runtime::Merges merges(form);
    for (unsigned level = 0; level < height(); level++) {
        runtime::require(progress, 0);
        levels.push_back(above(levels[level], level, reader, merges, options, progress));
    }
    header.root = levels.back().nodes[0];
    if (!write_in_place(reader, lock, header, levels, progress)) {
        NewTreeFile out(reader.path(), header, progress, std::move(lock));
        out.copy(reader, 0, header.file_bytes(), 0);
        for (unsigned level = 0; level < levels.size(); level++) {
            levels[level].each_run(
                [&](std::uint64_t first, std::span<const Digest> nodes) { out.write(level, first, nodes); });
        }
        out.commit(header.root);
    }
    state_->reopen();
}

namespace {

// The source of a tree's leaves after an append. After a shorter piece the leaves are no longer the pieces of one file.
LeafSource with_more(const TreeHeader& old, const LeafSource& more) {
    const auto [leaf_bytes, total_bytes] = old.source;
    if (old.n_leaves == 0) return more;
    if (leaf_bytes == 0 || more.leaf_bytes != leaf_bytes) return {};
    const bool is_whole = total_bytes % leaf_bytes == 0 && total_bytes / leaf_bytes == old.n_leaves;
    const bool is_known = is_whole && more.total_bytes != 0 && more.total_bytes <= UINT64_MAX - total_bytes;
    return {leaf_bytes, is_known ? total_bytes + more.total_bytes : 0};
}

}  // namespace

void TreeFile::append(std::span<const Digest> leaves, const RunOptions& options) {
    const PublicCall entry("append");
    state_->append(leaves, {}, options);
}

void TreeFile::State::append(std::span<const Digest> leaves, const LeafSource& source, const RunOptions& options) {
    require_file();
    const TreeForm& form = complete_form();
    if (form.rule != TreeRule::left_full) {
        invalid_call("the rule must be 'left_full', not '" + std::string(rule_name(form.rule)) + "'");
    }
    runtime::require_canonical(form.hash, leaves, "leaves");
    if (leaves.empty()) return;

    runtime::require_no_timings(options);
    runtime::Progress progress(options.progress);
    runtime::FileLock lock = begin_change(progress);
    const TreeHeader& old = reader().header();
    const TreeHeader header(form, old.n_leaves + leaves.size(), with_more(old, source));
    NewTreeFile out(reader().path(), header, progress, std::move(lock));
    out.reserve();
    // Whole nodes stay. The nodes on the right edge are computed again.
    for (unsigned level = 0; level <= old.layout().height(); level++) {
        out.copy(reader(), old.offset(level), Digest::size * old.layout().whole_nodes(level), header.offset(level));
    }
    out.write(0, old.n_leaves, leaves);
    const runtime::NodeSink sink = [&](unsigned level, std::uint64_t first, std::span<const Digest> nodes) {
        out.write(level, first, nodes);
    };
    RunOptions part = options;
    part.progress = [&](double) { return progress.tell(out.done()); };
    runtime::Peaks peaks(form);
    peaks.restore(old.n_leaves, [&](unsigned level, std::uint64_t index) { return reader().node(level, index); });
    peaks.push_leaves(leaves, part, sink);
    out.commit(peaks.root(sink));
    reopen();
}

std::uint64_t TreeFile::append(const TreeInput& input, const RunOptions& options) {
    const PublicCall entry("append");
    state_->require_file();
    const TreeForm& form = state_->complete_form();
    runtime::LeafReader reader(input, form.hash, form.mode);
    if (const runtime::InputFile* file = reader.input().file())
        runtime::require_apart(runtime::Storage(file->fd()), path());
    std::vector<Digest> leaves;
    {
        const RunOptions part = runtime::part_of(options, 0, 0.5);
        runtime::Run run(part);
        if (reader.has_extent()) {
            leaves.resize(reader.n_leaves());
            reader.read(leaves, run, 1);
        } else {
            leaves = reader.read_all(run);
        }
    }
    state_->append(leaves, reader.source(), runtime::part_of(options, 0.5, 0.5));
    return leaves.size();
}

}  // namespace merklize::inline v0
