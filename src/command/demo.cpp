// `merklize demo`: warm rates of the main jobs on this machine, and a check of every known answer.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <new>
#include <vector>

#include "command/endings.hpp"
#include "command/line/options.hpp"
#include "command/line/values.hpp"
#include "command/output/output.hpp"
#include "command/output/progress.hpp"
#include "command/settings.hpp"
#include "host/host_block.hpp"
#include "jobs/internals.hpp"
#include "jobs/registry.hpp"
#include "merklize/buffer.hpp"
#include "merklize/hash_each.hpp"
#include "merklize/manifest.hpp"
#include "merklize/tree.hpp"
#include "merklize/version.h"
#include "texts/json.hpp"

namespace merklize::command {
namespace {

// The input is BLAKE3's extendable output of "leaves" with the top bit of every eighth byte cleared, so that each 32
// bytes are a leaf of byte hashes and of hashes over Goldilocks alike.
constexpr std::string_view seed = "leaves";
constexpr std::uint64_t most_bytes = 256 << 20;
constexpr std::uint64_t known_leaves = 1 << 16, known_bytes = known_leaves * Digest::size;

// A measured job, and the answer for the first `known_bytes` of the input. The answers were computed without this
// library: by the official BLAKE3, by hashlib, and by the definitions of docs/hashes.md in plain Python integers.
struct Task {
    bool is_tree;
    Hash hash;
    bool by_one_thread;  // on the CPU only: a scale for the rows below
    const char* known;
};
constexpr Hash scale = Hash::sha256;
constexpr const char* scale_root = "e77a0f49a7715684dd1f6b135613668d1c76213be11d2c8000b07c384f6c3d5a";
constexpr Task tasks[] = {
    {false, scale, true, "134cba6e796d0cc66897d7658fa7281016b5105aa0d47ff20f77595f0d8cb1fb"},
    {false, Hash::blake3, false, "79a3f3580f57c9ea458a889e41c03ed9f4390faef8ed74dfa1d4938111458fe6"},
    {true, scale, true, scale_root},
    {true, Hash::blake3, false, "09a04cbffba0ffe6a05f66baab257fc2b07fbe114641138a0ddd5505417bc0e0"},
    {true, scale, false, scale_root},
    {true, Hash::keccak256, false, "ec1eb9f0b5d0ffffb9a1c088baca5b30ffc32b777e9a9dbf00aa1ba55edb3698"},
    {true, Hash::poseidon2_goldilocks_8, false, "217a8eec9e5fa0766c6daf1b7ad3d77d865d9551f424a4d58bf1033928b106f1"},
    {true, Hash::rp64_256_v3, false, "3f686ba332e4976e51bdcc35dc0d1b4a3b8181a56dab1187625a8ba7b1ef733a"},
};
constexpr std::size_t most_columns = 3;

constexpr double long_enough = 0.03;  // seconds; a shorter call is repeated with a larger input
constexpr int tries = 3;

// One task on one device.
struct Row {
    const Task* task;
    std::string device;
    std::uint64_t bytes = 0;
    double seconds = std::numeric_limits<double>::infinity();
    std::string answer{};
    bool ok = false;

    std::string job() const {
        return std::string(task->is_tree ? "tree by " : "") + std::string(traits(task->hash).name) +
               (task->by_one_thread ? ", one thread" : "");
    }
    double rate() const { return static_cast<double>(task->is_tree ? bytes / Digest::size - 1 : bytes) / seconds; }
};

std::string three_digits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, value < 999.5 ? "%.3g" : "%.0f", value);
    return text;
}

