/* reset.h: lets the core be included once more, with other values of MKZ_LANES and MKZ_CONSTANTS, in another namespace or class:
 * undefines the guards of its headers and what they derive from these two. The values themselves stay the includer's. */
#undef MKZ_BLAKE3_H
#undef MKZ_GOLDILOCKS_H
#undef MKZ_KERNELS_H
#undef MKZ_KERNEL_DATA_H
#undef MKZ_KERNEL_DIGEST_H
#undef MKZ_KERNEL_NODES_H
#undef MKZ_KERNEL_TEAM_H
#undef MKZ_PORT_H
#undef MKZ_PORT_LANES_H
#undef MKZ_PORT_NVIDIA_H
#undef MKZ_RESCUE_PRIME_CONSTANTS_H
#undef MKZ_RESCUE_PRIME_H
#undef MKZ_SHA256_H

#undef MKZ_FN
#undef MKZ_FN_CALL
#undef MKZ_GL
#undef MKZ_LANE
#undef MKZ_LANE32
#undef MKZ_LANE64
#undef MKZ_LANE64_IS_WORD
#undef MKZ_LT_MASK
#undef MKZ_MUL_HI64
#undef MKZ_SPLAT32
#undef MKZ_SPLAT64

#undef MKZ_RP_LIMB
#undef MKZ_RP_LIMB_WORD
#undef MKZ_RP_PERMUTE_BY
#undef MKZ_RP_PLACE
#undef MKZ_RP_PLACED
#undef MKZ_RP_ROWS
#undef MKZ_RP_SPACE
#undef MKZ_RP_TABLES
#undef MKZ_RP_UNROLL_ROWS
