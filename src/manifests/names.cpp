#include "manifests/names.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "texts/json_reader.hpp"

namespace merklize::inline v0::manifests {
namespace {

constexpr struct {
    std::string_view name;
    unsigned bits;
} dtypes[] = {
    {"BOOL", 8},    {"U8", 8},      {"I8", 8},          {"I16", 16},        {"U16", 16},    {"I32", 32},
    {"U32", 32},    {"I64", 64},    {"U64", 64},        {"F4", 4},          {"F6_E2M3", 6}, {"F6_E3M2", 6},
    {"F8_E4M3", 8}, {"F8_E5M2", 8}, {"F8_E8M0", 8},     {"F8_E4M3FNUZ", 8}, {"F16", 16},    {"BF16", 16},
    {"F32", 32},    {"F64", 64},    {"F8_E5M2FNUZ", 8}, {"C64", 64},        {"C128", 128},
};

}  // namespace

bool is_piece_size(std::uint64_t size) noexcept {
    constexpr std::uint64_t least = std::uint64_t{1} << 18, end = std::uint64_t{1} << 62;
    return size == 0 || (std::has_single_bit(size) && size >= least && size < end);
}

unsigned bits_of(std::string_view dtype) noexcept {
    for (const auto& known : dtypes)
        if (known.name == dtype) return known.bits;
    return 0;
}

std::optional<std::uint64_t> bytes_of(const std::vector<std::uint64_t>& shape, unsigned bits) noexcept {
    std::uint64_t product = 1;
    for (const std::uint64_t extent : shape)
        if (__builtin_mul_overflow(product, extent, &product)) return {};
    if (__builtin_mul_overflow(product, std::uint64_t{bits}, &product) || product % 8 != 0) return {};
    return product / 8;
}

std::string content_of(const runtime::ByteSource& source, const runtime::ByteStream::Wait& wait) {
    const auto extent = source.extent();
    const json::SizeLimit limit(extent.has_value(), most_text);
    const auto require_fits = [&](std::uint64_t size) {
        if (size > limit.most) invalid(source.name() + ": " + limit.text());
    };
    std::string text;
    if (extent) {
        require_fits(extent->bytes);
        text.reserve(extent->bytes);
    }
    json::Prefix prefix;
    const auto stream = source.stream();
    for (auto piece = stream->next(wait); !piece.empty(); piece = stream->next(wait)) {
        const std::string_view more(reinterpret_cast<const char*>(piece.data()), piece.size());
        text += more;
        if (!prefix.take(more)) return text;
        require_fits(text.size());
    }
    if (source.file() == nullptr) source.require_unchanged({});
    return text;
}

void require_path(std::string_view name) {
    const auto refuse = [&](std::string_view why) {
        invalid("the name " + in_quotes(name) + " of a file must be relative, below its folder, with / between parts" +
                std::string(why));
    };
    if (name.find('\0') != name.npos) refuse(", and it has a zero byte");
    if (name.find('\\') != name.npos) refuse(", and it has a backslash, which separates parts on Windows");
    if (name.substr(0, name.find('/')).find(':') != name.npos)
        refuse(", and its first part has a colon, which is not relative everywhere: C:name, http://name");
    for (std::string_view rest = name;;) {
        const std::size_t end = rest.find('/');
        const std::string_view part = rest.substr(0, end);
        if (part.empty() || part == "." || part == "..") refuse("");
        if (end == rest.npos) return;
        rest.remove_prefix(end + 1);
    }
}

void require_distinct(const std::vector<std::string>& names) {
    std::vector<std::pair<std::string, std::size_t>> folded;
    for (std::size_t i = 0; i < names.size(); i++) {
        std::string lower = names[i];
        for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
        folded.emplace_back(std::move(lower), i);
    }
    std::ranges::sort(folded);
    for (std::size_t k = 1; k < folded.size(); k++) {
        const std::string &one = names[folded[k - 1].second], &other = names[folded[k].second];
        if (folded[k - 1].first == folded[k].first && one != other) {
            invalid("the files " + in_quotes(one) + " and " + in_quotes(other) +
                    " differ in case alone: some systems have only one");
        }
    }
}

std::string in_brackets(const std::vector<std::uint64_t>& numbers) {
    std::string text = "[";
    for (const std::uint64_t number : numbers) text += (text.size() == 1 ? "" : ", ") + std::to_string(number);
    return cut(text + "]");
}

void cannot_read(const std::string& path, int reason) {
    throw Error(ErrorCode::io, path + ": cannot read: " + strerror(reason), reason, path);
}

}  // namespace merklize::inline v0::manifests
