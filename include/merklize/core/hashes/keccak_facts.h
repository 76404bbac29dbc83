/* keccak_facts.h: the facts that all hashes on Keccak-f[1600] share (hashes.h), and the guard that a reset undefines. */
#define MKZ_UNIT_WORD_BITS 64
#define MKZ_UNIT_RATE 136
#define MKZ_UNIT_STATE_WORDS 25

#ifdef MKZ_RESET
#undef MKZ_KECCAK_ADD_COLUMNS
#undef MKZ_KECCAK_F1600_H
#endif
