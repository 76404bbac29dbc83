// Tiles of matrices, as strided arrays wherever they lie, and the trees above them.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.hpp"
#include "array_facts.hpp"
#include "digest_array.hpp"
#include "host/invalid.hpp"
#include "module.hpp"
#include "run.hpp"

namespace merklize::binding {

namespace {

std::uint32_t to_u32(nb::handle value, const char* argument) {
    const std::uint64_t number = to_u64(value, argument);
    if (number > UINT32_MAX) invalid(std::string(argument) + " must be below 2^32, got " + std::to_string(number));
    return static_cast<std::uint32_t>(number);
}

/// A strided array where it lies. Keeps it alive; nothing is copied.
class Strided {
public:
    Strided(nb::handle data, const Settings& settings) {
        if (const DeviceArray* array = bound_in<DeviceArray>(data)) {
            object_ = import_array(data, "data", &settings);
            device_.emplace(*array);
            shape_ = array->shape;
            item_bytes_ = array->dtype.bits / 8u;
            lie_together();
            return;
        }
        std::optional<std::string> device;
        if (!is_ndarray(data) && !is_plain_memory(data)) device = cuda_device_of(data, "data");
        if (device) {
            import_there(data, *device, settings);
            return;
        }
        object_ = import_array(data, "data", &settings);
        if (!object_.is_valid()) wrong_type("data", "an array or a tensor", data);
        view_.emplace(object_, PyBUF_STRIDES, "data");
        const Py_buffer& view = *view_->operator->();
        item_bytes_ = static_cast<std::uint64_t>(view.itemsize);
        shape_.assign(view.shape, view.shape + view.ndim);
        if (view.strides == nullptr)  // as arrays of ctypes
            lie_together();
        else
            strides_.assign(view.strides, view.strides + view.ndim);
    }

    /// Null if the array is on the host.
    const DeviceArray* on_device() const noexcept { return device_ ? &*device_ : nullptr; }

    /// The array as matrices: those of the last leading dimensions that have a common pitch, and the dimensions before
    /// them, for each index of which there are such matrices.
    struct Matrices {
        struct Axis {
            Py_ssize_t extent, stride;
        };
        TiledMatrices first;
        std::vector<Axis> axes;

        /// How many times there are such matrices.
        std::uint64_t count() const noexcept {
            std::uint64_t count = 1;
            for (const Axis& axis : axes) count *= static_cast<std::uint64_t>(axis.extent);
            return count;
        }
        TiledMatrices at(std::uint64_t index) const {
            std::uint64_t distance = 0;  // mod 2^64: of any sign
            for (std::size_t k = axes.size(); k-- > 0;) {
                const auto extent = static_cast<std::uint64_t>(axes[k].extent);
                distance += index % extent * static_cast<std::uint64_t>(axes[k].stride);
                index /= extent;
            }
            TiledMatrices matrices = first;
            if (matrices.buffer)
                matrices.first += distance;
            else
                matrices.elements = reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(matrices.elements) +
                                                                  static_cast<std::uintptr_t>(distance));
            return matrices;
        }
    };
    Matrices matrices(const TiledMatrices& form) const {
        std::vector<Py_ssize_t> shape = shape_, strides = strides_;
        if (shape.empty()) {
            shape.push_back(1);
            strides.push_back(static_cast<Py_ssize_t>(item_bytes_));
        }
        if (shape.size() == 1) {
            shape.insert(shape.begin(), 1);
            strides.insert(strides.begin(), 0);
        }
        const std::size_t rank = shape.size();
        const std::uint64_t row_bytes = static_cast<std::uint64_t>(shape[rank - 1]) * item_bytes_;
        const bool fits = form.element_bytes != 0 && row_bytes % form.element_bytes == 0 &&
                          row_bytes / form.element_bytes == form.columns &&
                          static_cast<std::uint64_t>(shape[rank - 2]) == form.rows;
        if (!fits) {
            invalid("data must end in " + std::to_string(form.rows) + " rows of " + std::to_string(form.columns) +
                    " elements of " + std::to_string(form.element_bytes) + " bytes, got " + described());
        }
        if (shape[rank - 1] > 1 && strides[rank - 1] != static_cast<Py_ssize_t>(item_bytes_))
            invalid("data: the elements of a row must lie side by side, got " + described() + "; copy it first");
        using Axis = Matrices::Axis;
        std::vector<Axis> axes = {{1, 0}};
        for (std::size_t k = 0; k + 2 < rank; k++) {
            if (shape[k] == 1) continue;
            if (Axis& last = axes.back(); last.extent == 1) {
                last = {shape[k], strides[k]};
            } else if (static_cast<std::uint64_t>(last.stride) ==
                       static_cast<std::uint64_t>(strides[k]) * static_cast<std::uint64_t>(shape[k])) {
                last = {last.extent * shape[k], strides[k]};
            } else {
                axes.push_back({shape[k], strides[k]});
            }
        }
        TiledMatrices first = form;
        first.matrices = static_cast<std::uint64_t>(axes.back().extent);
        first.matrix_pitch = axes.back().stride;
        first.row_pitch = strides[rank - 2];
        if (device_) {
            first.buffer = device_->buffer;
            first.first = origin_;
        } else {
            first.elements = (*view_)->buf;
        }
        axes.pop_back();
        return {first, axes};
    }

private:
    // The strides of items in C order.
    void lie_together() {
        auto stride = static_cast<Py_ssize_t>(item_bytes_);
        strides_.resize(shape_.size());
        for (std::size_t k = shape_.size(); k-- > 0; stride *= shape_[k]) strides_[k] = stride;
    }

