#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "array_facts.hpp"
#include "hashes/wipe.hpp"
#include "host/invalid.hpp"
#include "module.hpp"
#include "run.hpp"

namespace merklize::binding {

namespace {

using XmssKey = xmss::Key;

/// Items of equal sizes, one behind another: of an array, a list, or bytes.
class XmssItems {
public:
    /// misfits  written: true for each item of a list that has another size, in whose place zeros stand. Null: such an
    ///          item is an error
    XmssItems(nb::handle values, const char* argument, std::size_t size, std::vector<bool>* misfits = nullptr) {
        if (PyList_Check(values.ptr()) || PyTuple_Check(values.ptr())) {
            join(nb::tuple(values), argument, size, misfits);
            return;
        }
        const std::string n_of_size = "[n, " + std::to_string(size) + "]";
        const nb::object imported = import_array(values, argument, nullptr);
        if (!imported.is_valid())
            wrong_type(argument, ("a list of bytes, or an array uint8" + n_of_size).c_str(), values);
        array_.emplace(imported, argument);
        const bool has_shape = is_ndarray(imported) || nb::isinstance<Tensor>(imported);
        if (!has_shape && PyObject_CheckBuffer(imported.ptr()) != 0) return;  // bytes-like
        const ArrayFacts facts = facts_of(imported, values, argument);
        const auto bytes = static_cast<Py_ssize_t>(size);
        if (facts.word != "uint8" || facts.shape.size() != 2 || facts.shape[1] != bytes)
            invalid(std::string(argument) + " must be uint8" + n_of_size + ", got " + facts.text());
    }
    XmssItems(const XmssItems&) = delete;
    XmssItems& operator=(const XmssItems&) = delete;

    ByteView bytes() const { return array_ ? array_->span() : ByteView(joined_); }

private:
    void join(const nb::tuple& items, const char* argument, std::size_t size, std::vector<bool>* misfits) {
        joined_.resize(items.size() * size);
        for (std::size_t i = 0; i < items.size(); i++) {
            const std::string name = std::string(argument) + "[" + std::to_string(i) + "]";
            const nb::object item = items[i];
            const InputBytes input(item, name.c_str());
            const auto bytes = input.span();
            if (bytes.size() == size) {
                std::ranges::copy(bytes, joined_.data() + i * size);
            } else if (misfits != nullptr) {
                if (i < misfits->size()) (*misfits)[i] = true;  // more items than results are an error of the call
            } else {
                invalid(name + " must be " + std::to_string(size) + " bytes, got " + std::to_string(bytes.size()) +
                        " bytes");
            }
        }
    }

    runtime::WipedBytes joined_{};  // may hold seeds. A member, so that an error of the constructor wipes them, too
    std::optional<InputBytes> array_{};
};

// The epoch that a signature is verified for. An integer that does not fit into 64 bits becomes an epoch of no key.
std::uint64_t to_claimed_epoch(nb::handle value, const char* argument) {
    const nb::int_ integer = to_integer(value, argument);
    std::uint64_t epoch = UINT64_MAX;
    return nb::try_cast(integer, epoch) ? epoch : UINT64_MAX;
}

nb::list xmss_keys(nb::handle seeds, nb::handle first_epoch, nb::handle last_epoch, const Settings& settings) {
    const XmssItems items(seeds, "seeds", xmss::seed_bytes);
    const std::uint64_t first = to_u64(first_epoch, "first_epoch"), last = to_u64(last_epoch, "last_epoch");
    std::vector<XmssKey> keys;
    Run{settings}([&](const RunOptions& options) { keys = xmss::keys(items.bytes(), first, last, options); });
    nb::list result;
    for (XmssKey& key : keys) result.append(nb::cast(std::move(key)));
    return result;
}

nb::bytes xmss_path(const XmssKey& key, nb::handle epoch, const Settings& settings) {
    const std::uint64_t at = to_u64(epoch, "epoch");
    std::vector<xmss::Node> siblings;
    Run{settings}([&](const RunOptions& options) { siblings = key.path(at, options); });
    return to_bytes(std::as_bytes(std::span(siblings)));
}

nb::bytes xmss_sign(const XmssKey& key, nb::handle epoch, nb::handle message, const Settings& settings) {
    const std::uint64_t at = to_u64(epoch, "epoch");
    const InputBytes input(message, "message");
    xmss::Signature signature;
    Run{settings}([&](const RunOptions& options) { signature = key.sign(at, input.span(), options); });
    return to_bytes(signature);
}

bool xmss_verify(nb::handle public_key, nb::handle epoch, nb::handle message, nb::handle signature) {
    const InputBytes key(public_key, "public_key"), text(message, "message"), claim(signature, "signature");
    const std::uint64_t at = to_claimed_epoch(epoch, "epoch");
    bool is_valid = false;
    Run::without_gil([&] { is_valid = xmss::verify(key.span(), at, text.span(), claim.span()); });
    return is_valid;
}

nb::list xmss_verify_each(nb::handle public_keys, nb::handle epochs, nb::handle messages, nb::handle signatures,
                          const Settings& settings) {
    std::vector<std::uint64_t> at;
    for (nb::handle epoch : to_tuple(epochs, "epochs")) {
        const std::string name = "epochs[" + std::to_string(at.size()) + "]";
        at.push_back(to_claimed_epoch(epoch, name.c_str()));
    }
    std::vector<bool> misfits(at.size());
    const XmssItems keys(public_keys, "public_keys", xmss::public_key_bytes, &misfits);
    const XmssItems texts(messages, "messages", xmss::message_bytes, &misfits);
    const XmssItems claims(signatures, "signatures", xmss::signature_bytes, &misfits);
    std::vector<std::uint8_t> valid(at.size());
    Run{settings}([&](const RunOptions& options) {
        xmss::verify_each(keys.bytes(), at, texts.bytes(), claims.bytes(), valid, options);
    });
    nb::list result;
    for (std::size_t i = 0; i < valid.size(); i++) result.append(nb::bool_(valid[i] != 0 && !misfits[i]));
    return result;
}

}  // namespace

void bind_xmss(nb::module_& m) {
    nb::class_<XmssKey> key(m, "XmssKey", "merklize.xmss.Key is the public class.");
    refuse_init(key, "XmssKey: xmss_keys() makes keys");
    key.def_prop_ro(
           "public_key", [](const XmssKey& self) { return to_bytes(self.public_key()); },
           nb::sig("def public_key(self) -> bytes"))
        .def_prop_ro("first_epoch", &XmssKey::first_epoch, nb::sig("def first_epoch(self) -> int"))
        .def_prop_ro("last_epoch", &XmssKey::last_epoch, nb::sig("def last_epoch(self) -> int"))
        .def("path", xmss_path, nb::arg().none(), nb::arg(),
             nb::sig("def path(self, epoch: int, settings: Settings, /) -> bytes"))
        .def("sign", xmss_sign, nb::arg().none(), nb::arg().none(), nb::arg(),
             nb::sig("def sign(self, epoch: int, message: object, settings: Settings, /) -> bytes"));
    define(m, "def xmss_keys(seeds: object, first_epoch: int, last_epoch: int, settings: Settings, /) -> list[XmssKey]",
           xmss_keys);
    define(m, "def xmss_verify(public_key: object, epoch: int, message: object, signature: object, /) -> bool",
           xmss_verify);
    define(m,
           "def xmss_verify_each(public_keys: object, epochs: tuple[int, ...], messages: object, signatures: object, "
           "settings: Settings, /) -> list[bool]",
           xmss_verify_each);
}

}  // namespace merklize::binding
