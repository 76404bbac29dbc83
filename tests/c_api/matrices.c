/* Rows of matrices, extensions and commitments, beside Plonky3's answers (tests/vectors/p3_mmcs_koalabear.json,
 * p3_extensions.json). */
#include "check.h"

enum { p = 0x7f000001 };

/* Element r, c of matrix m is 1 + 1000003 m + 1009 r + c. */
static uint32_t element(uint32_t m, uint32_t r, uint32_t c) { return (1 + 1000003 * m + 1009 * r + c) % p; }

static const uint32_t cap[8] = {1303337330, 2108285388, 1388781988, 894359788,
                                810115740,  1813343751, 1888338271, 354879872};

void test_matrices(void) {
    /* 8 x 3; 8 x 2, stored by columns; 4 x 3, a part of a larger matrix. */
    uint32_t a[8][3], b[2][8], c[4][5];
    memset(c, 0xff, sizeof c);
    for (uint32_t r = 0; r < 8; r++) {
        for (uint32_t k = 0; k < 3; k++) a[r][k] = element(0, r, k);
        for (uint32_t k = 0; k < 2; k++) b[k][r] = element(1, r, k);
        for (uint32_t k = 0; k < 3 && r < 4; k++) c[r][k + 1] = element(2, r, k);
    }
    const merklize_matrix matrices[3] = {
        {.words = a, .rows = 8, .columns = 3, .row_stride = 3, .column_stride = 1, .word_bytes = 4},
        {.words = b, .rows = 8, .columns = 2, .row_stride = 1, .column_stride = 8, .word_bytes = 4},
        {.words = &c[0][1], .rows = 4, .columns = 3, .row_stride = 5, .column_stride = 1, .word_bytes = 4}};
    merklize_commitment_form form = {.hash = MERKLIZE_HASH_poseidon2_koalabear_16};
    for (uint32_t way = 0; way < 4; way++) {
        form.keep = way & 1;
        form.drop_levels = way & 2;
        merklize_commitment *commitment = NULL;
        OK(merklize_commitment_build(matrices, 3, &form, NULL, &commitment));
        merklize_commitment_info info = {0};
        OK(merklize_commitment_get_info(commitment, &info));
        CHECK(info.n_leaves == 8 && info.height == 3 && info.cap_size == 1 && info.path_length == 3);
        CHECK(info.row_bytes == 32 && info.keeps_matrices == form.keep && info.arity == 2);
        CHECK(info.drop_levels == form.drop_levels);
        merklize_digest root, siblings[6];
        size_t count = 0;
        OK(merklize_commitment_cap(commitment, NULL, 0, &count));
        OK(merklize_commitment_cap(commitment, &root, 1, &count));
        CHECK(count == 1 && memcmp(root.bytes, cap, 32) == 0);

        const merklize_matrix *given = form.keep ? NULL : matrices;
        const size_t given_count = form.keep ? 0 : 3;
        const uint64_t indices[2] = {6, 1};
        uint32_t rows[2][8];
        OK(merklize_commitment_open(commitment, indices, 2, given, given_count, (uint8_t *)rows, siblings));
        CHECK(rows[0][0] == element(0, 6, 0) && rows[0][4] == element(1, 6, 1) && rows[0][7] == element(2, 3, 2));
        const merklize_matrix_dims dims[3] = {{8, 3}, {8, 2}, {4, 3}};
        int valid = 0;
        OK(merklize_verify_opening(indices, 1, (uint8_t *)rows, 32, siblings, 3, &root, 1, dims, 3, &form, &valid));
        CHECK(valid == 1);
        rows[0][7] ^= 1;
        OK(merklize_verify_opening(indices, 1, (uint8_t *)rows, 32, siblings, 3, &root, 1, dims, 3, &form, &valid));
        CHECK(valid == 0);

        /* The siblings alone; then both indices in one opening. */
        merklize_digest path[3];
        OK(merklize_commitment_open(commitment, indices, 1, given, given_count, NULL, path));
        CHECK(memcmp(path, siblings, sizeof path) == 0);
        FAILS(MERKLIZE_TOO_SMALL, "4",
              merklize_commitment_open_together(commitment, indices, 2, given, given_count, NULL, siblings, 3, &count));
        CHECK(count == 4);
        OK(merklize_commitment_open_together(commitment, indices, 2, given, given_count, (uint8_t *)rows, siblings, 6,
                                             &count));
        const uint64_t ascending[2] = {1, 6};
        OK(merklize_verify_opening(ascending, 2, (uint8_t *)rows, 64, siblings, count, &root, 1, dims, 3, &form,
                                   &valid));
        CHECK(valid == 1);

        const uint64_t outside = 8;
        FAILS(MERKLIZE_INVALID_ARGUMENT, "index must be below 8",
              merklize_commitment_open(commitment, &outside, 1, NULL, 0, NULL, path));
        /* The matrices are needed for rows, and for siblings of dropped levels. */
        if (!form.drop_levels) OK(merklize_commitment_open(commitment, indices, 1, NULL, 0, NULL, path));
        if (!form.keep) {
            const char *text = form.drop_levels ? "are made again from the rows" : "not kept";
            FAILS(MERKLIZE_INVALID_ARGUMENT, text,
                  merklize_commitment_open(commitment, indices, 1, NULL, 0, (uint8_t *)rows, path));
        }
        merklize_commitment_free(commitment);
    }
    merklize_commitment_free(NULL);

    merklize_digest side[8], alone;
    OK(merklize_hash_rows(matrices, 2, MERKLIZE_HASH_poseidon2_koalabear_16, 0, NULL, merklize_output_digests(side, 8),
                          NULL));
    const uint32_t row[5] = {element(0, 7, 0), element(0, 7, 1), element(0, 7, 2), element(1, 7, 0), element(1, 7, 1)};
    OK(merklize_hash_leaves(merklize_view_bytes(row, 20), 20, MERKLIZE_HASH_poseidon2_koalabear_16, NULL,
                            merklize_output_digests(&alone, 1), NULL));
    CHECK(equal(&side[7], &alone));
    b[1][2] = p;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "row 2, column 1 of matrix 1 is 2130706433",
          merklize_hash_rows(matrices, 2, MERKLIZE_HASH_poseidon2_koalabear_16, 0, NULL,
                             merklize_output_digests(side, 8), NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "at least 1 matrix",
          merklize_hash_rows(NULL, 0, MERKLIZE_HASH_poseidon2_koalabear_16, 0, NULL, merklize_output_digests(side, 8),
                             NULL));
}

