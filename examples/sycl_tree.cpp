// Merkle trees in your own SYCL program, from headers only: nothing of merklize is linked. Chunks of data are hashed,
// their digests become the leaves of a tree, and a kernel of this program checks a path. Each step waits for the event
// of the step before.
//   icpx -fsycl -std=c++20 -I include examples/sycl_tree.cpp -o sycl_tree          (DPC++)
//   acpp -std=c++20 -O2 -I include examples/sycl_tree.cpp -o sycl_tree             (AdaptiveCpp)
#include <cstdint>
#include <cstdio>
#include <vector>

#include <merklize/sycl.hpp>

namespace {

constexpr std::size_t leaves = 1024, leaf_bytes = 2000;
constexpr std::uint32_t proven = 389;

// Merges the leaf with its siblings up to the root, as in a proof.
bool verify(const std::uint32_t* nodes, const std::uint32_t* leaf_digests, std::uint32_t index) {
    std::uint32_t node[8];
    for (int k = 0; k < 8; k++) node[k] = leaf_digests[8 * index + k];
    const std::uint32_t* level = leaf_digests;
    for (std::size_t size = leaves; size > 1; size /= 2, index /= 2) {
        const std::uint32_t* sibling = level + 8 * (index ^ 1);
        merklize::sycl::merge(node, index % 2 ? sibling : node, index % 2 ? node : sibling);
        level = nodes + 8 * (size / 2);
    }
    bool same = true;
    for (int k = 0; k < 8; k++) same = same && node[k] == nodes[8 + k];
    return same;
}

}  // namespace

int main() {
    sycl::queue queue;
    std::printf("on %s\n", queue.get_device().get_info<sycl::info::device::name>().c_str());

    auto* data = sycl::malloc_shared<std::uint8_t>(leaves * leaf_bytes, queue);
    auto* digests = sycl::malloc_shared<std::uint32_t>(8 * leaves, queue);
    auto* nodes = sycl::malloc_shared<std::uint32_t>(8 * leaves, queue);
    auto* whole = sycl::malloc_shared<std::uint32_t>(8, queue);
    auto* records = sycl::malloc_shared<std::uint64_t>(4 * leaves, queue);
    auto* elements = sycl::malloc_shared<std::uint64_t>(4 * leaves, queue);
    auto* verdict = sycl::malloc_shared<bool>(1, queue);

    const sycl::event filled = queue.parallel_for(
        sycl::range<1>(leaves * leaf_bytes), [=](sycl::id<1> i) { data[i] = static_cast<std::uint8_t>(i[0] % 251); });
    const sycl::event hashed = merklize::sycl::hash_rows(queue, data, leaves, leaf_bytes, digests, {filled});
    const sycl::event built = merklize::sycl::merklize(queue, digests, nodes, leaves, {hashed});
    const sycl::event checked = queue.submit([&](sycl::handler& handler) {
        handler.depends_on(built);
        handler.single_task([=] { *verdict = verify(nodes, digests, proven); });
    });
    // In parallel with the tree: one digest of all the data, four chunks an item.
    constexpr merklize::Policy four{.lanes = 4};
    const sycl::event digested = merklize::sycl::hash<four>(queue, data, leaves * leaf_bytes, whole, {filled});
    // A tree of Rescue Prime, over the field's words 0, 1, 2 ...; its kernels read a table of constants.
    constexpr auto rescue = merklize::Hash::rp64_256;
    const sycl::event counted =
        queue.parallel_for(sycl::range<1>(4 * leaves), [=](sycl::id<1> i) { records[i] = i[0]; });
    const sycl::event summed = merklize::sycl::merklize<rescue>(queue, records, elements, leaves, {counted});
    sycl::event::wait({checked, digested, summed});
    // A kernel that could not run has written nothing. Its error goes to the queue's asynchronous handler here.
    queue.throw_asynchronous();

    std::printf("root   %08x...\ndigest %08x...\nrescue %016llx...\nleaf %u is in the tree: %s\n", nodes[8], whole[0],
                static_cast<unsigned long long>(elements[4]), proven, *verdict ? "yes" : "no");
    const int status = *verdict ? 0 : 1;
    for (void* p :
         {static_cast<void*>(data), static_cast<void*>(digests), static_cast<void*>(nodes), static_cast<void*>(whole),
          static_cast<void*>(records), static_cast<void*>(elements), static_cast<void*>(verdict)})
        sycl::free(p, queue);
    return status;
}
