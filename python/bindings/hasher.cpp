#include <cstring>
#include <memory>
#include <optional>
#include <span>

#include <nanobind/stl/unique_ptr.h>

#include "arguments.hpp"
#include "host/invalid.hpp"
#include "module.hpp"
#include "object_lock.hpp"
#include "run.hpp"

namespace merklize::binding {

namespace {

/// A merklize::Hasher that threads may share. One works, the others wait, as with hashlib's objects.
class Hasher {
public:
    Hasher(const Mode& mode, const Run& run) : state_(std::in_place, mode, run.options()) {}
    Hasher(const MessageForm& form, const Run& run, std::size_t length = Digest::size)
        : state_(merklize::Hasher::of(form, run.options(), length)), name_(traits(form.hash).name) {}
    /// BLAKE3. On the CPU a short input is only kept, and hashed when the digest is wanted.
    Hasher(const Mode& mode, const Settings& settings)
        : mode_(mode), device_(settings.device == "cpu" ? "cpu" : "auto"), threads_(settings.threads) {
        if (!is_cpu(settings.device)) state_.emplace(mode, Run(settings).options());
    }
    Hasher(const Hasher& other)
        : state_(other.state_),
          mode_(other.mode_),
          device_(other.device_),
          threads_(other.threads_),
          kept_bytes_(other.kept_bytes_),
          name_(other.name_),
          lost_(other.lost_) {
        std::memcpy(kept_, other.kept_, kept_bytes_);
    }

    /// Appends little, which cannot be interrupted.
    void update_little(std::span<const std::byte> data) {
        const auto alone = changing();
        check();
        if (keeps(data)) return;
        merklize::Hasher& state = state_ ? *state_ : begin();
        lost_ = true;  // if there is no memory for a value of the tree
        state.update(data);
        lost_ = false;
    }

    void update(nb::handle data) {
        const PublicCall entry("Hasher");
        const auto alone = changing();
        check();
        append(data);
    }

    /// Appends each piece of an iterable. To other threads this is one step.
    void update_pieces(nb::handle pieces) {
        const PublicCall entry("Hasher");
        const auto alone = changing();
        check();
        for (const nb::handle piece : pieces) append(piece);
    }

    nb::bytes digest(nb::handle length, nb::handle seek) const {
        const PublicCall entry("digest");
        const Output out(length, seek);
        fill(out.span(), out.seek());
        return out.bytes();
    }
    nb::bytes plain_digest() const {
        const PublicCall entry("digest");
        Digest digest;
        fill(digest.bytes, 0);
        return to_bytes(digest.bytes);
    }

    /// Keeps other threads out during its lifetime.
    ObjectLock::Changing changing() const { return {lock_, "Hasher"}; }

    std::string_view name() const noexcept { return name_; }
    int block_size() const noexcept { return name_.starts_with("keccak256") || name_ == "sha3_256" ? 136 : 64; }

    void reset() {
        const auto alone = changing();
        if (state_) state_->reset();
        kept_bytes_ = 0;
        lost_ = false;
    }

    static constexpr std::size_t short_work = 2048;  // bytes that are hashed faster than the GIL is released

private:
    void append(nb::handle data) {
        if (PyBytes_CheckExact(data.ptr())) {
            char* bytes = nullptr;
            Py_ssize_t size = 0;
            PyBytes_AsStringAndSize(data.ptr(), &bytes, &size);
            if (keeps(std::as_bytes(std::span(bytes, static_cast<std::size_t>(size))))) return;
        }
        bool begun = false;
        each_piece(data, "data", [&](std::span<const std::byte> piece) {
            if (keeps(piece)) return;
            merklize::Hasher& state = state_ ? *state_ : begin();
            if (!begun && piece.size() <= short_work) return state.update(piece);
            lost_ = begun = true;
            Run::without_gil([&] { state.update(piece); });
        });
        lost_ = false;
    }

    void fill(std::span<std::byte> out, std::uint64_t seek) const {
        const auto alone = changing();
        check();
        const auto work = [&] {
            if (state_) return state_->digest(out, seek);
            merklize::hash(kept(), out, seek, mode_, on_this_thread());
        };
        if (out.size() <= short_work) {
            work();
        } else {
            Run::without_gil(work);
        }
    }

    std::span<const std::byte> kept() const noexcept { return {kept_, kept_bytes_}; }
    /// Appends the bytes to the kept ones, if those are the whole input so far and the sum fits.
    bool keeps(std::span<const std::byte> data) {
        if (state_ || data.size() > sizeof kept_ - kept_bytes_) return false;
        if (!data.empty()) std::memcpy(kept_ + kept_bytes_, data.data(), data.size());
        kept_bytes_ += data.size();
        return true;
    }

