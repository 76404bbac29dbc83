#include "c_api/calls.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>

#include "texts/argument_words.hpp"
#include "texts/urls.hpp"

namespace merklize::c_api {
namespace {

static_assert(sizeof(merklize_digest) == sizeof(Digest) && alignof(merklize_digest) == alignof(Digest));
static_assert(int{MERKLIZE_INVALID_ARGUMENT} == int(ErrorCode::invalid_argument) &&
              int{MERKLIZE_OUT_OF_MEMORY} == int(ErrorCode::out_of_memory) &&
              int{MERKLIZE_UNAVAILABLE} == int(ErrorCode::unavailable) && int{MERKLIZE_IO} == int(ErrorCode::io) &&
              int{MERKLIZE_CANCELLED} == int(ErrorCode::cancelled) &&
              int{MERKLIZE_INTERNAL} == int(ErrorCode::internal));
// Files and proofs store the numbers of TreeRule.
static_assert(MERKLIZE_RULE_DEFAULT == 0 && MERKLIZE_RULE_PERFECT == int(TreeRule::perfect) + 1 &&
              MERKLIZE_RULE_LEFT_FULL == int(TreeRule::left_full) + 1 && MERKLIZE_RULE_PAD == int(TreeRule::pad) + 1 &&
              MERKLIZE_RULE_DUPLICATE_LAST == int(TreeRule::duplicate_last) + 1);

/// An output of the caller that is too small.
class TooSmall : public Error {
public:
    using Error::Error;
};

struct LastError {
    std::string text, path;
    const char* call = "";  // a literal, with which the text begins
    std::string argument;
    int system_error = 0;

