// merklize-xmss-bench: keys of XMSS beside plain BLAKE2s, their bound: 347 compressions a leaf, and one a node.
//
//   merklize-xmss-bench [--device D] [--log2-epochs K] [--keys N] [--threads T] [--repeats R]
//
// Each round times keys() and then rows of 1 KiB, in the device's memory if it has any. Prints one JSON object: the
// seconds of each round, the median rates, and the share of the bound that keys() reaches; of a GPU of CUDA also the
// energy of one call.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <merklize/merklize.hpp>

#include "energy.hpp"
#include "jobs.hpp"

using namespace merklize;

namespace {

constexpr std::uint64_t row_bytes = 1024, row_compressions = row_bytes / 64, leaf_compressions = 347;

template <class Body>
double seconds_of(const Body& body) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    body();
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> of) {
    std::ranges::sort(of);
    return of[of.size() / 2];
}

std::string number_of(double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.9f", value);
    return digits;
}

std::string list_of(const std::vector<double>& all) {
    std::string text;
    for (const double one : all) text += (text.empty() ? "" : ", ") + number_of(one);
    return text;
}

}  // namespace

int main(int argc, char** argv) try {
    RunOptions run{.device = Device("cpu"), .threads = 1};
    unsigned log2_epochs = 14, repeats = 11;
    std::uint64_t n_keys = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string flag = argv[i];
        const auto number = std::strtoull(argv[i + 1], nullptr, 10);
        if (flag == "--device") run.device = Device(argv[i + 1]);
        if (flag == "--log2-epochs") log2_epochs = static_cast<unsigned>(number);
        if (flag == "--keys") n_keys = number;
        if (flag == "--threads") run.threads = static_cast<unsigned>(number);
        if (flag == "--repeats") repeats = static_cast<unsigned>(number);
    }
    const bool on_host = run.device.info().backend == "cpu";
    const std::uint64_t epochs = std::uint64_t{1} << log2_epochs, leaves = epochs * n_keys;
    const auto seeds = bench::random_values<std::byte>(xmss::seed_bytes * n_keys, "seeds");
    // On the CPU as many rows as its own cache holds; on a device as many compressions as the keys have.
    const std::uint64_t rows =
        on_host ? 256 : std::min<std::uint64_t>(leaves * leaf_compressions / row_compressions, 1 << 21);
    const std::uint64_t times = std::max<std::uint64_t>(1, leaves * leaf_compressions / row_compressions / rows);
    const auto data = bench::random_values<std::byte>(row_bytes * rows, "rows");
    std::vector<Digest> digests(rows);
    std::optional<Buffer> there, out;
    if (!on_host) {
        there = Buffer(run.device, data.size());
        there->copy_from(data);
        out = Buffer(run.device, Digest::size * rows);
    }
    const auto make_keys = [&] { xmss::keys(seeds, 0, epochs - 1, run); };
    const auto hash_rows = [&] {
        for (std::uint64_t k = 0; k < times; k++) {
            if (on_host)
                hash_leaves(data, row_bytes, digests, Hash::blake2s, {}, run);
            else
                hash_leaves(*there, row_bytes, *out, Hash::blake2s, {}, run);
        }
    };
    make_keys();
    hash_rows();
    std::vector<double> of_keys, of_rows;
    for (unsigned i = 0; i < repeats; i++) {
        of_keys.push_back(seconds_of(make_keys));
        of_rows.push_back(seconds_of(hash_rows));
    }
    const auto counter = bench::EnergyCounter::of(run.device.info());
    const auto energy = counter ? counter->of_calls(make_keys) : std::nullopt;
    const double leaf_rate = static_cast<double>(leaves) / median(of_keys);
    const double rate = static_cast<double>(times * rows * row_compressions) / median(of_rows);
    std::printf(
        "{\"version\": \"%s\", \"job\": \"xmss-keys\", \"epochs\": %llu, \"keys\": %llu, \"threads\": %u, \"device\": "
        "\"%s\", \"isa\": \"%s\", \"leaves_per_second\": %.0f, \"compressions_per_second\": %.0f, \"share\": %.3f, "
        "\"seconds\": [%s], \"seconds_of_rows\": [%s]%s}\n",
        version(), static_cast<unsigned long long>(epochs), static_cast<unsigned long long>(n_keys), run.threads,
        run.device.info().name.c_str(), run.device.info().isa.c_str(), leaf_rate, rate,
        leaf_rate * (leaf_compressions + 1) / rate, list_of(of_keys).c_str(), list_of(of_rows).c_str(),
        energy ? (", \"joules\": " + number_of(energy->joules) + ", \"watts\": " + number_of(energy->watts)).c_str()
               : "");
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "merklize-xmss-bench: %s\n", error.what());
    return 1;
}
