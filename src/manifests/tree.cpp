// The tree over the records of a manifest's tensors and files.
#include <algorithm>
#include <array>

#include "host/little_endian.hpp"
#include "jobs/cpu_device.hpp"
#include "manifests/names.hpp"
#include "merklize/hash_each.hpp"
#include "merklize/tree.hpp"

namespace merklize::inline v0::manifests {
namespace {

constexpr std::array<std::string_view, 4> kinds = {"tensors", "file", "index", "folder"};

void put_text(std::string& out, std::string_view text) {
    runtime::append_number(out, static_cast<std::uint32_t>(text.size()));
    out += text;
}

void put_digest(std::string& out, const Digest& digest) {
    out.append(reinterpret_cast<const char*>(digest.bytes.data()), Digest::size);
}

std::string record_of(const Tensor& tensor) {
    std::string record(1, '\0');
    put_text(record, tensor.name);
    put_text(record, tensor.dtype);
    runtime::append_number(record, static_cast<std::uint32_t>(tensor.shape.size()));
    for (const std::uint64_t extent : tensor.shape) runtime::append_number(record, extent);
    put_digest(record, tensor.digest);
    return record;
}

std::string record_of(const File& file) {
    std::string record(1, '\1');
    put_text(record, file.path);
    runtime::append_number(record, file.size);
    put_digest(record, file.digest);
    return record;
}

// Leaves are made with a context, and nodes are plain merges, so neither can pose as the other.
const Mode& leaf_mode() {
    static const Mode mode = Mode::derive_key("merklize 2026-11-22 manifest leaf v1");
    return mode;
}

Digest leaf_of(const std::string& record) {
    return hash(std::as_bytes(std::span(record)), leaf_mode(), runtime::on_this_thread());
}

}  // namespace

std::string_view name_of(Kind kind) noexcept { return kinds[static_cast<std::size_t>(kind)]; }

std::optional<Kind> kind_of(std::string_view name) noexcept {
    const auto* known = std::ranges::find(kinds, name);
    if (known == kinds.end()) return {};
    return static_cast<Kind>(known - kinds.begin());
}

Digest Tensor::leaf() const { return leaf_of(record_of(*this)); }
Digest File::leaf() const { return leaf_of(record_of(*this)); }

std::uint64_t Manifest::bytes() const noexcept {
    std::uint64_t sum = 0;
    for (const Tensor& tensor : tensors) sum += tensor.size;
    for (const File& file : files) sum += file.size;
    return sum;
}

std::vector<Digest> leaves_of(const Manifest& manifest) {
    std::vector<std::string> records;
    for (const Tensor& tensor : manifest.tensors) records.push_back(record_of(tensor));
    for (const File& file : manifest.files) records.push_back(record_of(file));
    std::vector<MessageView> messages;
    for (const std::string& record : records) messages.emplace_back(std::as_bytes(std::span(record)));
    return hash_each(messages, leaf_mode(), runtime::on_this_thread());
}

Digest root_of(const Manifest& manifest) {
    const std::vector<Digest> leaves = leaves_of(manifest);
    if (leaves.empty()) invalid("a manifest must have at least one tensor or file, got none");
    return merkle_root(leaves, {}, runtime::on_this_thread());
}

}  // namespace merklize::inline v0::manifests
