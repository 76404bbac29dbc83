// Outboards, encodings and slices: recorded answers of bao and bao-tree, and for other groups, orders and ranges the
// definition's recursion.

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <map>

#include "json.hpp"
#include "support.hpp"

using namespace support;
using merklize::BaoDecoder;
using merklize::BaoFault;
using merklize::BaoForm;
using merklize::BaoMismatch;
using merklize::BaoOrder;
using merklize::Buffer;
using merklize::Device;
using merklize::FileRange;

namespace {

using Ranges = std::vector<FileRange>;

Bytes bytes_of(std::span<const std::byte> data) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(data.data());
    return {first, first + data.size()};
}

/// The tree by its definition: the left subtree has the largest power of two of chunks that is less than all. The nodes
/// are those of bao's outboard, which the recorded answers check.
class Definition {
public:
    explicit Definition(const Bytes& data) : data_(data) {
        const Bytes outboard = bytes_of(merklize::bao_outboard(view(data)).bytes);
        std::size_t at = 8;
        read(0, data.size(), outboard, at);
    }

    Bytes outboard(const BaoForm& form) const {
        Bytes out = header(form);
        put_outboard(0, data_.size(), form, out);
        return out;
    }
    Bytes slice(const BaoForm& form, const Ranges& ranges) const {
        Bytes out = header(form);
        put_slice(0, data_.size(), form, taken(ranges), out);
        return out;
    }
    /// For each chunk, whether a slice of these ranges contains it.
    std::vector<bool> taken(const Ranges& ranges) const {
        const std::size_t n = std::max<std::size_t>(1, (data_.size() + 1023) / 1024);
        std::vector<bool> chunks(n);
        for (const auto& [offset, bytes] : ranges) {
            for (std::size_t k = 0; k < n; k++) {
                const bool meets = offset < 1024 * (k + 1) && (offset + std::max<std::uint64_t>(bytes, 1)) > 1024 * k;
                if (meets || (k == n - 1 && offset >= data_.size())) chunks[k] = true;
            }
        }
        return chunks;
    }

private:
    static std::size_t half(std::size_t size) {
        std::size_t left = 1024;
        while (2 * left < size) left *= 2;
        return left;
    }
    static void append(Bytes& out, const Bytes& more) { out.insert(out.end(), more.begin(), more.end()); }

    Bytes header(const BaoForm& form) const {
        Bytes out;
        for (unsigned i = 0; form.has_size && i < 8; i++)
            out.push_back(static_cast<std::uint8_t>(std::uint64_t{data_.size()} >> (8 * i)));
        return out;
    }

    void read(std::size_t begin, std::size_t size, const Bytes& outboard, std::size_t& at) {
        if (size <= 1024) return;
        nodes_[{begin, size}] =
            Bytes(outboard.begin() + std::ptrdiff_t(at), outboard.begin() + std::ptrdiff_t(at + 64));
        at += 64;
        read(begin, half(size), outboard, at);
        read(begin + half(size), size - half(size), outboard, at);
    }

    void put_outboard(std::size_t begin, std::size_t size, const BaoForm& form, Bytes& out) const {
        if (size <= form.group_bytes()) return;
        if (form.order == BaoOrder::pre) append(out, nodes_.at({begin, size}));
        put_outboard(begin, half(size), form, out);
        put_outboard(begin + half(size), size - half(size), form, out);
        if (form.order == BaoOrder::post) append(out, nodes_.at({begin, size}));
    }

    void put_slice(std::size_t begin, std::size_t size, const BaoForm& form, const std::vector<bool>& chunks,
                   Bytes& out) const {
        const auto first = chunks.begin() + std::ptrdiff_t(begin / 1024);
        const auto last = chunks.begin() + std::ptrdiff_t(std::max(begin / 1024 + 1, (begin + size + 1023) / 1024));
        const auto n = std::count(first, last, true);
        if (n == 0) return;
        if (size <= 1024 || (n == last - first && size <= form.group_bytes())) {
            out.insert(out.end(), data_.begin() + std::ptrdiff_t(begin), data_.begin() + std::ptrdiff_t(begin + size));
            return;
        }
        append(out, nodes_.at({begin, size}));
        put_slice(begin, half(size), form, chunks, out);
        put_slice(begin + half(size), size - half(size), form, chunks, out);
    }

