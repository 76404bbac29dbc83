/* status.h: results over the C seams of backend.h and driver.h. */
#ifndef MKZ_STATUS_H
#define MKZ_STATUS_H

#include <stdint.h>

/* 0 is success; others have the numbers of merklize::ErrorCode. */
typedef int32_t mkz_status;
#define MKZ_OK 0
#define MKZ_INVALID_ARGUMENT 1
#define MKZ_OUT_OF_MEMORY 2
#define MKZ_UNAVAILABLE 3
#define MKZ_CANCELLED 5
#define MKZ_INTERNAL 6

#endif
