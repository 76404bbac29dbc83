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

// The nodes of one level that change, by ascending index.
struct Changed {
    std::vector<std::uint64_t> indices{};
    std::vector<Digest> old{}, nodes{};

    // Calls use(index of the first node, old nodes, new nodes) for each run of neighbours.
    template <class Use>
    void each_run(Use use) const {
        for (std::size_t first = 0, last = 0; first < indices.size(); first = last) {
            for (last = first + 1; last < indices.size() && indices[last] == indices[last - 1] + 1;) last++;
            use(indices[first], std::span(old).subspan(first, last - first),
                std::span(nodes).subspan(first, last - first));
        }
    }
};

[[noreturn]] void refuse_damage(const runtime::TreeFileReader& reader, const NodeAt& at, const char* why) {
    throw Error(ErrorCode::io, reader.path().string() + ": a damaged tree file: level " + std::to_string(at.level) +
                                   ", node " + std::to_string(at.index) + " is " + why +
                                   "; nothing has changed: build the tree again");
}

// Nodes that a change reads. A field hash would merge a word >= p as if it were less.
std::vector<Digest> read_digests(const runtime::TreeFileReader& reader, const runtime::Merges& merges,
                                 std::span<const NodeAt> places) {
    std::vector<Digest> read = reader.nodes(places);
    if (runtime::are_canonical(merges.info(), read)) return read;
    std::size_t i = 0;
    while (runtime::are_canonical(merges.info(), {&read[i], 1})) i++;
    refuse_damage(reader, places[i], "no digest of its hash");
}

void require_parent(const runtime::TreeFileReader& reader, const NodeAt& at, const Digest& stored,
                    const Digest& merged) {
    if (stored != merged) refuse_damage(reader, at, "not the hash of its children");
}

std::vector<Digest> read_level(const runtime::TreeFileReader& reader, const runtime::Merges& merges, unsigned level,
                               std::span<const std::uint64_t> indices) {
    std::vector<NodeAt> places;
    for (const std::uint64_t index : indices) places.push_back({level, index});
    return read_digests(reader, merges, places);
}

// The parents of changed nodes. Siblings that did not change are read. The old parents, merged beside the new ones,
// must be those in the file: then the header's root is above all nodes that were read, and none is damaged.
Changed above(const Changed& children, unsigned level, const runtime::TreeFileReader& reader, runtime::Merges& merges,
              const RunOptions& options, runtime::Progress& progress) {
    const std::uint64_t size = reader.layout().level_size(level);
    const auto has_index = [&](std::size_t i, std::uint64_t index) {
        return i < children.indices.size() && children.indices[i] == index;
    };
    Changed out;
    std::vector<std::uint64_t> missing;
    for (std::size_t i = 0; i < children.indices.size(); i++) {
        const std::uint64_t index = children.indices[i], sibling = index ^ 1;
        out.indices.push_back(index / 2);
        if (has_index(i + 1, sibling)) {
            i++;
        } else if (sibling < size) {
            missing.push_back(sibling);
        }
    }
    const std::vector<Digest> read = read_level(reader, merges, level, missing);
    out.old = read_level(reader, merges, level + 1, out.indices);

    // The old parents are merged behind the new ones.
    const bool has_odd_node = children.indices.back() % 2 == 0 && children.indices.back() + 1 == size;
    const std::size_t pairs = out.indices.size() - (has_odd_node ? 1 : 0);
    std::vector<Digest> left, right, merged(2 * pairs);
    for (const std::vector<Digest>* nodes : {&children.nodes, &children.old}) {
        for (std::size_t i = 0, next = 0; i < children.indices.size(); i++) {
            const std::uint64_t index = children.indices[i];
            if (has_index(i + 1, index ^ 1)) {
                left.push_back((*nodes)[i]);
                right.push_back((*nodes)[++i]);
            } else if ((index ^ 1) < size) {
                left.push_back(index % 2 == 0 ? (*nodes)[i] : read[next]);
                right.push_back(index % 2 == 0 ? read[next] : (*nodes)[i]);
                next++;
            }
        }
    }
    if (merged.size() < few) {
        for (std::size_t i = 0; i < merged.size(); i++) merged[i] = merges.merge(left[i], right[i]);
    } else {
        RunOptions part = options;
        part.progress = progress.begin(0);
        merge(left, right, merged, merges.form().hash, merges.form().mode, part);
    }
    for (std::size_t i = 0; i < pairs; i++)
        require_parent(reader, {level + 1, out.indices[i]}, out.old[i], merged[pairs + i]);
    merged.resize(pairs);
    out.nodes = std::move(merged);
    if (has_odd_node) {
        const NodeAt parent{level + 1, out.indices.back()};
        require_parent(reader, parent, out.old.back(), merges.above_odd_node(children.old.back(), level));
        out.nodes.push_back(merges.above_odd_node(children.nodes.back(), level));
    }
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
    std::vector<runtime::Patch> patches;
    const TreeHeader::Bytes before = reader.header().encode(), after = header.encode();
    patches.push_back({0, before, after});
    for (unsigned level = 0; level < levels.size(); level++) {
        levels[level].each_run([&](std::uint64_t first, std::span<const Digest> old, std::span<const Digest> nodes) {
            patches.push_back({header.offset(level, first), std::as_bytes(old), std::as_bytes(nodes)});
        });
    }
    runtime::require_last(progress, 0);
    return runtime::change_in_place(runtime::follow_links(reader.path()), lock, patches);
}

