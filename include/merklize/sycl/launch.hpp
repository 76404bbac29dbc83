#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <merklize/error.hpp>
#include <merklize/sycl/kernels.hpp>

// How the kernels of kernels.hpp are launched: group sizes, levels, order, working memory. `Submit` is QueueSubmit or a
// test's replacement; it has submit.queue and submit(kernel, groups, group_size, events) -> event.
namespace merklize::sycl::detail {

using Events = std::vector<::sycl::event>;

/// Launches on a queue, which may be in order or not.
struct QueueSubmit {
    ::sycl::queue& queue;

    /// Failures of earlier commands go to the queue's asynchronous handler now.
    explicit QueueSubmit(::sycl::queue& its) : queue(its) { queue.throw_asynchronous(); }

    template <class Kernel>
    ::sycl::event operator()(const Kernel& kernel, std::uint64_t groups, std::uint32_t group_size,
                             const Events& after) const {
        return queue.submit([&](::sycl::handler& handler) {
            handler.depends_on(after);
            const std::uint64_t words = std::max<std::uint64_t>(1, kernel.local_words(group_size));
            ::sycl::local_accessor<std::uint64_t, 1> local(::sycl::range<1>(words), handler);
            handler.parallel_for(::sycl::nd_range<1>(groups * group_size, group_size),
                                 [=](::sycl::nd_item<1> here) { kernel(here, &local[0]); });
        });
    }
};

/// Launches all groups of a job, by several launches if one cannot hold them: SYCL compilers count items in 31 bits.
/// returns  one event for each launch; the job is complete when all of them are
template <class Submit, class Kernel>
Events launch(const Submit& submit, Kernel kernel, std::uint64_t groups, std::uint32_t group_size,
              const Events& after) {
    const std::uint64_t local = 8 * kernel.local_words(group_size);
    if (const std::uint64_t has = submit.queue.get_device().template get_info<::sycl::info::device::local_mem_size>();
        local > has) {
        throw Error(ErrorCode::invalid_argument, "merklize::sycl: this policy needs " + std::to_string(local) +
                                                     " bytes of local memory in groups of " +
                                                     std::to_string(group_size) + "; the device has " +
                                                     std::to_string(has));
    }
    const std::uint64_t most = std::numeric_limits<std::int32_t>::max() / group_size;
    Events events;
    for (std::uint64_t first = 0; first < groups; first += most) {
        kernel.first_group = first;
        events.push_back(submit(kernel, std::min(most, groups - first), group_size, after));
    }
    return events;
}

inline std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }
inline std::uint32_t log2_of(std::uint64_t power) { return static_cast<std::uint32_t>(std::bit_width(power) - 1); }

[[noreturn]] inline void invalid(const std::string& text) {
    throw Error(ErrorCode::invalid_argument, "merklize::sycl::" + text);
}

#ifdef __ACPP__
inline constexpr std::uint32_t cpu_lanes = 4;  // 3 to 5 times as fast as one lane
#else
inline constexpr std::uint32_t cpu_lanes = 1;  // Intel's runtime makes vectors of neighbouring items
#endif

/// Calls job.operator()<chosen>(), where `chosen` is the policy with the lanes for the queue's device if it names none.
template <Policy policy, class Submit, class Job>
auto with_lanes([[maybe_unused]] const Submit& submit, const Job& job) {
    constexpr auto with = [](std::uint32_t lanes) {
        Policy chosen = policy;
        chosen.lanes = lanes;
        return chosen;
    };
    if constexpr (policy.lanes != 0) {
        return job.template operator()<policy>();
    } else if constexpr (cpu_lanes == 1) {
        return job.template operator()<with(1)>();
    } else {
        return submit.queue.get_device().is_cpu() ? job.template operator()<with(cpu_lanes)>()
                                                  : job.template operator()<with(1)>();
    }
}

