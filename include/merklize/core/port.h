/* port.h: the only file of the core that knows the compiler.
 *
 * It gives the core fixed-width words (mkz_u8 .. mkz_u64), the lane types that the core computes on, address spaces,
 * and a few primitives. Every primitive has one portable definition. A target may override it: it defines the macro of
 * the same name in capitals before it includes this file, or below, where the target is detected. README.md beside this
 * file has the table of all of them.
 *
 * A lane is one word (mkz_u32, mkz_u64) by default. MKZ_LANES makes a lane of that many words (port_lanes.h). A vector
 * build may instead define MKZ_LANE32 and MKZ_LANE64 before it includes any core header. The algorithms do not change.
 */
#ifndef MKZ_PORT_H
#define MKZ_PORT_H

#if !defined(__cplusplus) && !defined(__OPENCL_C_VERSION__)
#error the core of merklize needs C++, CUDA, OpenCL C or SYCL, not C
#include <merklize/needs_cxx> /* is not there: compilers go on after #error, and stop here */
#endif

/* Two tokens as one, each expanded first. */
#define MKZ_JOIN_(a, b) a##b
#define MKZ_JOIN(a, b) MKZ_JOIN_(a, b)

/* Words of a lane type: 1, 2, 4, 8 or 16. */
#ifndef MKZ_LANES
#define MKZ_LANES 1
#endif

/* 1: for a program that should be small. Long functions are not inlined, Poseidon over the fields of 31 bits has no
 * tables for its partial rounds, and loops over the cells of these fields' states stay loops. */
#ifndef MKZ_SMALL
#define MKZ_SMALL 0
#endif

/* ---- Target: function qualifier, address spaces, constant tables ----------------------------------------------------
 */

#if defined(__OPENCL_C_VERSION__) /* never __OPENCL_VERSION__: some runtimes define it for host code too */
#define MKZ_TARGET_OPENCL 1
typedef uchar mkz_u8;
typedef uint mkz_u32;
typedef ulong mkz_u64;
typedef int mkz_i32;
typedef long mkz_i64;
#define MKZ_FN static inline
#define MKZ_GLOBAL __global
#define MKZ_LOCAL __local
#define MKZ_CONSTANT __constant
#define MKZ_TABLE __constant const
#define MKZ_U64(x) x##UL
#elif defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define MKZ_TARGET_CUDA 1
typedef unsigned char mkz_u8;
typedef unsigned int mkz_u32;
typedef unsigned long long mkz_u64;
typedef int mkz_i32;
typedef long long mkz_i64;
#define MKZ_FN static __host__ __device__ __forceinline__
#define MKZ_GLOBAL
#define MKZ_LOCAL
#define MKZ_CONSTANT
#define MKZ_TABLE static __device__ __constant__ const
#define MKZ_U64(x) x##ULL
/* A SYCL compiler, in all its passes, or a file that defined MKZ_TARGET_SYCL. <sycl/sycl.hpp> must be included before
 * this file. */
