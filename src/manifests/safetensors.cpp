#include "manifests/safetensors.hpp"

#include <algorithm>
#include <tuple>

#include "jobs/cpu_device.hpp"
#include "manifests/names.hpp"
#include "merklize/hash.hpp"

namespace merklize::inline v0::manifests {
namespace {

using json::Items;
using json::Members;
using json::Value;

constexpr std::uint64_t most_header_bytes = 100'000'000, first_bytes = 1 << 20;

class HeaderReader {
public:
    HeaderReader(const ReadAt& read_at, const std::string& path, std::optional<std::uint64_t> file_bytes)
        : read_at_(read_at), path_(path), file_bytes_(file_bytes) {}

    Header read() {
        if (file_bytes_ && *file_bytes_ < 8)
            refuse("it must begin with 8 bytes of length, got " + std::to_string(*file_bytes_) + " bytes");
        std::string bytes = read_at_(0, 8);
        std::uint64_t length = 0;
        for (unsigned i = 0; i < 8; i++) length |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
        const std::string_view kind = length > most_header_bytes ? foreign_kind(bytes) : std::string_view();
        if (!kind.empty()) refuse("it is " + std::string(kind));
        if (length > most_header_bytes) {
            refuse("the header must have at most " + std::to_string(most_header_bytes) + " bytes, got " +
                   std::to_string(length));
        }
        if (file_bytes_ && 8 + length > *file_bytes_) {
            refuse("the header of " + std::to_string(length) + " bytes passes the end of the file of " +
                   std::to_string(*file_bytes_));
        }
        const std::uint64_t first = std::min(length, first_bytes);  // the length may be a lie
        bytes += read_at_(8, first);
        if (length == 0 || bytes[8] != '{') refuse("the header must begin with '{'");
        if (!json::Prefix().take(std::string_view(bytes).substr(8))) parse(std::string_view(bytes).substr(8));
        if (first < length) bytes += read_at_(8 + first, length - first);
        const std::string_view text = std::string_view(bytes).substr(8);
        Header header;
        const Value whole = parse(text);
        for (const auto& [name, value] : *whole.as<Members>()) {
            if (name == "__metadata__") {
                require_metadata(value);
            } else {
                header.tensors.push_back(stored(name, value, 8 + length));
            }
        }
        const auto place = [](const Stored& tensor) { return std::tuple(tensor.offset, tensor.size); };
        std::ranges::stable_sort(header.tensors, {}, place);
        require_no_holes(header.tensors, 8 + length);
        header.digest = hash(std::as_bytes(std::span(bytes)), {}, runtime::on_this_thread());
        return header;
    }

private:
    [[noreturn]] void refuse(const std::string& why) const {
        invalid(path_ + ": not a valid safetensors file: " + why);
    }

    Value parse(std::string_view text) const {
        try {
            return json::read(text, most_separators);
        } catch (const Error& error) {
            refuse(std::string("the header: ") + error.what());
        }
    }

    void require_metadata(const Value& value) const {
        const auto* members = value.as<Members>();
        const auto is_text = [](const auto& member) { return member.second.template as<std::string>() != nullptr; };
        if (members == nullptr || !std::ranges::all_of(*members, is_text))
            refuse("__metadata__ must map strings to strings");
    }

    // Integers from 0 to 2^63 - 1; false for anything else.
    static bool counts_of(const Value& value, std::vector<std::uint64_t>& out) {
        const auto* items = value.as<Items>();
        if (items == nullptr) return false;
        for (const Value& item : *items) {
            const auto* number = item.as<std::uint64_t>();
            if (number == nullptr || *number >> 63 != 0) return false;
            out.push_back(*number);
        }
        return true;
    }

    Stored stored(const std::string& name, const Value& value, std::uint64_t begin) const {
        const std::string what = "tensor " + in_quotes(name);
        const auto* members = value.as<Members>();
        const Value *dtype = nullptr, *shape = nullptr, *offsets = nullptr;
        if (members != nullptr) {
            dtype = json::find(*members, "dtype");
            shape = json::find(*members, "shape");
            offsets = json::find(*members, "data_offsets");
        }
        if (dtype == nullptr || shape == nullptr || offsets == nullptr || members->size() != 3)
            refuse(what + " must have dtype, shape and data_offsets, and nothing else");
        Stored tensor;
        tensor.name = name;
        const auto* known = dtype->as<std::string>();
        if (known == nullptr || bits_of(*known) == 0 || *known == "C128")
            refuse(what + " has the unknown dtype " + (known == nullptr ? "that is no string" : in_quotes(*known)));
        tensor.dtype = *known;
        if (!counts_of(*shape, tensor.shape)) refuse(what + ": shape must be a list of integers >= 0");
        std::vector<std::uint64_t> ends;
        if (!counts_of(*offsets, ends) || ends.size() != 2 || ends[0] > ends[1])
            refuse(what + ": data_offsets must be two integers [begin, end], begin <= end");
        const auto size = bytes_of(tensor.shape, bits_of(tensor.dtype));
        if (!size || *size != ends[1] - ends[0]) {
            refuse(what + ": " + tensor.dtype + in_brackets(tensor.shape) +
                   " does not have the bytes of data_offsets " + in_brackets(ends) + ", " +
                   std::to_string(ends[1] - ends[0]));
        }
        tensor.offset = begin + ends[0];
        tensor.size = *size;
        return tensor;
    }

    [[noreturn]] void refuse_place(const std::string& before, std::uint64_t end, const std::string& current,
                                   std::uint64_t begin) const {
        if (begin < end) {
            refuse(current + " overlaps " + before + ": it begins at byte " + std::to_string(begin) + ", " + before +
                   " ends at " + std::to_string(end));
        }
        refuse(std::to_string(begin - end) + " bytes between " + before + " and " + current + " belong to no tensor");
    }

    void require_no_holes(const std::vector<Stored>& tensors, std::uint64_t begin) const {
        std::uint64_t at = begin;
        std::string before = "the header";
        for (const Stored& tensor : tensors) {
            const std::string current = "tensor " + in_quotes(tensor.name);
            if (tensor.offset != at) refuse_place(before, at, current, tensor.offset);
            at = tensor.offset + tensor.size;
            before = current;
            if (file_bytes_ && at > *file_bytes_) {
                refuse(current + " ends at byte " + std::to_string(at) + ", beyond the end of the file of " +
                       std::to_string(*file_bytes_) + " bytes");
            }
        }
        if (file_bytes_ && at != *file_bytes_)
            refuse(std::to_string(*file_bytes_ - at) + " bytes after " + before + " belong to no tensor");
    }

    const ReadAt& read_at_;
    const std::string& path_;
    std::optional<std::uint64_t> file_bytes_;
};

}  // namespace

Header read_header(const ReadAt& read_at, const std::string& path, std::optional<std::uint64_t> file_bytes) {
    return HeaderReader(read_at, path, file_bytes).read();
}

}  // namespace merklize::inline v0::manifests
