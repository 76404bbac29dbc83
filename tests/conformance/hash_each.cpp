// Messages of any lengths in one call, compared with the plain reference and with one call for each message.
#include "asked_often.hpp"
#include "jobs/internals.hpp"
#include "jobs/registry.hpp"
#include "support.hpp"

using namespace support;

namespace {

using merklize::MessageView;

// Lengths around the ends of blocks, chunks and subtrees, and on both sides of each limit between two ways of hashing.
std::vector<std::size_t> boundary_lengths() {
    std::vector<std::size_t> lengths = {0, 1, 2, 31, 63, 64, 65, 127, 128, 129, 1000};
    for (const std::size_t chunks : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 100})
        for (const std::size_t bytes : {1024 * chunks - 1, 1024 * chunks, 1024 * chunks + 1}) lengths.push_back(bytes);
    return lengths;
}

std::vector<Bytes> messages_of(const std::vector<std::size_t>& lengths, std::uint64_t seed) {
    Random random(seed);
    std::vector<Bytes> messages;
    for (const std::size_t length : lengths) messages.push_back(random.bytes(length));
    return messages;
}

std::vector<MessageView> views_of(const std::vector<Bytes>& messages) {
    std::vector<MessageView> views;
    for (const Bytes& message : messages) views.emplace_back(view(message));
    return views;
}

std::vector<std::string> hexes(const std::vector<Digest>& digests) {
    std::vector<std::string> out;
    for (const Digest& digest : digests) out.push_back(digest.hex());
    return out;
}

std::vector<std::string> expected(const std::vector<Bytes>& messages, const reference::Mode& mode = {}) {
    std::vector<std::string> out;
    for (const Bytes& message : messages) out.push_back(hex(reference::blake3(message, 32, 0, mode)));
    return out;
}

}  // namespace

TEST("hash_each: all boundary lengths in one call, in three modes") {
    const std::vector<Bytes> messages = messages_of(boundary_lengths(), 1);
    const Bytes key = Random(2).bytes(32);
    CHECK_EQ(hexes(merklize::hash_each(views_of(messages))), expected(messages));
    CHECK_EQ(hexes(merklize::hash_each(views_of(messages), merklize::Mode::keyed(view(key)))),
             expected(messages, {.key = key}));
    CHECK_EQ(hexes(merklize::hash_each(views_of(messages), merklize::Mode::derive_key("hash_each test"))),
             expected(messages, {.context = "hash_each test"}));
}

TEST("hash_each: any number of messages of any lengths, in any order") {
    Random random(3);
    for (const std::size_t n : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 200}) {
        std::vector<std::size_t> lengths(n);
        for (std::size_t& length : lengths) length = random.below(random.below(4) == 0 ? 20'000 : 1200);
        const std::vector<Bytes> messages = messages_of(lengths, random());
        CHECK_EQ(hexes(merklize::hash_each(views_of(messages))), expected(messages));
    }
}

