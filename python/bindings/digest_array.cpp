#include "digest_array.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "array_facts.hpp"
#include "host/invalid.hpp"
#include "module.hpp"

namespace merklize::binding {

namespace {

bool has_rank(std::string_view shape, std::size_t rank) {
    if (shape == "...") return rank >= 1;
    return rank == static_cast<std::size_t>(std::ranges::count(shape, ',')) + 2;
}

/// The items of a dtype that are a digest; 0: the dtype is none of digests.
Py_ssize_t items_of(std::string_view dtype) {
    if (dtype == "uint8") return 32;
    if (dtype == "uint64" || dtype == "int64") return 4;
    return dtype == "uint32" || dtype == "int32" ? 8 : 0;
}

}  // namespace

// Most arrays are NumPy's and right. Reading their description from the buffer takes a tenth of asking Python for it.
bool DigestArray::take_plain(nb::handle value, const char* what, std::string_view shape) {
    if (!is_plain_ndarray(value)) return false;
    try {
        plain_.emplace(value, PyBUF_STRIDES | PyBUF_FORMAT, what);
    } catch (const Error&) {  // NumPy exports no buffers of this dtype
        return false;
    }
    const Py_buffer& view = *plain_->operator->();
    const bool is_word = view.format != nullptr && view.format[0] != '\0' && view.format[1] == '\0' &&
                         std::strchr(view.itemsize == 1 ? "B" : "iIlLqQ", view.format[0]) != nullptr;
    const bool fits = is_word && has_rank(shape, static_cast<std::size_t>(view.ndim)) &&
                      view.itemsize * view.shape[view.ndim - 1] == Digest::size;
    if (fits) {
        shape_.assign(view.shape, view.shape + view.ndim);
        array_ = nb::borrow(value);
    }
    if (fits && plain_->is_in_c_order()) return true;
    plain_.reset();
    if (fits) copied_.emplace(value, what);
    return fits;
}

DigestArray::DigestArray(nb::handle value, const char* what, const char* shape, const Settings* settings) {
    if (take_plain(value, what, shape)) return;
    nb::object given = nb::borrow(value);
    if (!is_ndarray(value) && std::string_view(shape) != "...") {
        static const nb::object& listed =  // never destroyed, because the interpreter may have ended
            *new nb::object(nb::module_::import_("merklize._arrays").attr("listed"));
        given = listed(value, what, shape, nb::cast(settings, nb::rv_policy::reference));
        if (take_plain(given, what, shape)) return;
    }
    const ArrayFacts facts = facts_of(import_array(given, what, settings), value, what);
    array_ = facts.array;
    device_ = facts.on_device;
    shape_ = facts.shape;
    const Py_ssize_t items = items_of(facts.word);
    if (items == 0 || !has_rank(shape, shape_.size()) || shape_.back() != items) {
        const std::string begin(shape), hint = begin == "n" ? "; MerkleTree.from_rows() hashes rows" : "";
        invalid(std::string(what) + " must be uint8[" + begin + ", 32], uint64[" + begin + ", 4] or uint32[" + begin +
                ", 8], got " + facts.text() + hint);
    }
    if (device_ == nullptr) copied_.emplace(array_, what);
}

nb::object DigestArray::array() const {
    if (device_ != nullptr || plain_) return array_;
    return ArrayFacts{.array = array_}.contiguous();
}

void bind_digest_array(nb::module_& m) {
    define(
        m, "def digest_array(value: object, what: str, shape: str, settings: Settings, /) -> typing.Any",
        +[](nb::handle value, nb::handle what, nb::handle shape, nb::handle settings) {
            const std::string name(to_text(what, "what")), dimensions(to_text(shape, "shape"));
            return DigestArray(value, name.c_str(), dimensions.c_str(), &bound<Settings>(settings)).array();
        });
}

}  // namespace merklize::binding
