// Mutates manifests of weights and headers of safetensors files, and feeds them to the program's parsers:
//   fuzz-manifest [--seconds N] [--seed S] [--corpus FOLDER] [--keep FOLDER]
// The rules: no crash; a refusal has a reason; an accepted manifest has sorted names, does not differ from itself, and
// has the root of a valid one only if it agrees on all tensors and files; the tensors of an accepted header cover the
// whole file.

#include <algorithm>
#include <iostream>

#include "fuzz.hpp"
#include "manifests/compare.hpp"
#include "manifests/find.hpp"
#include "manifests/safetensors.hpp"

using namespace merklize;
using fuzz::Content;
using support::Random;

namespace {

constexpr std::uint64_t data_bytes = 29;

Content mutate(Content bytes, Random& random) {
    static const std::vector<std::string> words = {"\"",
                                                   "{",
                                                   "}",
                                                   "[",
                                                   "]",
                                                   ",",
                                                   ":",
                                                   "-1",
                                                   "1e9",
                                                   "null",
                                                   "true",
                                                   "9223372036854775807",
                                                   "9223372036854775808",
                                                   "18446744073709551616",
                                                   "../",
                                                   "\\u0000",
                                                   "\\ud800",
                                                   "\xff",
                                                   std::string(3000, '['),
                                                   "\"name\": \"x\", "};
    for (std::uint64_t change = random.below(3) + 1; change > 0; --change) {
        const std::size_t at = random.below(bytes.size() + 1),
                          length = random.below(std::min<std::size_t>(bytes.size() - at, 64) + 1);
        const auto here = bytes.begin() + std::ptrdiff_t(at);
        switch (random.below(5)) {
            case 0:
                if (at < bytes.size()) *here ^= std::byte{1} << random.below(8);
                break;
            case 1: bytes.erase(here, here + std::ptrdiff_t(length)); break;
            case 2: {
                const Content part(here, here + std::ptrdiff_t(length));
                bytes.insert(here, part.begin(), part.end());
                break;
            }
            case 3:
                if (at < bytes.size()) *here = static_cast<std::byte>("0123456789{}[]\",:"[random.below(17)]);
                break;
            default: {
                const Content word = fuzz::bytes_of(words[random.below(words.size())]);
                bytes.insert(here, word.begin(), word.end());
            }
        }
    }
    return bytes;
}

[[noreturn]] void wrong(const std::string& what) { throw std::logic_error(what); }

// Every valid manifest so far, by its root.
using Known = std::vector<manifests::Manifest>;

bool judge_manifest(std::string_view text, Known& known) {
    manifests::Manifest found;
    try {
        found = manifests::parse(text);
    } catch (const Error& error) {
        if (std::string_view(error.what()).empty()) wrong("a refusal without a reason");
        return false;
    }
    manifests::Differences differences;
    compare(found.tensors, found.tensors, found.piece_size, {}, differences);
    compare(found.files, found.files, found.piece_size, {}, differences);
    if (!differences.empty()) wrong("a manifest differs from itself");
    const auto is_before = [](const auto& one, const auto& other) { return one.key() < other.key(); };
    if (!std::ranges::is_sorted(found.tensors, is_before) || !std::ranges::is_sorted(found.files, is_before))
        wrong("names out of order");
    for (const manifests::Manifest& other : known) {
        if (other.root != found.root) continue;
        compare(other.tensors, found.tensors, 0, {}, differences);
        compare(other.files, found.files, 0, {}, differences);
        if (!differences.empty()) wrong("one root for other tensors: " + differences[0].sentence());
        return true;
    }
    known.push_back(std::move(found));
    return true;
}

bool judge_header(const Content& header) {
    Content content;
    for (unsigned i = 0; i < 8; ++i) content.push_back(static_cast<std::byte>(header.size() >> 8 * i & 0xff));
    content.insert(content.end(), header.begin(), header.end());
    content.resize(content.size() + data_bytes);
    const manifests::ReadAt read_at = [&](std::uint64_t offset, std::uint64_t count) {
        return std::string(reinterpret_cast<const char*>(content.data()) + offset, count);
    };
    try {
        const manifests::Header found = manifests::read_header(read_at, "header", content.size());
        std::uint64_t at = content.size() - data_bytes;
        for (const manifests::Stored& tensor : found.tensors) {
            if (tensor.offset != at) wrong("a hole between tensors");
            at += tensor.size;
        }
        if (at != content.size()) wrong("bytes that belong to no tensor");
        return true;
    } catch (const Error& error) {
        if (std::string_view(error.what()).empty()) wrong("a refusal without a reason");
        return false;
    }
}

int run(fuzz::Fuzzer& fuzzer) {
    const fuzz::Corpus corpus = fuzzer.corpus();
    Random random(fuzzer.seed());
    Known known;
    std::uint64_t manifests = 0, headers = 0;
    const auto attempt = [&](const Content& input) {
        fuzzer.trying(input);
        const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
        manifests += judge_manifest(text, known);
        headers += judge_header(input);
        manifests::matches(text.substr(0, 40), text.substr(text.size() / 2, 20));
    };
    try {
        for (const Content& input : corpus.inputs) attempt(input);
        while (!corpus.inputs.empty() && (fuzzer.n() % 256 != 0 || !fuzzer.is_over(manifests > 1 && headers > 1)))
            attempt(mutate(corpus.inputs[random.below(corpus.inputs.size())], random));
    } catch (const std::exception& error) {
        return fuzzer.failed(error.what());
    }
    std::cout << fuzzer.n() << " inputs, " << manifests << " manifests and " << headers << " headers of them taken"
              << std::endl;
    return fuzzer.passed();
}

}  // namespace

int main(int argc, char** argv) {
    fuzz::Fuzzer fuzzer("manifest", argc, argv, 20261122);
    return run(fuzzer);
}
