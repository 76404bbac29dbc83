// Reads and checks a manifest's text. Only texts that to_json() could have written are accepted.
#include <algorithm>
#include <charconv>
#include <functional>
#include <initializer_list>
#include <utility>

#include "host/input_file.hpp"
#include "manifests/create.hpp"
#include "manifests/names.hpp"
#include "merklize/pieces.hpp"

namespace merklize::inline v0::manifests {
namespace {

using json::Items;
using json::Members;
using json::Other;
using json::shown;
using json::Value;

[[noreturn]] void bad(const std::string& why) { invalid("not a valid manifest: " + why); }

const Members& members_of(const Value& value, std::initializer_list<std::string_view> needed,
                          std::initializer_list<std::string_view> more, const std::string& what) {
    const auto* members = value.as<Members>();
    if (members == nullptr) bad(what + " must be an object, got " + shown(&value));
    for (const std::string_view field : needed)
        if (json::find(*members, field) == nullptr) bad(what + " has no field '" + std::string(field) + "'");
    for (const auto& [field, _] : *members) {
        if (std::ranges::find(needed, field) == needed.end() && std::ranges::find(more, field) == more.end())
            bad(what + " has the unknown field " + in_quotes(field) + ": it may be of a later version");
    }
    return *members;
}

const Items& items_of(const Value& value, std::string_view what) {
    const auto* items = value.as<Items>();
    if (items == nullptr) bad(std::string(what) + " must be a list, got " + shown(&value));
    return *items;
}

const std::string& string_of(const Value& value, const std::string& what) {
    const auto* string = value.as<std::string>();
    if (string == nullptr) bad(what + " must be a string, got " + shown(&value));
    return *string;
}

std::vector<std::string> strings_of(const Value& value, const std::string& what) {
    std::vector<std::string> out;
    for (const Value& item : items_of(value, what)) out.push_back(string_of(item, what));
    return out;
}

std::uint64_t count_of(const Value& value, const std::string& what) {
    const auto* number = value.as<std::uint64_t>();
    if (number == nullptr || *number >> 63 != 0)
        bad(what + " must be an integer from 0 to 2^63 - 1, got " + shown(&value));
    return *number;
}

std::vector<Digest> digests_of(const Value& value, const std::string& what) {
    const auto* text = value.as<std::string>();
    std::vector<Digest> out;
    for (std::size_t at = 0; text != nullptr && at < text->size(); at += 2 * Digest::size) {
        const std::string_view digits = std::string_view(*text).substr(at, 2 * Digest::size);
        const auto digest = Digest::from_hex(digits);
        if (!digest || digits.find_first_of("ABCDEF") != digits.npos) {
            text = nullptr;
            break;
        }
        out.push_back(*digest);
    }
    if (text == nullptr) bad(what + " must be digests of 64 lower-case hexadecimal digits, got " + shown(&value));
    return out;
}

Digest digest_of(const Value& value, const std::string& what) {
    const std::vector<Digest> found = digests_of(value, what);
    if (found.size() != 1)
        bad(what + " must have 64 hexadecimal digits, got " + std::to_string(2 * Digest::size * found.size()));
    return found[0];
}

// The values of pieces. The digest must follow from them.
std::vector<Digest> pieces_of(const Members& members, const std::string& what, std::uint64_t size, const Digest& digest,
                              std::uint64_t piece_size) {
    const Value* value = json::find(members, "pieces");
    if (value == nullptr) return {};
    std::vector<Digest> pieces = digests_of(*value, what + ": pieces");
    const std::uint64_t count = piece_size == 0 ? 0 : size / piece_size + (size % piece_size != 0);
    if (count < 2 || pieces.size() != count) {
        bad(what + ": there must be " + std::to_string(count > 1 ? count : 0) + " pieces, got " +
            std::to_string(pieces.size()));
    }
    if (digest_of_pieces(pieces) != digest) bad(what + ": the digest is not that of its pieces");
    return pieces;
}

std::string path_of(const Value& value, const std::string& what) {
    const std::string& path = string_of(value, what);
    require_path(path);
    return path;
}

class Parser {
public:
    explicit Parser(std::string_view text) : whole_(read(text)) {}

