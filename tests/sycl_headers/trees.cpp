// Trees, merges and rows by the headers' kernels: every hash, where the constants are, lanes, levels fused by barriers.
#include <map>
#include <utility>

#include "../support.hpp"
#include "runtime.hpp"

using merklize::Constants;
using merklize::Hash;
using merklize::Policy;
using sycl_headers::Bytes;
using sycl_headers::Memory;
using sycl_headers::Submit;
namespace headers = merklize::sycl::detail;

namespace {

Bytes flat(const std::vector<Bytes>& nodes) {
    Bytes out;
    for (const Bytes& node : nodes) out.insert(out.end(), node.begin(), node.end());
    return out;
}

std::vector<Bytes> leaves(Hash hash, std::size_t n) {
    std::vector<Bytes> out;
    for (const auto& leaf : support::leaves(hash, n)) out.push_back(support::to_bytes(leaf));
    return out;
}

/// Trees of the witness, made once.
const std::vector<Bytes>& expected(Hash hash, std::size_t n) {
    static std::map<std::pair<Hash, std::size_t>, std::vector<Bytes>> known;
    auto& tree = known[{hash, n}];
    if (tree.empty()) tree = reference::tree(static_cast<int>(hash), leaves(hash, n));
    return tree;
}

/// returns  launches
template <Hash hash, Policy policy>
std::size_t check_tree(std::size_t n) {
    Memory in(flat(leaves(hash, n))), nodes(32 * n + 32);
    const Submit submit;
    if (n > 2 && sycl_headers::is_refused(hash, policy)) {
        CHECK_ERROR(invalid_argument, "levels_per_launch must be 1",
                    headers::merklize_on<hash, policy>(submit, in.data(), nodes.data(), n, {}));
        return 0;
    }
    headers::merklize_on<hash, policy>(submit, in.data(), nodes.data(), n, {}).wait();
    const Bytes got = nodes.part(0, 32 * n);
    const auto& tree = expected(hash, n);
    for (std::size_t i = 0; i < n; ++i) {
        if (Bytes(got.begin() + static_cast<std::ptrdiff_t>(32 * i),
                  got.begin() + static_cast<std::ptrdiff_t>(32 * i + 32)) == tree[i])
            continue;
        check::fail(__FILE__, __LINE__,
                    "hash " + std::to_string(static_cast<int>(hash)) + ", " + std::to_string(n) + " leaves, " +
                        std::to_string(policy.levels_per_launch) + " levels, " + std::to_string(policy.lanes) +
                        " lanes, constants " + std::to_string(static_cast<int>(policy.constants)) + ": node " +
                        std::to_string(i));
        break;
    }
    CHECK_EQ(nodes.part(32 * n, 32), Bytes(32, 0xa5));
    return *submit.launches;
}

template <Hash hash, Policy policy>
void check_trees(std::initializer_list<std::size_t> sizes) {
    for (const std::size_t n : sizes) check_tree<hash, policy>(n);
}

/// One bit of any leaf changes the root. This finds a tree that ignores leaves.
template <Hash hash, Policy policy>
void check_every_leaf(std::size_t n) {
    if (sycl_headers::is_refused(hash, policy)) return;  // check_tree() has tested the refusal
    Memory in(flat(leaves(hash, n))), nodes(32 * n);
    const Submit submit;
    for (std::size_t k = 0; k < n; ++k) {
        in.data()[32 * k + 8 * (k % 4)] ^= 1;
        headers::merklize_on<hash, policy>(submit, in.data(), nodes.data(), n, {}).wait();
        CHECK(nodes.part(32, 32) != expected(hash, n)[1]);
        in.data()[32 * k + 8 * (k % 4)] ^= 1;
    }
    headers::merklize_on<hash, policy>(submit, in.data(), nodes.data(), n, {}).wait();
    CHECK_EQ(nodes.part(32, 32), expected(hash, n)[1]);
}

// The originals' approaches 1, 2 and 3 of Rescue Prime.
constexpr Policy level_by_level{.levels_per_launch = 1, .group_size = 4, .constants = Constants::global};
constexpr Policy fused{.levels_per_launch = 3, .group_size = 4, .constants = Constants::global};
constexpr Policy local{.levels_per_launch = 1, .group_size = 8, .constants = Constants::local};
constexpr Policy fused_local{.levels_per_launch = 4, .group_size = 4, .constants = Constants::local};
constexpr Policy literal{.levels_per_launch = 1, .group_size = 4, .constants = Constants::literal};
constexpr Policy fused_program{.levels_per_launch = 5, .group_size = 4, .constants = Constants::constant};

}  // namespace

TEST("tree: blake3, a launch a level") {
    check_trees<Hash::blake3, Policy{.levels_per_launch = 1, .group_size = 4}>({2, 4, 8, 16, 64, 1024});
    check_trees<Hash::blake3, Policy{}>({2, 256, 2048});
}