#elif defined(SYCL_LANGUAGE_VERSION) || defined(MKZ_TARGET_SYCL)
#define MKZ_TARGET_SYCL 1
typedef unsigned char mkz_u8;
typedef __UINT32_TYPE__ mkz_u32; /* the types of std::uint32_t and so on, so that programs can pass theirs */
typedef __UINT64_TYPE__ mkz_u64;
typedef __INT32_TYPE__ mkz_i32;
typedef __INT64_TYPE__ mkz_i64;
#define MKZ_FN static inline __attribute__((always_inline, unused)) /* not constexpr, which wants C++20 here */
#define MKZ_GLOBAL
#define MKZ_LOCAL
#define MKZ_CONSTANT
/* Hidden: AdaptiveCpp's generic compiler cannot link a table that another module might replace. */
#define MKZ_TABLE [[maybe_unused]] __attribute__((visibility("hidden"))) static constexpr
#define MKZ_U64(x) x##ULL
#else
#define MKZ_TARGET_CPP 1
typedef unsigned char mkz_u8;
typedef unsigned int mkz_u32;
typedef unsigned long long mkz_u64;
typedef int mkz_i32;
typedef long long mkz_i64;
#if defined(MKZ_LANE32) || defined(MKZ_LANE64) || MKZ_LANES > 1
#define MKZ_FN static inline __attribute__((always_inline, unused))
#define MKZ_FN_CALL static __attribute__((noinline, unused))
#else
#define MKZ_FN [[maybe_unused]] static constexpr
#if MKZ_SMALL
#define MKZ_FN_CALL [[maybe_unused, gnu::noinline]] static constexpr
#endif
#endif
#define MKZ_GLOBAL
#define MKZ_LOCAL
#define MKZ_CONSTANT
#define MKZ_TABLE [[maybe_unused]] static constexpr
#define MKZ_U64(x) x##ULL
#endif

/* For a function so long that one copy should serve all callers, if the target has calls. */
#ifndef MKZ_FN_CALL
#define MKZ_FN_CALL MKZ_FN
#endif

/* ---- Loop hints: a loop saves registers and code, an unrolled loop saves latency ------------------------------------
 */

#define MKZ_PRAGMA(x) _Pragma(#x)
#if defined(MKZ_TARGET_CUDA)
#define MKZ_UNROLL MKZ_PRAGMA(unroll)
#define MKZ_NO_UNROLL MKZ_PRAGMA(unroll 1)
#elif defined(MKZ_TARGET_OPENCL)
#define MKZ_UNROLL MKZ_PRAGMA(unroll)
#define MKZ_NO_UNROLL MKZ_PRAGMA(unroll 1)
#elif defined(__clang__)
#define MKZ_UNROLL MKZ_PRAGMA(unroll)
#define MKZ_NO_UNROLL MKZ_PRAGMA(nounroll)
#else
#define MKZ_UNROLL MKZ_PRAGMA(GCC unroll 32)
#define MKZ_NO_UNROLL MKZ_PRAGMA(GCC unroll 1)
#endif
/* For a loop of an inlined function whose count is an argument: Clang's `unroll` leaves two steps a turn, and the
 * loop's array stays in memory. */
#if defined(__clang__) && defined(MKZ_TARGET_CPP)
#define MKZ_UNROLL_WHOLE MKZ_PRAGMA(clang loop unroll(full))
#else
#define MKZ_UNROLL_WHOLE MKZ_UNROLL
#endif
#if MKZ_SMALL
#define MKZ_UNROLL_CELLS MKZ_NO_UNROLL
#else
#define MKZ_UNROLL_CELLS MKZ_UNROLL_WHOLE
#endif

/* ---- Lanes ----------------------------------------------------------------------------------------------------------
 */

#ifdef MKZ_LANE32
#define MKZ_LANES_ARE_FOREIGN 1
#elif MKZ_LANES > 1
#include "port_lanes.h"
#else
#define MKZ_LANE(type, v, j) (v) /* word j of a lane, to read and to write */
#endif
#ifndef MKZ_LANE32
#define MKZ_LANE32 mkz_u32
#define MKZ_SPLAT32(x) ((mkz_u32)(x))
#endif
#ifndef MKZ_LANE64
#define MKZ_LANE64 mkz_u64
#define MKZ_SPLAT64(x) ((mkz_u64)(x))
#define MKZ_LANE64_IS_WORD 1
#endif

typedef MKZ_LANE32 mkz_lane32;
typedef MKZ_LANE64 mkz_lane64;

/* 1: for a processor. 0: for a GPU, or for what is not known before the program runs. */
#ifndef MKZ_CPU
#ifdef MKZ_TARGET_CPP
#define MKZ_CPU 1
#else
#define MKZ_CPU 0
#endif
#endif

