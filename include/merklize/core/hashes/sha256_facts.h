/* sha256_facts.h: the facts that all hashes on SHA-256's compression share (hashes.h), and the guard that a reset undefines. */
#define MKZ_UNIT_WORD_BITS 32
#define MKZ_UNIT_RATE 64
#define MKZ_UNIT_PAD_BYTE 0x80

#ifdef MKZ_RESET
#undef MKZ_SHA256_COMPRESSION_H
#endif
