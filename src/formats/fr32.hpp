#pragma once

// Filecoin's padding (fr32): 254 bits of data become the 256 bits of a leaf, so that each leaf is an element of a
// field. No library is needed: web/wasm includes it, too.
namespace merklize::fr32 {

inline constexpr unsigned raw_group = 127, padded_group = 128;  // bytes of a group before and after padding

/// Expands 127 bytes to 128: two zero bits are added after each 254 bits, counted from the lowest bit on.
inline void expand_group(const unsigned char* in, unsigned char* out) {
    using Word = unsigned long long;
    for (unsigned word = 0; word < padded_group / 8; word++, out += 8) {
        const bool is_last = word % 4 == 3;  // the last word of 254 bits
        const unsigned at = word / 4 * 254 + word % 4 * 64, shift = at % 8;
        Word bits = 0;
        __builtin_memcpy(&bits, in + at / 8, sizeof bits);
        bits >>= shift;
        if (shift > (is_last ? 2u : 0u)) bits |= Word{in[at / 8 + 8]} << (64 - shift);
        if (is_last) bits &= ~Word{0} >> 2;
        __builtin_memcpy(out, &bits, sizeof bits);
    }
}

}  // namespace merklize::fr32