TEST("tree: blake3, levels fused by barriers") {
    check_trees<Hash::blake3, Policy{.levels_per_launch = 2, .group_size = 1}>({2, 4, 8, 512});
    check_trees<Hash::blake3, Policy{.levels_per_launch = 3, .group_size = 4}>({2, 4, 8, 16, 32, 512});
    check_trees<Hash::blake3, Policy{.levels_per_launch = 7, .group_size = 16}>({2, 64, 128, 256, 2048});
    // The last tree is larger than a level's share of local memory.
    check_trees<Hash::blake3, Policy{.levels_per_launch = 12, .group_size = 32}>({4096, 8192});
}

TEST("tree: blake3, several merges an item") {
    check_trees<Hash::blake3, Policy{.levels_per_launch = 1, .group_size = 2, .lanes = 2}>({2, 4, 16, 256});
    check_trees<Hash::blake3, Policy{.levels_per_launch = 1, .group_size = 2, .lanes = 16}>({2, 32, 128, 1024});
    check_trees<Hash::blake3, Policy{.levels_per_launch = 4, .group_size = 2, .lanes = 4}>({2, 8, 16, 256});
}

TEST("tree: rescue prime, a launch a level, constants in global memory") {
    check_trees<Hash::rp64_256_v1, level_by_level>({2, 4, 16, 128});
    check_trees<Hash::rp64_256_v3, level_by_level>({2, 64});
}

TEST("tree: rescue prime, levels fused by barriers, constants in global memory") {
    check_trees<Hash::rp64_256_v1, fused>({2, 4, 8, 16, 128});
    check_trees<Hash::rp64_256_v2, fused>({2, 32});
}

TEST("tree: rescue prime, constants in local memory") {
    check_trees<Hash::rp64_256_v1, local>({2, 64});
    check_trees<Hash::rp64_256_v3, local>({2, 4, 128});
    check_trees<Hash::rp64_256_v3, fused_local>({2, 8, 16, 128});
}

TEST("tree: rescue prime, constants in the program") {
    check_trees<Hash::rp64_256_v1, literal>({2, 16});
    check_trees<Hash::rp64_256_v2, literal>({2, 16});
    check_trees<Hash::rp64_256_v3, literal>({2, 64});
    check_trees<Hash::rp64_256_v2, fused_program>({2, 32, 128});
    check_trees<Hash::rp64_256_v3, fused_program>({4, 64});
}

TEST("tree: rescue prime, several merges an item") {
    check_trees<Hash::rp64_256_v1, Policy{.levels_per_launch = 1, .group_size = 2, .lanes = 4}>({2, 64});
    check_trees<Hash::rp64_256_v3, Policy{.levels_per_launch = 3, .group_size = 2, .lanes = 2}>({2, 64});
}

TEST("tree: every leaf counts") {
    check_every_leaf<Hash::blake3, Policy{.levels_per_launch = 3, .group_size = 4}>(64);
    check_every_leaf<Hash::rp64_256_v1, level_by_level>(64);
    check_every_leaf<Hash::rp64_256_v1, fused>(32);
    check_every_leaf<Hash::rp64_256_v3, local>(64);
    check_every_leaf<Hash::rp64_256_v2, fused_program>(32);
}

TEST("tree: how many launches") {
    CHECK_EQ((check_tree<Hash::blake3, Policy{.levels_per_launch = 1, .group_size = 4}>(64)), 6u);
    CHECK_EQ((check_tree<Hash::blake3, Policy{.levels_per_launch = 3, .group_size = 4}>(512)), 3u);
    CHECK_EQ((check_tree<Hash::blake3, Policy{.levels_per_launch = 12, .group_size = 32}>(4096)), 1u);
}

TEST("tree: more items than a launch holds are several launches that miss no group") {
    struct Kernel : headers::Part {
        std::uint64_t local_words(std::uint32_t) const { return 0; }
    };
    struct Count {
        sycl::queue& queue;
        std::uint64_t* next;
        sycl::event operator()(const Kernel& kernel, std::uint64_t groups, std::uint32_t size,
                               const headers::Events&) const {
            CHECK_EQ(kernel.first_group, *next);
            CHECK(groups > 0 && groups * size < std::uint64_t{1} << 31);
            *next += groups;
            return {};
        }
    };
    constexpr std::uint64_t limit = (std::uint64_t{1} << 31) / 64;
    for (const std::uint64_t groups : {limit - 1, limit, limit + 1, 5 * limit + 3}) {
        std::uint64_t next = 0;
        const auto events = headers::launch(Count{sycl_headers::Runtime::get().queue, &next}, Kernel{}, groups, 64, {});
        CHECK_EQ(next, groups);
        CHECK_EQ(events.size(), (groups + limit - 2) / (limit - 1));
    }
}

