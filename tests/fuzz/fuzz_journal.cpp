// Puts journals, whole or mutated, signed again or not, beside tree files that a change left at any stage:
//   fuzz-journal [--seconds N] [--seed S] [--corpus FOLDER] [--keep FOLDER]
// The journal is written here, by docs/file-format.md. The rules when the tree file is opened: no crash; a whole
// journal of this change rolls it back to the byte; a journal that is not whole, or of another file, changes nothing;
// the file keeps its size; a file that opens and passes check() is a tree; no other file appears.

#include "fuzz.hpp"

using namespace support;
using fuzz::Content;
using merklize::Error;
using merklize::TreeFile;
using merklize::TreeForm;
using merklize::TreeRule;

namespace {

void put(Content& out, std::uint64_t number) {
    for (unsigned i = 0; i < 8; ++i) out.push_back(static_cast<std::byte>(number >> 8 * i & 0xff));
}

void sign(Content& journal) {
    if (journal.size() < 32) return;
    const Digest check = merklize::hash(std::span(journal).first(journal.size() - 32));
    std::ranges::copy(std::as_bytes(std::span(check.bytes)), journal.end() - 32);
}

Content read_all(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return fuzz::bytes_of({std::istreambuf_iterator<char>(file), {}});
}

void write_all(const std::filesystem::path& path, const Content& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// A change of a tree: the file before and after it, and its journal.
struct Change {
    Content before, after, journal;
};

// The change is the bytes that differ: the header as one piece, the rest in pieces of 32 bytes.
Change change_of(const std::filesystem::path& folder, std::size_t n, std::uint64_t index) {
    const auto path = folder / "seed";
    const TreeForm form(Hash::blake3, TreeRule::left_full);
    std::vector<Digest> all = leaves(Hash::blake3, n, n);
    Change out;
    merklize::save_tree(merklize::MerkleTree(all, form), path);
    out.before = read_all(path);
    all[index] = leaves(Hash::blake3, 1, 99)[0];
    merklize::save_tree(merklize::MerkleTree(all, form), path);
    out.after = read_all(path);
    std::filesystem::remove(path);

    std::vector<std::pair<std::size_t, std::size_t>> places = {{0, 128}};
    for (std::size_t at = 128; at < out.before.size(); at += 32)
        if (!std::equal(out.before.begin() + std::ptrdiff_t(at), out.before.begin() + std::ptrdiff_t(at + 32),
                        out.after.begin() + std::ptrdiff_t(at)))
            places.emplace_back(at, 32);
    const std::string magic("MKLJRNL\0", 8);
    out.journal = fuzz::bytes_of(magic);
    put(out.journal, 1);
    put(out.journal, out.before.size());
    put(out.journal, places.size());
    for (const auto& [at, bytes] : places) {
        put(out.journal, at);
        put(out.journal, bytes);
        for (const Content* side : {&out.before, &out.after})
            out.journal.insert(out.journal.end(), side->begin() + std::ptrdiff_t(at),
                               side->begin() + std::ptrdiff_t(at + bytes));
    }
    out.journal.resize(out.journal.size() + 32);
    sign(out.journal);
    return out;
}

Content mutate(Content bytes, Random& random) {
    for (std::uint64_t change = random.below(3) + 1; change > 0; --change) {
        const std::size_t size = bytes.size(), at = size == 0 ? 0 : random.below(size);
        switch (random.below(6)) {
            case 0: bytes.resize(random.below(2 * size + 64), std::byte{static_cast<std::uint8_t>(random())}); break;
            case 1:
                if (size >= 32) bytes.resize(size - 32);
                break;
            case 2: {  // a number in the head, or anywhere
                const std::uint64_t words[] = {
                    0, 1, 2, ~std::uint64_t{0}, std::uint64_t{1} << random.below(64), random(), size, size / 2, 128};
                const std::size_t place = random.below(2) == 0 ? random.below(6) : random.below(size / 8 + 1);
                if (size >= 8 * (place + 1)) std::memcpy(bytes.data() + 8 * place, &words[random.below(9)], 8);
                break;
            }
            case 3:
                bytes.insert(bytes.begin() + std::ptrdiff_t(at), std::byte{static_cast<std::uint8_t>(random())});
                break;
            case 4:
                if (size > 0) bytes.erase(bytes.begin() + std::ptrdiff_t(at));
                break;
            default:
                if (size > 0) bytes[at] ^= std::byte{1} << random.below(8);
        }
    }
    return bytes;
}

[[noreturn]] void wrong(const std::string& what) { throw std::logic_error(what); }

bool is_whole(const Content& journal) {
    Content signed_again = journal;
    sign(signed_again);
    return journal.size() >= 64 && signed_again == journal;
}

// Any other file of that name is somebody's own. After a power failure bytes of a journal may be zeros.
bool begins_as_journal(const Content& content) {
    constexpr char magic[] = {'M', 'K', 'L', 'J', 'R', 'N', 'L', '\0'};
    for (std::size_t i = 0; i < std::min(sizeof magic, content.size()); i++)
        if (content[i] != std::byte{} && content[i] != std::byte(magic[i])) return false;
    return true;
}

struct Counts {
    std::uint64_t opened = 0, rolled_back = 0, refused = 0;
};

// stage  how far the change of the file got
void judge(const std::filesystem::path& folder, const Change& of, const Content& stage, const Content& journal,
           Counts& counts) {
    const auto path = folder / "t.mkl", beside = folder / "t.mkl.journal";
    write_all(path, stage);
    write_all(beside, journal);
    bool opened = false;
    try {
        const TreeFile file(path);
        opened = true;
        if (file.check().empty()) {
            const std::vector<Digest> all = file.read(0, 0, file.n_leaves());
            if (merklize::merkle_root(all, file.form()) != file.root()) wrong("check() passes a wrong tree");
        }
    } catch (const Error&) {}
    const Content now = read_all(path);
    if (now.size() != stage.size()) wrong("the file has another size");
    if (journal == of.journal && (!opened || now != of.before)) wrong("a whole journal does not roll its change back");
    if (!is_whole(journal) && now != stage) wrong("a journal that is not whole changes the file");
    const bool stays = std::filesystem::exists(beside);
    if (!begins_as_journal(journal)) {
        if (!stays || read_all(beside) != journal) wrong("a file that is no journal is changed or removed");
    } else if (stays && !is_whole(journal)) {
        wrong("a journal that is not whole stays");
    } else if (stays && opened) {
        wrong("the file opens beside its journal");
    }
    counts.opened += opened;
    counts.rolled_back += now != stage;
    counts.refused += !opened;
    std::filesystem::remove(path);
    std::filesystem::remove(beside);
    if (!std::filesystem::is_empty(folder)) wrong("another file appears");
}

int run(fuzz::Fuzzer& fuzzer) {
    const TemporaryFolder seeds, folder;
    std::vector<Change> changes;
    for (const std::size_t n : {1, 2, 5, 8, 77}) changes.push_back(change_of(seeds.path(), n, n / 2));
    const fuzz::Corpus corpus = fuzzer.corpus();
    Random random(fuzzer.seed());
    Counts counts;
    const auto torn = [&](const Change& of) {
        Content stage = random.below(2) == 0 ? of.before : of.after;
        if (random.below(2) == 0) return stage;
        for (std::size_t i = 0; i < stage.size(); ++i)
            if (random.below(2) == 0) stage[i] = of.after[i];
        return stage;
    };
    const auto attempt = [&](const Change& of, const Content& journal) {
        fuzzer.trying(journal);
        judge(folder.path(), of, torn(of), journal, counts);
    };
    try {
        for (const Change& of : changes) {
            for (const Content& input : corpus.inputs) attempt(of, input);
            for (int i = 0; i < 16; ++i) attempt(of, of.journal);
        }
        while (fuzzer.n() % 64 != 0 ||
               !fuzzer.is_over(counts.rolled_back > 0 && counts.opened > 0 && counts.refused > 0)) {
            const Change& of = changes[random.below(changes.size())];
            const std::uint64_t kept = random.below(corpus.inputs.size() + 8);
            Content journal = mutate(kept < corpus.inputs.size() ? corpus.inputs[kept] : of.journal, random);
            if (random.below(2) == 0) sign(journal);
            attempt(of, journal);
        }
    } catch (const std::exception& error) {
        return fuzzer.failed(error.what());
    }
    std::cout << fuzzer.n() << " journals, " << counts.rolled_back << " rolled back, " << counts.opened << " opened, "
              << counts.refused << " refused" << std::endl;
    return fuzzer.passed();
}

}  // namespace

int main(int argc, char** argv) {
    fuzz::Fuzzer fuzzer("journal", argc, argv, 20261122);
    // Each rollback waits for its disk, so the files are in memory.
    if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 0);
    return run(fuzzer);
}
