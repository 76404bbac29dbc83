// Digests of tensors by tiles: docs/tiles-format.md.
#include "manifests/tiles.hpp"

#include <algorithm>
#include <bit>

#include "host/little_endian.hpp"
#include "host/threads.hpp"
#include "jobs/cpu_device.hpp"
#include "manifests/names.hpp"
#include "merklize/hash.hpp"
#include "merklize/tiles.hpp"

namespace merklize::inline v0::manifests {
namespace {

// Bytes that are read at once: a store takes long for each request, and has one reader.
constexpr std::uint64_t block_bytes = std::uint64_t{1} << 20, block_of_store = std::uint64_t{16} << 20;
// Bytes of the longest row of tiles that is read whole. Parts of a longer one are read row by row, so that the memory
// is bounded, and a store gets 32 requests for a part.
constexpr std::uint64_t strip_bytes = std::uint64_t{8} << 20, strip_of_store = std::uint64_t{64} << 20;

const Mode& tensor_mode() {
    static const Mode mode = Mode::derive_key("merklize 2026-11-28 tiles-v1 tensor");
    return mode;
}

// The roots of trees of `each` leaves.
std::vector<Digest> roots_of(const std::vector<Digest>& nodes, std::uint64_t each) {
    std::vector<Digest> roots(nodes.size() / each);
    merge_ranges(nodes, roots.size(), 0, each, roots, runtime::on_this_thread());
    return roots;
}

// A strip is a row of tiles. The elements of a strip follow those of the strip before it.
class Strips {
public:
    explicit Strips(const TileForm& form)
        : form_(form),
          across_((form.columns() + form.tile_columns() - 1) / form.tile_columns()),
          down_((form.rows() + form.tile_rows() - 1) / form.tile_rows()) {}

    std::uint64_t across() const noexcept { return across_; }
    std::uint64_t down() const noexcept { return down_; }

    // Element rows from the tensor's first to strip k.
    std::uint64_t rows_before(std::uint64_t k) const noexcept {
        return k / down_ * form_.rows() + std::min(k % down_ * form_.tile_rows(), form_.rows());
    }