/* 1: primitives as PTX, for CUDA and for NVIDIA's OpenCL compiler. */
#ifndef MKZ_NVIDIA_PTX
#ifdef MKZ_TARGET_CUDA
#define MKZ_NVIDIA_PTX 1
#else
#define MKZ_NVIDIA_PTX 0
#endif
#endif
#if MKZ_NVIDIA_PTX
#include "port_nvidia.h"
#endif

/* ---- Primitives: the portable line, unless the target overrides it --------------------------------------------------
 */

/* Rotates each 32-bit lane right by n, 0 < n < 32, n a literal. */
#ifndef MKZ_ROTR32
#define MKZ_ROTR32(x, n) (((x) >> (n)) | ((x) << (32 - (n))))
#endif

/* The bytes of each 32-bit lane in reverse. */
#ifndef MKZ_BSWAP32
#define MKZ_BSWAP32(x) ((MKZ_ROTR32(x, 8) & MKZ_SPLAT32(0xff00ff00u)) | (MKZ_ROTR32(x, 24) & MKZ_SPLAT32(0x00ff00ffu)))
#endif

/* Rotates each 64-bit lane left by n, 0 < n < 64, n a literal. */
#ifndef MKZ_ROTL64
#define MKZ_ROTL64(x, n) (((x) << (n)) | ((x) >> (64 - (n))))
#endif

/* The bytes of each 64-bit lane in reverse. */
#ifndef MKZ_BSWAP64
#define MKZ_BSWAP64(x) mkz_bswap64(x)
MKZ_FN mkz_lane64 mkz_bswap64(mkz_lane64 x) {
    x = ((x >> 8) & MKZ_SPLAT64(MKZ_U64(0x00ff00ff00ff00ff))) | ((x & MKZ_SPLAT64(MKZ_U64(0x00ff00ff00ff00ff))) << 8);
    x = ((x >> 16) & MKZ_SPLAT64(MKZ_U64(0x0000ffff0000ffff))) | ((x & MKZ_SPLAT64(MKZ_U64(0x0000ffff0000ffff))) << 16);
    return (x >> 32) | (x << 32);
}
#endif

/* Logic of three lanes, bit by bit: a ^ b ^ c; a ? b : c; what two of three have; a ^ (~b & c). */
#ifndef MKZ_XOR3
#define MKZ_XOR3(a, b, c) ((a) ^ (b) ^ (c))
#define MKZ_CHOOSE(a, b, c) ((c) ^ ((a) & ((b) ^ (c))))
#define MKZ_MAJORITY(a, b, c) ((b) ^ (((a) ^ (b)) & ((b) ^ (c))))
#define MKZ_XOR_ANDNOT(a, b, c) ((a) ^ (~(b) & (c)))
#endif

/* Sum of two 32-bit lanes, where the pipe of additions and logic is the bound: NVIDIA's GPUs make it on the pipe of
 * products. */
#ifndef MKZ_ADD32
#define MKZ_ADD32(a, b) ((a) + (b))
#endif

/* Sum of three 32-bit lanes: b is a word of a message, c is known last. */
#ifndef MKZ_ADD32_3
#define MKZ_ADD32_3(a, b, c) (((a) + (b)) + (c))
#endif

/* The lesser of two 32-bit lanes. */
#ifndef MKZ_MIN32
#ifdef MKZ_TARGET_OPENCL
#define MKZ_MIN32(a, b) min((a), (b))
#else
#define MKZ_MIN32(a, b) mkz_min32((a), (b))
MKZ_FN mkz_lane32 mkz_min32(mkz_lane32 a, mkz_lane32 b) { return a < b ? a : b; }
#endif
#endif

/* All ones in each lane where a < b (unsigned), else zero. */
#ifndef MKZ_LT_MASK
#ifdef MKZ_LANE64_IS_WORD
#define MKZ_LT_MASK(a, b) ((mkz_lane64)0 - (mkz_lane64)((a) < (b)))
#else
#define MKZ_LT_MASK(a, b) ((mkz_lane64)((a) < (b)))
#endif
#endif