template <class Work>
double seconds_of(Work work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The largest power of two up to 256 MiB that leaves three quarters of the free memory to others.
std::uint64_t wanted_bytes() {
    std::uint64_t most = runtime::host_memory();
    std::ifstream system("/proc/meminfo");
    for (std::string name, unit; system >> name;) {
        std::uint64_t kib = 0;
        system >> kib >> unit;
        if (name == "MemAvailable:") most = std::min(most, kib << 10);
    }
    std::uint64_t bytes = most_bytes;
    while (bytes > std::max(most / 4, known_bytes)) bytes /= 2;
    return bytes;
}

// The same leaves on the host and, if a device has its own memory, on the device.
class Place {
public:
    Place(const RunOptions& options, std::span<const Digest> leaves) : options_(options), leaves_(leaves) {
        if (!runtime::state_of(options.device).is_host())
            there_.emplace(Buffer::copy_of(std::as_bytes(leaves), options.device));
    }

    const std::string& id() const { return options_.device.info().id; }

    Row measure(const Task& task) const {
        Row row{&task, id()};
        row.bytes = known_bytes;
        row.answer = answer(task, known_bytes).hex();
        row.ok = row.answer == task.known;
        std::optional<Digest> first;
        const auto time_once = [&] {
            Digest got;
            const double seconds = seconds_of([&] { got = answer(task, row.bytes); });
            if (!first) first = got;
            row.ok = row.ok && *first == got;
            row.seconds = std::min(row.seconds, seconds);
        };
        for (time_once(); row.bytes < leaves_.size_bytes(); time_once()) {
            time_once();
            if (row.seconds >= long_enough) break;
            row.bytes *= 2;
            row.seconds = std::numeric_limits<double>::infinity();
            first.reset();
        }
        for (int i = 0; i < tries; i++) time_once();
        return row;
    }

private:
    Digest answer(const Task& task, std::uint64_t bytes) const {
        RunOptions options = options_;
        if (task.by_one_thread) options.threads = 1;
        const auto leaves = leaves_.first(bytes / Digest::size);
        const auto leaf_bytes = std::as_bytes(leaves);
        if (task.is_tree) {
            return there_ ? merkle_root(there_->slice(0, bytes), task.hash, options)
                          : merkle_root(leaves, task.hash, options);
        }
        if (task.hash != Hash::blake3) return hash_message(leaf_bytes, task.hash, options);
        return there_ ? hash(there_->slice(0, bytes), {}, options) : hash(leaf_bytes, {}, options);
    }

    RunOptions options_;
    std::span<const Digest> leaves_;
    std::optional<ConstBuffer> there_{};
};

// The CPU, and the device that the caller names, else the GPUs of the first backend that has any.
std::vector<RunOptions> chosen(Call& call, const Arguments& arguments) {
    const RunOptions options = run_options(call, arguments);
    RunOptions cpu = options;
    cpu.device = Device("cpu");
    std::vector<RunOptions> all = {cpu};
    const auto add = [&](const Device& device) {
        all.push_back(options);
        all.back().device = device;
    };
    if (options.device.info().backend != "cpu") {
        add(options.device);
    } else if (!arguments.has("device")) {
        call.caller().prepare_libraries({});
        for (const DeviceInfo& info : devices()) {
            const Device device(info.id);
            const bool is_next = all.size() == 1 || all[1].device.info().backend == info.backend;
            if (is_next && all.size() <= most_columns && !runtime::state_of(device).is_processor()) add(device);
        }
    }
    return all;
}

// One part of the demo that has no rates by device.
struct Fact {
    std::string job, text;
    double seconds;
    bool ok;
};

struct Measured {
    std::uint64_t bytes;
    std::vector<Row> rows{};
    std::vector<Fact> facts{};
};

Fact manifest_fact(std::span<const std::byte> data, const RunOptions& options) {
    constexpr std::size_t n = 64;
    const std::size_t size = data.size() / n;
    manifests::Manifest manifest{.kind = manifests::Kind::tensors};
    const auto digest_all = [&] {
        std::vector<MessageView> messages;
        for (std::size_t i = 0; i < n; i++) messages.emplace_back(data.subspan(i * size, size));
        return hash_each(messages, {}, options);
    };
    for (std::size_t i = 0; i < n; i++) {
        char name[16];
        std::snprintf(name, sizeof name, "layer.%02zu", i);
        manifest.tensors.push_back({.name = name, .dtype = "U8", .shape = {size}, .size = size});
    }
    const auto make = [&] {
        const std::vector<Digest> digests = digest_all();
        for (std::size_t i = 0; i < n; i++) manifest.tensors[i].digest = digests[i];
        manifest.root = manifests::root_of(manifest);
    };
    make();  // warm
    const double seconds = std::min(seconds_of(make), seconds_of(make));
    // The check must name the one tensor that was changed, and no other.
    manifests::Manifest changed = manifest;
    std::vector<std::byte> bytes(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(size));
    bytes[size / 2] ^= std::byte{1};
    changed.tensors[0].digest = hash(bytes, {}, options);
    const manifests::Differences differences = diff(manifest, changed);
    const bool ok =
        differences.size() == 1 && differences[0].name == changed.tensors[0].name && differences[0].kind == "bytes";
    return {"manifest of 64 tensors",
            three_digits(static_cast<double>(data.size()) / seconds / 1e9) + " GB/s; a changed byte is " +
                (ok ? "found" : "NOT found"),
            seconds, ok};
}

Fact proof_fact(std::span<const Digest> leaves, const RunOptions& options) {
    const MerkleTree tree(leaves, Hash::blake3, options);
    const Digest root = tree.root();
    const std::uint64_t index = tree.n_leaves() / 3;
    MerkleProof proof;
    bool ok = true;
    const auto prove = [&] {
        proof = tree.prove(index);
        ok = verify(proof, root, {.leaf = leaves[index], .index = index}) && ok;
    };
    prove();  // warm
    double seconds = std::numeric_limits<double>::infinity();
    for (int i = 0; i < tries; i++) seconds = std::min(seconds, seconds_of(prove));
    proof.siblings[0].bytes[0] ^= std::byte{1};
    ok = ok && !verify(proof, root);
    return {"proof of one leaf of " + human_count(tree.n_leaves()),
            human_time(seconds) + " to make and verify; " + (ok ? "a forged one is refused" : "NOT valid"), seconds,
            ok};
}

void show(Call& call, const std::vector<RunOptions>& places, const Measured& results) {
    call.line("merklize " MERKLIZE_VERSION_STRING ": best of several warm calls, data in the device's memory.\n");
    std::vector<std::vector<std::string>> cells = {{"device", "name", "instructions", "units"}};
    for (const RunOptions& place : places) {
        const DeviceInfo& info = place.device.info();
        const bool is_cpu = info.backend == "cpu";
        cells.push_back(
            {info.id, info.name, info.isa,
             std::to_string(is_cpu && place.threads != 0 ? place.threads : info.units) + (is_cpu ? " threads" : "")});
    }
    call.line(table_text(cells, "   r"));
    call.line("");
    cells = {{"job", "unit"}};
    for (const RunOptions& place : places) cells[0].push_back(place.device.info().id);
    for (const Task& task : tasks) {
        std::vector<std::string> line;
        for (const RunOptions& place : places) {
            const auto row = std::ranges::find_if(results.rows, [&](const Row& candidate) {
                return candidate.task == &task && candidate.device == place.device.info().id;
            });
            if (line.empty()) line = {row->job(), task.is_tree ? "M merges/s" : "GB/s"};
            line.push_back(row == results.rows.end() ? "" : three_digits(row->rate() / (task.is_tree ? 1e6 : 1e9)));
        }
        cells.push_back(line);
    }
    call.line(table_text(cells, "  rrr"));
    call.line("\nDigests of up to " + human_bytes(static_cast<double>(results.bytes)) + ", trees of up to " +
              human_count(results.bytes / Digest::size) + " leaves.\n");
    cells = {{"job", "on the CPU"}};
    for (const Fact& fact : results.facts) cells.push_back({fact.job, fact.text});
    call.line(table_text(cells, ""));
}

std::string demo_json(const Measured& results) {
    json::Array jobs;
    for (const Row& row : results.rows) {
        json::Object entry;
        entry.text("device", row.device).text("job", row.job()).number("bytes", row.bytes);
        entry.number("seconds", row.seconds).number("rate", row.rate());
        entry.text("unit", row.task->is_tree ? "merges/s" : "bytes/s").text("answer", row.answer);
        jobs.put(entry.number("ok", row.ok).done());
    }
    for (const Fact& fact : results.facts) {
        json::Object entry;
        entry.text("device", "cpu").text("job", fact.job).number("seconds", fact.seconds).text("answer", fact.text);
        jobs.put(entry.number("ok", fact.ok).done());
    }
    json::Object all;
    all.text("version", MERKLIZE_VERSION_STRING).number("bytes", results.bytes).put("jobs", jobs.done());
    return json::indented(all.done());
}

// The whole demo, on an input of `bytes` bytes.
Measured measured(Call& call, const std::vector<RunOptions>& places, std::uint64_t bytes) {
    const runtime::HostBlock block(bytes);
    const std::span<Digest> leaves(static_cast<Digest*>(block.data()), bytes / Digest::size);
    Measured results{.bytes = bytes};
    Bar bar(call, "measuring", std::size(tasks) * places.size());
    hash(std::as_bytes(std::span(seed)), std::as_writable_bytes(leaves), 0, {}, places[0]);
    for (Digest& leaf : leaves)
        for (std::size_t i = 7; i < Digest::size; i += 8) leaf.bytes[i] &= std::byte{0x7f};
    for (const RunOptions& options : places) {
        const Place place(options, leaves);
        for (const Task& task : tasks) {
            if (!task.by_one_thread || options.device.info().backend == "cpu")
                results.rows.push_back(place.measure(task));
            bar.advance();
        }
    }
    results.facts.push_back(manifest_fact(std::as_bytes(leaves), places[0]));
    results.facts.push_back(proof_fact(leaves.first(known_leaves), places[0]));
    return results;
}

// Tries smaller inputs when memory runs out, because less may be free than the system says.
Measured measured(Call& call, const std::vector<RunOptions>& places) {
    for (std::uint64_t bytes = wanted_bytes();; bytes /= 2) {
        try {
            return measured(call, places, bytes);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::out_of_memory || bytes == known_bytes) throw;
        } catch (const std::bad_alloc&) {
            if (bytes == known_bytes) throw;
        }
    }
}