TEST("hash_each: short ones beside long ones, and threads that share them") {
    std::vector<std::size_t> lengths = {(1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3'000'001, 5, 0, 2'097'152};
    for (std::size_t i = 0; i < 3000; i++) lengths.push_back(i * 7919 % 3000);
    const std::vector<Bytes> messages = messages_of(lengths, 4);
    std::vector<std::string> each;
    for (const Bytes& message : messages) each.push_back(merklize::hash(view(message)).hex());
    for (const unsigned threads : {1u, 2u, 5u})
        CHECK_EQ(hexes(merklize::hash_each(views_of(messages), {}, {.threads = threads})), each);
}

TEST("hash_each: any part of the output") {
    const std::vector<Bytes> messages = messages_of({0, 1, 64, 1000, 1024, 1025, 2048, 2049, 5000, 70'000}, 5);
    const Bytes key = Random(6).bytes(32);
    for (const auto& [length, seek] :
         {std::pair<std::size_t, std::uint64_t>{32, 1}, {0, 0}, {1, 0}, {64, 0}, {131, 7}, {32, 1000}, {1100, 3}}) {
        Bytes out(length * messages.size());
        merklize::hash_each(views_of(messages), view(out), length, seek, merklize::Mode::keyed(view(key)));
        Bytes want;
        for (const Bytes& message : messages) {
            const Bytes one = reference::blake3(message, length, seek, {.key = key});
            want.insert(want.end(), one.begin(), one.end());
        }
        CHECK_EQ(hex(out), hex(want));
    }
}

TEST("hash_each: other hashes of bytes") {
    const std::vector<Bytes> messages = messages_of({0, 1, 55, 64, 136, 1000, 5000}, 7);
    for (const Hash hash : {Hash::blake3, Hash::sha256, Hash::keccak256}) {
        std::vector<std::string> want;
        for (const Bytes& message : messages) want.push_back(hex(reference::leaf(static_cast<int>(hash), message)));
        CHECK_EQ(hexes(merklize::hash_message_each(views_of(messages), hash)), want);
    }
}

TEST("hash_each: refusals, and cancelling") {
    const std::vector<Bytes> messages = messages_of({10, 20}, 8);
    Bytes out(63);
    CHECK_ERROR(invalid_argument, "hash_each: out must have 32 bytes for each of 2 messages, got 63 bytes",
                merklize::hash_each(views_of(messages), view(out)));
    const std::vector<Bytes> many(64, Bytes(1 << 20));
    const AskedOften often;
    CHECK_ERROR(cancelled, "",
                merklize::hash_each(views_of(many), {}, {.threads = 1, .progress = [](double) { return false; }}));
}

TEST("hash_each: 60,000 messages in the memory of a device, whose table takes more than one copy") {
    if (merklize::Device().info().backend == "cpu" || !merklize::runtime::state_of(merklize::Device()).parts.empty())
        return;
    constexpr std::size_t n = 60'000;
    const Bytes bytes = Random(12).bytes(200 * n);
    const merklize::Buffer block = merklize::Buffer::copy_of(view(bytes), {});
    std::vector<MessageView> on_device, on_host;
    for (std::size_t i = 0; i < n; i++) {
        const std::size_t length = i == n / 2 ? 5000 : i % 201;
        on_device.emplace_back(block.slice(200 * i, length));
        on_host.emplace_back(view(bytes).subspan(200 * i, length));
    }
    CHECK_EQ(merklize::hash_each(on_device), merklize::hash_each(on_host, {}, {.device = merklize::Device("cpu")}));
}

TEST("hash_each: messages in the memory of a device, at any place, and some on the host") {
    if (merklize::Device().info().backend == "cpu" || !merklize::runtime::state_of(merklize::Device()).parts.empty())
        return;
    const std::vector<Bytes> messages = messages_of(boundary_lengths(), 9);
    const std::vector<std::string> want = expected(messages);
    const merklize::Device device;
    for (const std::size_t align : {1, 16}) {
        // One block, with gaps; the first bytes of the messages are anywhere, or on multiples of 16.
        Bytes all(3);
        std::vector<std::size_t> places;
        for (const Bytes& message : messages) {
            all.resize((all.size() + align - 1) / align * align);
            places.push_back(all.size());
            all.insert(all.end(), message.begin(), message.end());
            all.push_back(0xee);
        }
        const merklize::Buffer block = merklize::Buffer::copy_of(view(all), device);
        std::vector<MessageView> views;
        for (std::size_t i = 0; i < messages.size(); i++)
            views.emplace_back(block.slice(places[i], messages[i].size()));
        CHECK_EQ(hexes(merklize::hash_each(views)), want);
        // Every third message is on the host, every third in a block of its own. First a keyed mode, then a range of
        // the output.
        for (std::size_t i = 0; i < messages.size(); i++) {
            if (i % 3 == 0) views[i] = view(messages[i]);
            if (i % 3 == 1) views[i] = merklize::Buffer::copy_of(view(messages[i]), device);
        }
        const Bytes key = Random(10).bytes(32);
        for (const merklize::Device& for_host : {device, merklize::Device("cpu")}) {
            CHECK_EQ(hexes(merklize::hash_each(views, merklize::Mode::keyed(view(key)), {.device = for_host})),
                     expected(messages, {.key = key}));
        }
        Bytes out(70 * messages.size()), longer;
        merklize::hash_each(views, view(out), 70, 5);
        for (const Bytes& message : messages) {
            const Bytes one = reference::blake3(message, 70, 5);
            longer.insert(longer.end(), one.begin(), one.end());
        }
        CHECK_EQ(hex(out), hex(longer));
    }
    // More bytes than one staged piece, and one message that is too long for a device to hash in a batch.
    std::vector<std::size_t> lengths(9, (4 << 20) - 5);
    lengths.push_back((4 << 20) + 1);
    lengths.push_back(0);
    const std::vector<Bytes> large = messages_of(lengths, 11);
    std::vector<std::string> each;
    for (const Bytes& message : large)
        each.push_back(merklize::hash(view(message), {}, {.device = merklize::Device("cpu")}).hex());
    CHECK_EQ(hexes(merklize::hash_each(views_of(large))), each);
    const merklize::Stream stream(device);
    const merklize::Buffer there = merklize::Buffer::copy_of(view(large[0]), device);
    const std::vector<MessageView> two = {there, view(large[1])};
    CHECK_EQ(hexes(merklize::hash_each(two, {}, {.device = merklize::Device("cpu"), .stream = stream})),
             (std::vector<std::string>{each[0], each[1]}));
}