/* The word of number i of a recorded case. */
static uint64_t recorded(uint64_t i) { return (i + 1) * 0x9e3779b97f4a7c15; }

void test_extend(void) {
    /* Two rows of six; the first row of sixteen is recorded. */
    const uint64_t first[6] = {17104256793519683135u, 13420442055393086541u, 3012198289041944168u,
                               14412913104070175358u, 10729098365943578764u, 320854599592436391u};
    uint64_t words[2][6], natural[16][6], reversed[16][6];
    for (uint64_t i = 0; i < 12; i++) words[i / 6][i % 6] = recorded(i) % 0xffffffff00000001;
    merklize_matrix matrix = {
        .words = words, .rows = 2, .columns = 6, .row_stride = 6, .column_stride = 1, .word_bytes = 8};
    merklize_extend_form form = {.field = MERKLIZE_FIELD_GOLDILOCKS, .added_bits = 3, .shift = 3888907230706009965u};
    const merklize_run_options on_cpu = {.threads = 1};
    OK(merklize_extend(&matrix, &form, merklize_output_bytes(natural, sizeof natural), &on_cpu));
    CHECK(memcmp(natural[0], first, sizeof first) == 0);
    form.order = MERKLIZE_ROW_ORDER_BIT_REVERSED;
    OK(merklize_extend(&matrix, &form, merklize_output_bytes(reversed, sizeof reversed), NULL));
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t row = (i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 | (i & 8) >> 3;
        CHECK(memcmp(natural[i], reversed[row], sizeof first) == 0);
    }

    /* Four rows of one column; then the polynomial of one row, which is constant. */
    uint32_t column[4], small[8];
    for (uint64_t i = 0; i < 4; i++) column[i] = (uint32_t)(recorded(i) % 0x78000001);
    matrix = (merklize_matrix){
        .words = column, .rows = 4, .columns = 1, .row_stride = 1, .column_stride = 1, .word_bytes = 4};
    form = (merklize_extend_form){.field = MERKLIZE_FIELD_BABYBEAR, .shift = 696885323};
    OK(merklize_extend(&matrix, &form, merklize_output_bytes(small, 16), NULL));
    CHECK(small[0] == 590044267);
    matrix.rows = 1;
    form.added_bits = 3;
    OK(merklize_extend(&matrix, &form, merklize_output_bytes(small, 32), NULL));
    for (uint32_t i = 0; i < 8; i++) CHECK(small[i] == column[0]);

    /* Sums of the columns, and of the rows, of a matrix of 2 x 3 with weights of two words. */
    const uint64_t small_matrix[6] = {1, 2, 3, 4, 5, 6}, by_row[4] = {1, 10, 100, 1000};
    const uint64_t by_column[6] = {1, 0, 10, 0, 100, 1}, over_rows[6] = {401, 4010, 502, 5020, 603, 6030};
    const uint64_t over_columns[4] = {321, 3, 654, 6};
    uint64_t sums[6];
    const merklize_matrix summed = {
        .words = small_matrix, .rows = 2, .columns = 3, .row_stride = 3, .column_stride = 1, .word_bytes = 8};
    merklize_sum_form sum_form = {.degree = 2};
    OK(merklize_weighted_sums(&summed, by_row, sizeof by_row, &sum_form, sums, sizeof over_rows, &on_cpu));
    CHECK(memcmp(sums, over_rows, sizeof over_rows) == 0);
    sum_form.over = MERKLIZE_SUM_OVER_COLUMNS;
    OK(merklize_weighted_sums(&summed, by_column, sizeof by_column, &sum_form, sums, sizeof over_columns, NULL));
    CHECK(memcmp(sums, over_columns, sizeof over_columns) == 0);
    FAILS(MERKLIZE_INVALID_ARGUMENT,
          "merklize_weighted_sums: out must have 2 words of 8 bytes for each of 2 rows, got 40 bytes",
          merklize_weighted_sums(&summed, by_column, sizeof by_column, &sum_form, sums, 40, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_weighted_sums: form is null",
          merklize_weighted_sums(&summed, by_column, sizeof by_column, NULL, sums, 32, NULL));

    /* The squares of the first words, less the last ones of the row after it. */
    merklize_matrix squared = summed;
    squared.elements = MERKLIZE_ELEMENTS_ANY;
    const uint32_t first_cell = 2u << 29, next_cell = 3u << 29 | 2;
    const merklize_constraint_step steps[] = {
        {.op = MERKLIZE_CONSTRAINT_OP_MULTIPLY, .to = 5, .a = first_cell, .b = first_cell},
        {.op = MERKLIZE_CONSTRAINT_OP_SUBTRACT, .to = 5, .a = 5, .b = next_cell},
        {.op = MERKLIZE_CONSTRAINT_OP_SUM, .a = 5}};
    const merklize_constraint_form folded = {.steps = steps,
                                             .n_steps = 3,
                                             .weights = by_row,
                                             .weight_bytes = 16,
                                             .next = 1,
                                             .field = MERKLIZE_FIELD_GOLDILOCKS,
                                             .degree = 2};
    const uint64_t folds[4] = {0xffffffff00000001 - 5, 0xffffffff00000001 - 50, 13, 130};
    OK(merklize_evaluate_constraints(&squared, 1, &folded, sums, sizeof folds, &on_cpu));
    CHECK(memcmp(sums, folds, sizeof folds) == 0);

    /* One call makes the extension and the commitment to it. */
    merklize_extended_matrix both = {.matrix = matrix, .form = form, .out = small, .out_bytes = sizeof small};
    merklize_commitment_form commitment_form = {.hash = MERKLIZE_HASH_poseidon2_babybear_16};
    merklize_commitment *commitment = NULL, *expected = NULL;
    both.matrix.rows = 4;
    both.form.added_bits = 1;
    both.form.order = MERKLIZE_ROW_ORDER_BIT_REVERSED;
    OK(merklize_commit_extended(&both, 1, &commitment_form, NULL, &commitment));
    uint32_t alone[8];
    OK(merklize_extend(&both.matrix, &both.form, merklize_output_bytes(alone, sizeof alone), NULL));
    CHECK(memcmp(small, alone, sizeof alone) == 0);
    const merklize_matrix of_extension = {
        .words = alone, .rows = 8, .columns = 1, .row_stride = 1, .column_stride = 1, .word_bytes = 4};
    OK(merklize_commitment_build(&of_extension, 1, &commitment_form, NULL, &expected));
    merklize_digest roots[2];
    OK(merklize_commitment_cap(commitment, &roots[0], 1, NULL));
    OK(merklize_commitment_cap(expected, &roots[1], 1, NULL));
    CHECK(equal(&roots[0], &roots[1]));
    merklize_commitment_free(commitment);
    merklize_commitment_free(expected);
    both.out_bytes = 31;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_commit_extended: out must have 32 bytes",
          merklize_commit_extended(&both, 1, &commitment_form, NULL, &commitment));
    CHECK(commitment == NULL);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_commit_extended: form is null",
          merklize_commit_extended(&both, 1, NULL, NULL, &commitment));

    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_extend: out must have 32 bytes, 2^3 times the matrix, got 31",
          merklize_extend(&matrix, &form, merklize_output_bytes(small, 31), NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_extend: form is null",
          merklize_extend(&matrix, NULL, merklize_output_bytes(small, 32), NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_extend: matrix is null",
          merklize_extend(NULL, &form, merklize_output_bytes(small, 32), NULL));
    matrix.rows = 4;
    column[2] = 0x78000001;
    form.added_bits = 0;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_extend: row 2, column 0 is 2013265921, not a field element",
          merklize_extend(&matrix, &form, merklize_output_bytes(small, 16), NULL));
    form.added_bits = 26;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "roots of unity of order 2^27 at most, got 2^2 rows and 26 added bits",
          merklize_extend(&matrix, &form, merklize_output_bytes(small, 16), NULL));
    form.field = 3;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "field must be goldilocks (0), babybear (1) or koalabear (2), got 3",
          merklize_extend(&matrix, &form, merklize_output_bytes(small, 16), NULL));
}