/* Exact product of the low 32 bits of each 64-bit lane. */
#ifndef MKZ_MUL32
#define MKZ_MUL32(a, b) (((a) & MKZ_SPLAT64(0xffffffffu)) * ((b) & MKZ_SPLAT64(0xffffffffu)))
#endif

/* acc + the low 32 bits of a lane times the 32-bit word b; the sum must not wrap. */
#ifndef MKZ_MUL_ADD32
#define MKZ_MUL_ADD32(acc, a, b) ((acc) + MKZ_MUL32((a), MKZ_SPLAT64(b)))
#endif

/* x, but not before y is known. Keeps a compiler from doing so much at once that registers run out. */
#ifndef MKZ_AFTER
#define MKZ_AFTER(x, y) (x)
#endif

/* 2: chains of products that do not depend on each other are computed in step, and permutations take two states at once
 * where they have such a form. For processors that look only a few hundred instructions ahead. */
#ifndef MKZ_STATES
#define MKZ_STATES 1
#endif

/* 2: SHA-256 compresses two blocks in step, for 32 vector registers (CPUs' vectors). */
#ifndef MKZ_SHA256_STATES
#define MKZ_SHA256_STATES 1
#endif

/* 1: 64-bit products of words are made from four 32-bit products, which compilers can vectorise. Vector lanes always do
 * so. */
#ifndef MKZ_MUL_BY_HALVES
#define MKZ_MUL_BY_HALVES 0
#endif

/* A 64x64 -> 128 bit product, low and high words of each lane. */
typedef struct {
    mkz_lane64 lo, hi;
} mkz_wide;

#if !defined(MKZ_MUL_HI64) && defined(MKZ_LANE64_IS_WORD) && !MKZ_MUL_BY_HALVES
/* High word of a 64x64-bit product of words. */
#if defined(MKZ_TARGET_OPENCL)
#define MKZ_MUL_HI64(a, b) mul_hi((mkz_u64)(a), (mkz_u64)(b))
#elif defined(__CUDA_ARCH__)
#define MKZ_MUL_HI64(a, b) __umul64hi((a), (b))
#elif defined(MKZ_TARGET_SYCL) && !defined(__ACPP__) /* AdaptiveCpp has no sycl::mul_hi */
#define MKZ_MUL_HI64(a, b) mkz_mul_hi64((a), (b))
MKZ_FN mkz_u64 mkz_mul_hi64(mkz_u64 a, mkz_u64 b) { return ::sycl::mul_hi(a, b); }
#elif defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 mkz_u128;
#define MKZ_MUL_HI64(a, b) ((mkz_u64)(((mkz_u128)(a) * (b)) >> 64))
#endif
#endif

MKZ_FN mkz_wide mkz_mul_wide(mkz_lane64 a, mkz_lane64 b) {
    mkz_wide r;
#if defined(MKZ_MUL_WIDE)
    MKZ_MUL_WIDE(r.lo, r.hi, a, b);
#elif defined(MKZ_MUL_HI64)
    r.lo = a * b;
    r.hi = MKZ_MUL_HI64(a, b);
#else
    mkz_lane64 a1 = a >> 32, b1 = b >> 32;
    mkz_lane64 p00 = MKZ_MUL32(a, b), p01 = MKZ_MUL32(a, b1), p10 = MKZ_MUL32(a1, b), p11 = MKZ_MUL32(a1, b1);
    mkz_lane64 mid = p10 + (p00 >> 32);
    mkz_lane64 mid2 = p01 + (mid & MKZ_SPLAT64(0xffffffffu));
    r.lo = (mid2 << 32) | (p00 & MKZ_SPLAT64(0xffffffffu));
    r.hi = p11 + (mid >> 32) + (mid2 >> 32);
#endif
    return r;
}