template <class Submit>
std::uint32_t group_size_on(const Submit& submit, std::uint32_t wanted, const char* function) {
    const std::uint64_t most = submit.queue.get_device().template get_info<::sycl::info::device::max_work_group_size>();
    if (wanted > most) {
        invalid(std::string(function) + ": policy.group_size = " + std::to_string(wanted) + ", but groups of " +
                submit.queue.get_device().template get_info<::sycl::info::device::name>() + " have at most " +
                std::to_string(most) + " items");
    }
    const std::uint32_t usual = submit.queue.get_device().is_cpu() ? 64 : 256;
    return wanted != 0 ? wanted : static_cast<std::uint32_t>(std::min<std::uint64_t>(usual, std::bit_floor(most)));
}

/// Nodes move in 16-byte accesses.
inline void require_aligned(const char* function, const char* name, const void* p) {
    if (const auto rest = reinterpret_cast<std::uintptr_t>(p) % 16; rest != 0)
        invalid(std::string(function) + ": " + name + " must be aligned to 16 bytes, but is off by " +
                std::to_string(rest));
}

/// AdaptiveCpp has no host tasks.
template <class Handler>
concept HasHostTask = requires(Handler& handler) { handler.host_task([] {}); };

/// One event that is complete when all of `events` are; there may be none.
template <class Queue>
::sycl::event join(Queue& queue, const Events& events) {
    if (events.size() == 1) return events[0];
    return queue.submit([&](auto& handler) {
        handler.depends_on(events);
        if constexpr (HasHostTask<std::remove_cvref_t<decltype(handler)>>)
            handler.host_task([] {});
        else
            handler.single_task([] {});
    });
}

/// Working memory on the device, freed after the work that uses it.
class Scratch {
public:
    Scratch(::sycl::queue& queue, std::uint64_t bytes, const char* function) : queue_(queue) {
        if (bytes == 0) return;
        constexpr std::uint64_t alignment = 64;
        // AdaptiveCpp gives null for a size that is no multiple of the alignment.
        p_ = ::sycl::aligned_alloc_device(alignment, divide_up(bytes, alignment) * alignment, queue);
        if (p_ == nullptr) {
            throw Error(ErrorCode::out_of_memory, "merklize::sycl::" + std::string(function) + ": cannot allocate " +
                                                      std::to_string(bytes) + " bytes of working memory on " +
                                                      queue.get_device().get_info<::sycl::info::device::name>());
        }
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    /// Waits first: after an exception, enqueued work may still use the memory.
    ~Scratch() {
        if (p_ == nullptr) return;
        queue_.wait();
        ::sycl::free(p_, queue_);
    }

    void* get() const { return p_; }
    /// A host task frees it after the event, so the call need not wait. Without host tasks it waits here, and failures
    /// of the commands go to the queue's asynchronous handler.
    void free_after(const ::sycl::event& last) { free_in_task(queue_, last); }

private:
    template <class Queue>
    void free_in_task(Queue& queue, const ::sycl::event& last) {
        if constexpr (HasHostTask<::sycl::handler>) {
            if (p_ == nullptr) return;
            queue.submit([&](auto& handler) {
                handler.depends_on(last);
                handler.host_task([p = p_, context = queue.get_context()] { ::sycl::free(p, context); });
            });
            p_ = nullptr;
        } else if (p_ != nullptr) {
            queue.wait_and_throw();
        }
    }

    ::sycl::queue& queue_;
    void* p_ = nullptr;
};

/// Enqueues a job that may need working memory. job(scratch) -> events
template <class Submit, class Job>
::sycl::event with_scratch(const Submit& submit, const char* function, std::uint64_t bytes, const Job& job) {
    Scratch scratch(submit.queue, bytes, function);
    const ::sycl::event last = join(submit.queue, job(scratch.get()));
    scratch.free_after(last);
    return last;
}

/// The table of a hash's constants, on the host.
template <Hash hash>
const auto& host_table() {
    static const auto table = [] {
        std::array<std::uint64_t, Unit<hash>::table_words> words{};
        for (std::uint32_t i = 0; i < words.size(); i++) words[i] = table_word<hash>(i);
        return words;
    }();
    return table;
}

/// Enqueues a job of a field hash's kernels. Puts the table of constants in global memory if `constants` says so.
/// job(table, events) -> events
template <Hash hash, Constants constants, class Submit, class Job>
::sycl::event with_table(const Submit& submit, const char* function, const Events& after, const Job& job) {
    constexpr std::uint32_t words = constants == Constants::global ? Unit<hash>::table_words : 0;
    return with_scratch(submit, function, 8 * words, [&](void* scratch) {
        auto* table = static_cast<std::uint64_t*>(scratch);
        if constexpr (words != 0) {
            const auto& host = host_table<hash>();
            Events events = after;
            events.push_back(submit.queue.memcpy(table, host.data(), 8 * words));
            return job(static_cast<const std::uint64_t*>(table), events);
        } else {
            return job(static_cast<const std::uint64_t*>(table), after);
        }
    });
}

// ---- Digests --------------------------------------------------------------------------------------------------------

/// The launches of a digest: first chunks, then levels of parents, until one value a row is left.
struct DigestPlan {
    std::uint64_t rows, row_bytes, chunks;
    std::uint32_t group_size;
    std::uint64_t group_chunks;
    std::uint32_t in_group;    ///< levels that hash_chunks does
    std::uint32_t at_once;     ///< levels that one launch of hash_parents does
    std::uint64_t values = 0;  ///< values a row after hash_chunks

