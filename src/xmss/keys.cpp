// Keys: their public keys and paths, and signatures.
#include <bit>
#include <mutex>
#include <string>
#include <utility>

#include "calls/run.hpp"
#include "host/forks.hpp"
#include "host/invalid.hpp"
#include "merklize/error.hpp"
#include "xmss/levels.hpp"

namespace merklize::inline v0::xmss {
namespace {

using runtime::MakeXmss;
using runtime::Run;
using runtime::XmssSecret;

constexpr std::uint64_t last_of_all = UINT32_MAX;

// The height of bottom trees: half of the height that the range needs, so that a key keeps about as many nodes as a
// path makes again.
unsigned bottom_levels(std::uint32_t first, std::uint32_t last) {
    return static_cast<unsigned>(std::bit_width(last - first) + 1) / 2;
}

// The secrets of n seeds, with their parameters.
std::vector<XmssSecret> secrets_of(ByteView seeds) {
    constexpr std::size_t at_once = 256;
    std::vector<XmssSecret> secrets(seeds.size() / seed_bytes);
    SecretBytes memory(Tweaked::bytes_of(at_once, seed_bytes));
    Tweaked parameters(memory, seed_bytes);
    const Node none{};
    for (std::size_t k = 0, done = 0; k < secrets.size(); k++) {
        std::memcpy(secrets[k].seed, &seeds[seed_bytes * k], seed_bytes);
        std::memcpy(parameters.add({MKZ_XMSS_PARAMETER, 0, 0}, none), secrets[k].seed, seed_bytes);
        if (!parameters.is_full() && k + 1 < secrets.size()) continue;
        parameters.hash();
        for (std::size_t i = 0; done <= k; done++) std::memcpy(secrets[done].parameter, parameters[i++], node_bytes);
    }
    return secrets;
}

}  // namespace

struct Key::State {
    State(const XmssSecret& key_secret, std::uint32_t from, std::uint32_t to)
        : secret(key_secret), first(from), last(to), bottom(bottom_levels(from, to)), top(bottom, height, from, to) {}

    const XmssSecret secret;
    const std::uint32_t first, last;
    const unsigned bottom;
    Levels top;

    runtime::ProcessMutex mutex{};
    // The bottom tree that was made last. Guarded by mutex, which is not held while a caller's function runs.
    std::shared_ptr<const Levels> tree{};
    std::uint64_t tree_index = 0;  // guarded by mutex

    std::uint32_t require(std::uint64_t epoch) const {
        if (epoch >= first && epoch <= last) return static_cast<std::uint32_t>(epoch);
        invalid_call("epoch", "must be one of the key's, " + std::to_string(first) + " to " + std::to_string(last) +
                                  ", got " + std::to_string(epoch));
    }

    // The bottom tree of an epoch.
    std::shared_ptr<const Levels> tree_of(std::uint32_t epoch, Run& run) {
        const std::uint64_t index = epoch >> bottom, begin = index << bottom;
        {
            const std::lock_guard lock(mutex);
            if (tree && tree_index == index) return tree;
        }
        const auto from = static_cast<std::uint32_t>(std::max<std::uint64_t>(first, begin));
        const auto to =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(last, begin + (std::uint64_t{1} << bottom) - 1));
        auto levels = std::make_shared<Levels>(0, bottom, from, to);
        MakeXmss leaves{.keys = {&secret, 1}, .first = from, .last = to, .n = levels->lowest().size()};
        leaves.out = levels->lowest()[0].data();
        run.launch(leaves, 1);
        run.finish();
        Levels* levels_of_key = levels.get();
        const XmssSecret* secret_of_key = &secret;
        Levels::climb({&levels_of_key, 1}, {&secret_of_key, 1});
        const std::lock_guard lock(mutex);
        tree_index = index;
        return tree = std::move(levels);
    }

    void path(std::uint32_t epoch, std::span<Node, height> out, Run& run) {
        const std::shared_ptr<const Levels> below = tree_of(epoch, run);
        SecretBytes memory(Tweaked::bytes_of(height, seed_bytes));
        Tweaked fillers(memory, seed_bytes);
        std::vector<unsigned> filled;
        for (unsigned level = 0; level < height; level++) {
            const std::uint64_t sibling = (epoch >> level) ^ 1;
            const Levels& levels = level < bottom ? *below : top;
            if (levels.has(level, sibling)) {
                out[level] = levels.at(level, sibling);
            } else {
                add_filler(fillers, secret, level, sibling);
                filled.push_back(level);
            }
        }
        fillers.hash();
        for (std::size_t i = 0; i < filled.size(); i++) out[filled[i]] = fillers.node(i);
    }

    // Finds the first randomizer that gives an encoding of the message, and the steps of that encoding.
    void search(std::uint32_t epoch, ByteView message, std::span<std::byte, randomizer_bytes> out,
                std::span<std::uint8_t, chains> steps, Run& run) const {
        constexpr std::size_t at_once = 512;
        SecretBytes tries(Tweaked::bytes_of(at_once, seed_bytes + message_bytes)),
            encoded(Tweaked::bytes_of(at_once, encoded_bytes));
        for (std::uint32_t first_try = 0;; first_try += at_once) {
            Tweaked randomizers(tries, seed_bytes + message_bytes), encodings(encoded, encoded_bytes);
            for (std::uint32_t a = first_try; a < first_try + at_once; a++) {
                std::byte* payload = randomizers.add({MKZ_XMSS_RANDOMIZER, a, epoch}, parameter_of(secret));
                std::memcpy(payload, secret.seed, seed_bytes);
                std::memcpy(payload + seed_bytes, message.data(), message_bytes);
            }
            randomizers.hash();
            const auto randomizer = [&](std::size_t i) {
                return std::span<const std::byte, randomizer_bytes>(randomizers[i], randomizer_bytes);
            };
            for (std::size_t i = 0; i < at_once; i++)
                add_encoding(encodings, parameter_of(secret), epoch, message, randomizer(i));
            encodings.hash();
            for (std::size_t i = 0; i < at_once; i++) {
                if (!read_steps(encodings[i], steps)) continue;
                std::ranges::copy(randomizer(i), out.begin());
                return;
            }
            if (!run.tick(0)) run.throw_cancelled();
        }
    }