    const Bytes& data_;
    std::map<std::pair<std::size_t, std::size_t>, Bytes> nodes_{};
};

Bytes as_recorded(const json::Value& wanted) { return from_hex(wanted.text); }

const json::Value& recorded() {
    static const json::Value all = json::read(MERKLIZE_VECTORS "/bao.json");
    return all;
}

constexpr BaoForm forms[] = {{},
                             merklize::bao_tree_form,
                             merklize::bao_tree_post_form,
                             {1, BaoOrder::pre, true},
                             {3, BaoOrder::post, true},
                             {6, BaoOrder::pre, false},
                             {9, BaoOrder::pre, true}};

std::vector<std::size_t> sizes() {
    return {0, 1, 1024, 1025, 2048, 3073, 16384, 16385, 32769, 49153, 70000, 262144, 262145, 300001, 524289, 1100000};
}

/// The message's bytes in a slice, each at its offset.
Bytes decoded(std::span<const std::byte> encoded, BaoDecoder decoder, std::size_t size) {
    Bytes out(size);
    while (const std::size_t wanted = decoder.wants()) {
        const Bytes part = bytes_of(decoder.take(encoded.first(wanted)));
        std::ranges::copy(part, out.begin() + std::ptrdiff_t(decoder.offset()));
        encoded = encoded.subspan(wanted);
    }
    CHECK(encoded.empty());
    return out;
}

template <class Action>
bool is_mismatch(const Action& action) {
    try {
        action();
        return false;
    } catch (const BaoMismatch& error) {
        return std::string(error.what()).size() > 10;
    }
}

Bytes content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST("bao: recorded outboards and encodings") {
    constexpr BaoForm groups = merklize::bao_tree_form;
    for (const json::Value& one : recorded().items) {
        if (!one.members.contains("op") || one["op"].text != "encode") continue;
        const Bytes data = pattern(one["n"].number);
        const auto digest = [](const std::vector<std::byte>& bytes) { return hex(reference::blake3(bytes_of(bytes))); };
        const auto outboard = merklize::bao_outboard(view(data));
        CHECK_EQ(outboard.root.hex(), one["root"].text);
        CHECK_EQ(outboard.bytes.size(), one["outboard_len"].number);
        CHECK_EQ(digest(outboard.bytes), one["outboard_blake3"].text);
        const auto encoding = merklize::bao_encode(view(data));
        CHECK_EQ(encoding.root.hex(), one["root"].text);
        CHECK_EQ(encoding.bytes.size(), one["encoded_len"].number);
        CHECK_EQ(digest(encoding.bytes), one["encoded_blake3"].text);
        const auto pre = merklize::bao_outboard(view(data), groups);
        CHECK_EQ(pre.root.hex(), one["root"].text);
        CHECK_EQ(digest(pre.bytes), one["pre_order_16k_blake3"].text);
        CHECK_EQ(digest(merklize::bao_outboard(view(data), merklize::bao_tree_post_form).bytes),
                 one["post_order_16k_blake3"].text);
        CHECK_EQ(digest(merklize::bao_encode(view(data), groups).bytes), one["encoded_16k_noheader_blake3"].text);
        if (one.members.contains("outboard")) CHECK_EQ(bytes_of(outboard.bytes), as_recorded(one["outboard"]));
        if (one.members.contains("pre_order_16k")) CHECK_EQ(bytes_of(pre.bytes), as_recorded(one["pre_order_16k"]));
    }
}

