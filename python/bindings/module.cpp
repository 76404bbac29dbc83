#include "module.hpp"

#include <new>
#include <typeinfo>

#include "arguments.hpp"
#include "texts/argument_words.hpp"

namespace nb = nanobind;

namespace {

const char* class_of(merklize::ErrorCode code) {
    switch (code) {
        case merklize::ErrorCode::invalid_argument: return "InvalidArgument";
        case merklize::ErrorCode::out_of_memory: return "OutOfMemory";
        case merklize::ErrorCode::unavailable: return "Unavailable";
        case merklize::ErrorCode::io: return "FileError";
        case merklize::ErrorCode::cancelled: return "Cancelled";
        case merklize::ErrorCode::internal: break;
    }
    return "InternalError";
}

// The classes are in Python, and looked up only when one is raised, so that the extension imports alone, for its stub.
void raise(const char* name, const std::string& text) {
    const nb::object made = nb::module_::import_("merklize.errors").attr(name)(merklize::binding::to_str(text));
    PyErr_SetObject(made.type().ptr(), made.ptr());
}

// The class puts the function that was called and the argument, by Python's word, in front of the rule.
void raise_invalid(const merklize::Error& error) {
    using merklize::binding::to_str;
    const std::string_view argument =
        merklize::texts::argument_word(&merklize::texts::ArgumentWords::python, error.argument());
    const nb::object made = nb::module_::import_("merklize.errors")
                                .attr("InvalidArgument")(to_str(error.rule()), error.call(), to_str(argument));
    PyErr_SetObject(made.type().ptr(), made.ptr());
}

// What the library and the bindings refuse gets the name of the Python function that was called.
std::string text_of(const merklize::Error& error) {
    return error.call().empty() ? error.what() : merklize::binding::in_call(error.rule());
}

void raise_file_error(const merklize::Error& error) {
    const nb::object path =
        error.path().empty() ? nb::none() : nb::object(merklize::binding::to_file_name(error.path()));
    const nb::object made = nb::module_::import_("merklize.errors")
                                .attr("FileError")
                                .attr("_of")(merklize::binding::to_str(error.what()), error.system_error(), path);
    PyErr_SetObject(made.type().ptr(), made.ptr());
}

// Makes the error of Python for what the library threw. Runs Python code, so nb::python_error comes out, too.
void translate(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const merklize::BaoMismatch& error) {
        raise("Mismatch", text_of(error));
    } catch (const merklize::Error& error) {
        if (error.code() == merklize::ErrorCode::io) return raise_file_error(error);
        if (error.code() == merklize::ErrorCode::invalid_argument) return raise_invalid(error);
        raise(class_of(error.code()), text_of(error));
    } catch (const std::bad_alloc&) {
        raise("OutOfMemory", "not enough memory");
    } catch (const std::bad_cast&) {  // of nb::cast()
        raise("InvalidArgument", "an argument, or an attribute of one, is not of the type that it should be");
    }
}

}  // namespace

NB_MODULE(_native, m) {
    nb::set_leak_warnings(false);  // objects of threads that outlive the interpreter are no leaks
    m.doc() = "What merklize's Python modules call: arguments are checked there or here, arrays come as plain buffers.";
    nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
        try {
            translate(pointer);
        } catch (nb::python_error& error) {  // of a signal's handler, which runs in the middle of Python code
            error.restore();
        }
    });
    m.def("version", &merklize::version);
    merklize::binding::bind_settings(m);
    merklize::binding::bind_bao(m);
    merklize::binding::bind_command(m);
    merklize::binding::bind_form(m);
    merklize::binding::bind_dm_verity(m);
    merklize::binding::bind_formats(m);
    merklize::binding::bind_device(m);
    merklize::binding::bind_device_array(m);
    merklize::binding::bind_digest_array(m);
    merklize::binding::bind_enqueue(m);
    merklize::binding::bind_hash(m);
    merklize::binding::bind_hash_each(m);
    merklize::binding::bind_hasher(m);
    merklize::binding::bind_log(m);
    merklize::binding::bind_manifests(m);
    merklize::binding::bind_matrices(m);
    merklize::binding::bind_forest(m);
    merklize::binding::bind_proof(m);
    merklize::binding::bind_parts(m);
    merklize::binding::bind_piece_cid(m);
    merklize::binding::bind_pieces(m);
    merklize::binding::bind_policy(m);
    merklize::binding::bind_poseidon2(m);
    merklize::binding::bind_quick(m);
    merklize::binding::bind_rows(m);
    merklize::binding::bind_texts(m);
    merklize::binding::bind_tiles(m);
    merklize::binding::bind_tree(m);
    merklize::binding::bind_tree_file(m);
    merklize::binding::bind_tree_input(m);
    merklize::binding::bind_xet(m);
    merklize::binding::bind_xmss(m);
}
