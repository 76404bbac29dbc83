// xet: recorded answers of hf-xet 1.8.0 (python/tests/xet.json has more), and chunks compared with the rule's
// definition.

#include <fcntl.h>
#include <unistd.h>

#include "support.hpp"

using namespace support;

namespace {

constexpr std::uint64_t gear[256] = {
#include "formats/xet_constants.inc"
};

/// One h for one chunk, which begins with 0.
std::vector<std::uint64_t> plain_sizes(const Bytes& data) {
    std::vector<std::uint64_t> sizes;
    for (std::size_t start = 0; start < data.size();) {
        std::size_t end = std::min<std::size_t>(data.size(), start + 131072);
        std::uint64_t h = 0;
        for (std::size_t i = start + 8127; i < end; i++) {
            h = 2 * h + gear[static_cast<std::uint8_t>(data[i])];
            if (h >> 48 == 0 && i + 1 - start >= 8192) end = i + 1;
        }
        sizes.push_back(end - start);
        start = end;
    }
    return sizes;
}

std::vector<std::uint64_t> sizes_of(const Bytes& data, unsigned n_threads) {
    std::vector<std::uint64_t> sizes;
    for (const auto& chunk : merklize::xet_chunks(view(data), threads(n_threads))) sizes.push_back(chunk.bytes);
    return sizes;
}

}  // namespace

TEST("formats: xet, recorded answers") {
    const TemporaryFolder folder;
    const std::pair<std::size_t, const char*> recorded[] = {
        {0, "0000000000000000000000000000000000000000000000000000000000000000"},
        {1, "41f5539a8d8bdd7509fd9a319268aca47ea6d40b33394170182e09fa86345c7e"},
        {8191, "af3035a271596fd3463aece07db2041dd85699cab4e27e1125b17e966a1b3ef3"},
        {8192, "be6024a979c586dbcbc8d33a23023a003ab8d403f765562bc8435293a64aa8a4"},
        {8193, "84eef0e3e9a081d05dce64ac6f67012e3b24b70fb48845ae665bc7848aebfe9a"},
        {131072, "c591135b587d04a52721338102602e8731a4e5b967af004d0b845c81e02c5a2b"},
        {131073, "429ffffa77fb8eb03c0ff397e414eb0d0575785296b105fda3a2ceeab532c575"},
        {1000003, "467221a2769f1003419c9ab589f3f6a2a6114dfe76cb102da112ed4bdacca743"}};
    std::vector<std::filesystem::path> paths;
    for (const auto& [size, expected] : recorded) {
        Bytes data(size);
        for (std::size_t i = 0; i < size; i++) data[i] = static_cast<Bytes::value_type>(i % 251);
        paths.push_back(folder.write(std::to_string(size), data));
        for (const unsigned n : {1, 3}) {
            CHECK_EQ(merklize::xet_hex(merklize::xet_hash(view(data), threads(n))), std::string(expected));
            CHECK_EQ(merklize::xet_hex(merklize::xet_hash_file(paths.back(), threads(n))), std::string(expected));
        }
    }
    paths.push_back(folder.path() / "none");
    const auto found = merklize::xet_hash_files(paths, threads(3));
    for (std::size_t i = 0; i < std::size(recorded); i++) {
        merklize::Digest digest;
        std::ranges::copy(found[i].output, digest.bytes.begin());
        CHECK_EQ(merklize::xet_hex(digest), std::string(recorded[i].second));
    }
    CHECK(found.back().output.empty());
    CHECK_EQ(found.back().system_error, ENOENT);
}

TEST("formats: xet, chunks end where one thread that goes from chunk to chunk finds their ends") {
    for (const std::size_t size :
         {std::size_t{100000}, std::size_t{262144}, std::size_t{262144 + 63}, std::size_t{3000000}}) {
        const Bytes data = Random(size).bytes(size);
        const auto expected = plain_sizes(data);
        for (const unsigned n : {1, 4}) CHECK(sizes_of(data, n) == expected);
    }
}

TEST("formats: xet of more than a window, from a file and from a descriptor") {
    const TemporaryFolder folder;
    const Bytes data = Random(7).bytes((8 << 20) + 131072 + 4321);
    const auto path = folder.write("file", data);
    const std::string expected = merklize::xet_hash(view(data)).hex();
    CHECK_EQ(merklize::xet_hash_file(path).hex(), expected);
    const int fd = ::open(path.c_str(), O_RDONLY);
    CHECK_EQ(merklize::xet_hash_descriptor(fd, "file").hex(), expected);
    CHECK_EQ(static_cast<std::size_t>(::lseek(fd, 0, SEEK_CUR)), data.size());
    ::close(fd);
    std::uint64_t total = 0;
    for (const std::uint64_t bytes : sizes_of(data, 2)) total += bytes;
    CHECK_EQ(total, data.size());
    CHECK(sizes_of(data, 2) == plain_sizes(data));
}
