/* hash_rows.h: the kernel of rows. A hash takes a row as words of a chunk, as elements of a field, or as bytes. */
#if MKZ_UNIT_CHUNK_BYTES
#include "hash_rows_chunk.h"
#define MKZ_ROW_WORD MKZ_WORD
#elif MKZ_UNIT_MODULUS
#include "hash_rows_words.h"
#define MKZ_ROW_WORD MKZ_WORD
#else
#include "hash_rows_bytes.h"
#define MKZ_ROW_WORD mkz_u8
#endif

#if MKZ_ENTRIES & MKZ_ONLY_HASH_ROWS
MKZ_ENTRY(MKZ_HASH_ENTRY(hash_rows))
(MKZ_GLOBAL const MKZ_ROW_WORD *in, mkz_u64 in_offset, mkz_u64 row_stride, mkz_u64 word_stride, mkz_u32 row_words,
 MKZ_GLOBAL MKZ_WORD *out, mkz_u64 out_offset, mkz_u64 count,
 MKZ_GLOBAL const mkz_u64 *constants MKZ_ROW_KEY_PARAMETERS) {
#include "entry_context.h"
    MKZ_TAKE_ROW_KEY(ctx);
    MKZ_HASH_BODY(hash_rows)(item, in, in_offset, row_stride, word_stride, row_words, out, out_offset, count, ctx);
}
#endif
#undef MKZ_ROW_WORD
