/* reset.h: allows the core to be included again with other values of MKZ_LANES and MKZ_CONSTANTS, in another namespace
 * or class. It undefines the guards of the headers and all that they derive from these two macros, but not the two
 * macros. The units undefine their own guards. */
#define MKZ_RESET
#include "hashes.h"
#undef MKZ_RESET

#undef MKZ_BLAKE3_COMPRESSION_H
#undef MKZ_BLAKE3_ROUNDS_H
#undef MKZ_BYTES_H
#undef MKZ_CONTEXT_H
#undef MKZ_DATA_H
#undef MKZ_GOLDILOCKS_H
#undef MKZ_KECCAK_F1600_H
#undef MKZ_KERNELS_H
#undef MKZ_MONTY31_H
#undef MKZ_NAMES_H
#undef MKZ_NODES_H
#undef MKZ_PARTS_H
#undef MKZ_PORT_H
#undef MKZ_PORT_LANES_H
#undef MKZ_PORT_NVIDIA_H
#undef MKZ_POSEIDON2_BABYBEAR_H
#undef MKZ_POSEIDON2_GOLDILOCKS_H
#undef MKZ_POSEIDON2_KOALABEAR_H
#undef MKZ_POSEIDON2_MONTY31_H
#undef MKZ_POSEIDON_BABYBEAR_H
#undef MKZ_POSEIDON_GOLDILOCKS_H
#undef MKZ_POSEIDON_KOALABEAR_H
#undef MKZ_POSEIDON_MONTY31_H
#undef MKZ_RESCUE_PRIME_H
#undef MKZ_RPO_H
#undef MKZ_SHA256_COMPRESSION_H

#undef MKZ_BSWAP64
#undef MKZ_FN
#undef MKZ_FN_CALL
#undef MKZ_GL
#undef MKZ_KECCAK_ADD_COLUMNS
#undef MKZ_LANE
#undef MKZ_LANE32
#undef MKZ_LANE64
#undef MKZ_LANE64_IS_WORD
#undef MKZ_LT_MASK
#undef MKZ_MIN32
#undef MKZ_MUL_HI32_SIGNED
#undef MKZ_MUL_HI64
#undef MKZ_RP_LIMB
#undef MKZ_RP_LIMB_WORD
#undef MKZ_RP_PERMUTE_BY
#undef MKZ_RP_PLACE
#undef MKZ_RP_PLACED
#undef MKZ_RP_ROWS
#undef MKZ_RP_SPACE
#undef MKZ_RP_TABLES
#undef MKZ_RP_UNROLL_ROWS
#undef MKZ_SPLAT32
#undef MKZ_SPLAT64