MKZ_FN mkz_wide mkz_square_wide(mkz_lane64 a) {
    mkz_wide r;
#if defined(MKZ_SQUARE_WIDE)
    MKZ_SQUARE_WIDE(r.lo, r.hi, a);
#elif defined(MKZ_MUL_HI64)
    r = mkz_mul_wide(a, a);
#else
    mkz_lane64 a1 = a >> 32;
    mkz_lane64 p00 = MKZ_MUL32(a, a), p01 = MKZ_MUL32(a, a1), p11 = MKZ_MUL32(a1, a1);
    mkz_lane64 mid = p01 + (p00 >> 33);
    r.lo = p00 + (p01 << 33);
    r.hi = p11 + (mid >> 31);
#endif
    return r;
}

/* The 32x32 -> 64 bit product, low and high words of each lane. */
typedef struct {
    mkz_lane32 lo, hi;
} mkz_wide32;

MKZ_FN mkz_wide32 mkz_mul_wide32(mkz_lane32 a, mkz_lane32 b) {
    mkz_wide32 r;
#if defined(MKZ_MUL_HI32)
    r.lo = a * b;
    r.hi = MKZ_MUL_HI32(a, b);
#elif defined(MKZ_LANE64_IS_WORD)
    mkz_u64 w = (mkz_u64)a * b;
    r.lo = (mkz_u32)w;
    r.hi = (mkz_u32)(w >> 32);
#elif defined(MKZ_TARGET_OPENCL)
    r.lo = a * b;
    r.hi = mul_hi(a, b);
#else
    MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) {
        mkz_u64 w = (mkz_u64)MKZ_LANE(mkz_u32, a, j) * MKZ_LANE(mkz_u32, b, j);
        MKZ_LANE(mkz_u32, r.lo, j) = (mkz_u32)w;
        MKZ_LANE(mkz_u32, r.hi, j) = (mkz_u32)(w >> 32);
    }
#endif
    return r;
}

/* The high words of products of signed 32-bit lanes. */
#ifndef MKZ_MUL_HI32_SIGNED
#define MKZ_MUL_HI32_SIGNED(a, b) mkz_mul_hi32_signed((a), (b))
MKZ_FN mkz_lane32 mkz_mul_hi32_signed(mkz_lane32 a, mkz_lane32 b) {
#if defined(MKZ_LANE64_IS_WORD)
    return (mkz_u32)((mkz_u64)((mkz_i64)(mkz_i32)a * (mkz_i32)b) >> 32);
#elif defined(MKZ_TARGET_OPENCL)
    return MKZ_JOIN(as_uint, MKZ_LANES)(mul_hi(MKZ_JOIN(as_int, MKZ_LANES)(a), MKZ_JOIN(as_int, MKZ_LANES)(b)));
#elif defined(MKZ_LANES_ARE_FOREIGN)
    /* The unsigned product, less 2^32 b for a negative a and 2^32 a for a negative b. */
    mkz_lane32 zero = MKZ_SPLAT32(0);
    return mkz_mul_wide32(a, b).hi - (b & (zero - (a >> 31))) - (a & (zero - (b >> 31)));
#else
    MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) MKZ_LANE(mkz_u32, a, j) =
        (mkz_u32)((mkz_u64)((mkz_i64)(mkz_i32)MKZ_LANE(mkz_u32, a, j) * (mkz_i32)MKZ_LANE(mkz_u32, b, j)) >> 32);
    return a;
#endif
}
#endif

/* ---- Kernel bodies (kernels.h, entry.h): position, barrier, entry points, 16-byte accesses ----------------------- */

/* Position of an item in a launch of one dimension. A body gets it by value, so host C++ can call bodies in a loop with
 * index = group = 0, 1, 2 ..., rank = 0, group_size = 1. */
