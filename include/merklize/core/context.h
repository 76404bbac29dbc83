/* context.h: what a launch passes to merges besides the nodes. */
#ifndef MKZ_CONTEXT_H
#define MKZ_CONTEXT_H

#include "port.h"

/* A key: eight words, passed by value as one kernel argument of 32 bytes. */
typedef struct mkz_key {
    mkz_u32 w[8];
} mkz_key;

/* The hash's constants (table_word(i) for all i < TABLE_WORDS), in the memory that MKZ_CONSTANTS says. */
#if MKZ_CONSTANTS == 4
typedef MKZ_LOCAL const mkz_u64 *mkz_table;
#else
typedef MKZ_GLOBAL const mkz_u64 *mkz_table;
#endif

typedef struct mkz_context {
    mkz_table table; /* read if MKZ_CONSTANTS is 3 or 4 and the hash has a table */
#if MKZ_KEYED
    mkz_key key; /* for a keyed hash: the mode's key and flags */
    mkz_u32 flags;
#endif
} mkz_context;

MKZ_FN mkz_context mkz_context_of(mkz_table table) {
    mkz_context ctx;
    ctx.table = table;
#if MKZ_KEYED
    for (int k = 0; k < 8; k++) ctx.key.w[k] = 0;
    ctx.flags = 0;
#endif
    return ctx;
}

#endif /* MKZ_CONTEXT_H */