TEST("bao: recorded slices") {
    std::size_t n = 0;
    for (const json::Value& one : recorded().items) {
        if (!one.members.contains("op") || one["op"].text != "slice") continue;
        const Bytes data = pattern(one["n"].number);
        const FileRange range{one["start"].number, one["len"].number};
        const auto encoding = merklize::bao_encode(view(data));
        const auto slice = merklize::bao_slice(merklize::bao_source(encoding.bytes, BaoForm{}), {{range}});
        CHECK_EQ(slice.size(), one["slice_len"].number);
        CHECK_EQ(hex(reference::blake3(bytes_of(slice))), one["slice_blake3"].text);
        const Bytes part = bytes_of(merklize::bao_decode_slice(slice, encoding.root, range));
        const std::size_t begin = std::min<std::size_t>(range.offset, data.size());
        const std::size_t end = std::min<std::size_t>(begin + range.bytes, data.size());
        CHECK_EQ(part, Bytes(data.begin() + std::ptrdiff_t(begin), data.begin() + std::ptrdiff_t(end)));
        CHECK_EQ(part.size(), one["decoded_len"].number);
        n++;
        if (one["bao_tree_1k_same_after_header"].text == "past_end") continue;
        const auto outboard = merklize::bao_outboard(view(data), merklize::bao_tree_form);
        const auto groups =
            merklize::bao_slice(merklize::bao_source(view(data), outboard.bytes, merklize::bao_tree_form), {{range}});
        CHECK_EQ(hex(reference::blake3(bytes_of(groups))), one["bao_tree_16k_blake3"].text);
    }
    CHECK_EQ(n, std::size_t{116});
}

TEST("bao: outboards, encodings and slices by the definition, of all forms, from memory and files") {
    const TemporaryFolder folder;
    Random random(5);
    for (const std::size_t size : sizes()) {
        const Bytes data = random.bytes(size);
        const auto path = folder.write("message", data);
        const Descriptor file(path);
        const Definition definition(data);
        const std::string root = hex(reference::blake3(data));
        for (const BaoForm& form : forms) {
            const Bytes expected = definition.outboard(form);
            for (const unsigned n : {1, 3}) {
                const auto made = merklize::bao_outboard(view(data), form, threads(n));
                CHECK_EQ(made.root.hex(), root);
                CHECK_EQ(bytes_of(made.bytes), expected);
            }
            CHECK_EQ(merklize::bao_outboard_bytes(size, form), expected.size());
            const bool in_files = form.group_log <= 4 && (size == 0 || size == 16385 || size > 300000);
            if (in_files) CHECK_EQ(bytes_of(merklize::bao_outboard_file(file.fd, "message", form).bytes), expected);
            if (in_files) {
                CHECK_EQ(merklize::bao_outboard_file(file.fd, "message", form, folder.path() / "out").hex(), root);
                CHECK_EQ(content(folder.path() / "out"), expected);
            }

            const Digest trusted = to_digest(from_hex(root));
            CHECK(
                merklize::bao_verify(view(data), 0, size, {trusted, std::as_bytes(std::span(expected)), form}).empty());
            const auto source = merklize::bao_source(view(data), std::as_bytes(std::span(expected)), form);
            const BaoForm pre{form.group_log, BaoOrder::pre, form.has_size};
            Ranges all{{0, size}};
            for (unsigned k = 0; k < 6; k++) {
                const auto slice = merklize::bao_slice(source, all);
                CHECK_EQ(bytes_of(slice), definition.slice(form, all));
                const auto chunks = definition.taken(all);
                Bytes there = data;
                for (std::size_t i = 0; i < size; i++)
                    if (!chunks[i / 1024]) there[i] = 0;
                CHECK_EQ(decoded(slice, BaoDecoder(trusted, all, pre, size), size), there);
                if (k == 0) {
                    CHECK_EQ(merklize::bao_encoding_bytes(size, pre), slice.size());
                    CHECK_EQ(bytes_of(merklize::bao_decode(slice, trusted, pre, size)), data);
                    if (form.order == BaoOrder::pre) {
                        CHECK_EQ(bytes_of(merklize::bao_encode(view(data), form, threads(3)).bytes), bytes_of(slice));
                        if (in_files) {
                            merklize::bao_encode_file(file.fd, "message", form, folder.path() / "out");
                            CHECK_EQ(content(folder.path() / "out"), bytes_of(slice));
                        }
                    }
                }
                if (form.order == BaoOrder::pre) {
                    const auto encoding = merklize::bao_encode(view(data), form).bytes;
                    CHECK_EQ(bytes_of(merklize::bao_slice(merklize::bao_source(encoding, form, size), all)),
                             bytes_of(slice));
                }
                all.clear();
                for (std::uint64_t i = random.below(4); i > 0; i--)
                    all.push_back({random.below(size + 2000),
                                   random.below(2) == 0 ? random.below(3000) : random.below(size + 1)});
            }
        }
    }
}

