/* given_koalabear.h: the facts of a part over KoalaBear with a caller's table, whose RATE is all cells. */
#define MKZ_UNIT_IS_PART 1
#define MKZ_UNIT_WORD_BITS 32
#define MKZ_UNIT_MODULUS 0x7f000001
#define MKZ_UNIT_STATE_WORDS MKZ_UNIT_RATE
#define MKZ_UNIT_TABLE_IS_GIVEN 1
