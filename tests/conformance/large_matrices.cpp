// Tall matrices, and matrices whose words or bytes need more than 32 bits to count.
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>
#include <utility>

#include "default_device.hpp"
#include "merklize/extend.hpp"
#include "support.hpp"
#include "two_adic.hpp"

using namespace support;
using merklize::Buffer;
using merklize::Device;
using merklize::ExtendForm;
using merklize::Field;
using merklize::Matrix;
using merklize::RowOrder;

namespace {

void say_skipped(const std::string& why) { std::cout << "  skipped: " << why << std::endl; }

// A polynomial of two terms, one of them of the highest degree, at all points of the subgroup of 2^log_rows.
template <class Word>
std::vector<Word> tall_column(const TwoAdicField& of, unsigned log_rows, const std::vector<Term>& terms) {
    std::vector<Word> words(std::size_t{1} << log_rows);
    for (const Term& term : terms) {
        const std::uint64_t step = power(root_of(of, log_rows), term.exponent, of.p);
        std::uint64_t value = term.factor;
        for (Word& word : words) {
            word = static_cast<Word>((Wide{word} + value) % of.p);
            value = product(value, step, of.p);
        }
    }
    return words;
}

template <class Word>
void check_tall(const TwoAdicField& of, unsigned log_rows, unsigned added_bits, RowOrder order) {
    const std::uint64_t n = std::uint64_t{1} << log_rows, m = n << added_bits;
    const std::vector<Term> terms = {{n - 1, of.p - 2}, {n / 3, 12345}};
    const std::vector<Word> words = tall_column<Word>(of, log_rows, terms);
    const Matrix matrix = Matrix::of_rows(std::span<const Word>(words), n);
    const ExtendForm form{.field = of.field, .added_bits = added_bits, .order = order};
    const std::uint64_t root = root_of(of, log_rows + added_bits);
    const auto check = [&](const std::vector<Word>& found) {
        std::size_t wrong = 0;
        for (std::uint64_t i = 0; i < m; i = i == m - 1 ? m : std::min(i + 4099, m - 1)) {
            const std::uint64_t row = order == RowOrder::natural ? i : reversed(i, log_rows + added_bits);
            const std::uint64_t x = product(of.generator, power(root, i, of.p), of.p);
            wrong += found[row] != static_cast<Word>(value_at(terms, x, of.p));
        }
        CHECK_EQ(wrong, std::size_t{0});
    };
    std::vector<Word> found(m);
    merklize::extend(matrix, std::as_writable_bytes(std::span(found)), form);
    check(found);
    if (!has_memory()) return;
    const Buffer out(Device(), sizeof(Word) * m);
    merklize::extend(Matrix::of_rows(on_device(words), n, sizeof(Word)), out, form);
    check(on_host<Word>(out));
}

// Memory of the host that takes room only where it is touched.
class UntouchedMemory {
public:
    explicit UntouchedMemory(std::size_t bytes)
        : bytes_(bytes),
          memory_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
    UntouchedMemory(const UntouchedMemory&) = delete;
    UntouchedMemory& operator=(const UntouchedMemory&) = delete;
    ~UntouchedMemory() {
        if (is_there()) munmap(memory_, bytes_);
    }