TEST("buffers: recorded outboards of data on a device") {
    if (Device().info().backend == "cpu") return;
    for (const json::Value& one : recorded().items) {
        if (!one.members.contains("op") || one["op"].text != "encode") continue;
        const Buffer data = on_device(pattern(one["n"].number));
        for (const auto& [form, wanted] :
             {std::pair(BaoForm{}, "outboard_blake3"), std::pair(merklize::bao_tree_form, "pre_order_16k_blake3"),
              std::pair(merklize::bao_tree_post_form, "post_order_16k_blake3")}) {
            const auto made = merklize::bao_outboard(data, form);
            CHECK_EQ(made.root.hex(), one["root"].text);
            CHECK_EQ(hex(reference::blake3(bytes_of(made.bytes))), one[wanted].text);
        }
    }
}

TEST("buffers: outboards of data on a device, on the host and there") {
    if (Device().info().backend == "cpu") return;
    std::vector<std::size_t> all = sizes();
    for (const std::size_t groups : {1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 64, 65})
        for (const std::size_t group : {1024, 16384}) all.insert(all.end(), {groups * group - 1, groups * group + 1});
    Random random(6);
    for (const std::size_t size : all) {
        const Bytes data = random.bytes(size);
        const std::uint64_t at = size % 3 == 0 ? 16 : size % 3;
        const Buffer there = on_device(data, at);
        for (const BaoForm& form : forms) {
            const auto wanted = merklize::bao_outboard(view(data), form, {.device = Device("cpu")});
            const auto made = merklize::bao_outboard(there, form);
            CHECK_EQ(made.root.hex(), wanted.root.hex());
            CHECK_EQ(bytes_of(made.bytes), bytes_of(wanted.bytes));
            const Bytes around(wanted.bytes.size() + 72, 0xa5);
            const Buffer out = on_device(around);
            const std::uint64_t before = size % 2 == 0 ? 64 : 40;
            const Digest root = merklize::bao_outboard(there, out.slice(before, wanted.bytes.size()), form);
            CHECK_EQ(root.hex(), wanted.root.hex());
            Bytes expected = around;
            std::ranges::copy(bytes_of(wanted.bytes), expected.begin() + std::ptrdiff_t(before));
            CHECK_EQ(on_host<std::uint8_t>(out), expected);
        }
    }
    const Bytes data = random.bytes(5000);
    const Buffer there = on_device(data), out(Device(), 264);
    std::vector<std::byte> memory(out.size());
    CHECK_EQ(merklize::bao_outboard(there, memory, {}).hex(), hex(reference::blake3(data)));
    CHECK_ERROR(invalid_argument, "bao_outboard: out must have 264 bytes, got 263",
                merklize::bao_outboard(there, out.slice(0, 263), {}));
    CHECK_ERROR(invalid_argument, "bao_outboard: out must have 264 bytes, got 265",
                merklize::bao_outboard(there, std::span(memory.data(), 265), {}));
    CHECK_ERROR(invalid_argument, "bao_outboard: out must not overlap data",
                merklize::bao_outboard(there.slice(0, 4096), there.slice(4000, 200), {}));
    CHECK_ERROR(invalid_argument, "group_log", merklize::bao_outboard(there, out, {.group_log = 21}));
}

TEST("bao: a byte that changes is found, wherever it is") {
    for (const BaoForm& form : {BaoForm{}, BaoForm{1, BaoOrder::pre, true}, BaoForm{2, BaoOrder::pre, false}}) {
        const std::size_t size = 7 * 1024 + 5;
        const Bytes data = Random(3).bytes(size);
        auto made = merklize::bao_encode(view(data), form);
        const FileRange range{2000, 3000};
        auto slice = merklize::bao_slice(merklize::bao_source(made.bytes, form, size), {{range}});
        for (std::size_t at = 0; at < made.bytes.size(); at++) {
            made.bytes[at] ^= std::byte{0x10};
            CHECK(is_mismatch([&] { merklize::bao_decode(made.bytes, made.root, form, size); }));
            made.bytes[at] ^= std::byte{0x10};
        }
        for (std::size_t at = form.has_size ? 8 : 0; at < slice.size(); at++) {
            slice[at] ^= std::byte{1};
            CHECK(is_mismatch([&] { merklize::bao_decode_slice(slice, made.root, range, form, size); }));
            slice[at] ^= std::byte{1};
        }
        for (const std::size_t cut : {std::size_t{1}, std::size_t{64}, std::size_t{1024}, made.bytes.size()}) {
            const auto part = std::span(made.bytes).first(made.bytes.size() - cut);
            CHECK(is_mismatch([&] { merklize::bao_decode(part, made.root, form, size); }));
        }
        made.bytes.push_back(std::byte{0});
        CHECK(is_mismatch([&] { merklize::bao_decode(made.bytes, made.root, form, size); }));
    }
    CHECK(is_mismatch([] { merklize::bao_decode({}, Digest{}, merklize::bao_tree_form, 0); }));
    CHECK(merklize::bao_decode({}, merklize::hash({}), merklize::bao_tree_form, 0).empty());
}

