// Digests of tensors by tiles: docs/tiles-format.md.
#include "manifests/tiles.hpp"

#include <algorithm>

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

const Mode& tensor_mode() {
    static const Mode mode = Mode::derive_key("merklize 2026-11-28 tiles-v1 tensor");
    return mode;
}

// The digests of the tiles of neighbouring rows of tiles, whose elements lie one after another.
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

    // The tiles of `rows` rows that lie one behind another, each `columns` elements long.
    std::vector<Digest> tiles(const char* bytes, std::uint64_t rows, std::uint64_t columns) const {
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
        return made;
    }

private:
    const TileForm& form_;
    const std::uint64_t across_, down_;
};

// The roots of trees of `each` leaves.
std::vector<Digest> roots_of(const std::vector<Digest>& nodes, std::uint64_t each) {
    std::vector<Digest> roots(nodes.size() / each);
    merge_ranges(nodes, roots.size(), 0, each, roots, runtime::on_this_thread());
    return roots;
}

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
    const std::uint64_t pitch = form.columns() * form.element_bytes;
    const bool is_row = form.shape.size() < 2;
    // A block: strips, or tiles of a tensor that is one row.
    const std::uint64_t unit_bytes =
        (is_row ? form.tile_columns() * form.element_bytes : std::min(form.tile_rows(), form.rows()) * pitch);
    const std::uint64_t units = is_row ? layout.across() : tensor.size / (form.rows() * pitch) * layout.down();
    const std::uint64_t step = std::max<std::uint64_t>(1, (readers == 1 ? block_of_store : block_bytes) / unit_bytes);
    std::vector<Digest> nodes(units);
    const runtime::Tick tick = options.progress ? runtime::Tick(options.progress) : runtime::Tick();
    const bool is_whole = runtime::parallel_for(
        (units + step - 1) / step, std::min(readers, runtime::usable_threads(options.threads)),
        [&](std::size_t block) {
            const std::uint64_t first = block * step, last = std::min(first + step, units);
            const std::uint64_t begin = is_row ? first * unit_bytes : layout.rows_before(first) * pitch;
            const std::uint64_t end =
                is_row ? std::min(last * unit_bytes, tensor.size) : layout.rows_before(last) * pitch;
            const std::string bytes = read_at(tensor.offset + begin, end - begin);
            const char* at = bytes.data();
            if (is_row) {
                std::ranges::copy(layout.tiles(at, 1, (end - begin) / form.element_bytes),
                                  nodes.begin() + static_cast<std::ptrdiff_t>(first));
                return;
            }
            for (std::uint64_t k = first; k < last; k++) {
                const std::uint64_t rows = layout.rows_before(k + 1) - layout.rows_before(k);
                nodes[k] = roots_of(layout.tiles(at, rows, form.columns()), layout.across())[0];
                at += rows * pitch;
            }
        },
        tick);
    if (!is_whole) throw Error(ErrorCode::cancelled, "cancelled by the caller's progress function");
    nodes = roots_of(nodes, is_row ? layout.across() : layout.down());
    for (std::size_t axis = form.shape.size(); axis > 2; axis--) nodes = roots_of(nodes, form.shape[axis - 3]);
    return tiles_digest(tensor.dtype, tensor.shape, nodes[0]);
}

}  // namespace merklize::inline v0::manifests
