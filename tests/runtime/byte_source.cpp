// Byte sources other than files: pieces of any size, in order.
#include "host/byte_source.hpp"

#include "bao/verify.hpp"
#include "digests/file_root.hpp"
#include "runtime/memory_source.hpp"
#include "support.hpp"

using namespace support;
using merklize::Mode;
using merklize::RunOptions;
namespace runtime = merklize::runtime;

namespace {

Bytes digest_of(const runtime::ByteSource& source, Hash hash = Hash::blake3, const Mode& mode = {},
                std::size_t length = Digest::size, std::uint64_t seek = 0, const RunOptions& options = on_cpu()) {
    Bytes out(length);
    runtime::hash_source(source, {hash, mode}, view(out), seek, options);
    return out;
}

}  // namespace

TEST("byte_source: digests of pieces of any size") {
    const Bytes data = pattern((1 << 20) + 777), key = pattern(32);
    const Mode keyed = Mode::keyed(view(key));
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{1024}, std::size_t{1025}, std::size_t{65536}, data.size()}) {
        const auto part = view(data).first(size);
        for (const std::size_t piece :
             {std::size_t{1000}, std::size_t{1024}, std::size_t{4097}, std::size_t{1} << 18, data.size()}) {
            for (const bool has_size : {true, false}) {
                support::MemorySource source(part, piece);
                source.has_size = has_size;
                CHECK(digest_of(source) == to_bytes(merklize::hash(part)));
                Bytes expected(70);
                merklize::hash(part, view(expected), 5, keyed);
                CHECK(digest_of(source, Hash::blake3, keyed, 70, 5) == expected);
                CHECK(digest_of(source, Hash::sha256) == to_bytes(merklize::hash_message(part, Hash::sha256)));
            }
        }
    }
}

TEST("byte_source: one that changes, ends early or is not wanted any more") {
    const Bytes data = pattern(300000);
    for (const Hash hash : {Hash::blake3, Hash::sha256}) {
        support::MemorySource changed(view(data), 4096), ended(view(data), 4096), whole(view(data), 4096);
        changed.is_changed = true;
        CHECK_ERROR(io, "memory: changed while being read", digest_of(changed, hash));
        ended.ends_at = 8192;
        CHECK_ERROR(io, "memory: changed while being read: it has 8192 bytes, and not 300000", digest_of(ended, hash));
        // The first piece may have come over a network, so the progress function is called at once.
        const RunOptions stop{.device = merklize::Device("cpu"), .progress = [](double) { return false; }};
        CHECK_ERROR(cancelled, "cancelled", digest_of(whole, hash, {}, Digest::size, 0, stop));
        CHECK_EQ(whole.reads, 4096u);
    }
}

namespace {

std::string content_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// A tree over a source is the same as one over a file of the same bytes.
void check_tree(const Bytes& data, merklize::TreeInput::Kind kind, std::uint64_t leaf_bytes, std::size_t piece,
                bool has_size, const merklize::TreeForm& form = {}) {
    const TemporaryFolder folder;
    const auto plain = folder.write("x", data), here = folder.path() / "a.mkl", there = folder.path() / "b.mkl";
    support::MemorySource source(view(data), piece);
    source.has_size = has_size;
    const merklize::TreeInput of_file{plain, kind, leaf_bytes};
    merklize::TreeInput of_source{"memory", kind, leaf_bytes};
    of_source.source = &source;
    const merklize::TreeFacts expected = merklize::build_tree_file(of_file, here, form, true, on_cpu());
    const merklize::TreeFacts built = merklize::build_tree_file(of_source, there, form, true, on_cpu());
    const merklize::TreeFacts found = merklize::merkle_root_file(of_source, form, on_cpu());
    CHECK(built.root == expected.root && found.root == expected.root);
    CHECK_EQ(built.n_leaves, expected.n_leaves);
    CHECK_EQ(found.bytes, expected.bytes);
    CHECK(content_of(here) == content_of(there));
    CHECK(merklize::MerkleTree::from_file(of_source, form, on_cpu()).root() == expected.root);
}

}  // namespace

