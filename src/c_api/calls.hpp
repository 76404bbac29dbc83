#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "c_api/handles.hpp"
#include "hashes/merge_one.hpp"
#include "host/invalid.hpp"
#include "jobs/wipe_stack.hpp"

namespace merklize::c_api {

/// Notes the exception that is being handled as the thread's last error, under the name of the function that was
/// called.
/// returns  its status
merklize_status note_failure(const char* function) noexcept;

/// Checks and converts the arguments of one call. A wrong argument becomes an Error of the function.
class Call {
public:
    explicit Call(const char* function) noexcept : function_(function) {}

    [[noreturn]] void invalid(const std::string& rule) const {
        throw Error(ErrorCode::invalid_argument, function_, rule);
    }
    [[noreturn]] void invalid(const std::string& argument, const std::string& rule) const {
        throw Error(ErrorCode::invalid_argument, function_, argument, rule);
    }

    /// errors  invalid_argument (null)
    template <class T>
    T& need(T* pointer, const char* name) const {
        if (pointer == nullptr) invalid(name, "is null");
        return *pointer;
    }
    /// The caller's places for results. The call writes them in the end, because they may lie over what it reads. If it
    /// fails, they are zero, or null.
    /// errors  invalid_argument, as of items()
    template <class T>
    std::span<T> results(T* first, std::uint64_t count, const char* name) const {
        const std::span<T> places = items(first, count, name);
        results_ = std::as_writable_bytes(places);
        return places;
    }
    /// One of them.  errors  invalid_argument (null)
    template <class T>
    T& result(T* place, const char* name) const {
        return results(&need(place, name), 1, name)[0];
    }
    void clear_results() const noexcept { std::ranges::fill(results_, std::byte{0}); }
    /// Whether mode() has read a key or a context, which may be on the stack.
    bool has_secret() const noexcept { return has_secret_; }
    /// errors  invalid_argument (null and a count other than 0; a count of more bytes than memory can have)
    template <class T>
    std::span<T> items(T* first, std::uint64_t count, const char* name) const {
        require_array(static_cast<const void*>(first), count, sizeof(T), name);
        return {first, static_cast<std::size_t>(count)};
    }
    std::span<const std::byte> bytes(const void* first, std::uint64_t count, const char* name) const;
    std::span<std::byte> bytes(std::uint8_t* first, std::uint64_t count, const char* name) const;
    std::span<const Digest> digests(const merklize_digest* first, std::uint64_t count, const char* name) const;
    std::span<Digest> digests(merklize_digest* first, std::uint64_t count, const char* name) const;
    /// A buffer that is written.  errors  invalid_argument (null, or a view that is only read)
    Buffer& written(merklize_buffer* buffer, const char* name) const;

    /// A view or an output, in host memory or a buffer.  errors  invalid_argument (both)
    template <class View>
    bool on_device(const View& view, const char* name) const {
        if (view.buffer == nullptr && view.data == nullptr && view.bytes == UINT64_MAX)
            invalid(std::string(name) + ": a null buffer");
        if (view.buffer != nullptr && (view.data != nullptr || view.bytes != 0))
            invalid(std::string(name) + ": data and a buffer are set, must be one of them");
        return view.buffer != nullptr;
    }
    /// The same for several views, all in host memory or all in buffers.
    /// errors  invalid_argument (mixed)
    template <class... Views>
    bool all_on_device(const char* names, const Views&... views) const {
        const bool any = (on_device(views, names) || ...);
        if (any && !(on_device(views, names) && ...)) invalid(names, "must all be buffers, or none");
        return any;
    }
    std::span<const std::byte> bytes(const merklize_view& view, const char* name) const {
        return bytes(view.data, view.bytes, name);
    }
    std::span<std::byte> bytes(const merklize_output& output, const char* name) const {
        return bytes(static_cast<std::uint8_t*>(output.data), output.bytes, name);
    }
    /// errors  invalid_argument (bytes that are not whole digests)
    std::span<const Digest> digests(const merklize_view& view, const char* name) const;
    std::span<Digest> digests(const merklize_output& output, const char* name) const;
    std::vector<MessageView> messages(const merklize_view* messages, std::size_t count) const;
    /// Buffers that are read, one after another.
    std::vector<ConstBuffer> parts(const merklize_buffer* const* parts, std::size_t count) const;

