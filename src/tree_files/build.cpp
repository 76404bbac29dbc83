// build_tree_file(): from an input to a tree file; reading and writing overlap.
#include <algorithm>
#include <array>
#include <string>

#include "calls/run.hpp"
#include "digests/leaf_reader.hpp"
#include "files/journal.hpp"
#include "files/storage.hpp"
#include "host/invalid.hpp"
#include "merklize/tree_file.hpp"
#include "tree_files/writer.hpp"

namespace merklize::inline v0 {
namespace {

using runtime::LeafReader;
using runtime::part_of;
using runtime::TreeFileWriter;

constexpr double read_share = 0.7;  // the share of a batch's work that is reading and making leaves

// A number that changes if the input is another file or was written to, because a build must not continue with other
// data. 0 if the input is not a regular file.
std::uint64_t stamp_of(const LeafReader& reader) {
    if (!reader.has_extent() || reader.input().file() == nullptr || !reader.input().file()->is_regular()) return 0;
    const auto& [position, bytes, identity] = reader.extent();
    const std::array<std::uint64_t, 8> facts = {identity.device,
                                                identity.inode,
                                                identity.bytes,
                                                identity.written_seconds,
                                                identity.written_nanoseconds,
                                                identity.changed_seconds,
                                                identity.changed_nanoseconds,
                                                position};
    return runtime::checksum(std::as_bytes(std::span(facts)));
}

}  // namespace

TreeFacts build_tree_file(const TreeInput& input, const std::filesystem::path& output, const TreeForm& form,
                          bool resume, const RunOptions& options) {
    const PublicCall entry("build_tree_file");
    refuse_empty_path(output.native(), "output");
    runtime::require_no_timings(options);
    LeafReader reader(input, form.hash, form.mode);
    if (const runtime::InputFile* file = reader.input().file()) {
        for (const char* end : {"", ".partial"}) {
            std::filesystem::path written = runtime::follow_links(output);
            runtime::require_apart(runtime::Storage(file->fd()), written += end);
        }
    }
    // If the input can only be read in order, the count of leaves is known only at the end, and a build cannot be
    // resumed. An object of a store is also read from its beginning.
    const std::uint64_t stamp = stamp_of(reader);
    const bool known = reader.has_extent();
    const std::uint64_t n = known ? reader.n_leaves() : 0;
    LeafSource source = reader.source();
    TreeFileWriter writer(output, n, form, source, resume && stamp != 0, stamp);
    if (known) reader.choose(writer.taken(), n);

    const auto share = [&](std::uint64_t leaves) {
        return known ? static_cast<double>(leaves) / static_cast<double>(n) : 0;
    };
    // One Run for all batches, so that progress is reported even if all batches are short.
    runtime::Run run(options);
    run.progress().begin(share(writer.taken()));  // leaves of an earlier build
    run.progress().end(true);
    for (std::uint64_t count = 1; count != 0;) {
        const std::span<Digest> room = writer.room();
        count = reader.read(room, run, read_share * std::min(share(room.size()), 1 - share(writer.taken())));
        RunOptions part = options;
        part.progress = run.progress().begin((1 - read_share) * share(count));
        writer.take(count, part);
        run.progress().end(true);
    }
    source = reader.source();
    const Digest root = writer.finish(part_of(options, known ? 1 : 0, known ? 0 : 1), known ? nullptr : &source);
    const runtime::TreeHeader& header = writer.header();
    return {root, header.n_leaves, header.layout().height(), reader.bytes(), form.hash, form.rule};
}

}  // namespace merklize::inline v0
