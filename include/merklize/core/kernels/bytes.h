/* bytes.h: shared by kernels that read bytes. */
#ifndef MKZ_BYTES_H
#define MKZ_BYTES_H

#include "../port.h"

/* The word of four bytes at p. C++ must not read bytes as words. */
#if defined(MKZ_TARGET_CPP) || MKZ_ALIGN < 4
#define MKZ_LOAD_WORD(p) ((p)[0] | (mkz_u32)(p)[1] << 8 | (mkz_u32)(p)[2] << 16 | (mkz_u32)(p)[3] << 24)
#else
#define MKZ_LOAD_WORD(p) (*(MKZ_GLOBAL const mkz_u32 *)(p))
#endif

/* For a loop over the lanes of chunks that are cut short. Unrolling would take compilers for processors half of their
 * time. Without it compilers for GPUs would put the loop's arrays in memory, because they are indexed at run time. */
#if MKZ_CPU
#define MKZ_CUT_LANES MKZ_NO_UNROLL
#else
#define MKZ_CUT_LANES MKZ_UNROLL
#endif

#endif /* MKZ_BYTES_H */