TEST("bao: a decoder says which chunk is wrong, and takes the right one afterwards") {
    const Bytes data = Random(4).bytes(600 << 10);
    const auto made = merklize::bao_encode(view(data));
    BaoDecoder decoder(made.root, {});
    std::span<const std::byte> rest(made.bytes);
    std::uint64_t found = 0;
    while (const std::size_t wanted = decoder.wants()) {
        auto item = std::vector<std::byte>(rest.begin(), rest.begin() + std::ptrdiff_t(wanted));
        if (wanted > 1024) {
            item.back() ^= std::byte{1};
            try {
                decoder.take(item);
                CHECK(false);
            } catch (const BaoMismatch& error) {
                const std::uint64_t end = found += std::min<std::uint64_t>(256 << 10, data.size() - found);
                CHECK_EQ(std::string(error.what()), "bao: bytes " + std::to_string(end - 1024) + " to " +
                                                        std::to_string(end) + " are not what the root says");
            }
            CHECK_EQ(decoder.wants(), wanted);
        }
        decoder.take(rest.first(wanted));
        rest = rest.subspan(wanted);
    }
    CHECK_EQ(found, std::uint64_t{data.size()});
    CHECK_EQ(decoder.size(), std::uint64_t{data.size()});
}

TEST("bao: verification finds what is wrong in the message and in the outboard, and where") {
    const TemporaryFolder folder;
    for (const BaoForm& form : forms) {
        const std::size_t size = (1 << 20) + 12345, group = form.group_bytes();
        Bytes data = Random(8).bytes(size);
        const auto made = merklize::bao_outboard(view(data), form);
        const auto faults = [&](const std::vector<std::byte>& outboard) {
            const auto path = folder.write("message", data);
            const Descriptor file(path);
            const merklize::BaoTrust trust{made.root, outboard, form};
            const auto found = merklize::bao_verify(view(data), 0, size, trust);
            CHECK(found == merklize::bao_verify_file(file.fd, "message", {0, size}, trust, threads(3)));
            return found;
        };
        CHECK(faults(made.bytes).empty());
        for (const std::size_t at : {std::size_t{0}, std::size_t{300000}, size - 1}) {
            data[at] ^= 1;
            const std::size_t begin = at / group * group, end = std::min(size, begin + group);
            const std::vector<BaoFault> expected{{begin, end - begin, false}};
            CHECK(faults(made.bytes) == expected);
            if (begin > 0)
                CHECK(merklize::bao_verify(view(data).first(begin), 0, size, {made.root, made.bytes, form}).empty());
            CHECK(merklize::bao_verify(view(data).subspan(begin), begin, size, {made.root, made.bytes, form}) ==
                  expected);
            data[at] ^= 1;
        }
        // If half of a node is wrong, the node differs from the one that its parent, or the root, commits to.
        auto outboard = made.bytes;
        outboard[outboard.size() - 1] ^= std::byte{1};
        const auto found = faults(outboard);
        CHECK_EQ(found.size(), std::size_t{1});
        CHECK(found[0].in_outboard);
        if (form.order == BaoOrder::post) CHECK(found == (std::vector<BaoFault>{{0, size, true}}));

        const auto refused = [&](std::vector<std::byte> wrong) {
            return is_mismatch([&] { merklize::bao_verify(view(data), 0, size, {made.root, wrong, form}); });
        };
        outboard.pop_back();
        CHECK(refused(outboard));
        outboard.resize(outboard.size() + 65);
        CHECK(refused(outboard));
        CHECK(refused({}));
        if (form.has_size) {
            outboard = made.bytes;
            outboard[0] ^= std::byte{1};
            CHECK(refused(outboard));
        }
    }
}