#ifdef MKZ_WORK_ITEM
typedef MKZ_WORK_ITEM mkz_work_item;
#else
typedef struct {
    mkz_u64 index;      /* of the item in the launch */
    mkz_u64 group;      /* index of its group in the launch */
    mkz_u32 rank;       /* index of the item in its group */
    mkz_u32 group_size; /* items in a group */
} mkz_work_item;
#endif

/* Function qualifier of bodies. Never constexpr, since a body may hold a barrier. */
#if defined(MKZ_TARGET_CUDA)
#define MKZ_BODY static __device__ __forceinline__
#elif defined(MKZ_TARGET_OPENCL)
#define MKZ_BODY static inline __attribute__((always_inline))
#elif defined(MKZ_TARGET_SYCL)
#define MKZ_BODY static inline __attribute__((always_inline, unused))
#else
#define MKZ_BODY [[maybe_unused]] static inline
#endif

/* The same for code that is seldom reached and not worth a copy at each call. */
#if defined(MKZ_TARGET_CUDA)
#define MKZ_RARE static __device__ __noinline__
#else
#define MKZ_RARE static __attribute__((noinline, unused))
#endif

/* Waits for all items of the group. Whatever they wrote to global and local memory is then visible to the group. Every
 * item of a group must reach it. In plain C++ a group has one item, so there is nothing to wait for. */
#ifndef MKZ_BARRIER
#if defined(MKZ_TARGET_CUDA)
#define MKZ_BARRIER(item) __syncthreads()
#elif defined(MKZ_TARGET_OPENCL)
#define MKZ_BARRIER(item) barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#elif defined(MKZ_TARGET_SYCL)
#define MKZ_BARRIER(item) ::sycl::group_barrier(::sycl::ext::oneapi::this_work_item::get_work_group<1>())
#else
#define MKZ_BARRIER(item) ((void)(item))
#endif
#endif

/* Items in a group, the same in every launch of the program. From it compilers know how many registers an item may have
 * and how much local memory a group needs. */
#ifndef MKZ_GROUP_SIZE
#if defined(MKZ_TARGET_CPP)
#define MKZ_GROUP_SIZE 1
#else
#define MKZ_GROUP_SIZE 128
#endif
#endif

/* Groups that a multiprocessor should hold at once. Compilers that take the hint (CUDA) limit registers for it. */
#ifndef MKZ_MIN_GROUPS
#define MKZ_MIN_GROUPS 1
#endif

/* Declares an array that the items of a group share. Used at the beginning of an entry point. */
#ifndef MKZ_LOCAL_ARRAY
#if defined(MKZ_TARGET_CUDA)
#define MKZ_LOCAL_ARRAY(type, name, count) __shared__ type name[count]
#elif defined(MKZ_TARGET_OPENCL)
#define MKZ_LOCAL_ARRAY(type, name, count) __local type name[count]
#elif defined(MKZ_TARGET_SYCL)
/* Not group_local_memory: DPC++ 2026.0's run-time compiler crashes on it. */
#define MKZ_LOCAL_ARRAY(type, name, count)                                                      \
    static ::sycl::ext::oneapi::experimental::work_group_static<type[count]> mkz_shared_##name; \
    type(&name)[count] = mkz_shared_##name
#else
#define MKZ_LOCAL_ARRAY(type, name, count) type name[count]
#endif
#endif

/* A pointer to local memory, kept in a register. */
#ifndef MKZ_HOLD_LOCAL
#define MKZ_HOLD_LOCAL(pointer) (pointer)
#endif

/* 1: in the narrow top of a tree a team of items shares one merge, if the hash has teams (hashes.h). An item alone
 * would take many times as long, while the others have nothing to do. 0: never. An item of a team has one lane. */
#ifndef MKZ_TEAMS
#ifdef MKZ_TARGET_CUDA
#define MKZ_TEAMS 1
#else
#define MKZ_TEAMS MKZ_NVIDIA_PTX
#endif
#endif

