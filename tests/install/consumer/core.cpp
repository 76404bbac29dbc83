#include <merklize/core/hashes/rp64_256_v3.h>

constexpr mkz_u64 first_word() {
    const mkz_u64 left[4] = {0, 1, 2, 3}, right[4] = {4, 5, 6, 7};
    mkz_u64 out[4] = {};
    mkz_rp64_256_v3_merge(out, left, right);
    return out[0];
}
static_assert(first_word() == 2688511591005434316U);

int main() { return first_word() == 2688511591005434316U ? 0 : 1; }
