/* kernel_team.h: one merge of Rescue Prime by a team of MKZ_RP_TEAM items, a cell each.
 *
 * Towards its root a tree has fewer merges than a GPU has items, and time is what one merge takes. The S-boxes of the 12
 * cells do not depend on each other; the MDS does, and reads the cells from local memory. Four items of a team idle. */
#ifndef MKZ_KERNEL_TEAM_H
#define MKZ_KERNEL_TEAM_H

#include "kernel_nodes.h"
#include "rescue_prime.h"

/* Whether a group is teams, and how many. The size of a group need not be known to the preprocessor. */
#define MKZ_HAS_TEAMS (MKZ_RP_TEAMS && MKZ_LANES == 1)
#define MKZ_GROUP_TEAMS (MKZ_GROUP_SIZE / MKZ_RP_TEAM)
/* Words of local memory for the cells of a group's teams. */
#define MKZ_TEAM_WORDS (MKZ_HAS_TEAMS ? MKZ_GROUP_SIZE : 1)

#if MKZ_HAS_TEAMS
/* Cell `cell` < MKZ_RP_TEAM of the state after the permutation, its value before being x. All items of a group call it together;
 * cells: the 12 words of the team. `works` is 0 for items that only wait. */
#define MKZ_DEFINE_TEAM_PERMUTE(matrix)                                                                       \
    MKZ_BODY mkz_u64 mkz_team_permute_##matrix(mkz_work_item item, MKZ_LOCAL mkz_u64 *cells, mkz_u32 cell,    \
                                               mkz_u32 works, mkz_u64 x, mkz_rp_table table) {                \
        (void)table;                                                                                          \
        MKZ_NO_UNROLL for (int h = 0; h < 2 * MKZ_RP_ROUNDS; h++) {                                           \
            if (works) {                                                                                      \
                if (h % 2 == 0)                                                                               \
                    x = mkz_gl_pow7(x);                                                                       \
                else                                                                                          \
                    mkz_rp_root7(&x, 1);                                                                      \
                cells[cell] = x;                                                                              \
            }                                                                                                 \
            MKZ_BARRIER(item);                                                                                \
            if (works) x = MKZ_RP_PLACE(team_row_##matrix, table)(cells, (int)cell, h, MKZ_RP_TABLES(table)); \
            MKZ_BARRIER(item);                                                                                \
        }                                                                                                     \
        return x;                                                                                             \
    }
MKZ_DEFINE_TEAM_PERMUTE(circulant)
MKZ_DEFINE_TEAM_PERMUTE(dense)

/* Merges by the teams of a group: for team t < nodes <= MKZ_GROUP_TEAMS, children 2t and 2t + 1 at in[2 first ...], or in the
 * tower `from`, if held; the result at out[o + first + t] and, if keep, in the tower `to`. */
#define MKZ_DEFINE_TEAM_MERGE(name, prefix, matrix)                                                                  \
    MKZ_BODY void mkz_team_merge_##name(mkz_work_item item, MKZ_GLOBAL const mkz_u64 *in,                            \
                                        MKZ_LOCAL const mkz_u64 *from, mkz_u32 from_stride, MKZ_GLOBAL mkz_u64 *out, \
                                        MKZ_LOCAL mkz_u64 *to, mkz_u32 to_stride, mkz_u32 nodes, mkz_rp_table table, \
                                        MKZ_LOCAL mkz_u64 *team_cells) {                                             \
        mkz_u32 team = item.rank / MKZ_RP_TEAM, cell = item.rank % MKZ_RP_TEAM;                                      \
        mkz_u32 works = team < nodes && cell < MKZ_RP_WIDTH, k = cell - prefix##_first_cell;                         \
        mkz_u64 x = cell == prefix##_length_cell ? 2 * MKZ_RP_DIGEST : 0;                                            \
        if (works && k < MKZ_RP_RATE)                                                                                \
            x = from_stride ? from[(k % 4) * from_stride + 2 * team + k / 4] : in[8 * team + k];                     \
        x = mkz_team_permute_##matrix(item, team_cells + MKZ_RP_TEAM * team, cell, works, x, table);                 \
        if (works && k < MKZ_RP_DIGEST) {                                                                            \
            x = mkz_gl_canonical(x);                                                                                 \
            out[4 * team + k] = x;                                                                                   \
            if (to_stride) to[k * to_stride + team] = x;                                                             \
        }                                                                                                            \
    }
#endif

#endif /* MKZ_KERNEL_TEAM_H */