    Manifest parse() {
        const auto* fields = whole_.as<Members>();
        if (fields == nullptr) bad("the text must be a JSON object");
        const Value* format = json::find(*fields, "format");
        const auto* version = format == nullptr ? nullptr : format->as<std::string>();
        if (version == nullptr || *version != format_name)
            bad("format must be '" + std::string(format_name) + "', got " + shown(format));
        members_of(
            whole_,
            {"format", "hash", "root", "kind", "name", "piece_size", "tensors", "files", "shards", "aliases", "ignore"},
            {"digest", "seen"}, "the manifest");
        read_head();
        manifest_.shards =
            entries<Shard>("shards", "path", [&](const Value& v, const std::string& w) { return shard(v, w); });
        manifest_.tensors =
            entries<Tensor>("tensors", "name", [&](const Value& v, const std::string& w) { return tensor(v, w); });
        manifest_.files =
            entries<File>("files", "path", [&](const Value& v, const std::string& w) { return file(v, w); });
        require_names();
        if (json::find(members(), "seen") != nullptr)
            manifest_.seen =
                entries<Seen>("seen", "path", [&](const Value& v, const std::string& w) { return seen(v, w); });
        for (const Value& group : items_of(field("aliases"), "aliases")) {
            manifest_.aliases.push_back(strings_of(group, "aliases"));
            for (const std::string& alias : manifest_.aliases.back()) {
                if (!std::ranges::binary_search(manifest_.tensors, alias, {}, &Tensor::name))
                    bad("aliases: " + in_quotes(alias) + " is no tensor of the manifest");
            }
        }
        manifest_.ignore = strings_of(field("ignore"), "ignore");
        manifest_.root = digest_of(field("root"), "root");
        require_root();
        return std::move(manifest_);
    }

private:
    static Value read(std::string_view text) {
        try {
            return json::read(text);
        } catch (const Error& error) {
            bad(std::string("the text: ") + error.what());
        }
    }

    const Members& members() const { return *whole_.as<Members>(); }
    const Value& field(std::string_view name) const { return *json::find(members(), name); }

    void read_head() {
        const auto* hash = field("hash").as<std::string>();
        if (hash == nullptr || *hash != "blake3") bad("hash must be 'blake3', got " + shown(&field("hash")));
        if (const Value* digest = json::find(members(), "digest"); digest != nullptr) {
            const auto* name = digest->as<std::string>();
            if (name == nullptr || *name != tiles_name)
                bad("digest must be '" + std::string(tiles_name) + "' or not there, got " + shown(digest));
            manifest_.digest = DigestKind::tiles;
        }
        manifest_.piece_size = count_of(field("piece_size"), "piece_size");
        const auto* kind = field("kind").as<std::string>();
        const auto known = kind == nullptr ? std::nullopt : kind_of(*kind);
        if (!known) bad("kind must be one of tensors, file, index, folder, got " + shown(&field("kind")));
        manifest_.kind = *known;
        const auto* no_name = field("name").as<Other>();
        const bool has_name = no_name == nullptr || no_name->text != "null";
        if (has_name != (manifest_.kind == Kind::file || manifest_.kind == Kind::index)) {
            bad("name must be a file's name if kind is file or index, and else null, got " + shown(&field("name")));
        }
        if (has_name) manifest_.name = path_of(field("name"), "name");
        if (!is_piece_size(manifest_.piece_size))
            bad("piece_size must be 0 or a power of two >= 262144, got " + std::to_string(manifest_.piece_size));
    }

    // A list that is sorted by its key, without repeated keys.
    template <class Entry>
    std::vector<Entry> entries(const char* name, const char* key,
                               const std::function<Entry(const Value&, const std::string&)>& read_one) const {
        std::vector<Entry> entries_read;
        for (const Value& value : items_of(field(name), name)) {
            Entry entry = read_one(value, std::string(name) + "[" + std::to_string(entries_read.size()) + "]");
            if (!entries_read.empty() && entry.key() <= entries_read.back().key()) {
                bad(std::string(name) + " must be sorted by " + key + ", each once; " + in_quotes(entry.key()) +
                    " is out of order");
            }
            entries_read.push_back(std::move(entry));
        }
        return entries_read;
    }

    Shard shard(const Value& value, const std::string& what) const {
        const Members& found = members_of(value, {"path", "size", "header"}, {}, what);
        return {path_of(*json::find(found, "path"), what + ": path"),
                count_of(*json::find(found, "size"), what + ": size"),
                digest_of(*json::find(found, "header"), what + ": header")};
    }

