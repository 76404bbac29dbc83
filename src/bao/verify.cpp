// bao_verify(): checks the nodes of the outboard first, from the root down. Then all threads check the message, part by
// part.
#include "bao/verify.hpp"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "bao/trusted.hpp"
#include "calls/run.hpp"
#include "calls/side_by_side.hpp"
#include "digests/file_reads.hpp"
#include "files/spooled_source.hpp"
#include "host/invalid.hpp"
#include "merklize/bao.hpp"

namespace merklize::inline v0 {
namespace {

using namespace runtime;

/// Calls use(i, data) for parts 0 to n - 1 of the message, in any thread.
using EachPart = std::function<void(std::size_t n, const SourceReader::PartOf& part, const SourceReader::Use& use)>;

class Verifier {
public:
    /// groups  a range of whole groups; for an empty message its one chunk
    Verifier(const Shape& shape, const BaoTrust& trust, const FileRange& groups)
        : shape_(shape),
          trust_(trust),
          first_(groups.offset / MKZ_BLAKE3_CHUNK_LEN),
          end_(first_ + std::max<std::uint64_t>(1, (groups.bytes + MKZ_BLAKE3_CHUNK_LEN - 1) / MKZ_BLAKE3_CHUNK_LEN)) {}

    std::vector<BaoFault> verify(const EachPart& each_part) {
        find_parts({shape_.root(), trust_.root, true});
        const auto part = [&](std::size_t i) {
            return ByteRange{shape_.begin(parts_[i].t), shape_.bytes(parts_[i].t)};
        };
        each_part(parts_.size(), part,
                  [&](std::size_t i, std::span<const std::byte> data) { verify_part(parts_[i], data); });
        std::ranges::sort(faults_, {}, &BaoFault::offset);
        std::vector<BaoFault> joined;
        for (const BaoFault& fault : faults_) {
            if (!joined.empty() && joined.back().offset + joined.back().bytes == fault.offset &&
                joined.back().in_outboard == fault.in_outboard) {
                joined.back().bytes += fault.bytes;
            } else {
                joined.push_back(fault);
            }
        }
        return joined;
    }

private:
    const std::byte* nodes_of(const Subtree& t) const {
        return trust_.outboard.data() + header_bytes(trust_.form) +
               node_bytes * shape_.nodes_before(t, trust_.form.order);
    }
    const std::byte* node_of(const Subtree& t) const {
        return trust_.outboard.data() + header_bytes(trust_.form) + node_bytes * shape_.place(t, trust_.form.order);
    }

    void note(const Subtree& t, bool in_outboard) {
        const std::uint64_t begin = std::max(shape_.begin(t), first_ * MKZ_BLAKE3_CHUNK_LEN);
        const std::uint64_t end = end_ == shape_.chunks() ? shape_.size() : end_ * MKZ_BLAKE3_CHUNK_LEN;
        const std::lock_guard lock(noting_);
        faults_.push_back({begin, std::min(shape_.end(t), end) - begin, in_outboard});
    }

    // Goes from the root down to parts that one thread hashes, as long as the nodes are right.
    void find_parts(const Trusted& trusted) {
        const Subtree& t = trusted.t;
        const std::uint64_t first = t.first_chunk(), end = shape_.end_chunk(t);
        if (end <= first_ || first >= end_) return;
        const bool is_inside = first >= first_ && end <= end_;
        if (t.level <= shape_.group_log() || (is_inside && t.level <= read_levels)) return parts_.push_back(trusted);
        const std::byte* node = node_of(t);
        if (!trusted.is(written_node(node))) return note(t, true);
        find_parts(left_of(shape_, trusted, node));
        find_parts(right_of(shape_, trusted, node));
    }

    void verify_part(const Trusted& trusted, std::span<const std::byte> data) {
        std::vector<std::byte> nodes(node_bytes * shape_.nodes_in(trusted.t));
        const Node node = part_node(data, trusted.t.first_chunk(), shape_.group_log(), trust_.form.order, nodes.data());
        if (!trusted.is(node) || !std::equal(nodes.begin(), nodes.end(), nodes_of(trusted.t)))
            find_faults(trusted, trusted.t, data);
    }