/* Where kernels read a hash's table of constants: 1 from the code itself, 2 from the program's constant memory, 3 from
 * a buffer that is an argument, 4 from local memory, where each group first copies that buffer. */
#ifndef MKZ_CONSTANTS
#define MKZ_CONSTANTS 2
#endif

/* MKZ_ENTRY(name): the head of a kernel entry point. MKZ_THIS_ITEM(): the mkz_work_item inside it. C++ has no entry
 * points of its own, so a host loop or SYCL may define the two macros. */
#ifndef MKZ_ENTRY
#if defined(MKZ_TARGET_CUDA)
#define MKZ_ENTRY(name) extern "C" __global__ void __launch_bounds__(MKZ_GROUP_SIZE, MKZ_MIN_GROUPS) name
MKZ_BODY mkz_work_item mkz_this_item(void) {
    mkz_work_item item;
    item.group = blockIdx.x;
    item.rank = threadIdx.x;
    item.group_size = MKZ_GROUP_SIZE;
    item.index = item.group * MKZ_GROUP_SIZE + item.rank;
    return item;
}
#define MKZ_THIS_ITEM() mkz_this_item()
#elif defined(MKZ_TARGET_OPENCL)
#if MKZ_LANES > 1 /* otherwise Intel's CPU compiler would vectorise across items as well */
#define MKZ_VECTORS __attribute__((vec_type_hint(MKZ_LANE32)))
#else
#define MKZ_VECTORS
#endif
#define MKZ_ENTRY(name) __kernel MKZ_VECTORS __attribute__((reqd_work_group_size(MKZ_GROUP_SIZE, 1, 1))) void name
MKZ_BODY mkz_work_item mkz_this_item(void) {
    mkz_work_item item;
    item.index = get_global_id(0);
    item.group = get_group_id(0);
    item.rank = (mkz_u32)get_local_id(0);
    item.group_size = MKZ_GROUP_SIZE;
    return item;
}
#define MKZ_THIS_ITEM() mkz_this_item()
#elif defined(MKZ_TARGET_SYCL) && defined(SYCL_EXT_ONEAPI_FUNCTION_PROPERTY) /* functions as kernels: DPC++ alone */
#define MKZ_ENTRY(name)                                          \
    extern "C" SYCL_EXTERNAL SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(  \
        (::sycl::ext::oneapi::experimental::nd_range_kernel<1>)) \
        SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(                       \
            (::sycl::ext::oneapi::experimental::work_group_size<MKZ_GROUP_SIZE>)) void name
MKZ_BODY mkz_work_item mkz_this_item(void) {
    auto here = ::sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    mkz_work_item item;
    item.index = here.get_global_id(0);
    item.group = here.get_group(0);
    item.rank = (mkz_u32)here.get_local_id(0);
    item.group_size = MKZ_GROUP_SIZE;
    return item;
}
#define MKZ_THIS_ITEM() mkz_this_item()
#endif
#endif

/* 1: hash_chunks reads a block while it hashes the block before, which takes 16 more registers. Better if items are
 * few, worse if they fill the device. */
#ifndef MKZ_READ_AHEAD
#define MKZ_READ_AHEAD 0
#endif

/* 1: the merges of a keyed hash are keyed. Their kernels take key and flags as arguments. */
#ifndef MKZ_KEYED
#define MKZ_KEYED 0
#endif

/* The alignment that a program may rely on.
 *   16  every buffer is aligned to 16 bytes, as allocators do, and in_offset of hash_chunks is a multiple of 16 (with
 *       several rows, row_bytes too). Nodes and blocks move in 16-byte accesses.
 *   4   buffers are aligned to their word size, and in_offset is a multiple of 4. Nodes and blocks move in words.
 *   1   as 4, but bytes begin anywhere.
 * C++ always moves words and bytes. */
