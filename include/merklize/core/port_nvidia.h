/* port_nvidia.h: primitives as PTX, for CUDA and for NVIDIA's OpenCL compiler (MKZ_NVIDIA_PTX = 1). Included by port.h.
 *
 * A multiprocessor has one pipe for 32-bit additions and logic and one for products. An instruction of a warp occupies
 * the first for 2 cycles, the second for 2 (IMAD) or 4 (IMAD.WIDE, IMAD.HI); measured on sm_90,
 * docs/notes/gpu-instructions.md. Work that is spread over both takes less time. The compiler turns a product by a
 * known number into additions, so the factors here are numbers that it cannot know. */
#ifndef MKZ_PORT_NVIDIA_H
#define MKZ_PORT_NVIDIA_H

#if defined(MKZ_TARGET_OPENCL) || defined(__CUDA_ARCH__) /* not in nvcc's pass for the host */

/* A register whose upper half is 0 in launches of any shape, but whose value the compiler does not know. (OpenCL's
 * compiler knows the shape of a group, so tid.y will not do.) */
#ifdef MKZ_TARGET_OPENCL
#define MKZ_NVIDIA_HALF_ZERO "%%ctaid.y"
#else
#define MKZ_NVIDIA_HALF_ZERO "%%tid.y"
#endif

/* 2^32 - 1. The compiler does not know the value, but knows that it is the same for a whole warp. So it is in a uniform
 * register, and products by it read one operand less. (%nctaid.y, the number of groups along y, is at least 1.) */
MKZ_FN mkz_u32 mkz_nvidia_ones(void) {
    mkz_u32 r;
    asm("{.reg .u32 t; mov.u32 t, %%nctaid.y; min.u32 t, t, 1; sub.u32 %0, t, 2;}" : "=r"(r));
    return r;
}

/* 1, without the compiler knowing it: a product by it is an addition on the other pipe. It is not made from %nctaid.y,
 * because the compiler would read that again for each product. */
MKZ_FN mkz_u32 mkz_nvidia_one(void) {
    mkz_u32 r;
    asm("{.reg .u32 t; mov.u32 t, " MKZ_NVIDIA_HALF_ZERO "; shr.u32 t, t, 16; add.u32 %0, t, 1;}" : "=r"(r));
    return r;
}

MKZ_FN MKZ_LANE32 mkz_nvidia_add32(MKZ_LANE32 a, MKZ_LANE32 b) {
    MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) {
        mkz_u32 r;
        asm("mad.lo.u32 %0, %1, %2, %3;"
            : "=r"(r)
            : "r"(MKZ_LANE(mkz_u32, a, j)), "r"(mkz_nvidia_one()), "r"(MKZ_LANE(mkz_u32, b, j)));
        MKZ_LANE(mkz_u32, a, j) = r;
    }
    return a;
}
#define MKZ_ADD32(a, b) mkz_nvidia_add32((a), (b))
/* In a + b + c the first addition is made as a product; the compiler chooses the pipe of the second. */
#define MKZ_ADD32_3(a, b, c) (mkz_nvidia_add32((a), (b)) + (c))

/* A rotation of a 64-bit word is two funnel shifts of its halves; the compiler would not find them. */
MKZ_FN MKZ_LANE64 mkz_nvidia_rotl64(MKZ_LANE64 x, mkz_u32 n) {
    MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) {
        mkz_u64 word = MKZ_LANE(mkz_u64, x, j), r;
        mkz_u32 low = (mkz_u32)word, high = (mkz_u32)(word >> 32), l, h;
        if (n >= 32) {
            l = low;
            low = high;
            high = l;
        }
        asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(l) : "r"(high), "r"(low), "r"(n % 32));
        asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(h) : "r"(low), "r"(high), "r"(n % 32));
        asm("mov.b64 %0, {%1, %2};" : "=l"(r) : "r"(l), "r"(h));
        MKZ_LANE(mkz_u64, x, j) = r;
    }
    return x;
}
#define MKZ_ROTL64(x, n) mkz_nvidia_rotl64((x), (n))

/* lo + 2^64 hi mod p, for words. Let e = 2^32 - 1 and hi = h0 + 2^32 h1. Then lo - h1 + e h0 = w + 2^64 k, where k is
 * -1, 0 or 1, and w + e k does not wrap. A second product by e would cost more, so w + e k = w + 2^32 k - k is computed
 * on 32-bit words. For k = 1, w0 - k borrows as it should. For k = -1, which is the word 2^32 - 1, it borrows exactly
 * where w0 + 1 does not carry. So w1 gains max(k, 0) minus the borrow. Eight instructions, one of them a wide product.
 */
MKZ_FN mkz_u64 mkz_nvidia_gl_reduce(mkz_u64 lo, mkz_u64 hi) {
    mkz_u64 r;
    asm("{.reg .u32 l0, l1, h0, h1, k;\n\t"
        "mov.b64 {l0, l1}, %1;\n\t"
        "mov.b64 {h0, h1}, %2;\n\t"
        "sub.cc.u32 l0, l0, h1;\n\t"
        "subc.cc.u32 l1, l1, 0;\n\t"
        "subc.u32 k, 0, 0;\n\t"
        "mad.lo.cc.u32 l0, h0, %3, l0;\n\t"
        "madc.hi.cc.u32 l1, h0, %3, l1;\n\t"
        "addc.u32 k, k, 0;\n\t"
        "max.s32 h1, k, 0;\n\t"
        "sub.cc.u32 l0, l0, k;\n\t"
        "subc.u32 l1, l1, 0;\n\t"
        "add.u32 l1, l1, h1;\n\t"
        "mov.b64 %0, {l0, l1};}"
        : "=l"(r)
        : "l"(lo), "l"(hi), "r"(mkz_nvidia_ones()));
    return r;
}

