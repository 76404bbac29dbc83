// Mutates encodings, slices and outboards, and feeds them to the verifying functions; sanitizers make memory errors
// visible:
//   fuzz-bao [--seconds N] [--seed S] [--corpus FOLDER] [--keep FOLDER]
// The rules: no crash, no hang, no access outside of memory; every verified byte is the message's byte at that offset.

#include <algorithm>
#include <cstdint>
#include <string>

#include "fuzz.hpp"

using namespace support;
using fuzz::Content;
using merklize::BaoForm;
using merklize::BaoOrder;
using merklize::FileRange;

namespace {

struct Seed {
    Bytes message;
    BaoForm form;
    FileRange range;
    Digest root;
    Content encoding, slice, outboard;
};

std::vector<Seed> seeds() {
    std::vector<Seed> out;
    for (const BaoForm form : {BaoForm{}, BaoForm{2, BaoOrder::pre, true}, merklize::bao_tree_form}) {
        for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1025}, std::size_t{40000}}) {
            Seed seed{pattern(size), form, {size / 3, size / 4}, {}, {}, {}, {}};
            const auto made = merklize::bao_encode(view(seed.message), form);
            seed.root = made.root;
            seed.encoding = made.bytes;
            seed.slice = merklize::bao_slice(merklize::bao_source(made.bytes, form, size), {{seed.range}});
            seed.outboard = merklize::bao_outboard(view(seed.message), form).bytes;
            out.push_back(std::move(seed));
        }
    }
    return out;
}

Content mutate(Content bytes, Random& random) {
    for (std::uint64_t change = random.below(4); change > 0; change--) {
        const std::size_t at = bytes.empty() ? 0 : random.below(bytes.size());
        switch (random.below(5)) {
            case 0: bytes.resize(random.below(bytes.size() + 100)); break;
            case 1:
                if (bytes.size() >= 8) bytes[random.below(8)] = std::byte{static_cast<std::uint8_t>(random())};
                break;
            case 2: bytes.insert(bytes.begin() + std::ptrdiff_t(at), 64, std::byte{0}); break;
            case 3:
                if (bytes.size() >= 128) std::swap_ranges(bytes.begin() + 8, bytes.begin() + 40, bytes.end() - 32);
                break;
            default:
                if (!bytes.empty()) bytes[at] ^= std::byte{static_cast<std::uint8_t>(1 << random.below(8))};
        }
    }
    return bytes;
}

bool is_of_message(const Seed& seed, std::span<const std::byte> data, std::uint64_t offset) {
    return offset <= seed.message.size() && data.size() <= seed.message.size() - offset &&
           std::ranges::equal(data, std::as_bytes(std::span(seed.message)).subspan(offset, data.size()));
}

// Why the verified bytes are wrong, or nothing.
const char* judge(const Seed& seed, std::span<const std::byte> input, unsigned kind, std::uint64_t size,
                  std::uint64_t& taken) {
    try {
        if (kind == 0) {
            const auto message = merklize::bao_decode(input, seed.root, seed.form, size);
            taken++;
            if (message.size() != seed.message.size() || !is_of_message(seed, message, 0)) return "another message";
        } else if (kind == 1) {
            const auto part = merklize::bao_decode_slice(input, seed.root, seed.range, seed.form, size);
            taken++;
            if (!is_of_message(seed, part, seed.range.offset)) return "another part";
        } else if (kind == 2) {
            const merklize::BaoTrust trust{seed.root, input, seed.form};
            const bool is_good = merklize::bao_verify(view(seed.message), 0, seed.message.size(), trust).empty();
            taken += is_good;
            if (is_good != std::ranges::equal(input, seed.outboard)) return "a wrong verdict on an outboard";
        } else {
            merklize::bao_slice(merklize::bao_source(input, seed.form, size), {{seed.range}});
            taken++;
        }
    } catch (const merklize::Error& error) {
        if (std::string(error.what()).empty()) return "a refusal without a reason";
    }
    return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    fuzz::Fuzzer fuzzer("bao", argc, argv, 20261122);
    const std::vector<Seed> all = seeds();
    Random random(fuzzer.seed());
    std::uint64_t taken = 0;
    while (!fuzzer.is_over(taken > 0)) {
        const Seed& seed = all[random.below(all.size())];
        const auto kind = static_cast<unsigned>(random.below(4));
        const Content& good = kind == 1 ? seed.slice : kind == 2 ? seed.outboard : seed.encoding;
        const Content input = mutate(good, random);
        fuzzer.trying(input);
        const std::uint64_t size = random.below(4) == 0 ? random() >> random.below(64) : seed.message.size();
        if (const char* fault = judge(seed, input, kind, size, taken)) return fuzzer.failed(fault);
    }
    std::cout << fuzzer.n() << " inputs, " << taken << " of them taken" << std::endl;
    return fuzzer.passed();
}
