// Mutates lines of check files and the JSON of proofs, and feeds them to the command's parsers:
//   fuzz-check-line [--seconds N] [--seed S] [--corpus FOLDER] [--keep FOLDER]
// The rules: no crash; a refused line has a reason; an accepted line or proof is the same when it is written again.

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "command/hash/check_line.hpp"
#include "command/output/text.hpp"
#include "command/tree/proof_json.hpp"
#include "fuzz.hpp"
#include "merklize/tree.hpp"

using namespace merklize::command;
using support::Random;

namespace {

const std::vector<std::string>& words() {
    static const std::vector<std::string> all = {"",
                                                 std::string(1, '\0'),
                                                 "\n",
                                                 "\r\n",
                                                 "\\",
                                                 "\\n",
                                                 "  ",
                                                 " *",
                                                 "BLAKE3 (",
                                                 ") = ",
                                                 "\xff",
                                                 "\ufffd",
                                                 "\"",
                                                 "{",
                                                 "]",
                                                 "-1",
                                                 "1e999",
                                                 "null",
                                                 "true",
                                                 "18446744073709551616",
                                                 std::string(5000, '9'),
                                                 std::string(5000, '['),
                                                 "\u0663"};
    return all;
}
const std::vector<std::string>& names() {
    static const std::vector<std::string> all = {"file",        "a  b",         "x) = y", "BLAKE3 (z", "new\nline",
                                                 "back\\slash", "\u00e4\u4e00", " ",      "-",         "a\rb"};
    return all;
}

std::string mutate(std::string text, Random& random) {
    for (std::uint64_t change = random.below(4) + 1; change > 0; --change) {
        const std::size_t at = random.below(text.size() + 1), length = random.below(text.size() - at + 1);
        switch (random.below(5)) {
            case 0:
                if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
                break;
            case 1: text.erase(at, length); break;
            case 2: text.insert(at, text.substr(at, std::min<std::size_t>(length, 256))); break;
            case 3: text.insert(at, words()[random.below(words().size())]); break;
            default: text.insert(at, 1, static_cast<char>(random()));
        }
    }
    return text;
}

std::string written(const std::string& name, const std::string& digits, std::string_view tag) {
    std::string before, after;
    append_frame(name, tag, before, after);
    return before + digits + after;
}

// Why the result of a parser is wrong, or nothing.
const char* judge_line(std::string_view line, std::uint64_t length, std::uint64_t& taken) {
    for (const auto hash : {merklize::Hash::blake3, merklize::Hash::sha256}) {
        const auto parse = [&](std::string_view text) {
            return hash == merklize::Hash::blake3 ? parse_check_line(text, length) : SumLines(hash, length).parse(text);
        };
        const CheckLine found = parse(line);
        if (found.is_empty) continue;
        if (found.is_bad()) {
            if (found.reason().empty()) return "a refusal without a reason";
            continue;
        }
        taken++;
        if (found.digest.size() != length) return "a digest of another length";
        if (found.shown.find('\n') != std::string::npos) return "a name that breaks the output's lines";
        if (!can_be_listed(found.name, hash)) return "a name that no list can have";
        if (found.name.empty()) continue;  // a plain line cannot have it
        for (const std::string_view tag : {std::string_view(), tag_of(hash)}) {
            const CheckLine again = parse(written(found.name, to_hex(found.digest), tag));
            if (again.is_bad() || again.name != found.name || again.digest != found.digest)
                return "a line changes when written again";
        }
    }
    return nullptr;
}

const char* judge_proof(const std::string& text, std::uint64_t& taken) {
    try {
        const AnyProof found = proof_from_json(text);
        taken++;
        return proof_from_json(proof_json(found)) == found ? nullptr : "a proof changes when written again";
    } catch (const merklize::Error& error) {
        return *error.rule() == '\0' ? "a refusal without a reason" : nullptr;
    }
}

int run(fuzz::Fuzzer& fuzzer) {
    const merklize::MerkleTree tree(std::vector<merklize::Digest>(13));
    const std::string proofs[] = {proof_json(tree.prove(5)), proof_json(tree.prove_range(2, 7)),
                                  proof_json(tree.prove_consistency(6))};
    std::vector<std::string> corpus;
    for (const fuzz::Content& input : fuzzer.corpus().inputs)
        corpus.emplace_back(reinterpret_cast<const char*>(input.data()), input.size());
    Random random(fuzzer.seed());
    std::uint64_t lines = 0, read_proofs = 0;
    const auto fault_in_lines = [&](std::string_view rest, std::uint64_t length) -> const char* {
        while (!rest.empty()) {  // lines as a check file has them
            const std::string_view line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(line.size() + 1, rest.size()));
            if (const char* fault = judge_line(line, length, lines)) return fault;
        }
        return nullptr;
    };
    const auto fault_in = [&](const std::string& text, std::uint64_t length, bool of_proof) {
        fuzzer.trying(std::as_bytes(std::span(text)));
        return of_proof ? judge_proof(text, read_proofs) : fault_in_lines(text, length);
    };
    for (const std::string& input : corpus)
        for (const bool of_proof : {false, true})
            if (const char* fault = fault_in(input, 32, of_proof)) return fuzzer.failed(fault);
    while (fuzzer.n() % 256 != 0 || !fuzzer.is_over(lines > 0 && read_proofs > 0)) {
        const std::uint64_t length = random.below(2) == 0 ? 32 : 1 + random.below(64);
        const std::string& name = names()[random.below(names().size())];
        const support::Bytes digest = random.bytes(length);
        const std::string good =
            written(name, to_hex(std::as_bytes(std::span(digest))), random.below(2) == 0 ? "BLAKE3" : "");
        const bool of_proof = fuzzer.n() % 2 == 0;
        const std::uint64_t kept = random.below(16 * (corpus.size() + 1));
        const std::string text = mutate(kept < corpus.size() ? corpus[kept]
                                        : of_proof           ? proofs[random.below(3)]
                                                             : good,
                                        random);
        const char* fault = fault_in(text, length, of_proof);
        if (fault == nullptr && parse_check_line(good, length).name != name)
            fault = "a written line reads as another name";
        if (fault != nullptr) return fuzzer.failed(fault);
    }
    std::cout << fuzzer.n() << " inputs, " << lines << " lines and " << read_proofs << " proofs of them taken"
              << std::endl;
    return fuzzer.passed();
}

}  // namespace

int main(int argc, char** argv) {
    fuzz::Fuzzer fuzzer("check-line", argc, argv, 20261122);
    return run(fuzzer);
}
