/* goldilocks_12.h: the facts of a hash whose state is 12 cells of the Goldilocks field, 8 of them the rate. */
#define MKZ_UNIT_WORD_BITS 64
#define MKZ_UNIT_MODULUS 0xffffffff00000001
#define MKZ_UNIT_RATE 8
#define MKZ_UNIT_STATE_WORDS 12