    /// A number that says yes or no.  errors  invalid_argument (neither 0 nor 1)
    bool flag(std::int64_t value, const char* name) const {
        if (value != 0 && value != 1) invalid(name, "must be 0 or 1, got " + std::to_string(value));
        return value != 0;
    }
    Hash hash(merklize_hash_id id) const;
    /// hash  whose mode it is; one that has no modes refuses it later
    Mode mode(const merklize_mode* mode, Hash hash = Hash::blake3,
              Mode (*keyed)(ByteView key, Hash hash) = runtime::keyed_mode) const;
    /// A rule other than the default.  errors  invalid_argument (MERKLIZE_RULE_DEFAULT; an unknown number)
    TreeRule rule(merklize_rule rule, const char* name) const;
    TreeForm form(const merklize_form* form) const;
    Expect expect(const merklize_expect* expect) const;
    TreeInput input(const merklize_input* input) const;
    Policy policy(const merklize_policy& policy) const;
    /// errors  invalid_argument (null; empty)
    const char* path(const char* path, const char* name) const {
        refuse_empty_path(&need(path, name), name);
        return path;
    }
    std::vector<std::filesystem::path> paths(const char* const* paths, std::size_t count) const;
    /// errors  invalid_argument (index >= count)
    void require_index(std::size_t index, std::size_t count, const char* items) const;

    /// Copies to the caller's memory. With null and capacity 0 only the count is written.
    /// errors  too_small, invalid_argument (null)
    void put_text(std::string_view text, char* out, std::size_t capacity, std::size_t* length) const;
    void put_bytes(std::span<const std::byte> bytes, std::uint8_t* out, std::size_t capacity,
                   std::size_t* length) const;
    void put_digests(std::span<const Digest> digests, merklize_digest* out, std::size_t capacity,
                     std::size_t* count) const;
    template <class Item>
    void put_items(std::span<const Item> items, Item* out, std::size_t capacity, std::size_t* count,
                   const char* noun) const {
        put(items.data(), items.size(), sizeof(Item), out, capacity, count, noun);
    }
    /// A view of nodes that live in a handle.
    /// name  of `count` among the call's arguments
    void put_nodes(std::span<const Digest> nodes, const merklize_digest** first, std::uint64_t* count,
                   const char* name = "count") const;

private:
    void require_digests(std::uint64_t count, const char* name) const;
    void require_array(const void* first, std::uint64_t count, std::size_t item_bytes, const char* name) const;
    void put(const void* from, std::size_t count, std::size_t item_bytes, void* out, std::size_t capacity,
             std::size_t* needed, const char* items) const;

    const char* function_;
    mutable std::span<std::byte> results_{};
    mutable bool has_secret_ = false;
};

/// Runs the body of a function of the API and turns every exception into a status.
template <class Body>
merklize_status run(const char* function, Body&& body) noexcept {
    const Call call(function);
    merklize_status status = MERKLIZE_OK;
    try {
        body(call);
    } catch (...) {
        call.clear_results();
        status = note_failure(function);
    }
    if (call.has_secret()) runtime::wipe_stack();
    return status;
}

/// The RunOptions of a call, and the caller's place for its timings.
class Options {
public:
    Options(const Call& call, const merklize_run_options* options);
    Options(const Options&) = delete;
    Options& operator=(const Options&) = delete;

    const RunOptions& get() const noexcept { return options_; }
    /// Gives the timings to the caller; called once the call has succeeded.
    void finish() const noexcept;
    /// Options that outlive the call.  errors  invalid_argument (progress or timings)
    RunOptions kept(const Call& call) const;

private:
    RunOptions options_;
    Timings times_;
    merklize_timings* out_ = nullptr;
};

/// Bytes of one element of a row; 1 for a hash of bytes.
std::uint32_t element_bytes(Hash hash);
inline merklize_hash_id to_c(Hash hash) noexcept { return static_cast<merklize_hash_id>(hash); }
/// The MERKLIZE_RULE_... of a rule. It is one more than the rule's number, because 0 is MERKLIZE_RULE_DEFAULT.
inline merklize_rule to_c(TreeRule rule) noexcept { return static_cast<merklize_rule>(rule) + 1; }
merklize_digest to_c(const Digest& digest) noexcept;
Digest from_c(const merklize_digest& digest) noexcept;
/// The name of an open file in error texts: the caller's, or that of its descriptor if `name` is null.
std::string descriptor_name(int descriptor, const char* name);

}  // namespace merklize::c_api