TEST("tree: leaves and parents in one array of 2n slots") {
    constexpr std::size_t n = 64;
    Memory nodes(64 * n);
    const Bytes in = flat(leaves(Hash::blake3, n));
    std::memcpy(nodes.data() + 32 * n, in.data(), in.size());
    const Submit submit;
    headers::merklize_on<Hash::blake3, Policy{.levels_per_launch = 3, .group_size = 4}>(submit, nodes.data() + 32 * n,
                                                                                        nodes.data(), n, {})
        .wait();
    CHECK_EQ(nodes.bytes(), flat(expected(Hash::blake3, n)));
}

TEST("tree: bad arguments") {
    Memory nodes(256);
    const Submit submit;
    const auto build = [&](std::size_t n, std::size_t shift) {
        headers::merklize_on<Hash::blake3, Policy{}>(submit, nodes.data(), nodes.data() + shift, n, {});
    };
    for (const std::size_t n : {0, 1, 3, 6}) CHECK_ERROR(invalid_argument, "got " + std::to_string(n), build(n, 0));
    CHECK_ERROR(invalid_argument, "nodes must be aligned to 16 bytes, but is off by 8", build(2, 8));
    CHECK_EQ(*submit.launches, 0u);
}

namespace {

template <Hash hash, Policy policy>
void check_pairs() {
    const int id = static_cast<int>(hash);
    for (const std::size_t n : {0, 1, 5, 33}) {
        const auto left = leaves(hash, n), all = leaves(hash, 2 * n);
        const std::vector<Bytes> right(all.begin() + static_cast<std::ptrdiff_t>(n), all.end());
        Memory a(flat(left)), b(flat(right)), out(32 * n);
        const Submit submit;
        headers::merge_on<hash, policy>(submit, a.data(), b.data(), out.data(), n, {}).wait();
        for (std::size_t i = 0; i < n; ++i) CHECK_EQ(out.part(32 * i, 32), reference::merge(id, left[i], right[i]));
    }
}

template <Hash hash, Policy policy>
void check_rows() {
    support::Random random(7);
    for (const std::size_t elements : {0, 1, 7, 8, 9, 16, 19}) {
        const std::size_t n = elements == 8 ? 21 : 3;
        std::vector<std::uint64_t> words(n * elements);
        for (auto& word : words) word = random.element();
        Memory in(8 * words.size()), out(32 * n);
        std::memcpy(in.data(), words.data(), 8 * words.size());
        const Submit submit;
        headers::hash_elements_on<hash, policy>(submit, reinterpret_cast<const std::uint64_t*>(in.data()), n, elements,
                                                out.data(), {})
            .wait();
        for (std::size_t i = 0; i < n; ++i) {
            const std::vector<std::uint64_t> row(words.begin() + static_cast<std::ptrdiff_t>(i * elements),
                                                 words.begin() + static_cast<std::ptrdiff_t>((i + 1) * elements));
            const auto expect = reference::rescue_hash_elements(static_cast<int>(hash), row);
            CHECK(std::memcmp(out.data() + 32 * i, expect.data(), 32) == 0);
        }
    }
}

}  // namespace

TEST("merge: pairs") {
    check_pairs<Hash::blake3, Policy{.group_size = 4}>();
    check_pairs<Hash::rp64_256_v1, Policy{.group_size = 4, .constants = Constants::local}>();
    check_pairs<Hash::rp64_256_v2, Policy{.group_size = 4, .constants = Constants::global}>();
    check_pairs<Hash::rp64_256_v3, Policy{.group_size = 2, .lanes = 4, .constants = Constants::constant}>();
}

TEST("rows of field elements") {
    check_rows<Hash::rp64_256_v1, Policy{.group_size = 4, .constants = Constants::global}>();
    check_rows<Hash::rp64_256_v2, Policy{.group_size = 4, .constants = Constants::constant}>();
    check_rows<Hash::rp64_256_v3, Policy{.group_size = 4, .constants = Constants::local}>();
    check_rows<Hash::rp64_256_v3, Policy{.group_size = 4, .lanes = 2, .constants = Constants::literal}>();
}

TEST("check_elements: finds a word that is no field element, wherever it is") {
    constexpr std::uint64_t p = 0xffffffff00000001;
    for (const std::size_t n : {0, 1, 63, 64, 200}) {
        for (std::size_t bad = 0; bad <= n; bad += 61) {
            Memory words(8 * n), flag(4);
            auto* w = reinterpret_cast<std::uint64_t*>(words.data());
            auto* f = reinterpret_cast<std::uint32_t*>(flag.data());
            for (std::size_t i = 0; i < n; ++i) w[i] = i == bad ? p + i : p - 1 - i;
            *f = 0;
            const Submit submit;
            headers::check_elements_on(submit, w, n, f, {}).wait();
            CHECK_EQ(*f, bad < n ? 1u : 0u);
        }
    }
}