    const char* rule() const noexcept {
        return text.c_str() + (*call == '\0' ? 0 : std::strlen(call) + 2) +
               (argument.empty() ? 0 : argument.size() + 1);
    }
};

LastError& last_error() noexcept {
    thread_local LastError last;
    return last;
}

/// call      a literal; empty: the text begins with the argument
/// argument  empty: the text is the rule alone
merklize_status note(merklize_status status, const char* call, std::string_view argument, const char* rule,
                     int system_error = 0, const std::string& path = {}) noexcept {
    LastError& last = last_error();
    last.call = "";
    last.system_error = system_error;
    try {
        last.path = texts::masked(path);
        last.argument = argument;
        last.text = *call == '\0' ? "" : std::string(call) + ": ";
        if (!argument.empty()) last.text.append(argument) += ' ';
        last.text += texts::masked(rule);
        last.call = call;
    } catch (...) {  // a text of at most 15 bytes is stored without an allocation
        last.text = "out of memory";
        last.path.clear();
        last.argument.clear();
    }
    return status;
}

}  // namespace

merklize_status note_failure(const char* function) noexcept {
    try {
        throw;
    } catch (const Error& error) {
        const bool is_too_small = dynamic_cast<const TooSmall*>(&error) != nullptr;
        const auto status = is_too_small ? MERKLIZE_TOO_SMALL : static_cast<merklize_status>(error.code());
        const bool is_of_call = error.code() == ErrorCode::invalid_argument || !error.call().empty();
        const std::string_view argument = texts::argument_word(&texts::ArgumentWords::c, error.argument());
        return note(status, is_of_call ? function : "", argument, error.rule(), error.system_error(), error.path());
    } catch (const std::bad_alloc&) {
        return note(MERKLIZE_OUT_OF_MEMORY, "", "", "out of memory");
    } catch (const std::length_error&) {  // its text is of the standard library's own functions
        return note(MERKLIZE_OUT_OF_MEMORY, "", "", "out of memory");
    } catch (const std::exception& error) {
        return note(MERKLIZE_INTERNAL, "", "", error.what());
    } catch (...) {
        return note(MERKLIZE_INTERNAL, "", "", "unknown failure");
    }
}

void Call::require_array(const void* first, std::uint64_t count, std::size_t item_bytes, const char* name) const {
    constexpr std::uint64_t most = (std::uint64_t{1} << 56) - 1;  // no processor gives a process more addresses
    if (count > most / item_bytes) {
        invalid(name, "must fit into memory, got " + std::to_string(count) + " items of " + std::to_string(item_bytes) +
                          " bytes");
    }
    if (first == nullptr && count != 0) invalid(name, "is null, but must have " + std::to_string(count) + " items");
}

void Call::require_digests(std::uint64_t count, const char* name) const {
    if (count != UINT64_MAX && count % Digest::size != 0)
        invalid(name, "must be whole digests of 32 bytes, got " + std::to_string(count) + " bytes");
}

std::span<const std::byte> Call::bytes(const void* first, std::uint64_t count, const char* name) const {
    return items(static_cast<const std::byte*>(first), count, name);
}

std::span<std::byte> Call::bytes(std::uint8_t* first, std::uint64_t count, const char* name) const {
    return items(reinterpret_cast<std::byte*>(first), count, name);
}

std::span<const Digest> Call::digests(const merklize_digest* first, std::uint64_t count, const char* name) const {
    return items(reinterpret_cast<const Digest*>(first), count, name);
}

std::span<Digest> Call::digests(merklize_digest* first, std::uint64_t count, const char* name) const {
    return items(reinterpret_cast<Digest*>(first), count, name);
}

std::span<const Digest> Call::digests(const merklize_view& view, const char* name) const {
    require_digests(view.bytes, name);
    return digests(static_cast<const merklize_digest*>(view.data), view.bytes / Digest::size, name);
}

std::span<Digest> Call::digests(const merklize_output& output, const char* name) const {
    require_digests(output.bytes, name);
    return digests(static_cast<merklize_digest*>(output.data), output.bytes / Digest::size, name);
}

std::vector<MessageView> Call::messages(const merklize_view* messages, std::size_t count) const {
    std::vector<MessageView> views;
    for (const merklize_view& message : items(messages, count, "messages")) {
        const std::string name = "messages[" + std::to_string(views.size()) + "]";
        if (on_device(message, name.c_str()))
            views.emplace_back(message.buffer->value);
        else
            views.emplace_back(bytes(message, name.c_str()));
    }
    return views;
}

std::vector<ConstBuffer> Call::parts(const merklize_buffer* const* parts, std::size_t count) const {
    std::vector<ConstBuffer> made;
    for (const merklize_buffer* const& part : items(parts, count, "parts"))
        made.push_back(need(part, "parts: an item").value);
    return made;
}

std::vector<std::filesystem::path> Call::paths(const char* const* paths, std::size_t count) const {
    std::vector<std::filesystem::path> made;
    for (const char* const one : items(paths, count, "paths"))
        made.emplace_back(path(one, ("paths[" + std::to_string(made.size()) + "]").c_str()));
    return made;
}

void Call::require_index(std::size_t index, std::size_t count, const char* items) const {
    if (index < count) return;
    invalid("index", "must be below the number of " + std::string(items) + ", " + std::to_string(count) + ", got " +
                         std::to_string(index));
}

Buffer& Call::written(merklize_buffer* buffer, const char* name) const {
    merklize_buffer& given = need(buffer, name);
    if (!given.writable) invalid(name, "is written, but the buffer is only to be read");
    return *given.writable;
}

Hash Call::hash(merklize_hash_id id) const {
    for (const HashTraits& traits : hashes()) {
        if (to_c(traits.hash) == id) return traits.hash;
    }
    if (id >= 128 && id <= 255) return traits(static_cast<Hash>(id)).hash;  // a caller's constants; throws if unknown
    invalid("unknown hash id " + std::to_string(id) + "; merklize_hash_describe() lists the known ones");
}

Mode Call::mode(const merklize_mode* mode, Hash hash, Mode (*keyed)(ByteView key, Hash hash)) const {
    if (mode == nullptr) return {};
    const merklize_mode& given = *mode;
    has_secret_ = has_secret_ || given.key != nullptr || given.context != nullptr;
    if (given.key != nullptr && given.context != nullptr) {
        invalid("mode", "must have a key or a context, got a key of " + std::to_string(given.key_bytes) +
                            " bytes and a context of " + std::to_string(given.context_bytes) + " bytes");
    }
    const auto key = bytes(static_cast<const void*>(given.key), given.key_bytes, "mode->key");
    const auto context = items(given.context, given.context_bytes, "mode->context");
    if (given.key != nullptr) return keyed(key, hash);
    if (given.context != nullptr) return Mode::derive_key({context.data(), context.size()});
    return {};
}

TreeRule Call::rule(merklize_rule rule, const char* name) const {
    if (rule == MERKLIZE_RULE_DEFAULT || rule > MERKLIZE_RULE_DUPLICATE_LAST) {
        invalid(name, "must be 0 to " + std::to_string(MERKLIZE_RULE_DUPLICATE_LAST) + ", got " + std::to_string(rule));
    }
    return static_cast<TreeRule>(rule - 1);
}

TreeForm Call::form(const merklize_form* form) const {
    if (form == nullptr) return {};
    const merklize_form& given = *form;
    const Hash of = hash(given.hash);
    const TreeRule by = given.rule == MERKLIZE_RULE_DEFAULT ? default_rule(of) : rule(given.rule, "form->rule");
    TreeForm made(of, by, mode(given.mode, of), from_c(given.padding));
    made.unambiguous = flag(given.unambiguous, "form->unambiguous");
    return made;
}

Expect Call::expect(const merklize_expect* expect) const {
    if (expect == nullptr) return {};
    const merklize_expect& given = *expect;
    Expect known;
    if (given.leaf != nullptr) known.leaf = from_c(*given.leaf);
    if (given.index != nullptr) known.index = *given.index;
    if (given.n_leaves != nullptr) known.n_leaves = *given.n_leaves;
    if (given.hash != nullptr) known.hash = hash(*given.hash);
    if (given.rule != MERKLIZE_RULE_DEFAULT) known.rule = rule(given.rule, "expect->rule");
    return known;
}

TreeInput Call::input(const merklize_input* input) const {
    const merklize_input& given = need(input, "input");
    const auto kind = [&] {
        switch (given.kind) {
            case MERKLIZE_INPUT_BLOCKS: return TreeInput::Kind::blocks;
            case MERKLIZE_INPUT_ROWS: return TreeInput::Kind::rows;
            case MERKLIZE_INPUT_LEAVES: return TreeInput::Kind::leaves;
            default: invalid("input->kind", "must be 0 to 2, got " + std::to_string(given.kind));
        }
    }();
    const std::uint64_t leaf_bytes = kind == TreeInput::Kind::leaves ? Digest::size : given.leaf_bytes;
    if (!flag(given.has_descriptor, "input->has_descriptor"))
        return {path(given.path, "input->path"), kind, leaf_bytes};
    if (given.descriptor < 0)
        invalid("input->descriptor", "must be an open descriptor, got " + std::to_string(given.descriptor));
    return {descriptor_name(given.descriptor, given.path), kind, leaf_bytes, given.descriptor};
}

Policy Call::policy(const merklize_policy& policy) const {
    Policy made;
#define MKZ_SET_caller(field) made.field = decltype(made.field)(policy.field);
#define MKZ_SET_compiler(field)
#define MKZ_POLICY(field, chooser, values, greatest, part, macro) MKZ_SET_##chooser(field)
#include <merklize/policy.def>
#undef MKZ_SET_caller
#undef MKZ_SET_compiler
    require_valid(made);
    return made;
}

void Call::put(const void* from, std::size_t count, std::size_t item_bytes, void* out, std::size_t capacity,
               std::size_t* needed, const char* items) const {
    if (out == nullptr && capacity != 0) require_array(out, capacity, item_bytes, "the output");
    if (needed != nullptr) *needed = count;
    if (out == nullptr) {
        if (needed == nullptr) invalid("the output and its count are null: nothing to write");
        return;
    }
    if (capacity < count) {
        throw TooSmall(ErrorCode::invalid_argument, function_,
                       "the output must have room for " + std::to_string(count) + " " + items + ", got " +
                           std::to_string(capacity));
    }
    if (count != 0) std::memcpy(out, from, count * item_bytes);
}

void Call::put_text(std::string_view text, char* out, std::size_t capacity, std::size_t* length) const {
    const std::string with_zero(text);
    try {
        put(with_zero.c_str(), with_zero.size() + 1, 1, out, capacity, length, "bytes, its zero byte included");
    } catch (const TooSmall&) {
        if (length != nullptr) (*length)--;
        throw;
    }
    if (length != nullptr) (*length)--;
}

void Call::put_bytes(std::span<const std::byte> bytes, std::uint8_t* out, std::size_t capacity,
                     std::size_t* length) const {
    put(bytes.data(), bytes.size(), 1, out, capacity, length, "bytes");
}

void Call::put_digests(std::span<const Digest> digests, merklize_digest* out, std::size_t capacity,
                       std::size_t* count) const {
    put(digests.data(), digests.size(), sizeof(Digest), out, capacity, count, "digests");
}

void Call::put_nodes(std::span<const Digest> nodes, const merklize_digest** first, std::uint64_t* count,
                     const char* name) const {
    const merklize_digest*& out = need(first, "nodes");
    need(count, name) = nodes.size();
    out = reinterpret_cast<const merklize_digest*>(nodes.data());
}

Options::Options(const Call& call, const merklize_run_options* options) {
    if (options == nullptr) return;
    const merklize_run_options& given = *options;
    if (given.stream != nullptr) options_.stream = given.stream->value;
    if (given.device != nullptr) {
        options_.device = given.device->value;
    } else if (given.stream != nullptr) {
        options_.device = given.stream->value.device();
    }
    options_.threads = given.threads;
    if (given.progress != nullptr) {
        options_.progress = [function = given.progress, context = given.progress_context](double done) {
            return function(context, done) == 0;
        };
    }
    if (given.policy != nullptr) options_.policy = call.policy(*given.policy);
    if (given.timings != nullptr) {
        out_ = given.timings;
        options_.timings = &times_;
    }
}

void Options::finish() const noexcept {
    if (out_ == nullptr) return;
    out_->available = times_.available ? 1 : 0;
    out_->kernel = times_.kernel;
    out_->to_device = times_.to_device;
    out_->to_host = times_.to_host;
}

RunOptions Options::kept(const Call& call) const {
    if (options_.progress || options_.timings != nullptr)
        call.invalid("options", "must have no progress and no timings: they are kept after the call");
    return options_;
}

std::uint32_t element_bytes(Hash hash) {
    const HashTraits& facts = traits(hash);
    return facts.is_field ? facts.element_bits / 8 : 1;
}

merklize_digest to_c(const Digest& digest) noexcept {
    merklize_digest out;
    std::memcpy(out.bytes, digest.bytes.data(), sizeof out);
    return out;
}

Digest from_c(const merklize_digest& digest) noexcept {
    Digest out;
    std::memcpy(out.bytes.data(), digest.bytes, sizeof digest);
    return out;
}

std::string descriptor_name(int descriptor, const char* name) {
    return name != nullptr ? name : "descriptor " + std::to_string(descriptor);
}

}  // namespace merklize::c_api