    // Writes the value of each chain after its number of steps.
    void open(std::uint32_t epoch, std::span<const std::uint8_t, chains> steps, std::byte* out) const {
        SecretBytes memory(Tweaked::bytes_of(chains, seed_bytes)), values(chains * sizeof(Chain));
        const std::span opened(reinterpret_cast<Chain*>(values.data()), chains);
        Tweaked secrets(memory, seed_bytes);
        for (std::uint32_t i = 0; i < chains; i++)
            std::memcpy(secrets.add({MKZ_XMSS_SECRET, i, epoch}, parameter_of(secret)), secret.seed, seed_bytes);
        secrets.hash();
        for (std::uint32_t i = 0; i < chains; i++) {
            Chain& chain = opened[i];
            chain.parameter = parameter_of(secret).data();
            chain.epoch = epoch;
            chain.chain = i;
            chain.end = steps[i];
            std::memcpy(chain.value.data(), secrets[i], node_bytes);
        }
        walk(opened, memory);
        for (const Chain& chain : opened) std::memcpy(out + node_bytes * chain.chain, chain.value.data(), node_bytes);
    }
};

Key::Key(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Key::Key(Key&&) noexcept = default;
Key& Key::operator=(Key&&) noexcept = default;
Key::~Key() = default;

PublicKey Key::public_key() const noexcept {
    PublicKey key;
    std::ranges::copy(state_->top.at(height, 0), key.begin());
    std::ranges::copy(parameter_of(state_->secret), key.begin() + node_bytes);
    return key;
}
std::uint32_t Key::first_epoch() const noexcept { return state_->first; }
std::uint32_t Key::last_epoch() const noexcept { return state_->last; }

std::vector<Node> Key::path(std::uint64_t epoch, const RunOptions& options) const {
    const PublicCall entry("Key::path");
    const std::uint32_t leaf = state_->require(epoch);
    Run run(options);
    std::vector<Node> siblings(height);
    state_->path(leaf, std::span<Node, height>(siblings), run);
    run.finish();
    return siblings;
}

Signature Key::sign(std::uint64_t epoch, ByteView message, const RunOptions& options) const {
    const PublicCall entry("Key::sign");
    const std::uint32_t leaf = state_->require(epoch);
    if (message.size() != message_bytes)
        invalid_call("message", "must be 32 bytes, got " + std::to_string(message.size()));
    Run run(options);
    Signature signature;
    std::byte* const randomizer = signature.data() + chains * node_bytes;
    std::uint8_t steps[chains];
    state_->search(leaf, message, std::span<std::byte, randomizer_bytes>(randomizer, randomizer_bytes), steps, run);
    std::array<Node, height> siblings;
    state_->path(leaf, siblings, run);
    std::memcpy(randomizer + randomizer_bytes, siblings.data(), sizeof siblings);
    state_->open(leaf, steps, signature.data());
    run.finish();
    return signature;
}

std::vector<Key> keys(ByteView seeds, std::uint64_t first_epoch, std::uint64_t last_epoch, const RunOptions& options) {
    const PublicCall entry("keys");
    if (seeds.size() % seed_bytes != 0)
        invalid_call("seeds", "must be a multiple of 32 bytes, got " + std::to_string(seeds.size()));
    if (last_epoch > last_of_all) {
        invalid_call("last_epoch",
                     "must be at most " + std::to_string(last_of_all) + ", got " + std::to_string(last_epoch));
    }
    if (first_epoch > last_epoch) {
        invalid_call("first_epoch", "must be at most last_epoch, " + std::to_string(last_epoch) + ", got " +
                                        std::to_string(first_epoch));
    }
    const auto first = static_cast<std::uint32_t>(first_epoch), last = static_cast<std::uint32_t>(last_epoch);
    Run run(options);
    const std::vector<XmssSecret> secrets = secrets_of(seeds);
    std::vector<std::unique_ptr<Key::State>> states;
    for (const XmssSecret& secret : secrets) states.push_back(std::make_unique<Key::State>(secret, first, last));
    if (!states.empty()) {
        MakeXmss bottoms{.keys = secrets, .first = first, .last = last, .levels = states[0]->bottom};
        const std::uint64_t per_key = bottoms.per_key();
        bottoms.n = per_key * secrets.size();
        std::vector<Node> roots(bottoms.n);  // of the bottom trees
        bottoms.out = roots[0].data();
        run.launch(bottoms, 1);
        run.finish();
        constexpr std::size_t at_once = 64;  // keys
        const auto climb = [&](std::size_t group) {
            std::vector<Levels*> levels;
            std::vector<const XmssSecret*> group_secrets;
            for (std::size_t k = group * at_once; k < std::min(states.size(), (group + 1) * at_once); k++) {
                std::ranges::copy(std::span(roots).subspan(k * per_key, per_key), states[k]->top.lowest().begin());
                levels.push_back(&states[k]->top);
                group_secrets.push_back(&secrets[k]);
            }
            Levels::climb(levels, group_secrets);
        };
        run.parallel((states.size() + at_once - 1) / at_once, climb, 0);
    }
    std::vector<Key> result;
    for (auto& state : states) result.push_back(Key(std::move(state)));
    return result;
}

}  // namespace merklize::inline v0::xmss
