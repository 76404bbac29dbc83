#include "xmss/tweaked.hpp"

#include "jobs/host_executor.hpp"

namespace merklize::inline v0::xmss {

void Tweaked::hash() {
    runtime::HostExecutor executor(1);
    executor.launch(runtime::HashRows{.hash = Hash::blake2s,
                                      .rows = runtime::host_place(rows_),
                                      .n = n_,
                                      .length = length_,
                                      .out = runtime::host_place(rows_ + length_ * capacity_)},
                    {});
    n_ = 0;
}

void walk(std::span<Chain> all, std::span<std::byte> memory) {
    Tweaked steps(memory, node_bytes);
    for (;;) {
        for (const Chain& chain : all) {
            if (chain.at == chain.end) continue;
            const auto step = static_cast<std::uint32_t>(chain_steps) * chain.chain + chain.at;
            std::byte* value = steps.add({MKZ_XMSS_CHAIN, step, chain.epoch}, Parameter(chain.parameter, node_bytes));
            std::memcpy(value, chain.value.data(), node_bytes);
        }
        if (steps.size() == 0) return;
        steps.hash();
        std::size_t i = 0;
        for (Chain& chain : all) {
            if (chain.at == chain.end) continue;
            std::memcpy(chain.value.data(), steps[i++], node_bytes);
            chain.at++;
        }
    }
}

bool read_steps(const std::byte* digest, std::span<std::uint8_t, chains> steps) noexcept {
    constexpr unsigned target = 195, per_half = 21, bits = 3;
    unsigned sum = 0;
    bool is_low = true;
    for (unsigned half = 0; half < 2; half++) {
        std::uint64_t word = 0;
        std::memcpy(&word, digest + 8 * half, sizeof word);
        for (unsigned i = 0; i < per_half; i++, word >>= bits) {
            const auto step = static_cast<std::uint8_t>(word & (chain_steps - 1));
            steps[per_half * half + i] = step;
            sum += step;
        }
        is_low = is_low && word == 0;
    }
    return is_low && sum == target;
}

void add_encoding(Tweaked& encodings, Parameter parameter, std::uint32_t epoch, ByteView message,
                  std::span<const std::byte, randomizer_bytes> randomizer) noexcept {
    std::byte* payload = encodings.add({MKZ_XMSS_ENCODING, 0, epoch}, parameter);
    std::memcpy(payload, message.data(), message_bytes);
    std::memcpy(payload + message_bytes, randomizer.data(), randomizer_bytes);
    std::memset(payload + message_bytes + randomizer_bytes, 0, encoded_bytes - message_bytes - randomizer_bytes);
}

}  // namespace merklize::inline v0::xmss
