// NVRTC compiles the kernels of every hash. No GPU is needed.
#include "backends/cuda/nvrtc.hpp"
#include "check.hpp"
#include "hashes/hash_info.hpp"
#include "merklize/hash.hpp"
#include "programs/kernel_text.hpp"
#include "support.hpp"

namespace cuda = merklize::cuda;

// With the default place of the constants, and so of hashes that have none, tests/core/test_nvrtc.py compiles them.
TEST("cuda-kernels: all kernels of every hash with constants, in each place of them but the default") {
    if (cuda::nvrtc_major() == 0) {
        std::cout << "  skipped: no NVRTC\n";
        return;
    }
    for (const merklize::HashTraits& t : merklize::hashes()) {
        if (!support::is_wanted(t) || merklize::runtime::info(t.hash).table_words == 0) continue;
        for (const char* constants : {"1", "4"}) {
            const std::pair<std::string, std::string> defines[] = {{"MKZ_GROUP_SIZE", "128"},
                                                                   {"MKZ_CONSTANTS", constants}};
            const std::string text = merklize::runtime::program_text(defines, t.hash);
            const cuda::Image image = cuda::compile(90, text.c_str(), nullptr, "test");
            for (const char* body :
                 {"merge_level", "merge_pairs", "merge_subtree", "merge_at", "merge_edge", "merge_keep", "hash_rows"}) {
                const std::string name = "mkz_" + std::string(body) + "_" + std::string(t.name);
                CHECK(image.bytes.find(name) != image.bytes.npos);
            }
        }
    }
}
