// A manifest as JSON text, with fields and entries in one order.
#include "manifests/names.hpp"
#include "texts/json.hpp"

namespace merklize::inline v0::manifests {
namespace {

std::string json_of(const std::string& text) { return json::text(text, json::Characters::as_they_are); }

std::string hex_of(const std::vector<Digest>& digests) { return to_hex(std::as_bytes(std::span(digests))); }

template <class Items, class Write>
std::string list_of(const Items& items, const Write& write) {
    json::Array list;
    for (const auto& item : items) list.put(write(item));
    return list.done();
}

std::string entry_of(const Tensor& tensor) {
    json::Object fields;
    fields.put("name", json_of(tensor.name)).text("dtype", tensor.dtype);
    fields.put("shape", list_of(tensor.shape, [](std::uint64_t extent) { return std::to_string(extent); }));
    fields.text("digest", tensor.digest.hex());
    if (tensor.shard) fields.put("shard", json_of(*tensor.shard)).number("offset", tensor.offset);
    if (!tensor.pieces.empty()) fields.text("pieces", hex_of(tensor.pieces));
    return fields.done();
}

std::string entry_of(const File& file) {
    json::Object fields;
    fields.put("path", json_of(file.path)).number("size", file.size).text("digest", file.digest.hex());
    if (!file.pieces.empty()) fields.text("pieces", hex_of(file.pieces));
    return fields.done();
}

std::string entry_of(const Shard& shard) {
    return json::Object()
        .put("path", json_of(shard.path))
        .number("size", shard.size)
        .text("header", shard.header.hex())
        .done();
}

std::string entry_of(const std::vector<std::string>& names) { return list_of(names, json_of); }
std::string entry_of(const std::string& pattern) { return json_of(pattern); }

std::string entry_of(const Seen& seen) {
    // From -2^63 to 2^64 - 1.
    const auto whole = static_cast<std::uint64_t>(seen.seconds) * 1'000'000'000 + seen.nanoseconds;
    json::Object fields;
    fields.put("path", json_of(seen.path)).number("size", seen.size);
    fields.put("mtime_ns", seen.seconds < 0 ? std::to_string(static_cast<std::int64_t>(whole)) : std::to_string(whole));
    return fields.number("inode", seen.inode).done();
}

template <class Entry>
void put_list(std::string& text, const char* name, const std::vector<Entry>& entries) {
    text += std::string(",\n \"") + name + "\": [";
    for (const Entry& entry : entries) text += (&entry == entries.data() ? "\n  " : ",\n  ") + entry_of(entry);
    text += entries.empty() ? "]" : "\n ]";
}

}  // namespace

std::string to_json(const Manifest& manifest, bool with_seen) {
    std::string text = "{\n \"format\": \"merklize-manifest-1\",\n \"hash\": \"blake3\"";
    if (manifest.digest == DigestKind::tiles) text += ",\n \"digest\": \"" + std::string(tiles_name) + "\"";
    text += ",\n \"root\": \"" + manifest.root.hex() + "\"";
    text += ",\n \"kind\": \"" + std::string(name_of(manifest.kind)) + "\"";
    text += ",\n \"name\": " + (manifest.name ? json_of(*manifest.name) : "null");
    text += ",\n \"piece_size\": " + std::to_string(manifest.piece_size);
    put_list(text, "tensors", manifest.tensors);
    put_list(text, "files", manifest.files);
    put_list(text, "shards", manifest.shards);
    put_list(text, "aliases", manifest.aliases);
    put_list(text, "ignore", manifest.ignore);
    if (with_seen) put_list(text, "seen", manifest.seen);
    return text + "\n}\n";
}

}  // namespace merklize::inline v0::manifests
