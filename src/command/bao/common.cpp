#include "command/bao/common.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>

#include "bao/shape.hpp"
#include "bao/trusted.hpp"
#include "command/line/values.hpp"
#include "command/settings.hpp"
#include "command/tree/common.hpp"
#include "files/spooled_source.hpp"
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

std::uint64_t stated_size(const Arguments& arguments, const BaoForm& form) {
    if (form.has_size) {
        refuse_unused(arguments, "a format that states the size", {"size"});
        return 0;
    }
    const auto size = count_value(arguments, "size");
    if (!size) throw UsageError{"Missing option '--size': this format does not have the size"};
    return *size;
}

std::optional<std::string> output_of(Call& call, const Arguments& arguments) {
    auto out = arguments.value("output");
    refuse_input_as_output(call, arguments.words()[0], out);
    if (const auto outboard = arguments.value("outboard")) refuse_input_as_output(call, *outboard, out);
    return out == "-" ? std::nullopt : out;
}

namespace {

// Throws BaoMismatch if the first bytes of an outboard show that it is not this root's.
void require_root(std::string_view begin, const Digest& root, const BaoForm& form) {
    const std::size_t at = runtime::header_bytes(form);
    if (form.order != BaoOrder::pre || begin.size() < at + runtime::node_bytes) return;
    std::uint64_t size = UINT64_MAX;  // of a form that does not have it: there is a node, so it is more than a group
    if (form.has_size) std::memcpy(&size, begin.data(), sizeof size);
    if (size <= form.group_bytes()) return;
    const runtime::Trusted top{runtime::Shape(size, form.group_log).root(), root, true};
    if (!top.is(runtime::written_node(reinterpret_cast<const std::byte*>(begin.data()) + at)))
        throw BaoMismatch(ErrorCode::invalid_argument, "the outboard is not the root's");
}

// size  of the message, if it is known before it is read
// root  null: none is trusted
std::vector<std::byte> read_outboard(Call& call, const std::string& name, std::optional<std::uint64_t> size,
                                     const Digest* root, const BaoForm& form) {
    constexpr std::uint64_t most = std::uint64_t{1} << 30;  // of a stream, if nothing says how long it should be
    const auto input = open_input(call, name);
    const auto require = [&](std::uint64_t length, std::span<const std::byte> begin) {
        std::optional<std::uint64_t> stated;
        if (form.has_size && begin.size() >= sizeof(std::uint64_t))
            std::memcpy(&stated.emplace(), begin.data(), sizeof(std::uint64_t));
        const PublicCall entry("bao");
        const auto expected = size ? size : stated;
        if (expected) runtime::require_outboard(length, stated, *expected, form);
    };
    const auto extent = input->file() == nullptr ? std::nullopt : input->extent();
    if (!extent) {
        const auto may_be = [&](std::string_view begin, std::size_t checked) {
            std::uint64_t stated = size.value_or(UINT64_MAX);
            if (form.has_size && begin.size() >= sizeof stated) std::memcpy(&stated, begin.data(), sizeof stated);
            if (size) return stated == *size;
            if (root != nullptr && checked < runtime::header_bytes(form) + runtime::node_bytes)
                require_root(begin, *root, form);
            return begin.size() <= bao_outboard_bytes(stated, form);
        };
        auto outboard = read_all(call, *input, size ? bao_outboard_bytes(*size, form) : most, may_be);
        if (!size && outboard.size() > most)
            throw Failure{sentence(shown_name(call, name)) + ": has more than " + std::to_string(most) +
                          " bytes: give the outboard or the message as a file"};
        require(outboard.size(), outboard);
        return outboard;
    }
    const auto [position, length, identity] = *extent;
    std::vector<std::byte> outboard(std::min<std::uint64_t>(length, sizeof(std::uint64_t)));
    input->read_at(outboard, position);
    require(length, outboard);
    outboard.resize(length);
    input->read_at(outboard, position);
    input->require_unchanged(identity);
    return outboard;
}

}  // namespace

BaoMessage open_message(Call& call, const std::string& name, const std::string& outboard, const BaoForm& form,
                        const Digest* root, std::uint64_t first) {
    auto input = open_input(call, name, first);
    if (const auto extent = input->extent()) {
        auto nodes = read_outboard(call, outboard, extent->bytes, root, form);
        return {std::move(input), *extent, std::move(nodes)};
    }
    auto nodes = read_outboard(call, outboard, {}, root, form);
    const PublicCall entry("bao");
    const std::uint64_t most = runtime::longest_message(nodes, form);
    input = std::make_unique<runtime::SpooledSource>(*input, std::filesystem::temp_directory_path(), call.waiting(),
                                                     [&](auto) { return most; });
    const auto extent = runtime::require_extent(*input);
    if (extent.bytes > most) runtime::refuse_longer(most);
    runtime::require_outboard(nodes, extent.bytes, form);
    return {std::move(input), extent, std::move(nodes)};
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
