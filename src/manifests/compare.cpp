#include "manifests/compare.hpp"

#include <algorithm>

#include "manifests/names.hpp"
#include "texts/json.hpp"

namespace merklize::inline v0::manifests {
namespace {

// The range of the first piece that differs, as far as the pieces of both manifests tell.
template <class Entry>
void place_bytes(const Entry& expected, const Entry& found, std::uint64_t piece_size, Difference& out) {
    const std::uint64_t most = std::max(expected.size, found.size);
    out.kind = "bytes";
    out.begin = 0;
    out.end = most;
    if (piece_size != 0 && found.size == expected.size && found.pieces.size() == expected.pieces.size()) {
        const auto [one, other] = std::ranges::mismatch(expected.pieces, found.pieces);
        if (one != expected.pieces.end()) {
            out.begin = static_cast<std::uint64_t>(one - expected.pieces.begin()) * piece_size;
            out.end = std::min(*out.begin + piece_size, most);
        }
    }
    out.detail = "bytes " + std::to_string(*out.begin) + " to " + std::to_string(*out.end) + " differ (of " +
                 std::to_string(expected.size) + ")";
}

const char* what_of(const Tensor& /*entry*/) { return "tensor"; }
const char* what_of(const File& /*entry*/) { return "file"; }
const char* what_of(const Shard& /*entry*/) { return "shard"; }

std::optional<std::string> shard_of(const Tensor& tensor) { return tensor.shard; }
template <class Entry>
std::optional<std::string> shard_of(const Entry& /*entry*/) {
    return {};
}

std::optional<Difference> between(const Tensor& expected, const Tensor& found, std::uint64_t piece_size) {
    Difference out{.what = "tensor", .name = expected.name, .shard = found.shard ? found.shard : expected.shard};
    if (expected.dtype != found.dtype) {
        out.kind = "dtype";
        out.detail = "dtype is " + found.dtype + ", must be " + expected.dtype;
    } else if (expected.shape != found.shape) {
        out.kind = "shape";
        out.detail = "shape is " + in_brackets(found.shape) + ", must be " + in_brackets(expected.shape);
    } else if (expected.digest != found.digest) {
        place_bytes(expected, found, piece_size, out);
        out.shard = expected.shard;
        if (expected.shard)
            out.detail += ", in the file from byte " + std::to_string(expected.offset + out.begin.value_or(0));
    } else {
        return {};
    }
    return out;
}

std::optional<Difference> between(const File& expected, const File& found, std::uint64_t piece_size) {
    Difference out{.what = "file", .name = expected.path};
    if (expected.size != found.size) {
        out.kind = "size";
        out.detail = "has " + std::to_string(found.size) + " bytes, must have " + std::to_string(expected.size);
    } else if (expected.digest != found.digest) {
        place_bytes(expected, found, piece_size, out);
    } else {
        return {};
    }
    return out;
}

std::optional<Difference> between(const Shard& expected, const Shard& found, std::uint64_t /*piece_size*/) {
    if (expected.header == found.header) return {};
    return Difference{
        .kind = "header", .what = "shard", .name = expected.path, .detail = "the header is not the manifest's"};
}

template <class Entry>
void compare_lists(const std::vector<Entry>& expected, const std::vector<Entry>& found, std::uint64_t piece_size,
                   const std::vector<std::string>& excused, Differences& out) {
    std::vector<std::string> silent = excused;
    std::ranges::sort(silent);
    for (auto one = expected.begin(), other = found.begin(); one != expected.end() || other != found.end();) {
        const bool is_missing = other == found.end() || (one != expected.end() && one->key() < other->key());
        const bool is_unexpected = !is_missing && (one == expected.end() || other->key() < one->key());
        const Entry& entry = is_unexpected ? *other : *one;
        if (!std::ranges::binary_search(silent, entry.key())) {
            if (is_missing || is_unexpected) {
                out.push_back({.kind = is_missing ? "missing" : "unexpected",
                               .what = what_of(entry),
                               .name = entry.key(),
                               .shard = shard_of(entry),
                               .detail = is_missing ? "is not there" : "is not in the manifest"});
            } else if (auto difference = between(*one, *other, piece_size)) {
                out.push_back(std::move(*difference));
            }
        }
        if (!is_unexpected) ++one;
        if (!is_missing) ++other;
    }
}

}  // namespace

std::string Difference::sentence() const {
    const std::string place = shard ? " in " + cut(*shard) : "";
    return what + " " + in_quotes(name) + texts::sentence(place + ": " + (detail.empty() ? kind : detail));
}

std::string Difference::json() const {
    const auto number = [](const std::optional<std::uint64_t>& value) {
        return value ? std::to_string(*value) : "null";
    };
    json::Object fields;
    fields.text("kind", kind).text("what", what).text("name", name);
    fields.put("shard", shard ? json::text(*shard) : "null").put("begin", number(begin)).put("end", number(end));
    return fields.text("detail", detail).done();
}

void compare(const std::vector<Tensor>& expected, const std::vector<Tensor>& found, std::uint64_t piece_size,
             const std::vector<std::string>& excused, Differences& out) {
    compare_lists(expected, found, piece_size, excused, out);
}
void compare(const std::vector<File>& expected, const std::vector<File>& found, std::uint64_t piece_size,
             const std::vector<std::string>& excused, Differences& out) {
    compare_lists(expected, found, piece_size, excused, out);
}
void compare(const std::vector<Shard>& expected, const std::vector<Shard>& found, std::uint64_t piece_size,
             const std::vector<std::string>& excused, Differences& out) {
    compare_lists(expected, found, piece_size, excused, out);
}

}  // namespace merklize::inline v0::manifests