    Tensor tensor(const Value& value, const std::string& what) const {
        const Members& found =
            members_of(value, {"name", "dtype", "shape", "digest"}, {"shard", "offset", "pieces"}, what);
        Tensor entry;
        entry.name = string_of(*json::find(found, "name"), what + ": name");
        const Value* dtype = json::find(found, "dtype");
        const auto* known = dtype->as<std::string>();
        if (known == nullptr || bits_of(*known) == 0) bad(what + ": unknown dtype " + shown(dtype));
        entry.dtype = *known;
        for (const Value& item : items_of(*json::find(found, "shape"), what + ": shape"))
            entry.shape.push_back(count_of(item, what + ": shape"));
        const auto size = bytes_of(entry.shape, bits_of(entry.dtype));
        if (!size)
            bad(what + ": " + entry.dtype + in_brackets(entry.shape) + " is not a whole number of bytes below 2^61");
        entry.size = *size;
        entry.digest = digest_of(*json::find(found, "digest"), what + ": digest");
        const Value *in = json::find(found, "shard"), *offset = json::find(found, "offset");
        if ((in == nullptr) != (offset == nullptr)) bad(what + ": shard and offset must be there together");
        if (in != nullptr) {
            entry.shard = string_of(*in, what + ": shard");
            entry.offset = count_of(*offset, what + ": offset");
            const auto shard = std::ranges::lower_bound(manifest_.shards, *entry.shard, {}, &Shard::path);
            if (shard == manifest_.shards.end() || shard->path != *entry.shard || entry.offset > shard->size ||
                entry.size > shard->size - entry.offset) {
                bad(what + ": it does not lie in a shard of the manifest, got " + in_quotes(*entry.shard) + ", byte " +
                    std::to_string(entry.offset));
            }
        }
        if (manifest_.digest == DigestKind::tiles && json::find(found, "pieces") != nullptr)
            bad(what + ": a tensor by tiles has no pieces");
        entry.pieces = pieces_of(found, what, entry.size, entry.digest, manifest_.piece_size);
        return entry;
    }

    File file(const Value& value, const std::string& what) const {
        const Members& found = members_of(value, {"path", "size", "digest"}, {"pieces"}, what);
        File entry{path_of(*json::find(found, "path"), what + ": path"),
                   count_of(*json::find(found, "size"), what + ": size"),
                   digest_of(*json::find(found, "digest"), what + ": digest"),
                   {}};
        entry.pieces = pieces_of(found, what, entry.size, entry.digest, manifest_.piece_size);
        return entry;
    }

    Seen seen(const Value& value, const std::string& what) const {
        const Members& found = members_of(value, {"path", "size", "mtime_ns", "inode"}, {}, what);
        Seen entry{.path = path_of(*json::find(found, "path"), what + ": path"),
                   .size = count_of(*json::find(found, "size"), what + ": size")};
        const Value *time = json::find(found, "mtime_ns"), *inode = json::find(found, "inode");
        constexpr std::int64_t second = 1'000'000'000;
        if (const auto* since_1970 = time->as<std::uint64_t>()) {
            entry.seconds = static_cast<std::int64_t>(*since_1970 / second);
            entry.nanoseconds = static_cast<std::uint32_t>(*since_1970 % second);
        } else if (const auto before_1970 = negative(*time)) {
            entry.seconds = *before_1970 / second - (*before_1970 % second != 0);
            entry.nanoseconds = static_cast<std::uint32_t>((*before_1970 % second + second) % second);
        } else {
            bad(what + ": mtime_ns must be an integer from -2^63 to 2^64 - 1, got " + shown(time));
        }
        if (inode->as<std::uint64_t>() == nullptr)
            bad(what + ": inode must be an integer from 0 to 2^64 - 1, got " + shown(inode));
        entry.inode = *inode->as<std::uint64_t>();
        return entry;
    }

    // An integer from -2^63 to -1.
    static std::optional<std::int64_t> negative(const Value& value) {
        const auto* other = value.as<Other>();
        if (other == nullptr) return {};
        std::int64_t number = 0;
        const char* last = other->text.data() + other->text.size();
        const auto [end, error] = std::from_chars(other->text.data(), last, number);
        return error == std::errc() && end == last && number < 0 ? std::optional(number) : std::nullopt;
    }

    void require_names() const {
        if (manifest_.kind == Kind::tensors && !(manifest_.shards.empty() && manifest_.files.empty()))
            bad("kind 'tensors' is of tensors in memory, so shards and files must be empty lists");
        std::vector<std::string> names;
        for (const Shard& shard : manifest_.shards) names.push_back(shard.path);
        for (const File& file : manifest_.files) names.push_back(file.path);
        require_distinct(names);
        for (const File& file : manifest_.files) {
            if (std::ranges::binary_search(manifest_.shards, file.path, {}, &Shard::path))
                bad(in_quotes(file.path) + " is a shard and a file");
        }
    }

    void require_root() const {
        const Digest root = root_of(manifest_);
        if (root != manifest_.root)
            bad("the root is " + manifest_.root.hex() + ", that of its entries is " + root.hex());
    }

    const Value whole_;
    Manifest manifest_{};
};

}  // namespace

Manifest parse(std::string_view text) { return Parser(text).parse(); }

Manifest load(const runtime::ByteSource& source, const runtime::ByteStream::Wait& wait) {
    const std::string text = content_of(source, wait);
    try {
        return parse(text);
    } catch (const Error& error) {
        invalid(source.name() + ": " + error.what());
    }
}

Manifest load(const std::string& path) {
    refuse_empty_path(path);
    return load(runtime::InputFile(path), [] { return true; });
}

}  // namespace merklize::inline v0::manifests
