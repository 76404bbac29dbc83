#include <memory>

#include <nanobind/stl/unique_ptr.h>

#include "arguments.hpp"
#include "module.hpp"
#include "object_lock.hpp"
#include "policy.hpp"
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
        const InputBytes input(data, "update: data");
        const ObjectLock::Changing changing(lock_, "Hasher");
        check();
        constexpr std::size_t short_work = 2048;
        if (input.span().size() <= short_work) {
            state_.update(input.span());
            return;
        }
        lost_ = true;
        Run::without_gil([&] { state_.update(input.span()); });
        lost_ = false;
    }

    nb::bytes digest(nb::handle length, nb::handle seek) const {
        const Output out(length, seek, "digest");
        const ObjectLock::Changing changing(lock_, "Hasher");
        check();
        Run::without_gil([&] { state_.digest(out.span(), out.seek()); });
        return out.bytes();
    }

    /// The caller owns the copy.
    Hasher* copy() const {
        const ObjectLock::Changing changing(lock_, "Hasher");
        return new Hasher(*this);
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
    nb::class_<Hasher> hasher(m, "Hasher", R"(Streaming BLAKE3, or another hash of bytes, shaped like hashlib's objects.

data      the first bytes to update with
hash      "blake3", or a hash as hash() takes it, but not Eidos, which begins with the length
key       32 bytes: keyed hashing
context   text that names a purpose: key derivation; the data is then the key material
device    "auto", or an id of devices()
threads   for large updates; None is all that the process may use

Threads may share one: each call waits for the one before.)");
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
        nb::sig("def __init__(self, data: typing_extensions.Buffer | numpy.typing.NDArray[typing.Any] = b'', *, "
                "hash: str = 'blake3', key: typing_extensions.Buffer | None = None, context: str | None = None, "
                "device: str = 'auto', "
                "threads: int | None = None) -> None"),
        nb::arg("data").none() = nb::bytes(""), nb::kw_only(), nb::arg("hash").none() = "blake3",
        nb::arg("key").none() = nb::none(), nb::arg("context").none() = nb::none(), nb::arg("device").none() = "auto",
        nb::arg("threads").none() = nb::none());
    hasher.def(
        "update", &Hasher::update, nb::arg().none(),
        nb::sig("def update(self, data: typing_extensions.Buffer | numpy.typing.NDArray[typing.Any], /) -> None"),
        "Append the bytes of a bytes-like, or of any array or tensor on the host, in C order.\n\n"
        "When Ctrl-C interrupts it, the state is lost: reset() before further use.");
    hasher.def("digest", &Hasher::digest, nb::arg("length").none() = 32, nb::arg("seek").none() = 0,
               nb::sig("def digest(self, length: int = 32, seek: int = 0) -> bytes"),
               "Output bytes `seek` to `seek + length` for all input so far; more input may follow.");
    hasher.def(
        "hexdigest",
        [](const Hasher& self, nb::handle length, nb::handle seek) { return self.digest(length, seek).attr("hex")(); },
        nb::arg("length").none() = 32, nb::arg("seek").none() = 0,
        nb::sig("def hexdigest(self, length: int = 32, seek: int = 0) -> str"),
        "digest() as lower-case hexadecimal text.");
    hasher.def("copy", &Hasher::copy, nb::rv_policy::take_ownership, nb::sig("def copy(self) -> Hasher"),
               "A second hasher with the same input so far.");
    hasher.def("reset", &Hasher::reset, nb::sig("def reset(self) -> None"),
               "Back to the empty input, in the same mode.");
    define(
        m, "make_hasher",
        +[](nb::handle key, nb::handle context, const Settings& settings, nb::handle policy) {
            Settings quiet = settings;  // each update would report its own share
            quiet.progress = nb::none();
            return std::make_unique<Hasher>(to_mode(key, context, "hash_file"), Run(quiet, nullptr, to_policy(policy)));
        },
        "def make_hasher(key: object, context: str | None, settings: Settings, policy: object, /) -> Hasher");
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
}

}  // namespace merklize::binding
