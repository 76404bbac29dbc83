// TreeBuilder: the root of any count of leaves in pieces of any size is that of the whole tree.
#include <algorithm>

#include "asked_often.hpp"
#include "forms.hpp"
#include "jobs/internals.hpp"
#include "jobs/registry.hpp"

using namespace support;
using merklize::TreeBuilder;

namespace {

Digest witness_root(const TestForm& f, const std::vector<Digest>& leaves) {
    return witness_levels(f, leaves).back()[0];
}

void append_in_cuts(TreeBuilder& builder, std::span<const Digest> leaves, Random& random, std::size_t most) {
    while (!leaves.empty()) {
        const std::size_t n = std::min<std::size_t>(leaves.size(), random.below(most + 1));
        builder.append(leaves.first(n));
        leaves = leaves.subspan(n);
    }
}

}  // namespace

TEST("tree_builder: every count up to 70, one leaf after another") {
    for (const TestForm& f : test_forms()) {
        const std::vector<Digest> all = leaves(f.form.hash, 70);
        TreeBuilder builder(f.form);
        for (std::size_t n = 1; n <= all.size(); ++n) {
            builder.append({&all[n - 1], 1});
            CHECK_EQ(builder.n_leaves(), n);
            if (fits(f, n)) {
                CHECK_EQ(builder.root(), witness_root(f, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)}));
            } else {
                CHECK_ERROR(invalid_argument, "got " + std::to_string(n), builder.root());
            }
        }
    }
}

TEST("tree_builder: random counts and cuts") {
    Random random(5);
    for (const TestForm& f : test_forms()) {
        const bool quick = !merklize::traits(f.form.hash).is_field;
        for (int i = 0; i < (quick ? 5 : 2); ++i) {
            const std::size_t n = f.form.rule == TreeRule::perfect ? std::size_t{1} << random.below(quick ? 13 : 10)
                                                                   : 1 + random.below(quick ? 5000 : 800);
            const std::vector<Digest> all = leaves(f.form.hash, n, n);
            TreeBuilder builder(f.form);
            append_in_cuts(builder, all, random, 1 + random.below(n));
            CHECK_EQ(builder.root(), witness_root(f, all));
        }
    }
}

TEST("tree_builder: several batches, cut anywhere") {
    constexpr std::size_t batch = 1 << 19;  // leaves in a batch of TreeBuilder
    Random random(6);
    const std::vector<Digest> all = leaves(Hash::blake3, 3 * batch + 12345);
    const TreeForm form(Hash::blake3, TreeRule::left_full);
    for (const std::size_t n : {batch - 1, batch, batch + 1, 2 * batch, 3 * batch + 12345}) {
        const std::span<const Digest> some(all.data(), n);
        const Digest expected = merklize::merkle_root(some, form);
        TreeBuilder once(form), cut(form), filled(form);
        once.append(some);
        CHECK_EQ(once.root(), expected);
        append_in_cuts(cut, some, random, batch / 2);
        CHECK_EQ(cut.root(), expected);
        filled.append(some.first(100));
        // All the rest: the first leaves fill a batch, the others are read where the caller has them.
        filled.append(some.subspan(100));
        CHECK_EQ(filled.root(), expected);
        CHECK_EQ(filled.root(), expected);  // root() may be called again
    }
}

TEST("tree_builder: after an error it is as before") {
    const AskedOften often;
    constexpr std::size_t batch = 1 << 19;
    const TreeForm form(Hash::rp64_256_v3, TreeRule::left_full);  // so slow that the progress function is called
    const std::vector<Digest> all = leaves(form.hash, 100);
    bool cancel = false;
    merklize::RunOptions options;
    options.progress = [&](double done) { return !cancel || done >= 1; };
    TreeBuilder builder(form, options);
    builder.append(std::span(all).first(7));
    const Digest before = builder.root();

    cancel = true;
    CHECK_ERROR(cancelled, "cancelled", builder.append(std::vector<Digest>(2 * batch, all[0])));
    cancel = false;
    CHECK_EQ(builder.n_leaves(), 7u);
    CHECK_EQ(builder.root(), before);

    std::vector<Digest> bad(all.begin(), all.begin() + 5);
    bad[2] = Digest::from_words({0, ~std::uint64_t{0}, 0, 0});
    CHECK_ERROR(invalid_argument, "word 9 is 18446744073709551615", builder.append(bad));
    CHECK_EQ(builder.n_leaves(), 7u);
    CHECK_EQ(builder.root(), before);

    builder.append(std::span(all).subspan(7));
    CHECK_EQ(builder.root(), merklize::merkle_root(all, form));
}

TEST("tree_builder: misuse") {
    CHECK_ERROR(invalid_argument, "at least 1, got 0", TreeBuilder().root());
    const Bytes key = pattern(32);
    CHECK_ERROR(invalid_argument, "rp64_256_v3",
                TreeBuilder(TreeForm(Hash::rp64_256_v3, TreeRule::pad, Mode::keyed(view(key)))));
    CHECK_ERROR(
        invalid_argument, "padding",
        TreeBuilder(TreeForm(Hash::rp64_256_v3, TreeRule::pad, {}, Digest::from_words({~std::uint64_t{0}, 0, 0, 0}))));
    CHECK_ERROR(invalid_argument, "77", TreeBuilder(TreeForm(Hash::blake3, static_cast<TreeRule>(77))));
}

TEST("tree_builder: leaves on a device") {
    const merklize::Device device;
    if (merklize::runtime::state_of(device).is_host()) return;
    const TreeForm form(Hash::blake3, TreeRule::left_full);
    constexpr std::size_t batch = 1 << 19;
    const std::vector<Digest> all = leaves(Hash::blake3, batch + 77);
    TreeBuilder builder(form);
    const auto buffer = merklize::Buffer::copy_of(std::as_bytes(std::span(all)), device);
    builder.append(buffer.slice(0, 32 * 50));
    builder.append(buffer.slice(32 * 50, buffer.size() - 32 * 50));
    merklize::RunOptions cpu;
    cpu.device = merklize::Device("cpu");
    CHECK_EQ(builder.root(), merklize::merkle_root(all, form, cpu));
}