int run_demo(Call& call, const Arguments& arguments) {
    const std::vector<RunOptions> places = chosen(call, arguments);
    const Measured results = measured(call, places);
    std::string wrong;
    const auto note = [&](const std::string& job, bool ok) {
        if (!ok) wrong += (wrong.empty() ? "" : "; ") + job;
    };
    for (const Row& row : results.rows) note(row.job() + " on " + row.device, row.ok);
    for (const Fact& fact : results.facts) note(fact.job, fact.ok);
    if (arguments.has("json")) {
        call.line(demo_json(results));
    } else {
        show(call, places, results);
        call.line(wrong.empty() ? "\nEvery answer is right; other programs computed those of the first " +
                                      human_bytes(known_bytes) + ".\nNext: merklize hash FILE, merklize tree --help."
                                : "\nWRONG: " + wrong);
    }
    return wrong.empty() ? 0 : 1;
}

constexpr Option demo_options[] = {
    {"device",
     0,
     "NAME",
     "Measure this device beside the CPU; by default the GPUs of this machine.",
     {},
     options::device.choices},
    options::threads,
    options::threads_too,
    options::json,
    options::help,
};

}  // namespace

extern constinit const Command demo_command{
    .name = "demo",
    .summary = "Measure digests, trees, a manifest and a proof for some seconds.",
    .help =
        "Measure digests, Merkle trees, a manifest and a proof on the CPU and the GPUs, and check the answers. It "
        "takes some seconds, and at most a quarter of the free memory.",
    .options = demo_options,
    .run = run_demo,
};

}  // namespace merklize::command
