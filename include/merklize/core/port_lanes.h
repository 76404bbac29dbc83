/* port_lanes.h: lane types of MKZ_LANES words each, for kernels whose items handle several nodes. Included by port.h.
 *
 * OpenCL C has vector types; g++ and clang++ have vector extensions. CUDA has neither, so there a lane type is a struct
 * of words with the operators that the core uses. */
#ifndef MKZ_PORT_LANES_H
#define MKZ_PORT_LANES_H

#if defined(MKZ_TARGET_OPENCL)

#define MKZ_LANE32 MKZ_JOIN(uint, MKZ_LANES)
#define MKZ_LANE64 MKZ_JOIN(ulong, MKZ_LANES)
#define MKZ_SPLAT32(x) ((MKZ_LANE32)((mkz_u32)(x)))
#define MKZ_SPLAT64(x) ((MKZ_LANE64)((mkz_u64)(x)))
/* Comparing vectors gives signed lanes of 0 or -1. */
#define MKZ_LT_MASK(a, b) MKZ_JOIN(as_ulong, MKZ_LANES)((a) < (b))
#define MKZ_LANE(type, v, j) (((type *)&(v))[j])

#elif defined(MKZ_TARGET_CUDA)

/* In memory 16 bytes move at once. */
template <class Word>
struct alignas(sizeof(Word) * MKZ_LANES < 16 ? sizeof(Word) * MKZ_LANES : 16) mkz_lanes {
    Word w[MKZ_LANES];
};
typedef mkz_lanes<mkz_u32> mkz_lanes32;
typedef mkz_lanes<mkz_u64> mkz_lanes64;

template <class Word>
MKZ_FN mkz_lanes<Word> mkz_splat(Word x) {
    mkz_lanes<Word> r;
    MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) r.w[j] = x;
    return r;
}

template <class Word>
MKZ_FN mkz_lanes<Word> operator~(mkz_lanes<Word> a) {
    MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) a.w[j] = ~a.w[j];
    return a;
}

/* a op b, a op= b. b is lanes, or of shifts a number. */
#define MKZ_DEFINE_LANE_OPERATOR(op, B, b_j)                              \
    template <class Word>                                                 \
    MKZ_FN mkz_lanes<Word> operator op(mkz_lanes<Word> a, B b) {          \
        MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) a.w[j] op## = b_j; \
        return a;                                                         \
    }                                                                     \
    template <class Word>                                                 \
    MKZ_FN mkz_lanes<Word> &operator op## = (mkz_lanes<Word> & a, B b) {  \
        return a = a op b;                                                \
    }
MKZ_DEFINE_LANE_OPERATOR(+, mkz_lanes<Word>, b.w[j])
MKZ_DEFINE_LANE_OPERATOR(-, mkz_lanes<Word>, b.w[j])
MKZ_DEFINE_LANE_OPERATOR(*, mkz_lanes<Word>, b.w[j])
MKZ_DEFINE_LANE_OPERATOR(&, mkz_lanes<Word>, b.w[j])
MKZ_DEFINE_LANE_OPERATOR(|, mkz_lanes<Word>, b.w[j])
MKZ_DEFINE_LANE_OPERATOR(^, mkz_lanes<Word>, b.w[j])
MKZ_DEFINE_LANE_OPERATOR(<<, int, b)
MKZ_DEFINE_LANE_OPERATOR(>>, int, b)

MKZ_FN mkz_lanes64 mkz_lanes_lt_mask(mkz_lanes64 a, mkz_lanes64 b) {
    MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) a.w[j] = 0 - (mkz_u64)(a.w[j] < b.w[j]);
    return a;
}

MKZ_FN mkz_lanes32 mkz_lanes_min32(mkz_lanes32 a, mkz_lanes32 b) {
    MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) a.w[j] = a.w[j] < b.w[j] ? a.w[j] : b.w[j];
    return a;
}

#define MKZ_LANE32 mkz_lanes32
#define MKZ_LANE64 mkz_lanes64
#define MKZ_MIN32(a, b) mkz_lanes_min32((a), (b))
#define MKZ_SPLAT32(x) mkz_splat<mkz_u32>(x)
#define MKZ_SPLAT64(x) mkz_splat<mkz_u64>(x)
#define MKZ_LT_MASK(a, b) mkz_lanes_lt_mask((a), (b))
#define MKZ_LANE(type, v, j) ((v).w[j])

#else

/* Vectors wider than the build's registers are passed in memory. That is no ABI problem: all functions of the core are
 * static. */
#pragma GCC diagnostic ignored "-Wpsabi"
typedef mkz_u32 mkz_lanes32 __attribute__((vector_size(4 * MKZ_LANES)));
typedef mkz_u64 mkz_lanes64 __attribute__((vector_size(8 * MKZ_LANES)));
#define MKZ_LANE32 mkz_lanes32
#define MKZ_LANE64 mkz_lanes64
#define MKZ_SPLAT32(x) (mkz_lanes32{} + (mkz_u32)(x))
#define MKZ_SPLAT64(x) (mkz_lanes64{} + (mkz_u64)(x))
#define MKZ_LANE(type, v, j) ((v)[j])

#endif

#endif /* MKZ_PORT_LANES_H */
