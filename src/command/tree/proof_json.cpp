#include "command/tree/proof_json.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "host/invalid.hpp"
#include "texts/json.hpp"
#include "texts/json_reader.hpp"
#include "texts/text.hpp"

namespace merklize::command {
namespace {

constexpr const char *one_format = "merklize-proof-3", *multi_format = "merklize-multi-proof-3",
                     *consistency_format = "merklize-consistency-proof-3";

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
                wrong += (wrong.empty() ? "" : ", ") + texts::in_quotes(name) + " is unknown";
        }
        if (!wrong.empty()) invalid(texts::cut(std::move(wrong)));
    }

    std::uint64_t number(std::string_view name) const { return number_of(*find(name), std::string(name)); }
    std::vector<std::uint64_t> numbers(std::string_view name) const { return each(name, number_of); }
    const std::string& text(std::string_view name) const {
        const auto* found = find(name)->as<std::string>();
        if (found == nullptr) must_be(name, "text", *find(name));
        return *found;
    }
    Digest digest(std::string_view name) const { return digest_of(*find(name), std::string(name)); }
    std::vector<Digest> digests(std::string_view name) const { return each(name, digest_of); }

private:
    const json::Value* find(std::string_view name) const {
        const auto found = std::ranges::find(members_, name, &json::Members::value_type::first);
        return found == members_.end() ? nullptr : &found->second;
    }
    [[noreturn]] static void must_be(std::string_view name, const char* what, const json::Value& value) {
        invalid(std::string(name) + " must be " + what + ", got " + json::shown(&value));
    }
    template <class Item>
    std::vector<Item> each(std::string_view name, Item (*read)(const json::Value&, const std::string&)) const {
        const auto* items = find(name)->as<json::Items>();
        if (items == nullptr) must_be(name, "a list", *find(name));
        std::vector<Item> found;
        for (const json::Value& item : *items)
            found.push_back(read(item, std::string(name) + "[" + std::to_string(found.size()) + "]"));
        return found;
    }
    static std::uint64_t number_of(const json::Value& value, const std::string& name) {
        const auto* found = value.as<std::uint64_t>();
        if (found == nullptr) must_be(name, "an integer of 0 to 2^64 - 1", value);
        return *found;
    }
    static Digest digest_of(const json::Value& value, const std::string& name) {
        const auto* digits = value.as<std::string>();
        const bool fits = digits != nullptr && digits->size() == 2 * Digest::size;  // from_hex() takes 0x, too
        const auto found = fits ? Digest::from_hex(*digits) : std::nullopt;
        if (!found) must_be(name, "64 hexadecimal digits", value);
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
    if (const auto* single = std::get_if<MerkleProof>(&proof)) {
        form(one_format, single->hash).number("index", single->index).number("n_leaves", single->n_leaves);
        fields.text("leaf", single->leaf.hex()).put("siblings", digests_json(single->siblings));
        fields.text("rule", rule_name(single->rule));
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
    return std::visit([](const auto& held) { return held.to_bytes(); }, proof);
}

AnyProof proof_from_json(std::string_view text, std::string_view kind) {
    const json::Value whole = json::read_text(text);
    const auto* members = whole.as<json::Members>();
    if (members == nullptr) invalid("expected a JSON object, got " + json::shown(&whole));
    const json::Value* const found = json::find(*members, "format");
    const auto* format = found == nullptr ? nullptr : found->as<std::string>();
    const std::string got = found == nullptr ? "the format is missing" : "the format is " + json::shown(found);
    if (!kind.empty() && (format == nullptr || *format != kind)) invalid(got + ", not '" + std::string(kind) + "'");
    if (format == nullptr) invalid(found == nullptr ? got : got + ", which is no proof's");
    if (*format == one_format) {
        const Fields fields(*members, {"hash", "index", "n_leaves", "leaf", "siblings", "rule"});
        return MerkleProof{hash_from_name(fields.text("hash")),
                           rule_from_name(fields.text("rule")),
                           fields.number("n_leaves"),
                           fields.number("index"),
                           fields.digest("leaf"),
                           fields.digests("siblings")};
    }
    if (*format == multi_format) {
        const Fields fields(*members, {"hash", "rule", "n_leaves", "indices", "leaves", "siblings"});
        MultiProof proof{hash_from_name(fields.text("hash")),
                         rule_from_name(fields.text("rule")),
                         fields.number("n_leaves"),
                         fields.numbers("indices"),
                         fields.digests("leaves"),
                         fields.digests("siblings")};
        if (proof.indices.size() != proof.leaves.size()) {
            invalid("there must be one leaf an index, got " + std::to_string(proof.indices.size()) + " indices and " +
                    std::to_string(proof.leaves.size()) + " leaves");
        }
        return proof;
    }
    if (*format == consistency_format) {
        const Fields fields(*members, {"hash", "old_leaves", "new_leaves", "nodes"});
        return ConsistencyProof{hash_from_name(fields.text("hash")), fields.number("old_leaves"),
                                fields.number("new_leaves"), fields.digests("nodes")};
    }
    invalid(got + ", which is no proof's");
}

AnyProof proof_from_bytes(std::span<const std::byte> bytes) {
    if (auto single = MerkleProof::from_bytes(bytes)) return std::move(*single);
    if (auto several = MultiProof::from_bytes(bytes)) return std::move(*several);
    if (auto consistency = ConsistencyProof::from_bytes(bytes)) return std::move(*consistency);
    const std::string hash = unknown_hash_of_proof(bytes);
    invalid(hash.empty() ? "these bytes are not a proof" : hash);
}

}  // namespace merklize::command
