#pragma once

#include <cstdint>

#include <sycl/sycl.hpp>

#ifdef MKZ_PORT_H
#error "merklize/sycl.hpp: include it before the headers of merklize/core"
#endif

namespace merklize::sycl::detail {

/// An item as the core sees it (mkz_work_item in core/port.h), with SYCL's own item.
struct WorkItem {
    std::uint64_t index, group;
    std::uint32_t rank, group_size;
    const ::sycl::nd_item<1>* here;  ///< null if the item works alone
};

/// The portable core for items of `lanes` lanes. `constants` says where they read the constants of Rescue Prime, as
/// MKZ_CONSTANTS does. The core makes these choices in the preprocessor, so each choice is a class of its own: all fit
/// in one program, and the functions are inline, not static.
template <int lanes, int constants>
struct Core;

#define MKZ_TARGET_SYCL 1
#define MKZ_WORK_ITEM ::merklize::sycl::detail::WorkItem
#define MKZ_GROUP_SIZE (item.group_size)
#define MKZ_BARRIER(item) ::sycl::group_barrier((item).here->get_group())
#define MKZ_ENTRY(name)
#define MKZ_BYTES_ANYWHERE 1
#define MKZ_HASH_LIST <merklize/core/hashes.h>

#define MKZ_LANES 1
#include <merklize/sycl/core.inc>
#undef MKZ_LANES
#define MKZ_LANES 2
#include <merklize/sycl/core.inc>
#undef MKZ_LANES
#define MKZ_LANES 4
#include <merklize/sycl/core.inc>
#undef MKZ_LANES
#define MKZ_LANES 8
#include <merklize/sycl/core.inc>
#undef MKZ_LANES
#define MKZ_LANES 16
#include <merklize/sycl/core.inc>
#undef MKZ_LANES

#undef MKZ_TARGET_SYCL
#undef MKZ_WORK_ITEM
#undef MKZ_GROUP_SIZE
#undef MKZ_BARRIER
#undef MKZ_ENTRY
#undef MKZ_BYTES_ANYWHERE
#undef MKZ_HASH_LIST

}  // namespace merklize::sycl::detail