    void import_there(nb::handle data, const std::string& device, const Settings& settings) {
        const std::string_view wanted = settings.device;
        require_device("data", device, wanted);
        if (device != "cuda") (void)to_device(device);  // an error before anything is exported
        const std::uint64_t stream = cuda_stream_handle(settings.stream);
        const Tensor tensor = import_cuda(data, "data", wanted == "cuda" ? "cuda:0" : wanted, stream);
        shape_ = tensor.shape;
        strides_ = tensor.strides;
        item_bytes_ = tensor.item_bytes;
        std::int64_t lowest = 0, highest = 0;
        for (std::size_t k = 0; k < shape_.size(); k++) {
            std::int64_t reach = 0;
            if (shape_[k] == 0) continue;
            if (__builtin_mul_overflow(std::int64_t{shape_[k] - 1}, std::int64_t{strides_[k]}, &reach) ||
                __builtin_add_overflow(reach < 0 ? lowest : highest, reach, reach < 0 ? &lowest : &highest))
                invalid("data: a tensor whose strides reach over 2^63 bytes");
        }
        origin_ = static_cast<std::uint64_t>(-lowest);
        const std::uint64_t reach =
            tensor.bytes() == 0 ? 0 : static_cast<std::uint64_t>(highest) + origin_ + item_bytes_;
        const Device where = to_device(tensor.device);
        Run::without_gil([&] {
            device_.emplace(
                DeviceArray{Buffer::wrap(where, tensor.first + lowest, reach), tensor.dtype, shape_, tensor.owner});
        });
    }

    std::string described() const {
        return "items of " + std::to_string(item_bytes_) + " bytes, shape " + in_brackets(shape_) + ", strides of " +
               in_brackets(strides_) + " bytes";
    }

