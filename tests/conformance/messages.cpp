// Digests of single messages by hashes of bytes, compared with the plain references: in memory, in pieces, from files
// and pipes.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "support.hpp"

using merklize::Mode;
using namespace support;

namespace {

constexpr Hash message_hashes[] = {Hash::blake3,        Hash::sha256,           Hash::sha256d,  Hash::sha256_compress,
                                   Hash::keccak256,     Hash::keccak256_sorted, Hash::sha3_256, Hash::blake2s,
                                   Hash::blake3_parent, Hash::sha256_trunc254};

std::string expected(Hash hash, const Bytes& message) { return hex(reference::leaf(static_cast<int>(hash), message)); }

}  // namespace

TEST("messages: in memory and in pieces, every length around the ends of blocks") {
    Random random(3);
    for (const Hash hash : message_hashes) {
        for (const std::size_t length : {0u, 1u, 55u, 56u, 63u, 64u, 65u, 119u, 135u, 136u, 137u, 271u, 272u, 1000u}) {
            const Bytes message = random.bytes(length);
            CHECK_EQ(merklize::hash_message(view(message), hash).hex(), expected(hash, message));
            merklize::Hasher hasher = merklize::Hasher::of(hash);
            for (std::size_t at = 0; at < length; at += 31)
                hasher.update(view(message).subspan(at, std::min<std::size_t>(31, length - at)));
            CHECK_EQ(hasher.count(), length);
            CHECK_EQ(hasher.digest().hex(), expected(hash, message));
            hasher.reset();
            CHECK_EQ(hasher.digest().hex(), expected(hash, {}));
        }
    }
}

TEST("messages: BLAKE2s of every length of digest, message and key") {
    Random random(5);
    for (const std::size_t key_bytes : {0u, 1u, 15u, 32u}) {
        const Bytes key = random.bytes(key_bytes);
        const Mode mode = key.empty() ? Mode() : Mode::keyed(view(key), Hash::blake2s);
        for (std::size_t length = 1; length <= 32; length++) {
            for (const std::size_t bytes : {0u, 1u, 63u, 64u, 65u, 127u, 128u, 129u, 1000u}) {
                const Bytes message = random.bytes(bytes);
                const std::string wanted = hex(reference::blake2s(message, length, key));
                Bytes out(length);
                merklize::hash_message(view(message), view(out), {Hash::blake2s, mode});
                CHECK_EQ(hex(out), wanted);
                auto hasher = merklize::Hasher::of({Hash::blake2s, mode}, {}, length);
                for (std::size_t at = 0; at < bytes; at += 47)
                    hasher.update(view(message).subspan(at, std::min<std::size_t>(47, bytes - at)));
                hasher.digest(view(out));
                CHECK_EQ(hex(out), wanted);
            }
        }
    }
    CHECK_ERROR(invalid_argument, "Hasher: a digest has 16 bytes from 0 on, got length 32 and seek 0",
                merklize::Hasher::of(Hash::blake2s, {}, 16).digest());
}

TEST("messages: files and pipes") {
    const std::filesystem::path path = std::filesystem::temp_directory_path() / ("message-" + std::to_string(getpid()));
    const Bytes message = Random(4).bytes(700'001);
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(message.data()), 700'001);
    const std::filesystem::path paths[] = {path, path.string() + "-missing"};
    for (const Hash hash : {Hash::sha256, Hash::keccak256}) {
        CHECK_EQ(merklize::hash_message_file(path, hash).hex(), expected(hash, message));
        const auto found = merklize::hash_message_files(paths, hash);
        CHECK_EQ(found[0].output.size(), 32u);
        CHECK(found[1].output.empty());
        CHECK_EQ(found[1].system_error, ENOENT);
        int ends[2];
        CHECK_EQ(pipe(ends), 0);
        std::thread writer([&] {
            for (std::size_t at = 0; at < message.size();)
                at += static_cast<std::size_t>(write(ends[1], message.data() + at, message.size() - at));
            close(ends[1]);
        });
        CHECK_EQ(merklize::hash_message_descriptor(ends[0], "a pipe", hash).hex(), expected(hash, message));
        writer.join();
        close(ends[0]);
    }
    std::filesystem::remove(path);
}

TEST("messages: a digest is asked for as long as it is") {
    std::byte out[16];
    CHECK_ERROR(invalid_argument, "a digest has 32 bytes from 0 on, got length 16 and seek 0",
                merklize::Hasher::of(Hash::keccak256).digest(out));
}

TEST("messages: texts and ranges of bytes of any type are taken as they are") {
    const std::string text = "abc";
    const std::vector<std::uint8_t> numbers = {'a', 'b', 'c'};
    const std::vector<std::byte> bytes = {std::byte{'a'}, std::byte{'b'}, std::byte{'c'}};
    const std::uint8_t array[] = {'a', 'b', 'c'};
    const Digest digest = merklize::hash(std::as_bytes(std::span(text)));
    CHECK_EQ(merklize::hash("abc"), digest);
    CHECK_EQ(merklize::hash(text), digest);
    CHECK_EQ(merklize::hash(std::string_view("abcd").substr(0, 3)), digest);
    CHECK_EQ(merklize::hash(numbers), digest);
    CHECK_EQ(merklize::hash(std::span<const std::uint8_t>(numbers)), digest);
    CHECK_EQ(merklize::hash(bytes), digest);
    CHECK_EQ(merklize::hash(array), digest);
    CHECK_EQ(merklize::hash({numbers.data(), 3}), digest);
    CHECK_EQ(merklize::hash({}), merklize::hash(""));
    CHECK_EQ(merklize::hash(std::string_view("a\0b", 3)), merklize::hash(std::vector<std::uint8_t>{'a', 0, 'b'}));
    CHECK_EQ(merklize::hash_message("abc", Hash::sha256), merklize::hash_message(numbers, Hash::sha256));
    merklize::Hasher hasher;
    hasher.update("a");
    hasher.update(std::vector<char>{'b'});
    hasher.update(std::span(bytes).last(1));
    CHECK_EQ(hasher.digest(), digest);

    const std::vector<std::string> words = {"abc", "", "a longer one"};
    const std::vector<Digest> each = {digest, merklize::hash(""), merklize::hash("a longer one")};
    CHECK_EQ(merklize::hash_each(words), each);
    CHECK_EQ(merklize::hash_each(std::array{"abc", "", "a longer one"}), each);
    CHECK_EQ(merklize::hash_each(std::vector<std::vector<std::uint8_t>>{numbers}), std::vector{digest});
}
