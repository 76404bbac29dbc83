/* merklize/c/pieces.h: BLAKE3 digests that can tell where messages differ: with a digest come the values of the
 * message's pieces. Its structs and constants are written by scripts/surface.py from scripts/surface.toml. */
#ifndef MERKLIZE_C_PIECES_H
#define MERKLIZE_C_PIECES_H

#include <merklize/c/hashes.h>
#include <merklize/c/options.h>

/* Bytes [offset, offset + bytes) of a file. */
typedef struct merklize_file_range {
    uint64_t offset;
    uint64_t bytes;
} merklize_file_range;

/* The digest of a message, and the values of its pieces, from one pass over its bytes.
 * piece_size  0: no pieces; otherwise a power of two of at least 262144 bytes
 * pieces      [capacity], written: one for each piece, none if the message is no longer than one piece; may be null if
 *             capacity is 0
 * count       written if not null: number of pieces, also if capacity is too small
 * errors      too_small, invalid_argument (piece_size), unavailable, cancelled */
MERKLIZE_C_API merklize_status merklize_hash_pieces(merklize_view data, uint64_t piece_size, merklize_digest *digest,
                                                    merklize_digest *pieces, size_t capacity, size_t *count,
                                                    const merklize_run_options *options);
/* The same for ranges of one regular file or block device, a message each, in any order. All threads read and hash at
 * once, whatever the lengths.
 * descriptor  open for reading; its position is neither used nor changed, and it stays open
 * name        for error texts; null: the descriptor's number
 * digests     [n_ranges], written
 * pieces      [capacity], written: those of the first range, then those of the second, and so on; may be null if
 *             capacity is 0
 * count       written if not null: number of pieces of all ranges, also if capacity is too small
 * errors      io (not a regular file or a block device; its size is not the stated one; it ends before a range does; it
 *             changed while it was read), too_small, invalid_argument (piece_size), cancelled */
MERKLIZE_C_API merklize_status merklize_hash_file_ranges(int descriptor, const char *name,
                                                         const merklize_file_range *ranges, size_t n_ranges,
                                                         uint64_t piece_size, merklize_digest *digests,
                                                         merklize_digest *pieces, size_t capacity, size_t *count,
                                                         const merklize_run_options *options);
/* The values of the pieces of a part of a longer message, as merklize_hash_pieces() of the whole gives them. Parts may
 * be hashed anywhere and in any order, also by several machines.
 * part        [bytes], not empty: whole pieces, but for the last one of the message. The message is longer than one
 *             piece
 * offset      bytes of the message before `part`: a multiple of piece_size
 * mode        null: plain
 * pieces      [capacity], written; may be null if capacity is 0
 * count       written if not null: number of pieces, also if capacity is too small
 * errors      too_small, invalid_argument (piece_size, offset, an empty part), unavailable, cancelled */
MERKLIZE_C_API merklize_status merklize_piece_values(const void *part, size_t bytes, uint64_t offset,
                                                     uint64_t piece_size, const merklize_mode *mode,
                                                     merklize_digest *pieces, size_t capacity, size_t *count,
                                                     const merklize_run_options *options);
/* The value of 2^k neighbouring pieces that begin at a multiple of 2^k: that of one piece of 2^k times the size. At the
 * message's end they may be fewer. They must not be all pieces of the message, which have a digest instead.
 * mode    that of merklize_piece_values(); null: plain
 * errors  invalid_argument (no piece) */
MERKLIZE_C_API merklize_status merklize_value_of_pieces(const merklize_digest *pieces, size_t n,
                                                        const merklize_mode *mode, merklize_digest *value);
/* The digest of the message that has these pieces, or more of BLAKE3's output.
 * mode    that of merklize_piece_values(); null: plain
 * seek    the first byte of the output to write
 * out     [out_bytes], written. The first 32 bytes of the output are the digest
 * errors  invalid_argument (fewer than 2 pieces) */
MERKLIZE_C_API merklize_status merklize_digest_of_pieces(const merklize_digest *pieces, size_t n,
                                                         const merklize_mode *mode, uint64_t seek, uint8_t *out,
                                                         size_t out_bytes);

#endif