    nb::object object_{};
    std::optional<BufferView> view_{};
    std::optional<DeviceArray> device_{};
    std::uint64_t origin_ = 0;  // item [0, 0, ...], in bytes from the beginning of the buffer
    std::uint64_t item_bytes_ = 0;
    std::vector<Py_ssize_t> shape_{}, strides_{};
};

const Settings& or_default(nb::handle settings) {
    static const Settings& plain = *new Settings;  // never destroyed, because the interpreter may have ended
    return settings.is_none() ? plain : bound<Settings>(settings);
}

/// A result in the memory of a device, as an array of the library whose tensor was given, if that takes DLPack.
nb::object beside(nb::handle given, DeviceArray array) {
    nb::object made = nb::cast(std::move(array));
    if (bound_in<DeviceArray>(given) != nullptr) return made;
    const nb::object loaded = nb::module_::import_("sys").attr("modules");
    for (nb::handle type : given.type().attr("__mro__")) {  // a subclass of a tensor may be of any module
        const std::string module = text_of(type.attr("__module__"));
        const nb::object library = loaded.attr("get")(module.substr(0, module.find('.')));
        if (nb::hasattr(library, "from_dlpack")) return library.attr("from_dlpack")(made);
    }
    return made;
}

nb::object empty_digests(const std::vector<Py_ssize_t>& shape) {
    nb::list extents;
    for (const Py_ssize_t extent : shape) extents.append(extent);
    return nb::module_::import_("numpy").attr("empty")(nb::tuple(extents), "uint8");
}

Buffer room_for(const Device& device, std::uint64_t bytes) {
    std::optional<Buffer> made;
    Run::without_gil([&] { made.emplace(device, bytes); });
    return std::move(*made);
}

nb::object tile_digests(nb::handle data, nb::handle rows, nb::handle columns, nb::handle element_bytes,
                        nb::handle tile_rows, nb::handle tile_columns, nb::handle given) {
    const Settings& settings = or_default(given);
    const Strided array(data, settings);
    TiledMatrices form;
    form.rows = to_u64(rows, "rows");
    form.columns = to_u64(columns, "columns");
    form.element_bytes = to_u32(element_bytes, "element_bytes");
    form.tile_rows = to_u32(tile_rows, "tile_rows");
    form.tile_columns = to_u32(tile_columns, "tile_columns");
    // Refuses an unknown form before any arithmetic with it.
    hash_tiles(TiledMatrices{.matrices = 0,
                             .element_bytes = form.element_bytes,
                             .tile_rows = form.tile_rows,
                             .tile_columns = form.tile_columns},
               std::span<Digest>());
    const Strided::Matrices matrices = array.matrices(form);
    const std::uint64_t count = matrices.count(), tiles = matrices.first.tiles();
    const auto along = [](std::uint64_t n, std::uint64_t tile) {
        return static_cast<Py_ssize_t>(n / tile + (n % tile != 0));
    };
    const std::vector<Py_ssize_t> shape = {static_cast<Py_ssize_t>(count * matrices.first.matrices),
                                           along(form.rows, form.tile_rows), along(form.columns, form.tile_columns),
                                           Digest::size};
    const Run run(settings, array.on_device());
    if (const DeviceArray* there = array.on_device()) {
        const Buffer out = room_for(there->buffer.device(), Digest::size * tiles * count);
        run([&](const RunOptions& options) {
            for (std::uint64_t i = 0; i < count; i++)
                hash_tiles(matrices.at(i), out.slice(Digest::size * tiles * i, Digest::size * tiles), options);
        });
        return beside(data, {out, type_uint8, shape});
    }
    const nb::object made = empty_digests(shape);
    const OutputBytes out(made);
    run([&](const RunOptions& options) {
        for (std::uint64_t i = 0; i < count; i++)
            hash_tiles(matrices.at(i), as_digests(out.span()).subspan(tiles * i, tiles), options);
    });
    return made;
}

nb::object merge_ranges(nb::handle digests, nb::handle first, nb::handle total, nb::handle given) {
    const Settings& settings = or_default(given);
    const DigestArray leaves(digests, "digests", "trees, n", &settings);
    const auto trees = static_cast<std::uint64_t>(leaves.shape()[0]), n = static_cast<std::uint64_t>(leaves.shape()[1]);
    const std::uint64_t begin = to_u64(first, "first"), all = to_u64(total, "total");
    const std::uint64_t k = range_nodes(begin, n, all).size();
    const std::vector<Py_ssize_t> shape = {leaves.shape()[0], static_cast<Py_ssize_t>(k), Digest::size};
    const Run run(settings, leaves.on_device());
    if (leaves.on_device() != nullptr) {
        const Buffer out = room_for(leaves.buffer().device(), Digest::size * trees * k);
        run([&](const RunOptions& options) {
            merklize::merge_ranges(leaves.buffer(), trees, begin, all, out, options);
        });
        return beside(digests, {out, type_uint8, shape});
    }
    const nb::object made = empty_digests(shape);
    const OutputBytes out(made);
    run([&](const RunOptions& options) {
        merklize::merge_ranges(leaves.digests(), trees, begin, all, as_digests(out.span()), options);
    });
    return made;
}

}  // namespace

void bind_tiles(nb::module_& m) {
    m.def("tile_digests", tile_digests, nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
          nb::arg().none(), nb::arg().none(), nb::arg().none() = nb::none(),
          nb::sig("def tile_digests(data: object, rows: int, columns: int, element_bytes: int, tile_rows: int, "
                  "tile_columns: int, settings: Settings | None = None, /) -> typing.Any"));
    m.def("merge_ranges", merge_ranges, nb::arg().none(), nb::arg().none(), nb::arg().none(),
          nb::arg().none() = nb::none(),
          nb::sig("def merge_ranges(digests: object, first: int, total: int, settings: Settings | None = None, /) -> "
                  "typing.Any"));
    m.def(
        "range_nodes",
        [](nb::handle first, nb::handle count, nb::handle total) {
            nb::list nodes;
            for (const RangeNode& node :
                 range_nodes(to_u64(first, "first"), to_u64(count, "count"), to_u64(total, "total")))
                nodes.append(nb::make_tuple(node.level, node.index));
            return nodes;
        },
        nb::arg().none(), nb::arg().none(), nb::arg().none(),
        nb::sig("def range_nodes(first: int, count: int, total: int, /) -> list[tuple[int, int]]"));
}

}  // namespace merklize::binding