// Whether updates and appends can have made the tree `is` of the tree `was`. A size that a header does not say
// contradicts none, and appends of leaves of unknown or other sizes say none.
bool can_come_of(const TreeHeader& was, const TreeHeader& is) {
    const auto [leaf, total] = was.source;
    const auto [leaf_now, total_now] = is.source;
    const bool grew = is.n_leaves > was.n_leaves;
    return is.hash == was.hash && is.rule == was.rule && is.merges == was.merges && is.key_check == was.key_check &&
           is.padding == was.padding && is.n_leaves >= was.n_leaves &&
           (leaf == leaf_now || leaf == 0 || leaf_now == 0 || was.n_leaves == 0) &&
           (total == total_now || total == 0 || total_now == 0 || (grew && total % leaf == 0));
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
    if (!can_come_of(header(), now->header())) {
        throw Error(ErrorCode::io,
                    path.string() + ": " + PublicCall::name() +
                        ": a tree of another hash, rule, mode, padding or leaf size, or over other data, "
                        "has replaced it since it was opened: open it again");
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
    levels[0].old = read_level(reader, merges, 0, levels[0].indices);
    for (unsigned level = 0; level < height(); level++) {
        runtime::require(progress, 0);
        levels.push_back(above(levels[level], level, reader, merges, options, progress));
    }
    header.root = levels.back().nodes[0];
    if (!write_in_place(reader, lock, header, levels, progress)) {
        NewTreeFile out(reader.path(), header, progress, std::move(lock));
        out.copy(reader, 0, header.file_bytes(), 0);
        for (unsigned level = 0; level < levels.size(); level++) {
            levels[level].each_run([&](std::uint64_t first, std::span<const Digest>, std::span<const Digest> nodes) {
                out.write(level, first, nodes);
            });
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

// The peaks of a tree file, from which its right edge follows up to the root that its header says.
void restore_sound(runtime::Peaks& peaks, const runtime::TreeFileReader& reader) {
    const runtime::Merges merges(peaks.form());
    const auto read = [&](unsigned level, std::uint64_t index) {
        const NodeAt at{level, index};
        return read_digests(reader, merges, {&at, 1})[0];
    };
    peaks.restore(reader.header().n_leaves, read);
    static_cast<void>(peaks.root([&](unsigned level, std::uint64_t first, std::span<const Digest> nodes) {
        require_parent(reader, {level, first}, read(level, first), nodes[0]);
    }));
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
    runtime::Peaks peaks(form);
    restore_sound(peaks, reader());
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
    if (reader.bytes() == 0) leaves.clear();  // the block of no bytes, which stands for nothing that could be added
    state_->append(leaves, reader.source(), runtime::part_of(options, 0.5, 0.5));
    return leaves.size();
}

}  // namespace merklize::inline v0