    DigestPlan(std::uint64_t rows_, std::uint64_t row_bytes_, std::uint32_t group_size_, int lanes)
        : rows(rows_),
          row_bytes(row_bytes_),
          chunks(std::max<std::uint64_t>(1, divide_up(row_bytes_, 1024))),
          group_size(group_size_),
          group_chunks(std::uint64_t{group_size_} * static_cast<std::uint64_t>(lanes)) {
        // The items of a group work together only if there is one row. Local memory has room for 1024 values.
        const std::uint32_t height = log2_of(std::bit_ceil(chunks));
        in_group = rows == 1 && group_chunks <= 1024 ? std::min(height, log2_of(group_chunks)) : 0;
        at_once = rows == 1 ? log2_of(2 * std::uint64_t{group_size}) : 1;
        values = divide_up(chunks, std::uint64_t{1} << in_group);
    }

    std::uint64_t above(std::uint64_t count) const { return divide_up(count, std::uint64_t{1} << at_once); }
    /// The values move back and forth between two areas.
    std::uint64_t first_bytes() const { return values == 1 ? 0 : 32 * rows * values; }
    std::uint64_t second_bytes() const { return values == 1 || above(values) == 1 ? 0 : 32 * rows * above(values); }
    std::uint64_t scratch_bytes() const { return first_bytes() + second_bytes(); }
};

/// scratch: plan.scratch_bytes() bytes
template <int lanes, class Submit>
Events hash_rows(const Submit& submit, const DigestPlan& plan, const void* data, void* out, void* scratch,
                 const Events& after) {
    constexpr std::uint32_t root = 8;  // BLAKE3's flag of the last compression
    auto* first = static_cast<std::uint32_t*>(scratch);
    std::uint32_t* to = plan.values == 1 ? static_cast<std::uint32_t*>(out) : first;
    HashChunks<lanes> chunks{{},
                             static_cast<const std::uint8_t*>(data),
                             plan.row_bytes,
                             plan.rows,
                             to,
                             plan.values == 1 ? root : 0,
                             plan.in_group};
    Events events =
        launch(submit, chunks, divide_up(plan.rows * plan.chunks, plan.group_chunks), plan.group_size, after);
    std::uint32_t* from = to;
    std::uint32_t* other = first + plan.first_bytes() / 4;
    for (std::uint64_t count = plan.values; count > 1;) {
        const std::uint64_t above = plan.above(count);
        const std::uint32_t levels = std::min(plan.at_once, log2_of(std::bit_ceil(count)));
        to = above == 1 ? static_cast<std::uint32_t*>(out) : other;
        const HashParents parents{{}, from, to, count, plan.rows, above == 1 ? root : 0, levels};
        events = launch(submit, parents, divide_up(plan.rows * divide_up(count, 2), plan.group_size), plan.group_size,
                        events);
        other = from;
        from = to;
        count = above;
    }
    return events;
}

/// All of hash() and hash_rows() by BLAKE3. scratch: the caller's working memory, or null to allocate it here
template <Policy given, class Submit>
::sycl::event hash_on(const Submit& submit, const char* function, const void* data, std::uint64_t row_bytes,
                      std::uint64_t rows, void* digests, void* scratch, const Events& after) {
    static_assert(is_valid(given));
    return with_lanes<given>(submit, [&]<Policy policy>() {
        constexpr int lanes = policy.lanes;
        require_aligned(function, "the output", digests);
        require_aligned(function, "scratch", scratch);
        if (rows == 0) return join(submit.queue, after);
        const DigestPlan plan(rows, row_bytes, group_size_on(submit, policy.group_size, function), lanes);
        if (scratch != nullptr)
            return join(submit.queue, hash_rows<lanes>(submit, plan, data, digests, scratch, after));
        return with_scratch(submit, function, plan.scratch_bytes(),
                            [&](void* own) { return hash_rows<lanes>(submit, plan, data, digests, own, after); });
    });
}

// ---- Trees ----------------------------------------------------------------------------------------------------------

inline void require_tree(const void* leaves, const void* nodes, std::uint64_t n) {
    if (n < 2 || !std::has_single_bit(n)) invalid("merklize: n must be a power of two >= 2, got " + std::to_string(n));
    require_aligned("merklize", "leaves", leaves);
    require_aligned("merklize", "nodes", nodes);
}

/// AdaptiveCpp's generic compiler (2024-10-09, LLVM 16) miscompiles kernels for processors: where several levels and
/// the dense matrix of these hashes meet, upper levels are wrong. Its library-only flow and other compilers are right.
template <Hash hash>
void require_right_code([[maybe_unused]] bool is_cpu, [[maybe_unused]] std::uint32_t levels_per_launch) {
#if defined(__ACPP__) && defined(__ACPP_ENABLE_LLVM_SSCP_TARGET__)
    if ((hash == Hash::rp64_256_v1 || hash == Hash::rp64_256_v2) && is_cpu && levels_per_launch > 1) {
        invalid(
            "merklize: policy.levels_per_launch must be 1 for rp64_256_v1 and _v2 on a CPU by AdaptiveCpp's generic "
            "compiler, which makes wrong code of more, got " +
            std::to_string(levels_per_launch));
    }
#endif
}

/// nodes: slot 0 of the tree; leaves: [n], anywhere.
template <Hash hash, Policy policy, class Submit>
Events merge_levels(const Submit& submit, const void* leaves, void* nodes, std::uint64_t n, const std::uint64_t* table,
                    const Events& after) {
    constexpr int lanes = policy.lanes;
    using Level = MergeLevel<hash, lanes, policy.constants>;
    using Subtree = MergeSubtree<hash, lanes, policy.constants>;
    using Word = typename Level::Word;
    const std::uint32_t group_size = group_size_on(submit, policy.group_size, "merklize");
    const bool is_cpu = submit.queue.get_device().is_cpu();
    const std::uint32_t at_once = policy.levels_per_launch != 0 ? policy.levels_per_launch : is_cpu ? 1 : 8;
    require_right_code<hash>(is_cpu, std::min(at_once, log2_of(n)));
    auto* out = static_cast<Word*>(nodes);
    const Word* in = static_cast<const Word*>(leaves);
    std::uint64_t in_offset = 0;
    Events events = after;
    for (std::uint64_t count = n; count > 1;) {
        const std::uint32_t levels = std::min(at_once, log2_of(count));
        if (levels == 1) {
            const Level level{{}, in, in_offset, out, count / 2, count / 2, table};
            events = launch(submit, level, divide_up(count / 2, std::uint64_t{group_size} * lanes), group_size, events);
        } else {
            const Subtree subtree{{}, in, in_offset, out, count / 2, count, table, levels};
            events = launch(submit, subtree, count >> levels, group_size, events);
        }
        count >>= levels;
        in = out;
        in_offset = count;
    }
    return events;
}

template <Hash hash, Policy given, class Submit>
::sycl::event merklize_on(const Submit& submit, const void* leaves, void* nodes, std::uint64_t n, const Events& after) {
    static_assert(is_valid(given));
    return with_lanes<given>(submit, [&]<Policy policy>() {
        require_tree(leaves, nodes, n);
        return with_table<hash, policy.constants>(
            submit, "merklize", after, [&](const std::uint64_t* table, const Events& events) {
                return merge_levels<hash, policy>(submit, leaves, nodes, n, table, events);
            });
    });
}

// ---- Batches --------------------------------------------------------------------------------------------------------

template <Hash hash, Policy given, class Submit>
::sycl::event merge_on(const Submit& submit, const void* left, const void* right, void* out, std::uint64_t n,
                       const Events& after) {
    static_assert(is_valid(given));
    return with_lanes<given>(submit, [&]<Policy policy>() {
        constexpr int lanes = policy.lanes;
        using Kernel = MergePairs<hash, lanes, policy.constants>;
        using Word = typename Kernel::Word;
        require_aligned("merge", "left", left);
        require_aligned("merge", "right", right);
        require_aligned("merge", "out", out);
        if (n == 0) return join(submit.queue, after);
        const std::uint32_t group_size = group_size_on(submit, policy.group_size, "merge");
        return with_table<hash, policy.constants>(
            submit, "merge", after, [&](const std::uint64_t* table, const Events& events) {
                const Kernel kernel{
                    {},   static_cast<const Word*>(left), static_cast<const Word*>(right), static_cast<Word*>(out), n,
                    table};
                return launch(submit, kernel, divide_up(n, std::uint64_t{group_size} * lanes), group_size, events);
            });
    });
}

template <Hash hash, Policy given, class Submit>
::sycl::event hash_elements_on(const Submit& submit, const std::uint64_t* rows, std::uint64_t n, std::uint64_t elements,
                               void* digests, const Events& after) {
    static_assert(is_valid(given));
    return with_lanes<given>(submit, [&]<Policy policy>() {
        constexpr int lanes = policy.lanes;
        using Kernel = HashRows<hash, lanes, policy.constants>;
        require_aligned("hash_rows", "digests", digests);
        if (elements > std::numeric_limits<std::uint32_t>::max())
            invalid("hash_rows: a row must have at most 4294967295 elements, got " + std::to_string(elements));
        if (n == 0) return join(submit.queue, after);
        const std::uint32_t group_size = group_size_on(submit, policy.group_size, "hash_rows");
        return with_table<hash, policy.constants>(
            submit, "hash_rows", after, [&](const std::uint64_t* table, const Events& events) {
                const Kernel kernel{{}, rows, elements, static_cast<std::uint64_t*>(digests), n, table};
                return launch(submit, kernel, divide_up(n, std::uint64_t{group_size} * lanes), group_size, events);
            });
    });
}

template <class Submit>
::sycl::event check_elements_on(const Submit& submit, const std::uint64_t* words, std::uint64_t n, std::uint32_t* flag,
                                const Events& after) {
    const std::uint32_t group_size = group_size_on(submit, 0, "check_elements");
    if (n == 0) return join(submit.queue, after);
    return join(submit.queue,
                launch(submit, CheckWords{{}, words, n, flag}, divide_up(n, group_size), group_size, after));
}

}  // namespace merklize::sycl::detail
