/* Hashes a file, builds a tree over its pieces, and proves one of them. Then it verifies the proof with the root alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <merklize/merklize.h>

enum { piece_bytes = 10, index = 2 };

/* Every call returns a status. After an error there is a text for people. */
static void check(merklize_status status) {
    if (status == MERKLIZE_OK) return;
    fprintf(stderr, "%s\n", merklize_last_error());
    exit(1);
}

static void print(const char *what, const merklize_digest *digest) {
    printf("%s ", what);
    for (size_t i = 0; i < sizeof digest->bytes; i++) printf("%02x", digest->bytes[i]);
    printf("\n");
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: hash_and_prove FILE\n");
        return 2;
    }
    check(merklize_check_abi(MERKLIZE_ABI_VERSION));

    /* The digest of the whole file: what b3sum prints. */
    merklize_digest digest;
    check(merklize_hash_file(argv[1], MERKLIZE_HASH_blake3, NULL, 0, digest.bytes, sizeof digest.bytes, NULL));
    print("digest", &digest);

    /* The tree over its pieces. A null form is BLAKE3; null options are all threads of the CPU. */
    const merklize_input input = {.path = argv[1], .leaf_bytes = piece_bytes};
    merklize_tree *tree = NULL;
    check(merklize_tree_from_file(&input, NULL, NULL, &tree));
    merklize_tree_info info = {0};
    check(merklize_tree_get_info(tree, &info));
    print("root  ", &info.root);

    /* The proof, as bytes that can be sent. */
    merklize_proof *proof = NULL;
    check(merklize_tree_prove(tree, index, NULL, 0, &proof));
    size_t length = 0;
    check(merklize_proof_to_bytes(proof, NULL, 0, &length));
    uint8_t *bytes = malloc(length);
    if (bytes == NULL) return 1;
    check(merklize_proof_to_bytes(proof, bytes, length, &length));
    merklize_proof_free(proof);
    merklize_tree_free(tree);

    /* The verifier. It gives the facts that it knows, because a root alone does not bind the claims of a proof. */
    int valid = 0;
    const uint64_t known_index = index;
    const merklize_expect expect = {.index = &known_index, .n_leaves = &info.n_leaves};
    check(merklize_verify(bytes, length, &info.root, &expect, NULL, &valid));
    printf("leaf %d of %llu is in the tree: %s\n", index, (unsigned long long)info.n_leaves, valid == 1 ? "yes" : "no");
    bytes[length - 1] ^= 1;
    check(merklize_verify(bytes, length, &info.root, &expect, NULL, &valid));
    printf("another leaf: %s\n", valid == 1 ? "yes" : "no");
    free(bytes);
    return 0;
}