using namespace merklize::c_api;

const char* merklize_last_error() { return last_error().text.c_str(); }
const char* merklize_last_error_call() { return last_error().call; }
const char* merklize_last_error_argument() { return last_error().argument.c_str(); }
const char* merklize_last_error_rule() { return last_error().rule(); }
int merklize_last_system_error() { return last_error().system_error; }
const char* merklize_last_error_path() { return last_error().path.c_str(); }

const char* merklize_status_name(merklize_status status) {
    switch (status) {
        case MERKLIZE_OK: return "ok";
        case MERKLIZE_INVALID_ARGUMENT: return "invalid argument";
        case MERKLIZE_OUT_OF_MEMORY: return "out of memory";
        case MERKLIZE_UNAVAILABLE: return "unavailable";
        case MERKLIZE_IO: return "input or output failed";
        case MERKLIZE_CANCELLED: return "cancelled";
        case MERKLIZE_INTERNAL: return "internal failure";
        case MERKLIZE_TOO_SMALL: return "output too small";
        default: return "unknown status";
    }
}

const char* merklize_version() { return merklize::version(); }
uint32_t merklize_abi_version() { return MERKLIZE_ABI_VERSION; }

merklize_status merklize_check_abi(uint32_t abi) {
    return run("merklize_check_abi", [&](const Call& call) {
        if (abi == MERKLIZE_ABI_VERSION) return;
        call.invalid("the caller was compiled for ABI " + std::to_string(abi) + ", but the library (version " +
                     merklize::version() + ") has ABI " + std::to_string(MERKLIZE_ABI_VERSION));
    });
}

merklize_status merklize_policy_from_text(const char* text, merklize_policy* policy) {
    return run("merklize_policy_from_text", [&](const Call& call) {
        merklize_policy& out = call.need(policy, "policy");
        const merklize::Policy made = merklize::policy_from_text(&call.need(text, "text"));
#define MKZ_SET_caller(field) out.field = static_cast<uint32_t>(made.field);
#define MKZ_SET_compiler(field)
#define MKZ_POLICY(field, chooser, values, greatest, part, macro) MKZ_SET_##chooser(field)
#include <merklize/policy.def>
#undef MKZ_SET_caller
#undef MKZ_SET_compiler
    });
}

merklize_status merklize_policy_to_text(const merklize_policy* policy, char* text, size_t capacity, size_t* length) {
    return run("merklize_policy_to_text", [&](const Call& call) {
        call.put_text(merklize::to_text(call.policy(call.need(policy, "policy"))), text, capacity, length);
    });
}
