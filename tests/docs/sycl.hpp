// Names that the pieces of docs/sycl-headers.md take from the program around them.
#include <merklize/sycl.hpp>

extern sycl::queue queue;
extern sycl::event filled;
extern std::uint8_t *data;
extern std::uint32_t *digest, *digests, *nodes, *root, *leaves, *left, *right, *out;
extern std::uint64_t *rows, *words, *a, *b;
extern const std::size_t n, bytes;