    // The root over the tiles of `rows` rows that lie one behind another, each `columns` elements long.
    Digest root(const char* bytes, std::uint64_t rows, std::uint64_t columns) const {
        const std::uint64_t pitch = columns * form_.element_bytes;
        const TiledMatrices matrix{.rows = rows,
                                   .columns = columns,
                                   .element_bytes = static_cast<unsigned>(form_.element_bytes),
                                   .row_pitch = static_cast<std::int64_t>(pitch),
                                   .tile_rows = static_cast<unsigned>(form_.tile_rows()),
                                   .tile_columns = static_cast<unsigned>(form_.tile_columns()),
                                   .elements = bytes};
        std::vector<Digest> made(matrix.tiles());
        hash_tiles(matrix, made, runtime::on_this_thread());
        return roots_of(made, made.size())[0];
    }

private:
    const TileForm& form_;
    const std::uint64_t across_, down_;
};

}  // namespace

TileForm tile_form(std::string_view dtype, const std::vector<std::uint64_t>& shape) {
    const unsigned bits = bits_of(dtype);
    const auto size = bits == 0 ? std::nullopt : bytes_of(shape, bits);
    if (!size)
        invalid(std::string(dtype) + in_brackets(shape) + " is no tensor of a manifest: an unknown dtype, or a size " +
                "that is not a whole number of bytes below 2^61");
    TileForm form{.shape = shape, .element_bytes = std::max(1U, bits / 8)};
    if (bits < 8) {
        if (!shape.empty() && shape.back() * bits % 8 == 0) {
            form.shape.back() = shape.back() * bits / 8;
        } else {
            form.shape = {*size};
        }
    }
    std::erase(form.shape, 1);
    return form;
}

Digest tiles_digest(std::string_view dtype, const std::vector<std::uint64_t>& shape,
                    const std::optional<Digest>& tree) {
    std::string record;
    runtime::append_number(record, static_cast<std::uint32_t>(dtype.size()));
    record += dtype;
    runtime::append_number(record, static_cast<std::uint32_t>(shape.size()));
    for (const std::uint64_t extent : shape) runtime::append_number(record, extent);
    if (tree) record.append(reinterpret_cast<const char*>(tree->bytes.data()), Digest::size);
    return hash(std::as_bytes(std::span(record)), tensor_mode(), runtime::on_this_thread());
}

Digest digest_by_tiles(const Stored& tensor, const ReadAt& read_at, unsigned readers, const RunOptions& options) {
    if (options.device != runtime::cpu_device())
        invalid_call("device must be \"cpu\" or \"auto\", which reads the tiles of files, got " +
                     std::string(options.device.info().id));
    const TileForm form = tile_form(tensor.dtype, tensor.shape);
    if (tensor.size == 0) return tiles_digest(tensor.dtype, tensor.shape, {});
    const Strips layout(form);
    const std::uint64_t pitch = form.columns() * form.element_bytes, height = std::min(form.tile_rows(), form.rows());
    const std::uint64_t strips = tensor.size / (form.rows() * pitch) * layout.down();
    const std::uint64_t block = readers == 1 ? block_of_store : block_bytes;
    const std::uint64_t longest = form.shape.size() < 2 ? block : readers == 1 ? strip_of_store : strip_bytes;
    // A strip has parts of a power of two of tiles, whose roots are nodes of its tree. Or strips are read together.
    const std::uint64_t tile_pitch = form.tile_columns() * form.element_bytes;
    const std::uint64_t part = height * pitch <= longest
                                   ? std::bit_ceil(layout.across())
                                   : std::bit_floor(std::max<std::uint64_t>(1, longest / (height * tile_pitch)));
    const std::uint64_t parts = (layout.across() + part - 1) / part;
    const std::uint64_t together = parts > 1 ? 1 : std::max<std::uint64_t>(1, block / (height * pitch));
    std::vector<Digest> nodes(strips * parts);
    const runtime::Tick tick = options.progress ? runtime::Tick(options.progress) : runtime::Tick();
    const bool is_whole = runtime::parallel_for(
        (nodes.size() + together - 1) / together, std::min(readers, runtime::usable_threads(options.threads)),
        [&](std::size_t number) {
            if (parts > 1) {
                const std::uint64_t strip = number / parts, left = number % parts * part * tile_pitch;
                const std::uint64_t top = layout.rows_before(strip), rows = layout.rows_before(strip + 1) - top;
                const std::uint64_t width = std::min(part * tile_pitch, pitch - left);
                std::string bytes;
                bytes.reserve(rows * width);
                for (std::uint64_t row = 0; row < rows; row++)
                    bytes += read_at(tensor.offset + (top + row) * pitch + left, width);
                nodes[number] = layout.root(bytes.data(), rows, width / form.element_bytes);
                return;
            }
            const std::uint64_t first = number * together, last = std::min<std::uint64_t>(first + together, strips);
            const std::uint64_t begin = layout.rows_before(first), end = layout.rows_before(last);
            const std::string bytes = read_at(tensor.offset + begin * pitch, (end - begin) * pitch);
            for (std::uint64_t k = first; k < last; k++) {
                const std::uint64_t top = layout.rows_before(k), rows = layout.rows_before(k + 1) - top;
                nodes[k] = layout.root(bytes.data() + (top - begin) * pitch, rows, form.columns());
            }
        },
        tick);
    if (!is_whole) throw Error(ErrorCode::cancelled, "cancelled by the caller's progress function");
    nodes = roots_of(roots_of(nodes, parts), layout.down());
    for (std::size_t axis = form.shape.size(); axis > 2; axis--) nodes = roots_of(nodes, form.shape[axis - 3]);
    return tiles_digest(tensor.dtype, tensor.shape, nodes[0]);
}

}  // namespace merklize::inline v0::manifests