    bool is_there() const { return memory_ != MAP_FAILED; }
    std::byte* data() const { return static_cast<std::byte*>(memory_); }

private:
    std::size_t bytes_;
    void* memory_;
};

// Matrices of 4 rows and 4 columns, whose rows or columns lie so many words apart that the last word has a number above
// 2^32; or, on a device that has no such block, a place above 2^32 bytes.
constexpr std::int64_t far_apart = 3 << 29, less_far = 3 << 27;

std::uint64_t far_bytes(std::int64_t apart) { return 4 * (3 * static_cast<std::uint64_t>(apart) + 4); }

template <class Use>
void each_far_matrix(Use use) {
    std::vector<std::uint32_t> words(16);
    Random random(21);
    for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random.element(two_adic_fields[1].p));
    const Matrix dense = Matrix::of_rows(std::span<const std::uint32_t>(words), 4);
    const auto each = [&](std::int64_t apart, auto put, Matrix far) {
        const std::pair<std::int64_t, std::int64_t> strides[] = {{apart, 1}, {1, apart}, {-apart, 1}};
        for (const auto& [row_stride, column_stride] : strides) {
            const std::int64_t first = row_stride < 0 ? -3 * row_stride : 0;
            far.row_stride = row_stride;
            far.column_stride = column_stride;
            for (std::int64_t i = 0; i < 16; i++)
                put(4 * static_cast<std::uint64_t>(first + i / 4 * row_stride + i % 4 * column_stride), words[i]);
            if (far.buffer)
                far.first = 4 * static_cast<std::uint64_t>(first);
            else
                far.words = static_cast<const std::uint32_t*>(far.words) + first;
            use(dense, far);
            if (!far.buffer) far.words = static_cast<const std::uint32_t*>(far.words) - first;
        }
    };
    const UntouchedMemory host(far_bytes(far_apart));
    Matrix far = dense;
    if (host.is_there()) {
        far.words = host.data();
        each(far_apart, [&](std::uint64_t at, std::uint32_t word) { std::memcpy(host.data() + at, &word, 4); }, far);
    } else {
        say_skipped("the system gives no " + std::to_string(far_bytes(far_apart)) + " bytes of addresses");
    }
    if (!has_memory()) return;
    std::optional<Buffer> there;
    std::int64_t apart = far_apart;
    for (; !there && apart >= less_far; apart /= 4) {
        try {
            there.emplace(Device(), far_bytes(apart));
            break;
        } catch (const merklize::Error& error) {
            CHECK(error.code() == merklize::ErrorCode::out_of_memory);
            say_skipped(error.what());
        }
    }
    if (!there) return;
    far.words = nullptr;
    far.buffer = *there;
    const auto put = [&](std::uint64_t at, std::uint32_t word) {
        there->slice(at, 4).copy_from(std::as_bytes(std::span(&word, 1)));
    };
    each(apart, put, far);
}

// A matrix of 64 columns, `repeats` times side by side, and all that is made of it: equal to what is made of 64
// columns.
constexpr std::uint64_t repeated_rows = 1 << 17, repeated_columns = 64;

void check_repeated(std::uint64_t repeats) {
    const TwoAdicField& of = two_adic_fields[1];
    constexpr std::uint64_t n = repeated_rows, m = 2 * n, columns = repeated_columns;
    std::vector<std::uint32_t> words(n * columns), extended(m * columns), sums(columns), weights(m);
    Random random(repeats);
    for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random.below(of.p));
    for (std::uint32_t& word : weights) word = static_cast<std::uint32_t>(random.below(of.p));
    const ExtendForm form{.field = of.field, .order = RowOrder::bit_reversed};
    const merklize::SumForm sum_form{.field = of.field};
    merklize::extend(Matrix::of_rows(std::span<const std::uint32_t>(words), n),
                     std::as_writable_bytes(std::span(extended)), form, on_cpu());
    merklize::weighted_sums(Matrix::of_rows(std::span<const std::uint32_t>(extended), m),
                            std::as_bytes(std::span(weights)), std::as_writable_bytes(std::span(sums)), sum_form,
                            on_cpu());

    const std::uint64_t extents[] = {n, repeats, columns};
    const std::int64_t strides[] = {4 * columns, 0, 4};
    const Matrix wide = Matrix::of_rows(Buffer::pack(on_device(words), 0, extents, strides, 4), n, 4);
    const Buffer out(Device(), 4 * m * columns * repeats);
    merklize::extend(wide, out, form);
    const Matrix wide_extended = Matrix::of_rows(out, m, 4);
    const std::vector<Digest> digests = [&] {
        std::vector<Digest> found(m);
        merklize::hash_rows(std::span(&wide_extended, 1), found);
        return found;
    }();
    std::vector<std::uint32_t> row(columns * repeats);
    for (std::uint64_t i = 0; i < m; i = i == m - 1 ? m : std::min(i + 1021, m - 1)) {
        out.slice(4 * i * row.size(), 4 * row.size()).copy_to(std::as_writable_bytes(std::span(row)));
        std::size_t wrong = 0;
        for (std::size_t k = 0; k < row.size(); k++) wrong += row[k] != extended[i * columns + k % columns];
        CHECK_EQ(wrong, std::size_t{0});
        CHECK_EQ(digests[i], merklize::hash(std::as_bytes(std::span(row)), {}, on_cpu()));
    }
    std::vector<std::uint32_t> wide_sums(row.size());
    merklize::weighted_sums(wide_extended, std::as_bytes(std::span(weights)),
                            std::as_writable_bytes(std::span(wide_sums)), sum_form);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < row.size(); k++) wrong += wide_sums[k] != sums[k % columns];
    CHECK_EQ(wrong, std::size_t{0});
}

}  // namespace

