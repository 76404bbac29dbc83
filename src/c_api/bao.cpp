// Verified streaming: outboards, slices, verification.
#include <sys/stat.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "c_api/calls.hpp"

using namespace merklize::c_api;
using merklize::BaoFault;
using merklize::BaoForm;
using merklize::BaoMismatch;
using merklize::BaoOrder;
using merklize::BaoTrust;
using merklize::Digest;

namespace {

BaoForm form_of(const Call& call, const merklize_bao_form* form) {
    if (form == nullptr) return {};
    const merklize_bao_form& given = *form;
    return {given.group_log, call.flag(given.post_order, "form->post_order") ? BaoOrder::post : BaoOrder::pre,
            !call.flag(given.without_size, "form->without_size")};
}

// A slice has the groups of the outboard, but is in pre-order for any outboard.
BaoForm slice_form(BaoForm form) {
    form.order = BaoOrder::pre;
    return form;
}

// The caller's array of faults.
class Faults {
public:
    Faults(const Call& call, merklize_bao_fault* faults, size_t capacity, size_t* count)
        : out_(call.items(faults, capacity, "faults")), count_(call.need(count, "count")) {}

    /// Writes the faults that find() returns. If the outboard cannot belong to the message, the whole part is one
    /// fault.
    template <class Find>
    void put(std::uint64_t offset, std::uint64_t bytes, const Find& find) const {
        std::vector<BaoFault> found;
        try {
            found = find();
        } catch (const BaoMismatch&) {
            found = {{offset, bytes, true}};
        }
        for (std::size_t i = 0; i < found.size() && i < out_.size(); i++)
            out_[i] = {found[i].offset, found[i].bytes, found[i].in_outboard ? 1u : 0u};
        count_ = found.size();
    }

private:
    std::span<merklize_bao_fault> out_;
    std::size_t& count_;
};

}  // namespace

merklize_status merklize_bao_outboard_bytes(uint64_t message_bytes, const merklize_bao_form* form, uint64_t* bytes) {
    return run("merklize_bao_outboard_bytes", [&](const Call& call) {
        uint64_t& out = call.need(bytes, "bytes");
        out = merklize::bao_outboard_bytes(message_bytes, form_of(call, form));
    });
}

merklize_status merklize_bao_outboard(merklize_view data, const merklize_bao_form* form, merklize_output out,
                                      merklize_digest* root, const merklize_run_options* options) {
    return run("merklize_bao_outboard", [&](const Call& call) {
        merklize_digest& made = call.need(root, "root");
        const Options run(call, options);
        const BaoForm as = form_of(call, form);
        const bool there = call.all_on_device("data and out", data, out);
        made = to_c(there ? merklize::bao_outboard(data.buffer->value, call.written(out.buffer, "out"), as, run.get())
                          : merklize::bao_outboard(call.bytes(data, "data"), call.bytes(out, "out"), as, run.get()));
        run.finish();
    });
}

merklize_status merklize_bao_outboard_descriptor(int descriptor, const char* name, const merklize_bao_form* form,
                                                 const char* output, merklize_digest* root,
                                                 const merklize_run_options* options) {
    return run("merklize_bao_outboard_descriptor", [&](const Call& call) {
        merklize_digest& out = call.need(root, "root");
        const Options run(call, options);
        out = to_c(merklize::bao_outboard_file(descriptor, descriptor_name(descriptor, name), form_of(call, form),
                                               call.path(output, "output"), run.get()));
        run.finish();
    });
}

merklize_status merklize_bao_slice(const void* data, size_t bytes, const uint8_t* outboard, size_t outboard_bytes,
                                   const merklize_bao_form* form, uint64_t first, uint64_t count, uint8_t* slice,
                                   size_t capacity, size_t* length) {
    return run("merklize_bao_slice", [&](const Call& call) {
        const auto source = merklize::bao_source(
            call.bytes(data, bytes, "data"), call.bytes(static_cast<const void*>(outboard), outboard_bytes, "outboard"),
            form_of(call, form));
        call.put_bytes(merklize::bao_slice(source, {{{first, count}}}), slice, capacity, length);
    });
}

merklize_status merklize_bao_decode_slice(const uint8_t* slice, size_t slice_bytes, const merklize_digest* root,
                                          const merklize_bao_form* form, uint64_t first, uint64_t count,
                                          uint64_t message_bytes, uint8_t* out, size_t capacity, size_t* length,
                                          int* valid) {
    return run("merklize_bao_decode_slice", [&](const Call& call) {
        int& is_valid = call.result(valid, "valid");
        const Digest trusted = from_c(call.need(root, "root"));
        const BaoForm as = slice_form(form_of(call, form));
        const auto given = call.bytes(static_cast<const void*>(slice), slice_bytes, "slice");
        std::optional<std::vector<std::byte>> decoded;
        try {
            decoded = merklize::bao_decode_slice(given, trusted, {first, count}, as, message_bytes);
        } catch (const BaoMismatch&) {  // no error
        }
        if (as.has_size && message_bytes != 0)
            call.invalid("message_bytes", "must be 0: the form has the size in front of the slice, got " +
                                              std::to_string(message_bytes));
        is_valid = 0;
        if (decoded) {
            call.put_bytes(*decoded, out, capacity, length);
            is_valid = 1;
        } else if (length != nullptr) {
            *length = 0;
        }
    });
}

merklize_status merklize_bao_verify(const void* part, size_t bytes, uint64_t offset, uint64_t message_bytes,
                                    const merklize_digest* root, const uint8_t* outboard, size_t outboard_bytes,
                                    const merklize_bao_form* form, merklize_bao_fault* faults, size_t capacity,
                                    size_t* count, const merklize_run_options* options) {
    return run("merklize_bao_verify", [&](const Call& call) {
        const Faults out(call, faults, capacity, count);
        const BaoTrust trust{from_c(call.need(root, "root")),
                             call.bytes(static_cast<const void*>(outboard), outboard_bytes, "outboard"),
                             form_of(call, form)};
        const auto given = call.bytes(part, bytes, "part");
        const Options run(call, options);
        out.put(offset, bytes, [&] { return merklize::bao_verify(given, offset, message_bytes, trust, run.get()); });
        run.finish();
    });
}

merklize_status merklize_bao_verify_descriptor(int descriptor, const char* name, uint64_t first, uint64_t bytes,
                                               const merklize_digest* root, const uint8_t* outboard,
                                               size_t outboard_bytes, const merklize_bao_form* form,
                                               merklize_bao_fault* faults, size_t capacity, size_t* count,
                                               const merklize_run_options* options) {
    return run("merklize_bao_verify_descriptor", [&](const Call& call) {
        const Faults out(call, faults, capacity, count);
        const BaoTrust trust{from_c(call.need(root, "root")),
                             call.bytes(static_cast<const void*>(outboard), outboard_bytes, "outboard"),
                             form_of(call, form)};
        const Options run(call, options);
        // The one fault of an outboard that cannot belong to the file goes to the end that the system states.
        uint64_t wanted = bytes;
        if (struct stat info; bytes == UINT64_MAX && fstat(descriptor, &info) == 0) {
            const auto size = static_cast<uint64_t>(info.st_size);
            wanted = first < size ? size - first : 0;
        }
        out.put(first, wanted, [&] {
            return merklize::bao_verify_file(descriptor, descriptor_name(descriptor, name), {first, bytes}, trust,
                                             run.get());
        });
        run.finish();
    });
}
