#include "command/tree/proof_json.hpp"

#include <algorithm>
#include <initializer_list>

#include <merklize/error.hpp>

#include "command/endings.hpp"
#include "command/output/text.hpp"
#include "texts/json.hpp"
#include "texts/json_reader.hpp"

namespace merklize::command {
namespace {

constexpr const char *one_format = "merklize-proof-3", *multi_format = "merklize-multi-proof-3",
                     *consistency_format = "merklize-consistency-proof-3";

[[noreturn]] void no_proof(const std::string& text) { throw Failure{text}; }

std::string digests_json(std::span<const Digest> digests) {
    json::Array all;
    for (const Digest& digest : digests) all.put(json::text(digest.hex()));
    return all.done();
}

// The members of a proof. Each must be present and of its type, and no others are allowed.
class Fields {
public:
    Fields(const json::Members& members, std::initializer_list<std::string_view> names) : members_(members) {
        std::string wrong;
        for (const std::string_view name : names)
            if (find(name) == nullptr) wrong += (wrong.empty() ? "'" : ", '") + std::string(name) + "' is missing";
        for (const auto& [name, value] : members) {
            if (name != "format" && std::ranges::find(names, name) == names.end())
                wrong += (wrong.empty() ? "'" : ", '") + sentence(name) + "' is unknown";
        }
        if (!wrong.empty()) no_proof(wrong);
    }

    std::uint64_t number(std::string_view name) const { return number_of(*find(name), name); }
    std::vector<std::uint64_t> numbers(std::string_view name) const {
        std::vector<std::uint64_t> found;
        for (const json::Value& item : items(name)) found.push_back(number_of(item, name));
        return found;
    }
    const std::string& text(std::string_view name) const {
        const auto* found = find(name)->as<std::string>();
        if (found == nullptr) no_proof(std::string(name) + " must be text");
        return *found;
    }
    Digest digest(std::string_view name) const { return digest_of(*find(name), name); }
    std::vector<Digest> digests(std::string_view name) const {
        std::vector<Digest> found;
        for (const json::Value& item : items(name)) found.push_back(digest_of(item, name));
        return found;
    }

private:
    const json::Value* find(std::string_view name) const {
        const auto found = std::ranges::find(members_, name, &json::Members::value_type::first);
        return found == members_.end() ? nullptr : &found->second;
    }
    const json::Items& items(std::string_view name) const {
        const auto* found = find(name)->as<json::Items>();
        if (found == nullptr) no_proof(std::string(name) + " must be a list");
        return *found;
    }
    static std::uint64_t number_of(const json::Value& value, std::string_view name) {
        const auto* found = value.as<std::uint64_t>();
        if (found == nullptr) no_proof(std::string(name) + " must be a whole number of 0 to 2^64 - 1");
        return *found;
    }
    static Digest digest_of(const json::Value& value, std::string_view name) {
        const auto* digits = value.as<std::string>();
        const bool fits = digits != nullptr && digits->size() == 2 * Digest::size;  // from_hex() takes 0x, too
        const auto found = fits ? Digest::from_hex(*digits) : std::nullopt;
        if (!found) no_proof(std::string(name) + " must be 64 hexadecimal digits");
        return *found;
    }

    const json::Members& members_;
};

}  // namespace

std::string proof_json(const AnyProof& proof) {
    json::Object fields;
    const auto form = [&](const char* format, Hash hash) -> json::Object& {
        return fields.text("format", format).text("hash", traits(hash).name);
    };
    if (const auto* one = std::get_if<MerkleProof>(&proof)) {
        form(one_format, one->hash).number("index", one->index).number("n_leaves", one->n_leaves);
        fields.text("leaf", one->leaf.hex()).put("siblings", digests_json(one->siblings));
        fields.text("rule", rule_name(one->rule));
    } else if (const auto* several = std::get_if<MultiProof>(&proof)) {
        json::Array indices;
        for (const std::uint64_t index : several->indices) indices.put(std::to_string(index));
        form(multi_format, several->hash).text("rule", rule_name(several->rule)).number("n_leaves", several->n_leaves);
        fields.put("indices", indices.done()).put("leaves", digests_json(several->leaves));
        fields.put("siblings", digests_json(several->siblings));
    } else {
        const auto& consistency = std::get<ConsistencyProof>(proof);
        form(consistency_format, consistency.hash).number("old_leaves", consistency.old_leaves);
        fields.number("new_leaves", consistency.new_leaves).put("nodes", digests_json(consistency.nodes));
    }
    return fields.done();
}

std::vector<std::byte> proof_bytes(const AnyProof& proof) {
    return std::visit([](const auto& one) { return one.to_bytes(); }, proof);
}

AnyProof proof_from_json(std::string_view text) {
    json::Value whole;
    try {
        whole = json::read(text);
    } catch (const Error& error) {
        no_proof(error.what());
    }
    const auto* members = whole.as<json::Members>();
    if (members == nullptr) no_proof("expected a JSON object");
    const auto named = std::ranges::find(*members, "format", &json::Members::value_type::first);
    const auto* format = named == members->end() ? nullptr : named->second.as<std::string>();
    if (format == nullptr) no_proof("the format is missing");
    AnyProof found;
    if (*format == one_format) {
        const Fields fields(*members, {"hash", "index", "n_leaves", "leaf", "siblings", "rule"});
        found = MerkleProof{hash_from_name(fields.text("hash")),
                            rule_from_name(fields.text("rule")),
                            fields.number("n_leaves"),
                            fields.number("index"),
                            fields.digest("leaf"),
                            fields.digests("siblings")};
    } else if (*format == multi_format) {
        const Fields fields(*members, {"hash", "rule", "n_leaves", "indices", "leaves", "siblings"});
        found = MultiProof{hash_from_name(fields.text("hash")),
                           rule_from_name(fields.text("rule")),
                           fields.number("n_leaves"),
                           fields.numbers("indices"),
                           fields.digests("leaves"),
                           fields.digests("siblings")};
    } else if (*format == consistency_format) {
        const Fields fields(*members, {"hash", "old_leaves", "new_leaves", "nodes"});
        found = ConsistencyProof{hash_from_name(fields.text("hash")), fields.number("old_leaves"),
                                 fields.number("new_leaves"), fields.digests("nodes")};
    } else {
        no_proof("the format is '" + sentence(*format) + "', which is no proof's");
    }
    static_cast<void>(proof_bytes(found));  // throws if counts do not fit
    return found;
}

AnyProof proof_from_bytes(std::span<const std::byte> bytes) {
    if (auto one = MerkleProof::from_bytes(bytes)) return std::move(*one);
    if (auto several = MultiProof::from_bytes(bytes)) return std::move(*several);
    if (auto consistency = ConsistencyProof::from_bytes(bytes)) return std::move(*consistency);
    const std::string hash = unknown_hash_of_proof(bytes);
    no_proof(hash.empty() ? "these bytes are not a proof" : hash);
}

}  // namespace merklize::command
