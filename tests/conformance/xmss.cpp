// Keys of XMSS against their definition, written down once more with the reference's BLAKE2s.
#include "merklize/xmss.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "default_device.hpp"
#include "jobs/progress.hpp"
#include "little_memory.hpp"
#include "support.hpp"

using namespace support;
namespace xmss = merklize::xmss;
using merklize::ByteView;
using merklize::Device;
using merklize::RunOptions;
using reference::Bytes;

namespace {

constexpr std::uint64_t last_of_all = UINT32_MAX;

Bytes cut(Bytes bytes, std::size_t n) {
    bytes.resize(n);
    return bytes;
}

Bytes joined(std::initializer_list<Bytes> parts) {
    Bytes all;
    for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

template <class Range>
Bytes to_bytes(const Range& range) {
    Bytes made;
    for (const auto byte : range) made.push_back(static_cast<std::uint8_t>(byte));
    return made;
}

/// The scheme by its definition, node by node.
class Witness {
public:
    Witness(Bytes seed, std::uint64_t first, std::uint64_t last)
        : seed_(std::move(seed)), parameter_(16), first_(first), last_(last) {
        parameter_ = t(5, 0, 0, seed_);
    }

    Bytes public_key() { return joined({node(32, 0), parameter_}); }

    Bytes path(std::uint64_t epoch) {
        Bytes made;
        for (unsigned level = 0; level < 32; level++) made = joined({made, node(level, (epoch >> level) ^ 1)});
        return made;
    }

    Bytes sign(std::uint64_t epoch, const Bytes& message) {
        for (std::uint32_t attempt = 0;; attempt++) {
            const Bytes r = t(7, attempt, epoch, joined({seed_, message}), 24);
            if (encode(epoch, message, r).is_good()) return sign_with(r, epoch, message);
        }
    }

    // Chains that fit the randomizer, also where its encoding is none.
    Bytes sign_with(const Bytes& r, std::uint64_t epoch, const Bytes& message) {
        const std::vector<unsigned> steps = encode(epoch, message, r).steps;
        Bytes made;
        for (std::uint32_t i = 0; i < 42; i++)
            made = joined({made, walk(epoch, i, 0, steps[i], t(0, i, epoch, seed_))});
        return joined({made, r, path(epoch)});
    }

    struct Encoding {
        std::vector<unsigned> steps;
        unsigned sum;
        bool has_top_bit;

        bool is_good() const { return sum == 195 && !has_top_bit; }
    };
    Encoding encode(std::uint64_t epoch, const Bytes& message, const Bytes& r) const {
        const Bytes digest = t(4, 0, epoch, joined({message, r, Bytes(8)}));
        Encoding made{{}, 0, ((digest[7] | digest[15]) & 0x80) != 0};
        for (unsigned half = 0; half < 2; half++) {
            for (unsigned bit = 0; bit < 63; bit += 3) {
                unsigned step = 0;
                for (unsigned b = bit; b < bit + 3; b++) step |= (digest[8 * half + b / 8] >> b % 8 & 1u) << (b - bit);
                made.steps.push_back(step);
                made.sum += step;
            }
        }
        return made;
    }

    bool verify(std::uint64_t epoch, const Bytes& message, const Bytes& signature) {
        const auto part = [&](std::size_t begin, std::size_t n) {
            const auto at = signature.begin() + static_cast<std::ptrdiff_t>(begin);
            return Bytes(at, at + static_cast<std::ptrdiff_t>(n));
        };
        const Encoding encoding = encode(epoch, message, part(672, 24));
        if (!encoding.is_good()) return false;
        Bytes ends;
        for (std::uint32_t i = 0; i < 42; i++) {
            const unsigned step = encoding.steps[i];
            ends = joined({ends, walk(epoch, i, step, 7 - step, part(16 * i, 16))});
        }
        Bytes here = t(2, 0, epoch, ends);
        for (unsigned level = 0; level < 32; level++) {
            const Bytes sibling = part(696 + 16 * level, 16);
            const bool is_left = epoch >> level & 1;
            here = t(3, level + 1, epoch >> (level + 1), is_left ? joined({sibling, here}) : joined({here, sibling}));
        }
        return here == node(32, 0);
    }

private:
    Bytes t(std::uint32_t kind, std::uint32_t sub, std::uint64_t index, const Bytes& payload,
            std::size_t n = 16) const {
        Bytes message(16);
        message[1] = static_cast<std::uint8_t>(kind);
        for (unsigned i = 0; i < 4; i++) {
            message[4 + i] = static_cast<std::uint8_t>(sub >> 8 * i);
            message[12 + i] = static_cast<std::uint8_t>(index >> 8 * i);
        }
        return cut(reference::blake2s(joined({message, parameter_, payload})), n);
    }

    Bytes walk(std::uint64_t epoch, std::uint32_t chain, unsigned from, unsigned n, Bytes value) const {
        for (unsigned step = from; step < from + n; step++) value = t(1, 8 * chain + step, epoch, value);
        return value;
    }

    const Bytes& node(unsigned level, std::uint64_t index) {
        const auto known = nodes_.find({level, index});
        if (known != nodes_.end()) return known->second;
        Bytes made;
        if (index < first_ >> level || index > last_ >> level) {
            made = t(6, level, index, seed_);
        } else if (level == 0) {
            Bytes ends;
            for (std::uint32_t i = 0; i < 42; i++) ends = joined({ends, walk(index, i, 0, 7, t(0, i, index, seed_))});
            made = t(2, 0, index, ends);
        } else {
            const Bytes left = node(level - 1, 2 * index);
            made = t(3, level, index, joined({left, node(level - 1, 2 * index + 1)}));
        }
        return nodes_[{level, index}] = made;
    }

    Bytes seed_, parameter_;
    std::uint64_t first_, last_;
    std::map<std::pair<unsigned, std::uint64_t>, Bytes> nodes_{};
};

Bytes counted_seed() {
    Bytes seed(32);
    for (std::size_t i = 0; i < 32; i++) seed[i] = static_cast<std::uint8_t>(i);
    return seed;
}

Bytes path_of(const xmss::Key& key, std::uint64_t epoch) {
    Bytes made;
    for (const xmss::Node& node : key.path(epoch)) made = joined({made, to_bytes(node)});
    return made;
}

void check_key(const Bytes& seed, std::uint64_t first, std::uint64_t last,
               std::initializer_list<std::uint64_t> epochs) {
    Witness witness(seed, first, last);
    const std::vector<xmss::Key> made = xmss::keys(seed, first, last);
    CHECK_EQ(made.size(), 1u);
    CHECK_EQ(made[0].first_epoch(), first);
    CHECK_EQ(made[0].last_epoch(), last);
    CHECK_EQ(to_bytes(made[0].public_key()), witness.public_key());
    for (const std::uint64_t epoch : epochs) CHECK_EQ(path_of(made[0], epoch), witness.path(epoch));
}

const Bytes elevens(32, 0x11);

// The key of most tests of signatures, and one of its signatures.
struct Example {
    xmss::Key key = std::move(xmss::keys(counted_seed(), middle - 2, middle + 2)[0]);
    Bytes public_key = to_bytes(key.public_key()), message = elevens;
    Bytes signature = to_bytes(key.sign(middle, elevens));

    static constexpr std::uint64_t middle = 2147483648;
    static const Example& get() {
        static const Example example;
        return example;
    }
};

}  // namespace

TEST("xmss: known answers") {
    const std::vector<xmss::Key> made = xmss::keys(counted_seed(), 0, 4);
    CHECK_EQ(hex(to_bytes(made[0].public_key())), "ed0d3c8e7cf085e06979d7b4754d7638c487ed3aef7201c095bf4c74aad6b6e3");
    CHECK_EQ(hex(reference::sha256(Example::get().signature)),
             "ccaaf68ea31ec790d27c6e831769f27c2ed8808f3e3629468794c7461665c4cc");
}

TEST("xmss: ranges that begin and end anywhere") {
    const Bytes seed = Random(1).bytes(32);
    check_key(seed, 0, 0, {0});
    check_key(seed, last_of_all, last_of_all, {last_of_all});
    check_key(seed, 1, 1, {1});
    check_key(seed, 0, 1, {0, 1});
    check_key(seed, 3, 4, {3, 4});
    check_key(seed, 7, 24, {7, 8, 15, 16, 24});
    check_key(seed, 2147483647, 2147483648, {2147483647, 2147483648});
    check_key(seed, last_of_all - 9, last_of_all, {last_of_all - 9, last_of_all - 8, last_of_all});
    check_key(seed, 60, 140, {60, 63, 64, 127, 128, 140});
}

TEST("xmss: random seeds and ranges") {
    Random random(58);
    for (int i = 0; i < 40; i++) {
        const std::uint64_t count = 1 + random.below(i % 8 == 0 ? 40 : 6);
        const std::uint64_t first = random.below(last_of_all - count + 2), last = first + count - 1;
        check_key(random.bytes(32), first, last, {first + random.below(count)});
    }
}

TEST("xmss: many keys of one call") {
    for (const std::uint64_t n : {2, 65, 300}) {
        const Bytes seeds = Random(n).bytes(32 * n);
        const std::vector<xmss::Key> made = xmss::keys(seeds, 11, 14);
        CHECK_EQ(made.size(), n);
        for (const std::uint64_t k : {std::uint64_t{0}, n / 2, n - 1}) {
            const auto at = seeds.begin() + static_cast<std::ptrdiff_t>(32 * k);
            Witness witness(Bytes(at, at + 32), 11, 14);
            CHECK_EQ(to_bytes(made[k].public_key()), witness.public_key());
            CHECK_EQ(path_of(made[k], 13), witness.path(13));
        }
    }
    CHECK(xmss::keys(Bytes(), 0, 0).empty());
}

// More leaves than a thread of the CPU makes at a time, and than the first launch of a device has.
TEST("xmss: a device makes what the processor does") {
    const Bytes seeds = Random(3).bytes(64);
    for (const auto& [first, last] :
         {std::pair<std::uint64_t, std::uint64_t>{1000, 1000 + 5000}, {65536, 65536 + 4095}}) {
        const std::vector<xmss::Key> here = xmss::keys(seeds, first, last, on_cpu()),
                                     there = xmss::keys(seeds, first, last);
        for (std::size_t k = 0; k < 2; k++) {
            CHECK(here[k].public_key() == there[k].public_key());
            CHECK(here[k].path(first + 1234, on_cpu()) == there[k].path(first + 1234));
            const xmss::Signature signature = there[k].sign(last, elevens);
            CHECK(signature == here[k].sign(last, elevens, on_cpu()));
            CHECK(xmss::verify(here[k].public_key(), last, elevens, signature));
        }
    }
}

TEST("xmss: signatures are those of the definition") {
    Random random(4);
    for (int i = 0; i < 2; i++) {
        const Bytes seed = random.bytes(32), message = random.bytes(32);
        const std::uint64_t first = random.below(last_of_all - 8), epoch = first + random.below(3);
        Witness witness(seed, first, first + 2);
        const std::vector<xmss::Key> made = xmss::keys(seed, first, first + 2);
        const Bytes signature = to_bytes(made[0].sign(epoch, message));
        CHECK_EQ(signature, witness.sign(epoch, message));
        CHECK_EQ(signature, to_bytes(made[0].sign(epoch, message)));
        CHECK(witness.verify(epoch, message, signature));
        CHECK(xmss::verify(made[0].public_key(), epoch, message, signature));
    }
}

TEST("xmss: what is not the signature is refused") {
    const Example& example = Example::get();
    const std::uint64_t epoch = Example::middle;
    CHECK(xmss::verify(example.public_key, epoch, example.message, example.signature));
    const auto each_bit = [](const Bytes& given, auto refused) {
        for (std::size_t bit = 0; bit < 8 * given.size(); bit++) {
            Bytes changed = given;
            changed[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
            CHECK(refused(changed));
        }
    };
    each_bit(example.signature,
             [&](const Bytes& s) { return !xmss::verify(example.public_key, epoch, example.message, s); });
    each_bit(example.message,
             [&](const Bytes& m) { return !xmss::verify(example.public_key, epoch, m, example.signature); });
    each_bit(example.public_key,
             [&](const Bytes& k) { return !xmss::verify(k, epoch, example.message, example.signature); });
    for (const std::uint64_t other : {std::uint64_t{0}, epoch - 1, epoch + 1, epoch ^ 1u << 31, last_of_all,
                                      epoch + (last_of_all + 1), UINT64_MAX, UINT64_MAX - last_of_all + epoch})
        CHECK(!xmss::verify(example.public_key, other, example.message, example.signature));
    const auto longer = [](Bytes bytes) {
        bytes.push_back(0);
        return bytes;
    };
    const auto shorter = [](const Bytes& bytes) { return cut(bytes, bytes.size() - 1); };
    for (const Bytes& signature : {longer(example.signature), shorter(example.signature), Bytes()})
        CHECK(!xmss::verify(example.public_key, epoch, example.message, signature));
    for (const Bytes& message : {longer(example.message), shorter(example.message), Bytes()})
        CHECK(!xmss::verify(example.public_key, epoch, message, example.signature));
    for (const Bytes& key : {longer(example.public_key), shorter(example.public_key), Bytes()})
        CHECK(!xmss::verify(key, epoch, example.message, example.signature));
    CHECK(!xmss::verify(ByteView(), 0, ByteView(), ByteView()));
}

// The owner of a seed can make chains that fit any randomizer, so the encoding alone decides here.
TEST("xmss: encodings of another sum or with top bits are no signatures") {
    const Example& example = Example::get();
    Witness witness(counted_seed(), Example::middle - 2, Example::middle + 2);
    Random random(9);
    int good = 0, low = 0, high = 0, top = 0;
    while (good == 0 || low == 0 || high == 0 || top == 0) {
        const Bytes r = random.bytes(24);
        const auto encoding = witness.encode(Example::middle, example.message, r);
        if (encoding.is_good())
            good++;
        else if (encoding.sum == 194 && !encoding.has_top_bit)
            low++;
        else if (encoding.sum == 196 && !encoding.has_top_bit)
            high++;
        else if (encoding.sum == 195)
            top++;
        else
            continue;
        const Bytes signature = witness.sign_with(r, Example::middle, example.message);
        CHECK_EQ(xmss::verify(example.public_key, Example::middle, example.message, signature), encoding.is_good());
    }
    CHECK(witness.verify(Example::middle, example.message, example.signature));
}

TEST("xmss: many signatures at once are verified as one by one") {
    const Example& example = Example::get();
    for (const std::size_t n : {0, 1, 63, 64, 65, 200}) {
        Bytes keys, messages, signatures;
        std::vector<std::uint64_t> epochs;
        std::vector<std::uint8_t> valid(n, 7), expected;
        Random random(n);
        for (std::size_t i = 0; i < n; i++) {
            Bytes key = example.public_key, message = example.message, signature = example.signature;
            std::uint64_t epoch = Example::middle;
            switch (random.below(8)) {
                case 0: key[random.below(32)] ^= 1; break;
                case 1: message[random.below(32)] ^= 1; break;
                case 2: signature[random.below(1208)] ^= 1; break;
                case 3: epoch = random.below(UINT64_MAX); break;
                case 4: epoch += std::uint64_t{1} << (32 + random.below(32)); break;
                default: break;
            }
            expected.push_back(xmss::verify(key, epoch, message, signature) ? 1 : 0);
            keys = joined({keys, key});
            messages = joined({messages, message});
            signatures = joined({signatures, signature});
            epochs.push_back(epoch);
        }
        xmss::verify_each(keys, epochs, messages, signatures, valid);
        CHECK_EQ(valid, expected);
        if (n >= 64) CHECK(std::ranges::count(expected, 1) > 10 && std::ranges::count(expected, 0) > 10);
    }
}

// Wrong calls of keys() and Key::sign() are rows of tests/vectors/surface.json.
TEST("xmss: arguments that do not fit") {
    CHECK_ERROR(invalid_argument, "Key::path: epoch must be one of the key's, 2147483646 to 2147483650, got 2147483645",
                Example::get().key.path(2147483645));
    const std::vector<std::uint64_t> epochs(2);
    std::vector<std::uint8_t> valid(2);
    const auto ask = [&](std::size_t k, std::size_t m, std::size_t s, std::size_t v) {
        xmss::verify_each(Bytes(k), epochs, Bytes(m), Bytes(s), std::span(valid).first(v));
    };
    CHECK_ERROR(invalid_argument, "verify_each: public_keys must be 32 bytes for each of 2 epochs, got 65",
                ask(65, 64, 2416, 2));
    CHECK_ERROR(invalid_argument, "verify_each: messages must be 32 bytes for each of 2 epochs, got 32",
                ask(64, 32, 2416, 2));
    CHECK_ERROR(invalid_argument, "verify_each: signatures must be 1208 bytes for each of 2 epochs, got 2415",
                ask(64, 64, 2415, 2));
    CHECK_ERROR(invalid_argument, "verify_each: valid must have one for each of 2 epochs, got 1", ask(64, 64, 2416, 1));
}

TEST("xmss: the whole range is cancelled, and its progress grows") {
    const int before = merklize::runtime::tick_milliseconds.exchange(0);
    double last = 0;
    int calls = 0;
    RunOptions options;
    options.progress = [&](double done) {
        CHECK(done >= last && done <= 1);
        last = done;
        return ++calls < 3;
    };
    CHECK_ERROR(cancelled, "cancelled", xmss::keys(counted_seed(), 0, last_of_all, options));
    CHECK(last < 0.5);
    calls = 2;
    last = 0;
    CHECK_ERROR(cancelled, "cancelled", xmss::keys(Random(1).bytes(32 * 400), 0, 500, options));
    merklize::runtime::tick_milliseconds = before;
}

TEST("xmss: threads share a key, and a progress function may use it") {
    const std::vector<xmss::Key> made = xmss::keys(Random(12).bytes(32), 500, 900);
    const xmss::Key& key = made[0];
    std::vector<std::vector<xmss::Node>> expected;
    for (std::uint64_t epoch = 500; epoch <= 900; epoch += 40) expected.push_back(key.path(epoch));
    std::vector<std::jthread> threads;
    std::atomic<int> wrong = 0;
    for (std::size_t t = 0; t < 4; t++) {
        threads.emplace_back([&, t] {
            for (std::size_t i = 0; i < expected.size(); i++) {
                const std::size_t at = (i * (t + 2)) % expected.size();
                wrong += key.path(500 + 40 * at) != expected[at] ? 1 : 0;
            }
        });
    }
    threads.clear();
    CHECK_EQ(wrong.load(), 0);
    const int before = merklize::runtime::tick_milliseconds.exchange(0);
    RunOptions options;
    int calls = 0;
    options.progress = [&](double) {
        if (calls++ == 0) CHECK(key.path(540) == expected[1]);
        return true;
    };
    CHECK(key.path(900, options) == expected[10]);
    CHECK(key.sign(780, elevens, options) == key.sign(780, elevens));
    CHECK(calls > 0);
    merklize::runtime::tick_milliseconds = before;
}

TEST("xmss: a device without room leaves the keys to the processor") {
    if (!has_memory()) return;
    const Bytes seed = counted_seed();
    const LittleMemory little(64 << 10);
    CHECK(xmss::keys(seed, 100, 5000)[0].public_key() == xmss::keys(seed, 100, 5000, on_cpu())[0].public_key());
}