    // data  the bytes of `part`
    void find_faults(const Trusted& trusted, const Subtree& part, std::span<const std::byte> data) {
        if (trusted.t.level <= shape_.group_log()) {
            const auto group = data.subspan(shape_.begin(trusted.t) - shape_.begin(part), shape_.bytes(trusted.t));
            const Node node = part_node(group, trusted.t.first_chunk(), shape_.group_log(), trust_.form.order, nullptr);
            if (!trusted.is(node)) note(trusted.t, false);
            return;
        }
        const std::byte* node = node_of(trusted.t);
        if (!trusted.is(written_node(node))) return note(trusted.t, true);
        find_faults(left_of(shape_, trusted, node), part, data);
        find_faults(right_of(shape_, trusted, node), part, data);
    }

    const Shape& shape_;
    const BaoTrust& trust_;
    const std::uint64_t first_, end_;
    std::vector<Trusted> parts_{};
    std::mutex noting_;
    std::vector<BaoFault> faults_{};  // guarded by noting_
};

}  // namespace

std::vector<BaoFault> bao_verify(ByteView part, std::uint64_t offset, std::uint64_t size, const BaoTrust& trust,
                                 const RunOptions& options) {
    const PublicCall entry("bao_verify");
    require_outboard(trust.outboard, size, trust.form);
    if (part.empty() && size != 0) {
        invalid_call("part has no bytes, which prove nothing of a message of " + std::to_string(size) +
                     ": give the group at offset");
    }
    const std::uint64_t group = trust.form.group_bytes();
    if (offset > size || part.size() > size - offset || offset % group != 0 ||
        ((offset + part.size()) % group != 0 && offset + part.size() != size)) {
        invalid_call("a part must begin and end with groups of " + std::to_string(group) +
                     " bytes, or end with the message, got bytes " + std::to_string(offset) + " to " +
                     std::to_string(offset + part.size()) + " of " + std::to_string(size));
    }
    const Shape shape(size, trust.form.group_log);
    const RunOptions on_cpu = on_the_cpu(options);
    Run run(on_cpu);
    Verifier verifier(shape, trust, {offset, part.size()});
    return verifier.verify([&](std::size_t n, const SourceReader::PartOf& at, const SourceReader::Use& use) {
        run.parallel(n, [&](std::size_t i) { use(i, part.subspan(at(i).offset - offset, at(i).bytes)); });
    });
}

std::vector<BaoFault> bao_verify_file(int fd, std::string_view name, const FileRange& range, const BaoTrust& trust,
                                      const RunOptions& options) {
    const PublicCall entry("bao_verify_file");
    return runtime::verify_source(InputFile::whole(fd, name), range, trust, options).faults;
}

}  // namespace merklize::inline v0

namespace merklize::runtime {

VerifiedSource verify_source(const ByteSource& source, const FileRange& asked, const BaoTrust& trust,
                             const RunOptions& options) {
    const RunOptions on_cpu = on_the_cpu(options);
    Run run(on_cpu);
    const auto extent = source.extent();
    if (!extent) {
        const std::uint64_t most = longest_message(trust.outboard, trust.form);
        const SpooledSource copy(source, std::filesystem::temp_directory_path(), run.waiting(),
                                 [&](auto) { return most; });
        if (const auto whole = copy.extent(); whole && whole->bytes > most) refuse_longer(most);
        return verify_source(copy, asked, trust, options);
    }
    const std::uint64_t position = extent->position, size = extent->bytes;
    require_outboard(trust.outboard, size, trust.form);
    FileRange range = asked;
    if (range.bytes == UINT64_MAX) range.bytes = size - std::min(range.offset, size);
    if (range.bytes != 0 && (range.offset > size || range.bytes > size - range.offset)) {
        invalid_call("bytes " + std::to_string(range.offset) + " and " + std::to_string(range.bytes) +
                     " more are not all in " + source.name() + ", which has " + std::to_string(size));
    }
    const Shape shape(size, trust.form.group_log);
    const FileRange groups = shape.groups_of(range);
    SourceReader reader(source, ByteRange{position + groups.offset, groups.bytes});
    auto faults = Verifier(shape, trust, groups)
                      .verify([&](std::size_t n, const SourceReader::PartOf& part, const SourceReader::Use& use) {
                          const auto in_source = [&](std::size_t i) {
                              const ByteRange wanted = part(i);
                              return ByteRange{position + wanted.offset, wanted.bytes};
                          };
                          reader.each_part(n, in_source, run, 1, use);
                      });
    source.require_unchanged(extent->identity);
    return {std::move(faults), size};
}

}  // namespace merklize::runtime