TEST("extend: 2^24 rows") {
    if (is_slowed) return;
    check_tall<std::uint64_t>(two_adic_fields[0], 24, 1, RowOrder::natural);
    check_tall<std::uint32_t>(two_adic_fields[2], 24, 0,
                              RowOrder::bit_reversed);  // the most that this field has roots for
}

TEST("extend: words whose numbers have more than 32 bits") {
    each_far_matrix([](const Matrix& dense, const Matrix& far) {
        std::vector<std::uint32_t> expected(32), found(32);
        const ExtendForm form{.field = Field::babybear};
        merklize::extend(dense, std::as_writable_bytes(std::span(expected)), form, on_cpu());
        merklize::extend(far, std::as_writable_bytes(std::span(found)), form);
        CHECK(found == expected);
    });
}

TEST("weighted_sums: words whose numbers have more than 32 bits") {
    each_far_matrix([](const Matrix& dense, const Matrix& far) {
        const std::vector<std::uint32_t> weights = {1, 2, 3, 0x78000000};
        for (const merklize::SumOver over : {merklize::SumOver::rows, merklize::SumOver::columns}) {
            std::vector<std::uint32_t> expected(4), found(4);
            const merklize::SumForm form{.field = Field::babybear, .over = over};
            const auto weighted = std::as_bytes(std::span(weights));
            merklize::weighted_sums(dense, weighted, std::as_writable_bytes(std::span(expected)), form, on_cpu());
            merklize::weighted_sums(far, weighted, std::as_writable_bytes(std::span(found)), form);
            CHECK(found == expected);
        }
    });
}

TEST("commitment: words whose numbers have more than 32 bits") {
    each_far_matrix([](const Matrix& dense, const Matrix& far) {
        for (const Hash hash : {Hash::blake3, Hash::poseidon2_babybear_16}) {
            std::vector<Digest> expected(4), found(4);
            merklize::hash_rows(std::span(&dense, 1), expected, hash, on_cpu());
            merklize::hash_rows(std::span(&far, 1), found, hash);
            CHECK(found == expected);
            const merklize::MatrixCommitment committed(std::span(&far, 1), hash);
            CHECK(std::ranges::equal(committed.cap(),
                                     merklize::MatrixCommitment(std::span(&dense, 1), hash, on_cpu()).cap()));
            CHECK(committed.open(3, std::span(&far, 1)) ==
                  merklize::MatrixCommitment(std::span(&dense, 1), hash, on_cpu()).open(3, std::span(&dense, 1)));
        }
    });
}

// Its extension has more than 2^32 words.
TEST("extend: a matrix above 4 GiB") {
    if (!has_memory()) return;
    check_repeated(3);
    constexpr std::uint64_t repeats = 257, gib = 1 << 30;
    constexpr std::uint64_t needed = 3 * 4 * repeated_rows * repeated_columns * repeats + gib;
    const merklize::DeviceInfo& info = Device().info();
    if (merklize::runtime::state_of(Device()).is_processor() && std::getenv("MERKLIZE_LARGE_TESTS") == nullptr)
        return say_skipped("it takes a processor minutes; MERKLIZE_LARGE_TESTS=1 asks for it");
    if (info.memory_bytes < needed + needed / 4) {
        return say_skipped(info.id + " has " + std::to_string(info.memory_bytes) + " bytes, and the matrices take " +
                           std::to_string(needed));
    }
    try {
        check_repeated(repeats);
    } catch (const merklize::Error& error) {
        if (error.code() != merklize::ErrorCode::out_of_memory) throw;
        say_skipped(error.what());
    }
}