TEST("bao: a range of no bytes proves the group at its start, and beyond the end the last one") {
    const TemporaryFolder folder;
    for (const BaoForm& form : forms) {
        for (const std::size_t size : {std::size_t{1}, std::size_t{1024}, std::size_t{200000}}) {
            const std::uint64_t group = form.group_bytes();
            Bytes data = Random(10).bytes(size);
            const auto made = merklize::bao_outboard(view(data), form);
            const auto faults = [&](std::uint64_t offset, const Digest& root) {
                const auto path = folder.write("message", data);
                const Descriptor file(path);
                return merklize::bao_verify_file(file.fd, "message", {offset, 0}, {root, made.bytes, form});
            };
            for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{size / 2}, std::uint64_t{size - 1},
                                               std::uint64_t{size}, std::uint64_t{size + 1}, UINT64_MAX}) {
                const std::uint64_t begin = std::min<std::uint64_t>(offset, size - 1) / group * group;
                const std::uint64_t bytes = std::min(group, size - begin);
                CHECK(faults(offset, made.root).empty());
                CHECK(faults(offset, Digest{}) == (std::vector<BaoFault>{{begin, bytes, size > group}}));
                data[begin] ^= 1;
                CHECK(faults(offset, made.root) == (std::vector<BaoFault>{{begin, bytes, false}}));
                data[begin] ^= 1;
                CHECK_ERROR(invalid_argument, "give the group at offset",
                            merklize::bao_verify({}, std::min<std::uint64_t>(offset, size) / group * group, size,
                                                 {made.root, made.bytes, form}));
            }
        }
    }
    const auto made = merklize::bao_outboard(std::span<const std::byte>());
    CHECK(merklize::bao_verify({}, 0, 0, {made.root, made.bytes, {}}).empty());
    CHECK(!merklize::bao_verify({}, 0, 0, {Digest{}, made.bytes, {}}).empty());
}

TEST("bao: sizes that lie") {
    const Bytes data = Random(9).bytes(40000);
    const auto made = merklize::bao_encode(view(data));
    for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{39999}, std::uint64_t{40001},
                                     std::uint64_t{1} << 40, std::uint64_t{1} << 63, UINT64_MAX}) {
        auto wrong = made.bytes;
        std::memcpy(wrong.data(), &size, sizeof size);
        CHECK(is_mismatch([&] { merklize::bao_decode(wrong, made.root); }));
        CHECK(is_mismatch([&] { merklize::bao_decode_slice(wrong, made.root, {UINT64_MAX, UINT64_MAX}); }));
        bool refused = false;
        try {
            merklize::bao_source(wrong, BaoForm{});
        } catch (const merklize::Error&) {
            refused = true;
        }
        CHECK(refused);
    }
}

TEST("bao: wrong arguments") {
    const auto is_invalid = [](const auto& action) {
        try {
            action();
            return false;
        } catch (const merklize::Error& error) {
            return error.code() == merklize::ErrorCode::invalid_argument;
        }
    };
    const Bytes data(5000);
    CHECK(is_invalid([&] { merklize::bao_outboard(view(data), {21}); }));
    CHECK(is_invalid([&] { merklize::bao_encode(view(data), merklize::bao_tree_post_form); }));
    CHECK(is_invalid([&] { BaoDecoder(Digest{}, merklize::bao_tree_post_form, 5); }));
    const auto made = merklize::bao_outboard(view(data));
    CHECK(is_invalid([&] { merklize::bao_verify(view(data).first(1000), 0, 5000, {made.root, made.bytes, {}}); }));
    CHECK(is_invalid([&] { merklize::bao_verify(view(data), 1024, 5000, {made.root, made.bytes, {}}); }));
    CHECK(is_invalid([&] { BaoDecoder(made.root, {}).take({}); }));
    CHECK(is_invalid([&] { merklize::bao_encoding_bytes(UINT64_MAX, {}); }));
    Bytes small(100);
    CHECK(is_invalid([&] { merklize::bao_outboard(view(data), view(small), {}); }));
    CHECK(is_invalid([&] { merklize::bao_encode(view(data), view(small), {}); }));
}