/* Constants that nobody uses, with the matrix of our own instance of 16 cells. */
void test_poseidon(void) {
    static uint64_t constants[11 * 16];
    static const uint64_t first_row[16] = {1, 1, 51, 1, 11, 17, 2, 1, 101, 63, 15, 2, 67, 22, 13, 3};
    static uint64_t matrix[256];
    for (uint64_t i = 0; i < sizeof constants / sizeof *constants; i++) constants[i] = 1000003 * i + 1;
    for (size_t i = 0; i < 256; i++) matrix[i] = first_row[(16 + i % 16 - i / 16) % 16];
    merklize_poseidon of = {.field = MERKLIZE_FIELD_KOALABEAR,
                            .width = 16,
                            .rate = 8,
                            .full_rounds = 6,
                            .partial_rounds = 5,
                            .constants = constants,
                            .constant_count = 11 * 16,
                            .matrix = first_row,
                            .matrix_count = 16};
    merklize_hash_id hash = 0, again = 0;
    OK(merklize_hash_poseidon(&of, &hash));
    of.matrix = matrix;
    of.matrix_count = 256;
    OK(merklize_hash_poseidon(&of, &again));
    CHECK(hash == again);
    char name[80];
    OK(merklize_hash_name(hash, name, sizeof name, NULL));
    CHECK(strncmp(name, "poseidon:", 9) == 0);
    OK(merklize_hash_from_name(name, &again));
    CHECK(hash == again);
    merklize_hash_info facts = {0};
    OK(merklize_hash_get_info(hash, &facts));
    CHECK(facts.element_bytes == 4 && facts.modulus == 0x7f000001);
    of.matrix_count = 17;
    of.field = 3;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "instance->field must be 0, 1 or 2, got 3", merklize_hash_poseidon(&of, &hash));
    of.field = MERKLIZE_FIELD_KOALABEAR;
    of.matrix = NULL;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "instance->matrix", merklize_hash_poseidon(&of, &hash));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "instance", merklize_hash_poseidon(NULL, &hash));
}