TEST("byte_source: trees over pieces of any size") {
    using Kind = merklize::TreeInput::Kind;
    const Bytes data = pattern(1600000);
    for (const std::size_t piece : {std::size_t{1000}, std::size_t{1} << 16, std::size_t{700001}, data.size()}) {
        for (const bool has_size : {true, false}) {
            for (const std::uint64_t leaf : {1000, 4096, 262144, 262145, 1000000})
                check_tree(data, Kind::blocks, leaf, piece, has_size);
            check_tree(data, Kind::blocks, 300000, piece, has_size, merklize::TreeForm(Hash::sha256_rfc6962));
            check_tree(data, Kind::rows, 64, piece, has_size);
            check_tree(data, Kind::leaves, Digest::size, piece, has_size);
        }
    }
    for (const std::size_t size : {0, 1, 999, 1000, 1001}) check_tree(pattern(size), Kind::blocks, 1000, 64, true);
}

TEST("byte_source: a source that is built into a file is read from its beginning, and must stay as it is") {
    const TemporaryFolder folder;
    const Bytes data = pattern(200000);
    support::MemorySource source(view(data), 4096);
    merklize::TreeInput input = merklize::TreeInput::blocks("memory", 1000);
    input.source = &source;
    source.is_changed = true;
    CHECK_ERROR(io, "memory: changed while being read",
                merklize::build_tree_file(input, folder.path() / "x.mkl", {}, true, on_cpu()));
    CHECK(!std::filesystem::exists(folder.path() / "x.mkl"));
    source.is_changed = false;
    source.reads = 0;
    merklize::build_tree_file(input, folder.path() / "x.mkl", {}, true, on_cpu());
    CHECK_EQ(source.reads, data.size());
}

TEST("byte_source: verified by its outboard, with only what is wanted read") {
    const Bytes data = pattern(3000000);
    const merklize::BaoForm form{4, merklize::BaoOrder::pre, false};
    auto [root, nodes] = merklize::bao_outboard(view(data), form, on_cpu());
    Bytes wrong = data;
    for (const std::size_t place : {0, 100000, 1500000, 2999999}) wrong[place] ^= 1;
    const auto verify = [&](const Bytes& bytes, const merklize::FileRange& range, std::size_t piece,
                            std::size_t expected_reads) {
        const support::MemorySource source(view(bytes), piece);
        const auto faults = runtime::verify_source(source, range, {root, nodes, form}, on_cpu()).faults;
        CHECK(source.reads <= expected_reads);
        const std::uint64_t begin = range.offset / form.group_bytes() * form.group_bytes();
        const std::uint64_t end =
            std::min<std::uint64_t>(data.size(), (range.offset + range.bytes + form.group_bytes() - 1) /
                                                     form.group_bytes() * form.group_bytes());
        CHECK(faults == merklize::bao_verify(view(bytes).subspan(begin, end - begin), begin, data.size(),
                                             {root, nodes, form}, on_cpu()));
        return faults.size();
    };
    for (const std::size_t piece : {std::size_t{1000}, std::size_t{1} << 18, std::size_t{1} << 20, data.size()}) {
        CHECK_EQ(verify(data, {0, data.size()}, piece, data.size()), 0u);
        CHECK_EQ(verify(wrong, {0, data.size()}, piece, data.size()), 4u);
        CHECK_EQ(verify(wrong, {1400000, 200000}, piece, 250000), 1u);
        CHECK_EQ(verify(wrong, {20000, 5}, piece, form.group_bytes()), 0u);
    }
    nodes[nodes.size() / 2 + 3] ^= std::byte{1};  // the groups below it cannot be verified, so they are not hashed
    CHECK(verify(wrong, {0, data.size()}, 1000, data.size()) >= 2u);
}
