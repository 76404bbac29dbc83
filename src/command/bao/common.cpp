#include "command/bao/common.hpp"

#include <algorithm>
#include <bit>

#include "bao/shape.hpp"
#include "command/line/values.hpp"
#include "command/settings.hpp"
#include "command/tree/common.hpp"
#include "host/invalid.hpp"

namespace merklize::command {

BaoForm bao_form_of(const Arguments& arguments) {
    const std::string name = arguments.value_or("format", "bao");
    BaoForm form;
    if (name == "bao_tree") {
        form = bao_tree_form;
    } else if (name == "bao_tree_post") {
        form = bao_tree_post_form;
    } else if (name != "bao") {
        throw UsageError{"--format must be bao, bao_tree or bao_tree_post, got '" + sentence(name) + "'"};
    }
    if (const auto group = size_value(arguments, "group-size")) {
        if (!std::has_single_bit(*group) || *group < 1024 || *group > std::uint64_t{1024} << 20)
            throw UsageError{"--group-size must be a power of two, 1K to 1G, got " + std::to_string(*group)};
        form.group_log = static_cast<std::uint32_t>(std::countr_zero(*group)) - 10;
    }
    return form;
}

std::vector<FileRange> ranges_of(const Arguments& arguments) {
    std::vector<FileRange> ranges;
    for (const std::string& text : arguments.values("range")) {
        const std::size_t comma = text.find(',');
        const auto start = plain_number(std::string_view(text).substr(0, comma));
        const auto length =
            comma == std::string::npos ? std::nullopt : plain_number(std::string_view(text).substr(comma + 1));
        if (!start || !length)
            throw UsageError{"--range must be START,LENGTH in bytes below 2^64, such as 4096,1000, got '" +
                             sentence(text) + "'"};
        ranges.push_back({*start, *length});
    }
    return ranges;
}

Digest required_root(const Arguments& arguments) {
    const auto root = digest_value(arguments, "root");
    if (!root) throw UsageError{"Missing option '--root'."};
    return *root;
}

std::uint64_t stated_size(const Arguments& arguments, const BaoForm& form) {
    const auto size = count_value(arguments, "size");
    if (!size && !form.has_size) throw UsageError{"Missing option '--size': this format does not have the size"};
    return size.value_or(0);
}

std::optional<std::string> output_of(Call& call, const Arguments& arguments) {
    auto out = arguments.value("output");
    require_output_name(arguments);
    refuse_input_as_output(call, arguments.words()[0], out);
    if (const auto outboard = arguments.value("outboard")) refuse_input_as_output(call, *outboard, out);
    return out == "-" ? std::nullopt : out;
}

std::vector<std::byte> read_outboard(Call& call, const std::string& name, std::uint64_t size, const BaoForm& form) {
    const auto input = open_input(call, name);
    const auto require = [&](std::uint64_t length, std::span<const std::byte> begin) {
        std::optional<std::uint64_t> stated;
        if (form.has_size && begin.size() >= sizeof size)
            std::copy_n(begin.begin(), sizeof size, std::as_writable_bytes(std::span(&stated.emplace(), 1)).begin());
        const PublicCall entry("bao");
        runtime::require_outboard(length, stated, size, form);
    };
    const auto extent = input->file() == nullptr ? std::nullopt : input->extent();
    if (!extent) {
        auto outboard = read_all(call, *input, bao_outboard_bytes(size, form));
        require(outboard.size(), outboard);
        return outboard;
    }
    const auto [position, length, identity] = *extent;
    std::vector<std::byte> outboard(std::min<std::uint64_t>(length, sizeof size));
    input->read_at(outboard, position);
    require(length, outboard);
    outboard.resize(length);
    input->read_at(outboard, position);
    input->require_unchanged(identity);
    return outboard;
}

BaoReadAt reads_of(const runtime::ByteSource& input, const runtime::ByteSource::Extent& extent) {
    if (input.file() != nullptr) {
        return [&input, position = extent.position](std::span<std::byte> out, std::uint64_t offset) {
            input.read_at(out, position + offset);
        };
    }
    struct Window {
        std::uint64_t begin = 0;
        std::vector<std::byte> bytes{};
    };
    return [&input, size = extent.bytes, window = Window()](std::span<std::byte> out, std::uint64_t offset) mutable {
        // A request for an object takes as long as this number of bytes.
        constexpr std::uint64_t window_bytes = 256 << 10;
        if (offset < window.begin || offset + out.size() > window.begin + window.bytes.size()) {
            if (offset > size || out.size() > size - offset) return input.read_at(out, offset);  // throws
            window.begin = offset;
            window.bytes.resize(std::min(std::max<std::uint64_t>(out.size(), window_bytes), size - offset));
            input.read_at(window.bytes, offset);
        }
        std::copy_n(window.bytes.begin() + static_cast<std::ptrdiff_t>(offset - window.begin), out.size(), out.begin());
    };
}

BaoReadAt reads_of(const std::vector<std::byte>& bytes) {
    return [&bytes](std::span<std::byte> out, std::uint64_t offset) {
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
    };
}

std::string fault_text(const BaoFault& fault) {
    return "bytes " + std::to_string(fault.offset) + " to " + std::to_string(fault.offset + fault.bytes) +
           (fault.in_outboard ? " cannot be verified: the outboard is not the root's" : " are not what the root says");
}

void Verified::add(const FileRange& range) {
    if (range.bytes == 0) return;
    if (!ranges_.empty() && ranges_.back().offset + ranges_.back().bytes == range.offset) {
        ranges_.back().bytes += range.bytes;
    } else {
        ranges_.push_back(range);
    }
}

bool Verified::reaches(std::uint64_t size) const noexcept {
    return size == 0 ||
           std::ranges::any_of(ranges_, [&](const FileRange& range) { return range.offset + range.bytes == size; });
}

std::vector<FileRange> Verified::ranges() const {
    std::vector<FileRange> all = ranges_, joined;
    std::ranges::sort(all, {}, &FileRange::offset);
    for (const auto& [offset, bytes] : all) {
        if (joined.empty() || offset > joined.back().offset + joined.back().bytes) {
            joined.push_back({offset, bytes});
        } else {
            joined.back().bytes = std::max(joined.back().bytes, offset + bytes - joined.back().offset);
        }
    }
    return joined;
}

std::string Verified::text(std::uint64_t size) const {
    std::string text;
    for (const auto& [offset, bytes] : ranges()) {
        if (bytes == size) return "all of " + std::to_string(size) + " bytes";
        text += (text.empty() ? "bytes " : " and ") + std::to_string(offset) + " to " + std::to_string(offset + bytes);
    }
    return text.empty() ? "all of 0 bytes" : text + " of " + std::to_string(size);
}

}  // namespace merklize::command
