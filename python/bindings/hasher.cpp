#include <memory>

#include <nanobind/stl/unique_ptr.h>

#include "arguments.hpp"
#include "module.hpp"
#include "object_lock.hpp"
#include "run.hpp"

namespace merklize::binding {

namespace {

/// merklize::Hasher that threads may share: one works, the others wait, as with hashlib's objects.
class Hasher {
public:
    Hasher(const Mode& mode, const Run& run) : state_(mode, run.options()) {}
    Hasher(Hash hash, const Run& run) : state_(merklize::Hasher::of(hash, run.options())), name_(traits(hash).name) {}
    Hasher(const Hasher& other) : state_(other.state_), name_(other.name_), lost_(other.lost_) {}

    void update(nb::handle data) {
        const ObjectLock::Changing changing(lock_, "Hasher");
        check();
        bool begun = false;
        each_piece(data, "update: data", [&](std::span<const std::byte> piece) {
            constexpr std::size_t short_work = 2048;
            if (!begun && piece.size() <= short_work) return state_.update(piece);
            lost_ = begun = true;
            Run::without_gil([&] { state_.update(piece); });
        });
        lost_ = false;
    }

    nb::bytes digest(nb::handle length, nb::handle seek) const {
        const Output out(length, seek, "digest");
        const ObjectLock::Changing changing(lock_, "Hasher");
        check();
        Run::without_gil([&] { state_.digest(out.span(), out.seek()); });
        return out.bytes();
    }

    /// An object of the same class, with the attributes of a class of Python's.
    static nb::object copy(nb::handle self) {
        const Hasher& from = bound<Hasher>(self);
        nb::object copied = nb::inst_alloc(self.type());
        {
            const ObjectLock::Changing changing(from.lock_, "Hasher");
            new (nb::inst_ptr<Hasher>(copied)) Hasher(from);
        }
        nb::inst_mark_ready(copied);
        if (nb::hasattr(self, "__dict__")) copied.attr("__dict__").attr("update")(self.attr("__dict__"));
        return copied;
    }

    std::string_view name() const noexcept { return name_; }
    int block_size() const noexcept { return name_.starts_with("keccak256") ? 136 : 64; }

    void reset() {
        const ObjectLock::Changing changing(lock_, "Hasher");
        state_.reset();
        lost_ = false;
    }

private:
    void check() const {
        if (lost_)
            throw Error(ErrorCode::invalid_argument,
                        "Hasher: an update was interrupted and its state is lost; reset() first");
    }

    merklize::Hasher state_;
    std::string_view name_ = "blake3";  // of the list of hashes
    bool lost_ = false;
    mutable ObjectLock lock_;
};

}  // namespace

void bind_hasher(nb::module_& m) {
    nb::class_<Hasher> hasher(m, "Hasher", "merklize.Hasher is the public class.");
    hasher.def(
        "__init__",
        [](Hasher* self, nb::handle data, nb::handle hash, nb::handle key, nb::handle context, nb::handle device,
           nb::handle threads) {
            const Settings settings{std::string(to_text(device, "device")), to_threads(threads)};
            const Mode mode = to_mode(key, context, "Hasher");
            const Hash which = hash_from_name(to_text(hash, "hash"));
            if (which == Hash::blake3) {
                new (self) Hasher(mode, Run(settings));
            } else if (mode.flags() == 0) {
                new (self) Hasher(which, Run(settings));
            } else {
                throw Error(ErrorCode::invalid_argument, "Hasher: key and context are of the hash 'blake3', not of '" +
                                                             std::string(traits(which).name) + "'");
            }
            try {
                self->update(data);
            } catch (...) {
                self->~Hasher();
                throw;
            }
        },
        nb::sig("def __init__(self, data: object = b'', *, hash: str = 'blake3', key: object = None, "
                "context: str | None = None, device: object = 'auto', threads: int | None = None) -> None"),
        nb::arg("data").none() = nb::bytes(""), nb::kw_only(), nb::arg("hash").none() = "blake3",
        nb::arg("key").none() = nb::none(), nb::arg("context").none() = nb::none(), nb::arg("device").none() = "auto",
        nb::arg("threads").none() = nb::none());
    hasher.def(
        "update",
        [](nb::handle self, nb::handle data) {
            bound<Hasher>(self).update(data);
            return nb::borrow(self);
        },
        nb::arg().none(), nb::sig("def update(self, data: typing.Any, /) -> typing_extensions.Self"));
    hasher.def("digest", &Hasher::digest, nb::arg("length").none() = 32, nb::arg("seek").none() = 0,
               nb::sig("def digest(self, length: int = 32, seek: int = 0) -> bytes"),
               "Output bytes `seek` to `seek + length` for all input so far; more input may follow.");
    hasher.def(
        "hexdigest",
        [](const Hasher& self, nb::handle length, nb::handle seek) { return self.digest(length, seek).attr("hex")(); },
        nb::arg("length").none() = 32, nb::arg("seek").none() = 0,
        nb::sig("def hexdigest(self, length: int = 32, seek: int = 0) -> str"),
        "digest() as lower-case hexadecimal text.");
    hasher.def("copy", &Hasher::copy, nb::sig("def copy(self) -> typing_extensions.Self"),
               "A second hasher with the same input so far.");
    hasher.def("reset", &Hasher::reset, nb::sig("def reset(self) -> None"),
               "Back to the empty input, in the same mode.");
    define(
        m, "make_hasher",
        +[](nb::handle key, nb::handle context, const Settings& settings) {
            Settings quiet = settings;  // each update would report its own share
            quiet.progress = nb::none();
            return std::make_unique<Hasher>(to_mode(key, context, "hash_file"), Run(quiet, nullptr));
        },
        "def make_hasher(key: object, context: str | None, settings: Settings, /) -> Hasher");
    define(
        m, "make_message_hasher",
        +[](nb::handle hash, const Settings& settings) {
            Settings quiet = settings;
            quiet.progress = nb::none();
            return std::make_unique<Hasher>(hash_from_name(to_text(hash, "hash")), Run(quiet));
        },
        "def make_message_hasher(hash: str, settings: Settings, /) -> Hasher");
    hasher.def_prop_ro(
        "name", [](const Hasher& self) { return to_str(self.name()); }, nb::sig("def name(self) -> str"),
        "Name of the hash.");
    hasher.def_prop_ro("block_size", &Hasher::block_size, "Bytes of a block of the hash.");
    hasher.attr("digest_size") = 32;
    hasher.attr("key_size") = 32;
}

}  // namespace merklize::binding