    merklize::Hasher& begin() {
        merklize::Hasher& state = state_.emplace(mode_, Run({.device = device_, .threads = threads_}).options());
        state.update(kept());
        return state;
    }

    void check() const {
        if (lost_)
            throw Error(ErrorCode::invalid_argument, "Hasher",
                        "an update was interrupted and its state is lost; reset() first");
    }

    std::optional<merklize::Hasher> state_;  // empty: the input is in kept_
    Mode mode_;
    const char* device_ = "auto";
    unsigned threads_ = 0;
    std::byte kept_[1024];
    std::size_t kept_bytes_ = 0;
    std::string_view name_ = "blake3";  // of the list of hashes
    bool lost_ = false;
    mutable ObjectLock lock_;
};

/// The class of the package blake3.
class Blake3 : public Hasher {
public:
    using Hasher::Hasher;

    /// errors  BufferError, where the package blake3 raises it, too
    void update(nb::handle data) {
        if (!PyBytes_CheckExact(data.ptr())) {
            const auto view = checked(PyMemoryView_FromObject(data.ptr()));
            if (!view.attr("itemsize").equal(nb::int_(1)) || !is_true(view.attr("contiguous"))) {
                const std::string text = "blake3: data must be contiguous bytes, got items of format " +
                                         text_of(nb::repr(view.attr("format")));
                PyErr_SetString(PyExc_BufferError, text.c_str());
                throw_raised();
            }
        }
        Hasher::update(data);
    }
};

/// An object of the same class, with the attributes of a class of Python's.
template <class Made>
nb::object copy(nb::handle self) {
    const Made& from = bound<Made>(self);
    nb::object copied = nb::inst_alloc(self.type());
    {
        const auto alone = from.changing();
        new (nb::inst_ptr<Made>(copied)) Made(from);
    }
    nb::inst_mark_ready(copied);
    if (nb::hasattr(self, "__dict__")) copied.attr("__dict__").attr("update")(self.attr("__dict__"));
    return copied;
}

nb::object hexdigest(const Hasher& self, nb::handle length, nb::handle seek) {
    return self.digest(length, seek).attr("hex")();
}

/// Makes a hasher with its first bytes.
template <class Made, class... Arguments>
void make(Made* self, nb::handle data, const Arguments&... arguments) {
    new (self) Made(arguments...);
    if (PyBytes_CheckExact(data.ptr()) && PyBytes_Size(data.ptr()) == 0) return;
    try {
        self->update(data);
    } catch (...) {
        self->~Made();
        throw;
    }
}

nb::object pieces_of_file(nb::handle path, const char* what) {
    return nb::module_::import_("merklize.hashing").attr("_pieces_of_file")(path, what);
}

void bind_blake3(nb::module_& m) {
    nb::class_<Blake3> blake3(
        m, "blake3", nb::is_weak_referenceable(),
        "Streaming BLAKE3 on the CPU, with the arguments of the package blake3.\n\n"
        "data                the first bytes to update with\n"
        "key                 32 bytes: keyed hashing\n"
        "derive_key_context  text that names a purpose: key derivation; the data is then the key material\n"
        "max_threads         for large updates; blake3.AUTO is all that the process may use\n"
        "usedforsecurity     ignored, as in the package blake3\n\n"
        "Errors of values are InvalidArgument, a ValueError.");
    blake3.def(
        "__init__",
        [](Blake3* self, nb::handle data, nb::handle key, nb::handle context, nb::handle threads, nb::handle) {
            const PublicCall entry("blake3");
            int is_large = 0;
            const bool is_all = PyLong_CheckExact(threads.ptr()) &&
                                PyLong_AsLongAndOverflow(threads.ptr(), &is_large) == -1 && is_large == 0;
            const Settings settings{.device = "cpu", .threads = is_all ? 0 : to_threads(threads, "max_threads")};
            // None is no bytes, as in the package.
            make(self, data.is_none() ? nb::bytes("") : data, to_mode(key, context), settings);
        },
        nb::sig("def __init__(self, data: typing_extensions.Buffer | None = b'', /, *, key: typing_extensions.Buffer | "
                "None = "
                "None, "
                "derive_key_context: str | None = None, max_threads: int = 1, usedforsecurity: bool = True) -> None"),
        nb::arg().none() = nb::bytes(""), nb::kw_only(), nb::arg("key").none() = nb::none(),
        nb::arg("derive_key_context").none() = nb::none(), nb::arg("max_threads").none() = 1,
        nb::arg("usedforsecurity").none() = true);
    blake3.def(
        "update",
        [](nb::handle self, nb::handle data) {
            bound<Blake3>(self).update(data);
            return nb::borrow(self);
        },
        nb::arg().none(), nb::sig("def update(self, data: typing_extensions.Buffer, /) -> typing_extensions.Self"),
        "Append bytes. Return self.");
    blake3.def(
        "update_mmap",
        [](nb::handle self, nb::handle path) {
            bound<Blake3>(self).update_pieces(pieces_of_file(path, "update_mmap: path"));
            return nb::borrow(self);
        },
        nb::arg("path").none(),
        nb::sig("def update_mmap(self, path: str | os.PathLike[str]) -> typing_extensions.Self"),
        "Append a file's bytes, which are read and never mapped. Return self.");
    blake3.def(
        "reset",
        [](nb::handle self) {
            bound<Blake3>(self).reset();
            return nb::borrow(self);
        },
        nb::sig("def reset(self) -> typing_extensions.Self"),
        "Go back to the empty input, in the same mode. Return self.");
    blake3.def(
        "digest", [](const Blake3& self, nb::handle length, nb::handle seek) { return self.digest(length, seek); },
        nb::arg("length").none() = 32, nb::kw_only(), nb::arg("seek").none() = 0,
        nb::sig("def digest(self, length: int = 32, *, seek: int = 0) -> bytes"),
        "Return output bytes `seek` to `seek + length` for all input so far; more input may follow.");
    blake3.def(
        "hexdigest",
        [](const Blake3& self, nb::handle length, nb::handle seek) { return hexdigest(self, length, seek); },
        nb::arg("length").none() = 32, nb::kw_only(), nb::arg("seek").none() = 0,
        nb::sig("def hexdigest(self, length: int = 32, *, seek: int = 0) -> str"),
        "Return digest() as lower-case hexadecimal text.");
    for (const char* name : {"copy", "__copy__"}) {
        blake3.def(name, &copy<Blake3>,
                   nb::sig(("def " + std::string(name) + "(self) -> typing_extensions.Self").c_str()),
                   "Return a second hasher with the same input so far.");
    }
    blake3.attr("AUTO") = -1;
    blake3.attr("name") = "blake3";
    blake3.attr("block_size") = 64;
    blake3.attr("digest_size") = 32;
    blake3.attr("key_size") = 32;
}

// Methods of merklize.Hasher on little data. As in quick.cpp, each handles the plain call and hands any other one on to
// the Python method that it replaces.

PyObject *full_update = nullptr, *full_digest = nullptr;

// What work() returns. An empty object: it failed, and the Python method raises the right error, since nothing was
// appended or the state is lost.  errors  of Python: Ctrl-C while another thread has the hasher
template <class Work>
nb::object quickly(PyObject* self, const Work& work) {
    if (!nb::inst_ready(self)) return {};
    try {
        return work(*nb::inst_ptr<Hasher>(self));
    } catch (const nb::python_error&) {
        throw;
    } catch (...) {
        return {};
    }
}

PyObject* quick_update(PyObject* self, PyObject* data) try {
    char* bytes = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_CheckExact(data) && PyBytes_AsStringAndSize(data, &bytes, &size) == 0 &&
        static_cast<std::size_t>(size) <= Hasher::short_work) {
        nb::object result = quickly(self, [&](Hasher& hasher) -> nb::object {
            hasher.update_little(std::as_bytes(std::span(bytes, static_cast<std::size_t>(size))));
            return nb::borrow(self);
        });
        if (result.is_valid()) return result.release().ptr();
    }
    PyObject* const arguments[] = {self, data};
    return PyObject_Vectorcall(full_update, arguments, 2, nullptr);
} catch (nb::python_error& error) {
    error.restore();
    return nullptr;
}

PyObject* quick_digest(PyObject* self, PyObject* arguments, PyObject* names) try {
    if (PyTuple_Size(arguments) == 0 && names == nullptr) {
        nb::object digest = quickly(self, [](const Hasher& hasher) -> nb::object { return hasher.plain_digest(); });
        if (digest.is_valid()) return digest.release().ptr();
    }
    const nb::object whole = checked(PySequence_Concat(nb::make_tuple(nb::handle(self)).ptr(), arguments));
    return PyObject_Call(full_digest, whole.ptr(), names);
} catch (nb::python_error& error) {
    error.restore();
    return nullptr;
}

// Puts both in the place of the class's own.
void quicken(nb::handle hasher) {
    const auto replace = [&](const char* name, const char* signature, PyCFunction function, int flags,
                             std::string& text) {
        const nb::object full = hasher.attr(name);
        text = name + std::string(signature) + "\n--\n\n" + nb::cast<std::string>(full.attr("__doc__"));
        auto* method = new PyMethodDef{name, function, flags, text.c_str()};  // Python keeps pointers to it
        hasher.attr(name) = checked(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(hasher.ptr()), method));
        return full.inc_ref().ptr();
    };
    static std::string texts[2];
    full_update = replace("update", "($self, data, /)", quick_update, METH_O, texts[0]);
    full_digest = replace("digest", "($self, length=32, seek=0)",
                          reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(quick_digest)),
                          METH_VARARGS | METH_KEYWORDS, texts[1]);
}

}  // namespace

