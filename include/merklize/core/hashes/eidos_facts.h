/* eidos_facts.h: the facts that both versions of Eidos share (hashes.h), and the guard that a reset undefines. */
#define MKZ_UNIT_WORD_BITS 32
#define MKZ_UNIT_ELEMENT_WORDS 2
#define MKZ_UNIT_MODULUS 0xffffffff00000001
#define MKZ_UNIT_RATE 8
#define MKZ_UNIT_STATE_WORDS 24

#ifdef MKZ_RESET
#undef MKZ_BLAKE3_ROUNDS_H
#endif