#ifndef MKZ_ALIGN
#define MKZ_ALIGN 16
#endif
/* 1: whatever MKZ_ALIGN is, each block is checked at run time for where its bytes begin. So one program takes all of a
 * caller's data. */
#ifndef MKZ_BYTES_ANYWHERE
#define MKZ_BYTES_ANYWHERE 0
#endif

/* 1: 16 bytes on a multiple of 16 can be moved at once. */
#if defined(MKZ_TARGET_CPP) || (defined(MKZ_TARGET_SYCL) && !defined(__clang__))
#define MKZ_HAS_QUADS 0
#else
#define MKZ_HAS_QUADS 1
#if defined(MKZ_TARGET_CUDA)
typedef uint4 mkz_quad32;
typedef ulonglong2 mkz_pair64;
#define MKZ_MAKE_QUAD32(a, b, c, d) make_uint4((a), (b), (c), (d))
#define MKZ_MAKE_PAIR64(a, b) make_ulonglong2((a), (b))
#elif defined(MKZ_TARGET_SYCL)
typedef mkz_u32 mkz_quad32 __attribute__((ext_vector_type(4)));
typedef mkz_u64 mkz_pair64 __attribute__((ext_vector_type(2)));
#define MKZ_MAKE_QUAD32(a, b, c, d) (mkz_quad32{(a), (b), (c), (d)})
#define MKZ_MAKE_PAIR64(a, b) (mkz_pair64{(a), (b)})
#else
typedef uint4 mkz_quad32;
typedef ulong2 mkz_pair64;
#define MKZ_MAKE_QUAD32(a, b, c, d) ((uint4)((a), (b), (c), (d)))
#define MKZ_MAKE_PAIR64(a, b) ((ulong2)((a), (b)))
#endif
/* Copies global words p[], which are on a multiple of 16 bytes whatever MKZ_ALIGN is, to private words v[]. */
#define MKZ_LOAD_ALIGNED_QUAD32(v, p)                                           \
    do {                                                                        \
        mkz_quad32 mkz_q = *(MKZ_GLOBAL const mkz_quad32 *)(p);                 \
        (v)[0] = mkz_q.x, (v)[1] = mkz_q.y, (v)[2] = mkz_q.z, (v)[3] = mkz_q.w; \
    } while (0)
#endif

/* Copies private words v[] from or to global words p[]. */
#if !MKZ_HAS_QUADS || MKZ_ALIGN < 16
#define MKZ_LOAD_QUAD32(v, p) ((v)[0] = (p)[0], (v)[1] = (p)[1], (v)[2] = (p)[2], (v)[3] = (p)[3])
#define MKZ_STORE_QUAD32(p, v) ((p)[0] = (v)[0], (p)[1] = (v)[1], (p)[2] = (v)[2], (p)[3] = (v)[3])
#define MKZ_LOAD_PAIR64(v, p) ((v)[0] = (p)[0], (v)[1] = (p)[1])
#define MKZ_STORE_PAIR64(p, v) ((p)[0] = (v)[0], (p)[1] = (v)[1])
#else
#define MKZ_LOAD_QUAD32(v, p) MKZ_LOAD_ALIGNED_QUAD32(v, p)
#define MKZ_STORE_QUAD32(p, v) (*(MKZ_GLOBAL mkz_quad32 *)(p) = MKZ_MAKE_QUAD32((v)[0], (v)[1], (v)[2], (v)[3]))
#define MKZ_LOAD_PAIR64(v, p)                                   \
    do {                                                        \
        mkz_pair64 mkz_q = *(MKZ_GLOBAL const mkz_pair64 *)(p); \
        (v)[0] = mkz_q.x, (v)[1] = mkz_q.y;                     \
    } while (0)
#define MKZ_STORE_PAIR64(p, v) (*(MKZ_GLOBAL mkz_pair64 *)(p) = MKZ_MAKE_PAIR64((v)[0], (v)[1]))
#endif

#endif /* MKZ_PORT_H */