void bind_hasher(nb::module_& m) {
    nb::class_<Hasher> hasher(m, "Hasher", "merklize.Hasher is the public class.");
    hasher.def(
        "__init__",
        [](Hasher* self, nb::handle data, nb::handle hash, nb::handle key, nb::handle context, nb::handle device,
           nb::handle threads) {
            const Settings settings{std::string(to_text(device, "device")), to_threads(threads)};
            const Hash which = hash_from_name(to_text(hash, "hash"));
            const Mode mode = to_mode(key, context, which);
            if (which == Hash::blake3) {
                make(self, data, mode, settings);
            } else {
                make(self, data, MessageForm(which, mode), Run(settings));
            }
        },
        nb::sig("def __init__(self, data: object = b'', hash: str = 'blake3', key: object = None, "
                "context: str | None = None, device: object = 'auto', threads: int | None = None) -> None"),
        nb::arg("data").none() = nb::bytes(""), nb::arg("hash").none() = "blake3", nb::arg("key").none() = nb::none(),
        nb::arg("context").none() = nb::none(), nb::arg("device").none() = "auto",
        nb::arg("threads").none() = nb::none());
    hasher.def(
        "update",
        [](nb::handle self, nb::handle data) {
            bound<Hasher>(self).update(data);
            return nb::borrow(self);
        },
        nb::arg().none(), nb::sig("def update(self, data: typing.Any, /) -> typing_extensions.Self"));
    hasher.def(
        "update_file",
        [](nb::handle self, nb::handle path) {
            bound<Hasher>(self).update_pieces(pieces_of_file(path, "path"));
            return nb::borrow(self);
        },
        nb::arg("path").none(), nb::sig("def update_file(self, path: typing.Any) -> typing_extensions.Self"));
    hasher.def("digest", &Hasher::digest, nb::arg("length").none() = 32, nb::arg("seek").none() = 0,
               nb::sig("def digest(self, length: int = 32, seek: int = 0) -> bytes"),
               "Output bytes `seek` to `seek + length` for all input so far; more input may follow.");
    hasher.def("hexdigest", &hexdigest, nb::arg("length").none() = 32, nb::arg("seek").none() = 0,
               nb::sig("def hexdigest(self, length: int = 32, seek: int = 0) -> str"),
               "digest() as lower-case hexadecimal text.");
    hasher.def("copy", &copy<Hasher>, nb::sig("def copy(self) -> typing_extensions.Self"),
               "A second hasher with the same input so far.");
    hasher.def("reset", &Hasher::reset, nb::sig("def reset(self) -> None"),
               "Back to the empty input, in the same mode.");
    define(
        m, "def make_hasher(key: object, context: str | None, settings: Settings, /) -> Hasher",
        +[](nb::handle key, nb::handle context, const Settings& settings) {
            Settings quiet = settings;  // because each update would report its own share
            quiet.progress = nb::none();
            return std::make_unique<Hasher>(to_mode(key, context), Run(quiet, nullptr));
        });
    define(
        m, "def make_message_hasher(hash: str, key: object, length: int, settings: Settings, /) -> Hasher",
        +[](nb::handle hash, nb::handle key, nb::handle length, const Settings& settings) {
            Settings quiet = settings;
            quiet.progress = nb::none();
            const Hash which = hash_from_name(to_text(hash, "hash"));
            const MessageForm form(which, to_mode(key, nb::none(), which));
            return std::make_unique<Hasher>(form, Run(quiet), to_u64(length, "length"));
        });
    hasher.def_prop_ro(
        "name", [](const Hasher& self) { return to_str(self.name()); }, nb::sig("def name(self) -> str"),
        "Name of the hash.");
    hasher.def_prop_ro("block_size", &Hasher::block_size, "Bytes of a block of the hash.");
    hasher.attr("digest_size") = 32;
    hasher.attr("key_size") = 32;
    m.def("quicken", &quicken, nb::sig("def quicken(hasher: type) -> None"));
    bind_blake3(m);
}

}  // namespace merklize::binding
