// The kernels as plain functions of host C++, one item a call, each a group of its own.
#include <merklize/core/port.h>

static mkz_work_item current_item;
#define MKZ_ENTRY(name) extern "C" void name
#define MKZ_THIS_ITEM() current_item
#include <merklize/core/entry.h>

extern "C" void set_item(mkz_u64 index) { current_item = {index, index, 0, 1}; }
