// Mutates tree files and unfinished ones and feeds them to TreeFile and TreeWriter; sanitizers make memory errors
// visible:
//   fuzz-tree-file [--seconds N] [--seed S] [--corpus FOLDER] [--keep FOLDER]
// The rules: no crash, no hang, no more memory than the file's size; a file that opens answers every question with an
// error or with its bytes; check() finds nothing only if every node is right; a resumed build ends with the leaves that
// were written.

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

#include <unistd.h>

#include "fuzz.hpp"

using namespace support;
using merklize::Error;
using merklize::Mode;
using merklize::TreeFile;
using merklize::TreeForm;
using merklize::TreeRule;
using merklize::TreeWriter;

namespace {

using fuzz::Content;

struct Seed {
    Content bytes;
    TreeForm form;
    std::vector<Digest> leaves;
    bool unfinished;
};

Content read_all(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const Bytes bytes((std::istreambuf_iterator<char>(file)), {});
    return {view(bytes).begin(), view(bytes).end()};
}

void write_all(const std::filesystem::path& path, const Content& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::vector<Seed> seeds(const std::filesystem::path& folder) {
    std::vector<Seed> out;
    const Bytes key = pattern(32);
    std::vector<TreeForm> forms = {TreeForm(Hash::blake3, TreeRule::pad, Mode::keyed(view(key)))};
    for (const merklize::HashTraits& t : merklize::hashes()) {
        for (const TreeRule rule : {TreeRule::perfect, TreeRule::left_full, TreeRule::pad, TreeRule::duplicate_last}) {
            forms.emplace_back(t.hash, rule);
        }
    }
    for (const TreeForm& form : forms) {
        for (const std::size_t n : {1, 2, 5, 8, 64, 77}) {
            if (form.rule == TreeRule::perfect && (n & (n - 1)) != 0) continue;
            const std::vector<Digest> all = leaves(form.hash, n, n);
            {
                TreeWriter writer(folder / "seed", n, form, {}, false);
                writer.append(std::span(all).first(n / 2));
            }
            out.push_back({read_all(folder / "seed.partial"), form, all, true});
            TreeWriter writer(folder / "seed", n, form, {}, true);
            writer.append(std::span(all).subspan(writer.written()));
            writer.finish();
            out.push_back({read_all(folder / "seed"), form, all, false});
        }
    }
    return out;
}

// Signs the header again, so that the input passes the checksum.
void sign(Content& bytes) {
    if (bytes.size() < 128) return;
    const Digest checksum = merklize::hash(std::span(bytes).first(120));
    std::copy_n(checksum.bytes.begin(), 8, bytes.begin() + 120);
}

Content mutate(Content bytes, Random& random) {
    constexpr std::uint8_t edges[] = {0, 1, 2, 3, 4, 0x7f, 0x80, 0xff};
    for (std::uint64_t change = random.below(3) + 1; change > 0; --change) {
        const std::size_t size = bytes.size(), at = size == 0 ? 0 : random.below(size);
        switch (random.below(7)) {
            case 0: bytes.resize(random.below(2 * size + 64), std::byte{static_cast<std::uint8_t>(random())}); break;
            case 1: bytes.resize(size + 32 * random.below(5)); break;
            case 2:
                if (size >= 32) bytes.resize(size - 32);
                break;
            case 3:
                if (size >= 128) bytes[random.below(128)] = std::byte{edges[random.below(8)]};
                break;
            case 4: {
                const std::uint64_t words[] = {
                    0, 1, ~std::uint64_t{0}, std::uint64_t{1} << random.below(64), random(), size / 64};
                if (size >= 128) std::memcpy(bytes.data() + 8 * (3 + random.below(4)), &words[random.below(6)], 8);
                break;
            }
            case 5:
                if (size >= 192) std::swap_ranges(bytes.begin() + 128, bytes.begin() + 160, bytes.end() - 32);
                break;
            default:
                if (size > 0) bytes[at] ^= std::byte{1} << random.below(8);
        }
    }
    if (random.below(2) == 0) sign(bytes);
    return bytes;
}

[[noreturn]] void wrong(const std::string& what) { throw std::logic_error(what); }

// Any error of the library is fine.
template <class Call>
bool answers(Call call) {
    try {
        call();
        return true;
    } catch (const Error&) {
        return false;
    }
}

bool read_mutated(const std::filesystem::path& path, const Content& bytes, const Seed& from, Random& random) {
    std::unique_ptr<TreeFile> file;
    if (!answers([&] { file = std::make_unique<TreeFile>(path); })) return false;
    const std::uint64_t n = file->n_leaves();
    if (bytes.size() > (1 << 20) || n > bytes.size() / 32) wrong("a file with more leaves than bytes opens");
    answers([&] { file->set_mode(from.form.mode); });
    bool sound = false;
    const bool checked = answers([&] { sound = file->check().empty(); });
    if (checked && sound) {
        std::vector<Digest> all(n);
        file->read(0, 0, all);
        if (merklize::merkle_root(all, file->form()) != file->root()) wrong("check() passes a wrong tree");
    }
    if (n == 0) {  // the empty tree
        answers([&] { file->append(from.leaves); });
        return true;
    }
    const std::uint64_t k = random.below(n);
    const std::vector<std::uint64_t> several = {n - 1, k == n - 1 ? n : k};
    answers([&] {
        if (sound && !merklize::verify(file->prove(k), file->root(), {}, file->form().mode)) wrong("a proof fails");
    });
    answers([&] {
        const merklize::MultiProof proof = file->prove_together(several);
        if (sound && !merklize::verify(proof, file->root(), {}, file->form().mode)) wrong("a proof of several fails");
    });
    answers([&] { file->prove_consistency(1 + random.below(n)); });
    const std::uint64_t index = random.below(n);
    answers([&] { file->update({&index, 1}, std::span(from.leaves).first(1)); });
    answers([&] { file->append(std::span(from.leaves).first(1)); });
    return true;
}

// Only a partial file with a valid note is resumed. Its nodes are not read before check().
bool take_up(const std::filesystem::path& path, const Seed& from) {
    std::uint64_t written = 0;
    answers([&] {
        TreeWriter writer(path, from.leaves.size(), from.form, {}, true);
        written = writer.written();
        if (written > from.leaves.size()) wrong("more leaves are written than there are");
        writer.append(std::span(from.leaves).subspan(written));
        const Digest root = writer.finish();
        if (written == 0 && root != merklize::merkle_root(from.leaves, from.form)) wrong("a build anew is wrong");
        if (!merklize::verify(TreeFile(path).prove(0), root, {}, from.form.mode) && from.form.rule != TreeRule::pad)
            wrong("a tree taken up has no proofs");
    });
    return written != 0;
}

int run(fuzz::Fuzzer& fuzzer) {
    const TemporaryFolder folder;
    const std::vector<Seed> all = seeds(folder.path());
    const fuzz::Corpus corpus = fuzzer.corpus();
    Random random(fuzzer.seed());
    std::uint64_t opened = 0, taken_up = 0;
    const auto path = folder.path() / "t.mkl";
    const auto attempt = [&](const Seed& from, const Content& bytes) {
        fuzzer.trying(bytes);
        if (from.unfinished) {
            write_all(folder.path() / "t.mkl.partial", bytes);
            taken_up += take_up(path, from);
        }
        write_all(path, bytes);
        opened += read_mutated(path, bytes, from, random);
    };
    try {
        for (const Content& input : corpus.inputs)
            for (std::size_t i = 0; i < all.size(); i += 7) attempt(all[i], input);
        while (fuzzer.n() % 64 != 0 || !fuzzer.is_over(opened > 0 && taken_up > 0)) {
            const Seed& from = all[random.below(all.size())];
            const std::uint64_t kept = random.below(16 * (corpus.inputs.size() + 1));
            attempt(from, mutate(kept < corpus.inputs.size() ? corpus.inputs[kept] : from.bytes, random));
        }
    } catch (const std::exception& error) {
        return fuzzer.failed(error.what());
    }
    std::cout << fuzzer.n() << " inputs, " << opened << " of them opened, " << taken_up << " taken up" << std::endl;
    return fuzzer.passed();
}

}  // namespace

int main(int argc, char** argv) {
    fuzz::Fuzzer fuzzer("tree-file", argc, argv, 20261120);
    // Each finished file waits for its disk, so the files are in memory.
    if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 0);
    return run(fuzzer);
}