MKZ_FN MKZ_LANE64 mkz_nvidia_gl_reduce_lanes(MKZ_LANE64 lo, MKZ_LANE64 hi) {
    MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) MKZ_LANE(mkz_u64, lo, j) =
        mkz_nvidia_gl_reduce(MKZ_LANE(mkz_u64, lo, j), MKZ_LANE(mkz_u64, hi, j));
    return lo;
}
#define MKZ_GL_REDUCE(lo, hi) mkz_nvidia_gl_reduce_lanes((lo), (hi))

/* a^2 mod p, for words, by three products instead of four. With a = a0 + 2^32 a1 the middle product counts twice. Two
 * additions of it and a carry are one instruction, if the compiler does not see that both addends are the same. */
MKZ_FN mkz_u64 mkz_nvidia_gl_square(mkz_u64 a) {
    mkz_u32 a0 = (mkz_u32)a, a1 = (mkz_u32)(a >> 32), m0, m1, again;
    mkz_u64 low, middle, high, t;
    asm("mul.wide.u32 %0, %1, %1;" : "=l"(low) : "r"(a0));
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(middle) : "r"(a0), "r"(a1));
    m0 = (mkz_u32)middle;
    m1 = (mkz_u32)(middle >> 32);
    asm("mov.u32 %0, %1;" : "=r"(again) : "r"(m1));
    t = (low >> 32) + m0 + m0;
    high = (mkz_u64)m1 + again + (mkz_u32)(t >> 32);
    asm("{.reg .u32 l, h;\n\t"
        "mov.b64 {l, h}, %0;\n\t"
        "mad.lo.cc.u32 l, %1, %1, l;\n\t"
        "madc.hi.u32 h, %1, %1, h;\n\t"
        "mov.b64 %0, {l, h};}"
        : "+l"(high)
        : "r"(a1));
    return mkz_nvidia_gl_reduce((mkz_u32)low | t << 32, high);
}

MKZ_FN MKZ_LANE64 mkz_nvidia_gl_square_lanes(MKZ_LANE64 a) {
    MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) MKZ_LANE(mkz_u64, a, j) =
        mkz_nvidia_gl_square(MKZ_LANE(mkz_u64, a, j));
    return a;
}
#define MKZ_GL_SQUARE(a) mkz_nvidia_gl_square_lanes(a)

/* One IMAD.WIDE. It is written with a carry, because the compiler would split a longer sum and run out of registers. */
MKZ_FN MKZ_LANE64 mkz_nvidia_mul_add32(MKZ_LANE64 acc, MKZ_LANE64 a, mkz_u32 b) {
    MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) {
        mkz_u64 r;
        asm("{.reg .u32 l, h;\n\t"
            "mov.b64 {l, h}, %3;\n\t"
            "mad.lo.cc.u32 l, %1, %2, l;\n\t"
            "madc.hi.u32 h, %1, %2, h;\n\t"
            "mov.b64 %0, {l, h};}"
            : "=l"(r)
            : "r"((mkz_u32)MKZ_LANE(mkz_u64, a, j)), "r"(b), "l"(MKZ_LANE(mkz_u64, acc, j)));
        MKZ_LANE(mkz_u64, acc, j) = r;
    }
    return acc;
}
#define MKZ_MUL_ADD32(acc, a, b) mkz_nvidia_mul_add32((acc), (a), (b))

/* x | (y & 0), with a zero whose value the compiler does not know. */
MKZ_FN MKZ_LANE64 mkz_nvidia_after(MKZ_LANE64 x, MKZ_LANE64 y) {
    mkz_u32 zero = ~mkz_nvidia_ones();
    MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) MKZ_LANE(mkz_u64, x, j) |= (mkz_u32)MKZ_LANE(mkz_u64, y, j) & zero;
    return x;
}
#define MKZ_AFTER(x, y) mkz_nvidia_after((x), (y))

/* CUDA's compiler would make the address at each use, from a register that is slow to read. */
#ifdef MKZ_TARGET_CUDA
template <class T>
MKZ_FN T *mkz_nvidia_hold_local(T *pointer) {
    asm volatile("" : "+l"(pointer));
    __builtin_assume(__isShared(pointer));
    return pointer;
}
#define MKZ_HOLD_LOCAL(pointer) mkz_nvidia_hold_local(pointer)
#endif

/* Products of vector lanes, word by word. */
#if MKZ_LANES > 1
MKZ_FN MKZ_LANE64 mkz_nvidia_mul_hi(MKZ_LANE64 a, MKZ_LANE64 b) {
    MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) {
        mkz_u64 r;
        asm("mul.hi.u64 %0, %1, %2;" : "=l"(r) : "l"(MKZ_LANE(mkz_u64, a, j)), "l"(MKZ_LANE(mkz_u64, b, j)));
        MKZ_LANE(mkz_u64, a, j) = r;
    }
    return a;
}
#define MKZ_MUL_HI64(a, b) mkz_nvidia_mul_hi((a), (b))
#endif
#endif

#endif /* MKZ_PORT_NVIDIA_H */
