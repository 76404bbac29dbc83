/* rescue_prime_facts.h: the facts that Rescue Prime's hashes share (hashes.h), and the macros of rescue_prime.h that a reset
 * undefines. */
#define MKZ_UNIT_WORD_BITS 64
#define MKZ_UNIT_MODULUS 0xffffffff00000001
#define MKZ_UNIT_RATE 8
#define MKZ_UNIT_STATE_WORDS 12
#define MKZ_UNIT_TEAM_ITEMS 16 /* one cell for each item; four items are idle */

#ifdef MKZ_RESET
#undef MKZ_RESCUE_PRIME_CONSTANTS_H
#undef MKZ_RESCUE_PRIME_H
#undef MKZ_RP_LIMB
#undef MKZ_RP_LIMB_WORD
#undef MKZ_RP_PERMUTE_BY
#undef MKZ_RP_PLACE
#undef MKZ_RP_PLACED
#undef MKZ_RP_ROWS
#undef MKZ_RP_SPACE
#undef MKZ_RP_TABLES
#undef MKZ_RP_UNROLL_ROWS
#endif
