#include "digests/leaf_reader.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "digests/file_root.hpp"
#include "hashes/field.hpp"
#include "hashes/merge_one.hpp"
#include "host/invalid.hpp"
#include "merklize/error.hpp"
#include "merklize/hash.hpp"

namespace merklize::runtime {
namespace {

using Kind = TreeInput::Kind;

// Longer pieces gain nothing from a batch: they run one after another, each on all threads or the whole device.
constexpr std::uint64_t long_bytes = 4 << 20;
// The bytes of a stream that are read at once, and the most bytes of one of its leaves.
constexpr std::uint64_t stream_bytes = 8 << 20, most_stream_leaf = batch_bytes;

std::unique_ptr<const InputFile> opened(const TreeInput& input) {
    const std::string name = input.source ? input.source->name() : input.path.string();
    if (input.leaf_bytes == 0)
        invalid_call(input.kind == Kind::rows ? "row_bytes" : "leaf_bytes", "must be at least 1, got 0");
    if (input.source != nullptr) return nullptr;
    if (input.descriptor >= 0) return std::make_unique<const InputFile>(input.descriptor, name);
    refuse_empty_path(name);
    return std::make_unique<const InputFile>(input.path);
}

std::optional<ByteSource::Extent> extent_of(const ByteSource& source) {
    auto extent = source.extent();
    if (extent && extent->bytes == 0) extent.reset();
    return extent;
}

// Hashes the pieces of `data` to leaves. The last piece may be shorter. Empty data is one empty piece.
// begin  bytes of the input before `data`, for error texts
template <class Launch>
void hash_pieces(std::span<const std::byte> data, std::uint64_t piece_bytes, std::uint64_t begin, Digest* out,
                 const mkz_hash_info& hash, const Mode& mode, Launch launch) {
    const unsigned unit = hash.element_bytes;
    require_canonical(hash, data.data(), data.size() / unit, "leaves", begin / unit);
    const auto rows = [&](std::uint64_t row, std::uint64_t n, std::uint64_t row_bytes) {
        launch(HashRows{.hash = static_cast<Hash>(hash.id),
                        .rows = host_place(data.data() + row * piece_bytes),
                        .n = n,
                        .length = row_bytes / unit,
                        .mode = mode,
                        .out = host_place(out + row)});
    };
    const std::uint64_t whole = data.size() / piece_bytes, rest = data.size() % piece_bytes;
    if (whole != 0) rows(0, whole, piece_bytes);
    if (rest != 0 || data.empty()) rows(whole, 1, rest);
}

// The same on the run's device. Long pieces of BLAKE3 are hashed by their chunks.
void hash_on_device(std::span<const std::byte> data, std::uint64_t piece_bytes, std::uint64_t begin, Digest* out,
                    const mkz_hash_info& hash, const Mode& mode, Run& run, double share) {
    if (!hash.has_chunk_tree || piece_bytes <= long_bytes) {
        return hash_pieces(data, piece_bytes, begin, out, hash, mode,
                           [&](const HashRows& job) { run.launch(job, share); });
    }
    const std::uint64_t pieces = (data.size() + piece_bytes - 1) / piece_bytes;
    const auto n = static_cast<double>(pieces);
    do {
        const auto piece = data.first(std::min<std::uint64_t>(piece_bytes, data.size()));
        root_of(piece, mode, run, share / n).expand((out++)->bytes, 0, run);
        data = data.subspan(piece.size());
    } while (!data.empty());
}

}  // namespace

LeafReader::LeafReader(const TreeInput& input, Hash hash, const Mode& mode)
    : input_(input),
      hash_(info(hash)),
      mode_(mode),
      opened_(opened(input)),
      source_(opened_ ? *opened_ : *input.source),
      extent_(extent_of(source_)),
      bytes_(extent_ ? extent_->bytes : 0) {
    require_merges(hash, mode);
    require_sizes();
    if (has_extent()) require_end(bytes_);
    end_ = count(bytes_);
}

void LeafReader::choose(std::uint64_t first, std::uint64_t end) {
    next_ = first;
    end_ = end;
}

// From the next leaf on.
SourceReader LeafReader::new_reader() const {
    if (!has_extent()) return SourceReader(source_);
    const std::uint64_t begin = next_ * input_.leaf_bytes;
    const std::uint64_t end = end_ == n_leaves() ? bytes_ : end_ * input_.leaf_bytes;
    return {source_, ByteRange{extent().position + begin, end - begin}};
}

std::uint64_t LeafReader::count(std::uint64_t bytes) const noexcept {
    const std::uint64_t n = bytes / input_.leaf_bytes + (bytes % input_.leaf_bytes != 0);
    return n == 0 && input_.kind == Kind::blocks ? 1 : n;
}

void LeafReader::require_sizes() const {
    if (input_.kind == Kind::leaves) return;
    const std::string leaf = source_.name() + ": leaves of " + std::to_string(input_.leaf_bytes) + " bytes: ";
    if (!hash_.has_chunk_tree && input_.leaf_bytes > batch_bytes) {
        invalid(leaf + "must have at most " + std::to_string(batch_bytes) + " bytes with a hash other than blake3");
    }
    const unsigned unit = hash_.element_bytes;
    if (input_.leaf_bytes % unit != 0) {
        invalid(leaf + "not a whole count of field elements of " + std::to_string(unit) + " bytes");
    }
}

// Checks the size of an input that ends after `bytes` bytes.
void LeafReader::require_end(std::uint64_t bytes) const {
    if (bytes == 0 && input_.needs_bytes) invalid(source_.name() + ": an empty file has no root in BitTorrent v2");
    const std::uint64_t rest = bytes % input_.leaf_bytes;
    const std::string found = source_.name() + ": " + std::to_string(bytes) + " bytes are not a whole count of ";
    if (rest != 0 && input_.kind == Kind::leaves) invalid(found + "leaves of 32 bytes");
    if (rest != 0 && input_.kind == Kind::rows)
        invalid(found + "rows of " + std::to_string(input_.leaf_bytes) + " bytes");
    if (is_field(hash_) && rest != 0) {
        invalid(found + "leaves of " + std::to_string(input_.leaf_bytes) +
                " bytes, which a hash of field elements needs");
    }
}

void LeafReader::require_leaves(std::span<const Digest> leaves) const {
    require_canonical(hash_, leaves.data(), node_words(hash_) * leaves.size(), "leaves", node_words(hash_) * next_);
}

SourceReader& LeafReader::reader() {
    if (!reader_) reader_.emplace(new_reader());
    return *reader_;
}

std::uint64_t LeafReader::read(std::span<Digest> out, Run& run, double share) {
    if (!has_extent()) return read_stream(out, run);
    out = out.first(std::min<std::uint64_t>(out.size(), end_ - next_));
    if (out.empty()) return 0;
    const std::uint64_t begin = next_ * input_.leaf_bytes;
    const std::uint64_t bytes =
        out.size() > (bytes_ - begin) / input_.leaf_bytes ? bytes_ - begin : out.size() * input_.leaf_bytes;
    // The system reads as much again while these leaves are hashed and merged.
    const InputFile* file = source_.file();
    if (file != nullptr && begin + bytes != bytes_)
        file->advise(reader().position() + bytes, std::min(bytes, bytes_ - begin - bytes));
    read_extent(begin, bytes, out, run, share);
    next_ += out.size();
    if (file != nullptr || next_ == end_) source_.require_unchanged(extent().identity);
    return out.size();
}

void LeafReader::read_extent(std::uint64_t begin, std::uint64_t bytes, std::span<Digest> out, Run& run, double share) {
    const std::uint64_t size = input_.leaf_bytes;
    const auto part = [&](std::uint64_t n) { return share * static_cast<double>(n) / static_cast<double>(bytes); };
    if (input_.kind == Kind::leaves) {
        reader().fill(std::as_writable_bytes(out), run, share);
        require_leaves(out);
    } else if (size <= read_bytes && run.on_host()) {
        // Each thread reads whole pieces and hashes them alone.
        const std::uint64_t per_read = read_bytes / size;
        reader().each_part(bytes, per_read * size, run, share, [&](std::size_t i, std::span<const std::byte> data) {
            hash_pieces(data, size, begin + i * per_read * size, &out[i * per_read], hash_, mode_,
                        [&](const HashRows& job) { run.launch_here(job); });
        });
    } else if (size <= batch_bytes && (!run.on_host() || !hash_.has_chunk_tree)) {
        const std::uint64_t per_batch = batch_bytes / size * size;
        buffer_.resize(std::min(bytes, per_batch));
        for (std::uint64_t first = 0; first < bytes; first += per_batch) {
            const auto data = std::span(buffer_).first(std::min(per_batch, bytes - first));
            reader().fill(data, run, 0);
            hash_on_device(data, size, begin + first, &out[first / size], hash_, mode_, run, part(data.size()));
        }
    } else {
        for (std::size_t i = 0; i < out.size(); i++) {
            const std::uint64_t first = i * size, piece = std::min(size, bytes - first);
            root_of_next(reader(), piece, mode_, run, part(piece)).expand(out[i].bytes, 0, run);
        }
    }
}

// Fills `out` in order. Returns less only at the end.
std::size_t LeafReader::receive(std::span<std::byte> out, Run& run) {
    const std::size_t count = reader().fill_some(out, run);
    bytes_ += count;
    ended_ = count < out.size();
    if (ended_) require_end(bytes_);
    return count;
}

std::uint64_t LeafReader::read_stream(std::span<Digest> out, Run& run) {
    if (const InputFile* file = source_.file(); file != nullptr && next_ == 0 && bytes_ == 0) file->widen_pipe(1 << 20);
    const std::uint64_t size = input_.leaf_bytes, before = next_;
    while (!ended_ && !out.empty()) {
        std::uint64_t n = 0;
        if (input_.kind == Kind::leaves) {
            n = receive(std::as_writable_bytes(out), run) / Digest::size;
            require_leaves(out.first(n));
        } else {
            const std::uint64_t wanted = size > most_stream_leaf
                                             ? most_stream_leaf
                                             : size * std::clamp<std::uint64_t>(stream_bytes / size, 1, out.size());
            buffer_.resize(wanted);
            const auto data = std::span(buffer_).first(receive(buffer_, run));
            if (size > most_stream_leaf && !ended_) {
                invalid(source_.name() + ": leaves of an input that is no regular file must have at most " +
                        std::to_string(most_stream_leaf) + " bytes, got " + std::to_string(size));
            }
            n = count(bytes_) - next_;
            if (n != 0) hash_on_device(data, size, size * next_, out.data(), hash_, mode_, run, 0);
        }
        next_ += n;
        out = out.subspan(n);
    }
    return next_ - before;
}

std::vector<Digest> LeafReader::read_all(Run& run) {
    std::vector<Digest> leaves;
    constexpr std::uint64_t most = std::uint64_t{1} << 16;
    for (std::uint64_t n = most; n == most;) {
        leaves.resize(leaves.size() + most);
        n = read(std::span(leaves).last(most), run, 0);
        leaves.resize(leaves.size() - most + n);
    }
    return leaves;
}

}  // namespace merklize::runtime