/* Constants that nobody uses: merges of four need a quad of their own. */
void test_merges_of_four(void) {
    static uint64_t constants[8 * 32 + 5], diagonal[32];
    for (uint64_t i = 0; i < sizeof constants / sizeof *constants; i++) constants[i] = 1000003 * i + 1;
    for (uint64_t i = 0; i < 32; i++) diagonal[i] = i + 2;
    const merklize_poseidon2 rows = {.field = 2,
                                     .width = 16,
                                     .rate = 8,
                                     .external_rounds = 8,
                                     .internal_rounds = 5,
                                     .constants = constants,
                                     .constant_count = 8 * 16 + 5,
                                     .diagonal = diagonal,
                                     .diagonal_count = 16};
    merklize_poseidon2 quad = rows;
    quad.width = quad.rate = quad.diagonal_count = 32;
    quad.constant_count = 8 * 32 + 5;
    merklize_hash_id plain = 0, hash = 0, again = 0;
    OK(merklize_hash_poseidon2(&rows, NULL, &plain));
    OK(merklize_hash_poseidon2(&rows, &quad, &hash));
    OK(merklize_hash_poseidon2(&rows, &quad, &again));
    CHECK(hash == again && hash != plain);
    char name[80];
    size_t length = 0;
    merklize_hash_info facts = {0};
    OK(merklize_hash_get_info(hash, &facts));
    CHECK(facts.hash == hash && facts.is_field == 1 && facts.element_bytes == 4 && facts.modulus == 0x7f000001);
    CHECK(facts.name[0] == 0);
    OK(merklize_hash_name(hash, name, sizeof name, &length));
    CHECK(strncmp(name, "poseidon2:", 10) == 0 && length == 74 && strlen(name) == length);
    OK(merklize_hash_from_name(name, &again));
    CHECK(again == hash);
    FAILS(MERKLIZE_TOO_SMALL, "room for 75 bytes, its zero byte included, got 74",
          merklize_hash_name(hash, name, 74, &length));
    quad.rate = 24;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "quad: width and rate over koalabear must be four digests, 32 words",
          merklize_hash_poseidon2(&rows, &quad, &again));
    quad.field = 3;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "quad->field must be 0, 1 or 2, got 3",
          merklize_hash_poseidon2(&rows, &quad, &again));

    /* Four rows: the root is the first cells of the quad's permutation of their digests. */
    uint32_t words[4][3];
    for (uint32_t r = 0; r < 4; r++)
        for (uint32_t k = 0; k < 3; k++) words[r][k] = element(0, r, k);
    const merklize_matrix matrix = {
        .words = words, .rows = 4, .columns = 3, .row_stride = 3, .column_stride = 1, .word_bytes = 4};
    merklize_commitment_form form = {.hash = hash, .arity = 4, .keep = 1};
    merklize_commitment *commitment = NULL;
    OK(merklize_commitment_build(&matrix, 1, &form, NULL, &commitment));
    merklize_commitment_info info = {0};
    OK(merklize_commitment_get_info(commitment, &info));
    CHECK(info.hash == hash && info.arity == 4 && info.height == 1 && info.path_length == 3);
    merklize_digest root, siblings[3], digests[4];
    OK(merklize_commitment_cap(commitment, &root, 1, NULL));
    const uint64_t index = 2;
    uint32_t row[3];
    OK(merklize_commitment_open(commitment, &index, 1, NULL, 0, (uint8_t *)row, siblings));
    OK(merklize_hash_leaves(merklize_view_bytes(words, 48), 12, plain, NULL, merklize_output_digests(digests, 4),
                            NULL));
    CHECK(equal(&siblings[0], &digests[0]) && equal(&siblings[1], &digests[1]) && equal(&siblings[2], &digests[3]));
    const merklize_matrix_dims dims = {4, 3};
    int valid = 0;
    OK(merklize_verify_opening(&index, 1, (uint8_t *)row, 12, siblings, 3, &root, 1, &dims, 1, &form, &valid));
    CHECK(valid == 1);
    form.hash = plain;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "poseidon2() with constants for merges of four",
          merklize_verify_opening(&index, 1, (uint8_t *)row, 12, siblings, 3, &root, 1, &dims, 1, &form, &valid));
    merklize_commitment_free(commitment);
}
