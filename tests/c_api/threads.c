/* Each thread has its own last error, and several threads may use one tree. */
#include <pthread.h>

#include "check.h"

enum { threads = 4, rounds = 50 };

struct Job {
    const merklize_tree *tree;
    const merklize_digest *root;
    merklize_hash_id unknown;
    int failures;
};

static void *work(void *pointer) {
    struct Job *job = pointer;
    if (merklize_last_error()[0] != '\0') job->failures++; /* a new thread has none */
    for (int i = 0; i < rounds; i++) {
        merklize_digest pair[2] = {{{0}}, {{0}}};
        char expected[64];
        snprintf(expected, sizeof expected, "unknown hash id %u;", (unsigned)job->unknown);
        if (merklize_merge(merklize_view_digests(pair, 2), merklize_view_digests(pair, 2), job->unknown, NULL,
                           merklize_output_digests(pair, 2), NULL) != MERKLIZE_INVALID_ARGUMENT)
            job->failures++;
        merklize_proof *proof = NULL;
        int valid = 0;
        if (merklize_tree_prove(job->tree, (uint64_t)i, NULL, 0, &proof) != MERKLIZE_OK) job->failures++;
        if (merklize_proof_verify(proof, job->root, NULL, NULL, &valid) != MERKLIZE_OK || valid != 1) job->failures++;
        merklize_proof_free(proof);
        if (strstr(merklize_last_error(), expected) == NULL)
            job->failures++; /* success and other threads change nothing */
    }
    return NULL;
}

void test_threads(void) {
    static merklize_digest leaves[rounds];
    fill_leaves(leaves, rounds);
    merklize_tree *tree = NULL;
    merklize_digest root;
    OK(merklize_tree_from_leaves(merklize_view_digests(leaves, rounds), NULL, 0, NULL, &tree));
    OK(merklize_tree_root(tree, &root));
    pthread_t handles[threads];
    struct Job jobs[threads];
    for (int i = 0; i < threads; i++) {
        jobs[i] = (struct Job){tree, &root, 1000u + (merklize_hash_id)i, 0};
        CHECK(pthread_create(&handles[i], NULL, work, &jobs[i]) == 0);
    }
    for (int i = 0; i < threads; i++) {
        CHECK(pthread_join(handles[i], NULL) == 0);
        CHECK(jobs[i].failures == 0);
    }
    merklize_tree_free(tree);
}
