#pragma once

#include <compare>
#include <cstdint>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/backend.h"

namespace merklize::runtime {

class QueueDevice;

/// A kernel body of core/entry.h.
struct Body {
    const char* name;
    std::uint32_t only;  // its bit of MKZ_ONLY, or 0: it has no hash
};

namespace bodies {

inline constexpr Body merge_level{"mkz_merge_level", 1}, merge_pairs{"mkz_merge_pairs", 2},
    merge_subtree{"mkz_merge_subtree", 4}, hash_rows{"mkz_hash_rows", 8}, hash_chunks{"mkz_hash_chunks", 16},
    hash_parents{"mkz_hash_parents", 32}, merge_at{"mkz_merge_at", 64}, gather_nodes{"mkz_gather_nodes", 0},
    scatter_nodes{"mkz_scatter_nodes", 0}, gather_strided{"mkz_gather_strided", 0}, check_words{"mkz_check_words", 0};

}  // namespace bodies

/// What a program is compiled for: the values of the core's macros. A program has one body of one hash, or all those without.
struct Variant {
    static constexpr std::uint32_t no_hash = ~0u;

    std::uint32_t hash = no_hash;  // mkz_hash
    std::uint32_t only = 0;        // Body::only
    std::uint32_t group_size = 0;
    std::uint32_t lanes = 1;
    std::uint32_t constants = 0;  // mkz_constants
    std::uint32_t align = 16;     // MKZ_ALIGN
    std::uint32_t cells = 0;      // MKZ_RP_CELLS and so on: 0 as the core has it
    std::uint32_t min_groups = 0;
    std::uint32_t read_ahead = 0;
    std::uint32_t mul_by_halves = 0;
    std::uint32_t keyed = 0;  // MKZ_KEYED

    auto operator<=>(const Variant&) const = default;
};

/// What a launch of this hash needs with these choices; aligned places.
Variant variant_of(std::uint32_t hash, const mkz_tuning& tuning);

/// A compiled entry point, and the items of a group that it is launched with.
struct Kernel {
    mkz_function* function;
    std::uint32_t group_size;
};

/// The compiled kernels of one device: each variant once a process, out of the cache on disk where it is there.
class Programs {
public:
    explicit Programs(QueueDevice& device) : device_(device) {}
    Programs(const Programs&) = delete;
    Programs& operator=(const Programs&) = delete;

    /// The kernel of a body; its variant's `only` is set here. Threads that want one variant wait for the one that compiles it.
    /// is_free  a group too large for the kernel on this device is halved until it fits; else it is an error that names the
    ///          largest
    Kernel find(Variant variant, const Body& body, bool is_free);

    /// The text of a variant's program, with the macros in front.
    std::string text(const Variant& variant) const;
    std::string options(const Variant& variant) const;

private:
    struct Function {
        mkz_function* function;
        std::uint32_t max_group_size;
    };

    mkz_program* program(const Variant& variant);
    mkz_program* make(const Variant& variant);
    Function lookup(const Variant& variant, const Body& body);

    QueueDevice& device_;
    std::mutex mutex_;
    std::map<Variant, std::shared_future<mkz_program*>> programs_;   // guarded by mutex_
    std::map<std::pair<Variant, std::string>, Function> functions_;  // guarded by mutex_
};

}  // namespace merklize::runtime
