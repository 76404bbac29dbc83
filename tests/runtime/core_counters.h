/* The hashes of core_counters.cpp. */
#include <merklize/core/hashes/blake3.h>
#include <merklize/core/hashes/poseidon2_given_babybear_16.h>
