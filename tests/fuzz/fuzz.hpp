#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "support.hpp"

/// The common part of all fuzzers: options, the corpus in the repository, and the input that is being tried.
///   fuzz-NAME [--seconds N] [--seed S] [--corpus FOLDER] [--keep FOLDER]
/// corpus  the files of FOLDER/NAME are tried as they are, then mutated like valid inputs. Default: tests/fuzz/corpus
/// keep    the input that fails is written to FOLDER/NAME; without this option none is. A process that dies leaves
///         NAME.current there
/// A corpus file is text: bytes in hexadecimal, white space between them, and comments from # to the end of the line.
/// 5b*3000 is 3000 bytes of that value.
namespace fuzz {

using Content = std::vector<std::byte>;

inline Content bytes_of(const std::string& text) {
    return {reinterpret_cast<const std::byte*>(text.data()),
            reinterpret_cast<const std::byte*>(text.data()) + text.size()};
}

struct Corpus {
    std::vector<std::string> names;
    std::vector<Content> inputs;
};

class Fuzzer {
public:
    Fuzzer(std::string name, int argc, char** argv, std::uint64_t seed) : name_(std::move(name)), seed_(seed) {
        for (int i = 1; i + 1 < argc; i += 2) {
            if (std::strcmp(argv[i], "--seconds") == 0) seconds_ = std::strtod(argv[i + 1], nullptr);
            if (std::strcmp(argv[i], "--seed") == 0) seed_ = std::strtoull(argv[i + 1], nullptr, 0);
            if (std::strcmp(argv[i], "--corpus") == 0) corpus_ = argv[i + 1];
            if (std::strcmp(argv[i], "--keep") == 0) keep_ = argv[i + 1];
        }
        std::cout << "fuzz-" << name_ << ": seed " << seed_ << ", " << seconds_ << " s" << std::endl;
        if (!keep_.empty()) std::filesystem::create_directories(keep_ / name_);
        end_ = std::chrono::steady_clock::now() + std::chrono::microseconds(static_cast<std::int64_t>(1e6 * seconds_));
    }

    std::uint64_t seed() const { return seed_; }
    /// has_seen_all  whether every required outcome was seen; a slow machine gets an hour more for that
    bool is_over(bool has_seen_all) {
        has_seen_all_ = has_seen_all;
        return std::chrono::steady_clock::now() >= end_ + std::chrono::hours(has_seen_all ? 0 : 1);
    }

    /// Throws if a file is no corpus file.
    Corpus corpus() const {
        Corpus out;
        if (!std::filesystem::is_directory(corpus_ / name_)) return out;
        for (const auto& entry : std::filesystem::directory_iterator(corpus_ / name_))
            if (entry.path().extension() == ".hex") out.names.push_back(entry.path().filename());
        std::ranges::sort(out.names);
        for (const std::string& file : out.names) out.inputs.push_back(read(corpus_ / name_ / file));
        return out;
    }

    /// Called before an input is tried.
    void trying(std::span<const std::byte> input) {
        n_++;
        input_ = input;
        if (keep_.empty()) return;
        std::ofstream(keep_ / (name_ + ".current"), std::ios::trunc) << text(input, "the process ended");
    }

    /// Prints what is wrong with the input that is being tried, and keeps the input. Returns the exit status.
    int failed(const std::string& what) const {
        const std::string described = "input " + std::to_string(n_) + " of seed " + std::to_string(seed_) + ": " + what;
        std::cout << "FAILED at " << described << " (" << input_.size() << " bytes)" << std::endl;
        if (keep_.empty()) return 1;
        const std::string digest = merklize::hash(input_).hex().substr(0, 12);
        const auto path = keep_ / name_ / (digest + ".hex");
        std::ofstream(path) << text(input_, described);
        std::cout << "kept as " << path.string() << std::endl;
        std::filesystem::remove(keep_ / (name_ + ".current"));
        return 1;
    }

    int passed() const {
        if (!keep_.empty()) std::filesystem::remove(keep_ / (name_ + ".current"));
        return has_seen_all_ ? 0 : 1;
    }

    std::uint64_t n() const { return n_; }

private:
    static Content read(const std::filesystem::path& path) {
        std::ifstream file(path);
        Content out;
        for (std::string line; std::getline(file, line);) {
            std::istringstream bytes(line.substr(0, line.find('#')));
            for (std::string byte; bytes >> byte;) {
                char* rest = nullptr;
                const unsigned long value = std::strtoul(byte.c_str(), &rest, 16);
                const bool is_byte = rest == byte.c_str() + 2;
                const unsigned long count = is_byte && *rest == '*' ? std::strtoul(rest + 1, &rest, 10) : 1;
                if (!is_byte || *rest != '\0') throw std::runtime_error(path.string() + ": not hex: " + byte);
                out.insert(out.end(), count, static_cast<std::byte>(value));
            }
        }
        return out;
    }

    static std::string text(std::span<const std::byte> input, const std::string& comment) {
        std::string out = "# " + comment + "\n";
        for (std::size_t i = 0; i < input.size(); ++i) {
            constexpr char digits[] = "0123456789abcdef";
            const auto byte = std::to_integer<unsigned>(input[i]);
            out += {digits[byte >> 4], digits[byte & 15], i % 32 == 31 || i + 1 == input.size() ? '\n' : ' '};
        }
        return out;
    }

    std::string name_;
    double seconds_ = 10;
    std::uint64_t seed_;
    std::filesystem::path corpus_ = MERKLIZE_FUZZ_CORPUS, keep_{};
    std::chrono::steady_clock::time_point end_{};
    std::span<const std::byte> input_{};
    std::uint64_t n_ = 0;
    bool has_seen_all_ = false;
};

}  // namespace fuzz
