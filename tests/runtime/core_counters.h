/* The units of core_counters.cpp. */
#include <merklize/core/hashes/blake3.h>
#include <merklize/core/parts.h>
