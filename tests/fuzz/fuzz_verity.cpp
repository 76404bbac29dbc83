// Mutates the superblock, the tree and the data of dm-verity, and feeds them to dm_verity_dump() and
// dm_verity_verify():
//   fuzz-verity [--seconds N] [--seed S] [--corpus FOLDER] [--keep FOLDER]
// The rules: no crash, no hang, no more memory than the files' size; a refusal has a reason; under the original root,
// data are valid only if none of their bytes has changed.

#include <algorithm>
#include <iostream>

#include <unistd.h>

#include "fuzz.hpp"
#include "merklize/dm_verity.hpp"

using namespace merklize;
using fuzz::Content;
using support::Random;

namespace {

struct Image {
    DmVerity how;
    Content data, hashes;
    std::vector<std::byte> root;
};

Content read_all(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return fuzz::bytes_of(text.str());
}

void write_all(const std::filesystem::path& path, const Content& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::vector<Image> images(const std::filesystem::path& folder, Random& random) {
    std::vector<Image> all;
    for (const std::uint64_t blocks : {1, 3, 16, 17, 300}) {
        DmVerity how;
        how.algorithm = blocks % 2 == 0 ? DmVerityAlgorithm::sha512 : DmVerityAlgorithm::sha256;
        how.data_block_size = how.hash_block_size = 512;
        how.salt_after = blocks == 3;
        how.salt.resize(blocks % 40, std::byte{7});
        Image image;
        for (std::uint64_t i = 0; i < 512 * blocks; i++)
            image.data.push_back(static_cast<std::byte>(random.below(256)));
        write_all(folder / "data", image.data);
        image.root = dm_verity_format(folder / "data", folder / "hashes", how);
        image.hashes = read_all(folder / "hashes");
        how.data_blocks = blocks;
        image.how = how;
        all.push_back(std::move(image));
    }
    return all;
}

void mutate(Content& bytes, Random& random, std::size_t within) {
    const std::size_t at = random.below(std::min(bytes.size(), within) + 1);
    switch (random.below(4)) {
        case 0: bytes.resize(at); break;
        case 1:
            for (std::size_t i = at; i < std::min(bytes.size(), at + random.below(9)); i++)
                bytes[i] = static_cast<std::byte>(random.below(256));
            break;
        case 2:
            for (std::size_t i = at; i < std::min(bytes.size(), at + 8); i++) bytes[i] = std::byte{0xff};
            break;
        default:
            if (at < bytes.size()) bytes[at] ^= std::byte{1} << random.below(8);
    }
}

// The tree's own blocks pass for the first blocks of the data, and the superblock states as many.
void forge(Content& hashes, Content& data, Random& random) {
    constexpr std::size_t block = 512, at_data_blocks = 72;
    const std::size_t blocks = std::min(hashes.size() / block - 1, data.size() / block);
    std::copy_n(hashes.begin() + block, blocks * block, data.begin());
    for (std::size_t i = 0; i < 8; i++) hashes[at_data_blocks + i] = std::byte{};
    hashes[at_data_blocks] = static_cast<std::byte>(1 + random.below(blocks + 1));
}

template <class Action>
bool is_refused(const Action& action) {
    try {
        action();
        return false;
    } catch (const Error& error) {
        if (std::string_view(error.what()).empty()) throw std::logic_error("a refusal without a reason");
        return true;
    }
}

int run(fuzz::Fuzzer& fuzzer) {
    Random random(fuzzer.seed());
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("fuzz-verity." + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    std::uint64_t refused = 0, valid = 0, wrong = 0;
    const auto attempt = [&](const Image& from, const Content& hashes, const Content& data) {
        fuzzer.trying(hashes);
        write_all(folder / "data", data);
        write_all(folder / "hashes", hashes);
        RunOptions options;
        options.threads = 1;
        is_refused([&] { dm_verity_dump(folder / "hashes"); });
        is_refused([&] {
            // Not zeros: where a superblock states too many blocks, those beyond the data have the padding as digests.
            Digest no_block;
            no_block.bytes.fill(std::byte{0x5a});
            if (dm_verity_verify_digests(folder / "hashes", from.root, random.below(300), no_block.bytes, {}, {},
                                         options))
                throw std::logic_error("a digest of no block is valid");
        });
        bool is_valid = false;
        if (is_refused([&] {
                is_valid =
                    static_cast<bool>(dm_verity_verify(folder / "data", folder / "hashes", from.root, {}, {}, options));
            })) {
            refused++;
            return;
        }
        is_valid ? valid++ : wrong++;
        if (is_valid &&
            !(data.size() >= from.data.size() && std::equal(from.data.begin(), from.data.end(), data.begin())))
            throw std::logic_error("other data are valid");
        is_refused([&] {
            if (!dm_verity_verify(folder / "data", folder / "hashes", from.root, from.how, {}, options)) return;
            if (!is_valid && data.size() == from.data.size())
                throw std::logic_error("valid only with what is expected");
        });
    };
    int code = 0;
    try {
        const std::vector<Image> all = images(folder, random);
        for (const Image& image : all) attempt(image, image.hashes, image.data);
        for (const Content& input : fuzzer.corpus().inputs) attempt(all[1], input, all[1].data);
        while (fuzzer.n() % 64 != 0 || !fuzzer.is_over(refused > 0 && valid > 1 && wrong > 0)) {
            const Image& image = all[random.below(all.size())];
            Content hashes = image.hashes, data = image.data;
            if (random.below(4) != 0) mutate(hashes, random, random.below(2) == 0 ? 96 : hashes.size());
            if (random.below(4) == 0) mutate(data, random, data.size());
            if (random.below(8) == 0 && hashes.size() >= 1024) forge(hashes, data, random);
            attempt(image, hashes, data);
        }
        std::cout << fuzzer.n() << " inputs: " << refused << " refused, " << valid << " valid, " << wrong << " wrong"
                  << std::endl;
        code = fuzzer.passed();
    } catch (const std::exception& error) {
        code = fuzzer.failed(error.what());
    }
    std::filesystem::remove_all(folder);
    return code;
}

}  // namespace

int main(int argc, char** argv) {
    fuzz::Fuzzer fuzzer("verity", argc, argv, 20261125);
    return run(fuzzer);
}
