// The part of OpenCL 1.2 that this backend uses, under the specification's own names, so that no vendor header is
// needed to build. The library itself is opened at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace merklize::opencl {

using cl_int = std::int32_t;
using cl_uint = std::uint32_t;
using cl_ulong = std::uint64_t;
using cl_bool = cl_uint;
using cl_bitfield = cl_ulong;

using cl_platform_id = struct PlatformObject*;
using cl_device_id = struct DeviceObject*;
using cl_context = struct ContextObject*;
using cl_command_queue = struct QueueObject*;
using cl_mem = struct MemObject*;
using cl_program = struct ProgramObject*;
using cl_kernel = struct KernelObject*;
using cl_event = struct EventObject*;

using ContextNotify = void (*)(const char* text, const void* detail, std::size_t bytes, void* user);
using ProgramNotify = void (*)(cl_program program, void* user);

inline constexpr cl_int CL_SUCCESS = 0, CL_COMPLETE = 0, CL_DEVICE_NOT_FOUND = -1, CL_DEVICE_NOT_AVAILABLE = -2,
                        CL_COMPILER_NOT_AVAILABLE = -3, CL_MEM_OBJECT_ALLOCATION_FAILURE = -4, CL_OUT_OF_RESOURCES = -5,
                        CL_OUT_OF_HOST_MEMORY = -6, CL_PROFILING_INFO_NOT_AVAILABLE = -7, CL_INVALID_KERNEL_NAME = -46,
                        CL_INVALID_WORK_GROUP_SIZE = -54, CL_INVALID_BUFFER_SIZE = -61,
                        CL_PLATFORM_NOT_FOUND_KHR = -1001;

inline constexpr cl_bool CL_FALSE = 0, CL_TRUE = 1;

inline constexpr cl_bitfield CL_DEVICE_TYPE_CPU = 1 << 1, CL_DEVICE_TYPE_ALL = 0xFFFFFFFF;
inline constexpr cl_bitfield CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE = 1 << 0, CL_QUEUE_PROFILING_ENABLE = 1 << 1;
inline constexpr cl_bitfield CL_MEM_READ_WRITE = 1 << 0, CL_MEM_USE_HOST_PTR = 1 << 3, CL_MEM_ALLOC_HOST_PTR = 1 << 4;
inline constexpr cl_bitfield CL_MAP_READ = 1 << 0, CL_MAP_WRITE = 1 << 1, CL_MAP_WRITE_INVALIDATE_REGION = 1 << 2;

inline constexpr std::intptr_t CL_CONTEXT_PLATFORM = 0x1084;
inline constexpr cl_uint CL_CONTEXT_DEVICES = 0x1081;

inline constexpr cl_uint CL_PLATFORM_VERSION = 0x0901, CL_PLATFORM_NAME = 0x0902;
inline constexpr cl_uint CL_DEVICE_TYPE = 0x1000, CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
                         CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004, CL_DEVICE_MAX_WORK_ITEM_SIZES = 0x1005,
                         CL_DEVICE_ADDRESS_BITS = 0x100D, CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
                         CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F, CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
                         CL_DEVICE_ENDIAN_LITTLE = 0x1026, CL_DEVICE_AVAILABLE = 0x1027, CL_DEVICE_NAME = 0x102B,
                         CL_DEVICE_VENDOR = 0x102C, CL_DRIVER_VERSION = 0x102D, CL_DEVICE_VERSION = 0x102F,
                         CL_DEVICE_HOST_UNIFIED_MEMORY = 0x1035, CL_DEVICE_OPENCL_C_VERSION = 0x103D,
                         CL_DEVICE_IL_VERSION = 0x105B;  // OpenCL 2.1 or cl_khr_il_program
inline constexpr cl_uint CL_QUEUE_CONTEXT = 0x1090, CL_QUEUE_DEVICE = 0x1091, CL_QUEUE_PROPERTIES = 0x1093;
inline constexpr cl_uint CL_MEM_SIZE = 0x1102, CL_MEM_CONTEXT = 0x1106;
inline constexpr cl_uint CL_PROGRAM_BUILD_LOG = 0x1183;
inline constexpr cl_uint CL_KERNEL_NUM_ARGS = 0x1191, CL_KERNEL_WORK_GROUP_SIZE = 0x11B0;
inline constexpr cl_uint CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11D3;
inline constexpr cl_uint CL_PROFILING_COMMAND_START = 0x1282, CL_PROFILING_COMMAND_END = 0x1283;

// X(result, name, parameters)
#define MERKLIZE_OPENCL_FUNCTIONS(X)                                                                                   \
    X(cl_int, clGetPlatformIDs, (cl_uint, cl_platform_id*, cl_uint*))                                                  \
    X(cl_int, clGetPlatformInfo, (cl_platform_id, cl_uint, std::size_t, void*, std::size_t*))                          \
    X(cl_int, clGetDeviceIDs, (cl_platform_id, cl_bitfield, cl_uint, cl_device_id*, cl_uint*))                         \
    X(cl_int, clGetDeviceInfo, (cl_device_id, cl_uint, std::size_t, void*, std::size_t*))                              \
    X(void*, clGetExtensionFunctionAddressForPlatform, (cl_platform_id, const char*))                                  \
    X(cl_context, clCreateContext,                                                                                     \
      (const std::intptr_t*, cl_uint, const cl_device_id*, ContextNotify, void*, cl_int*))                             \
    X(cl_int, clGetContextInfo, (cl_context, cl_uint, std::size_t, void*, std::size_t*))                               \
    X(cl_int, clRetainContext, (cl_context))                                                                           \
    X(cl_int, clReleaseContext, (cl_context))                                                                          \
    X(cl_command_queue, clCreateCommandQueue, (cl_context, cl_device_id, cl_bitfield, cl_int*))                        \
    X(cl_int, clRetainCommandQueue, (cl_command_queue))                                                                \
    X(cl_int, clReleaseCommandQueue, (cl_command_queue))                                                               \
    X(cl_int, clGetCommandQueueInfo, (cl_command_queue, cl_uint, std::size_t, void*, std::size_t*))                    \
    X(cl_int, clFlush, (cl_command_queue))                                                                             \
    X(cl_int, clFinish, (cl_command_queue))                                                                            \
    X(cl_mem, clCreateBuffer, (cl_context, cl_bitfield, std::size_t, void*, cl_int*))                                  \
    X(cl_int, clRetainMemObject, (cl_mem))                                                                             \
    X(cl_int, clReleaseMemObject, (cl_mem))                                                                            \
    X(cl_int, clGetMemObjectInfo, (cl_mem, cl_uint, std::size_t, void*, std::size_t*))                                 \
    X(cl_int, clEnqueueReadBuffer,                                                                                     \
      (cl_command_queue, cl_mem, cl_bool, std::size_t, std::size_t, void*, cl_uint, const cl_event*, cl_event*))       \
    X(cl_int, clEnqueueWriteBuffer,                                                                                    \
      (cl_command_queue, cl_mem, cl_bool, std::size_t, std::size_t, const void*, cl_uint, const cl_event*, cl_event*)) \
    X(cl_int, clEnqueueCopyBuffer,                                                                                     \
      (cl_command_queue, cl_mem, cl_mem, std::size_t, std::size_t, std::size_t, cl_uint, const cl_event*, cl_event*))  \
    X(void*, clEnqueueMapBuffer,                                                                                       \
      (cl_command_queue, cl_mem, cl_bool, cl_bitfield, std::size_t, std::size_t, cl_uint, const cl_event*, cl_event*,  \
       cl_int*))                                                                                                       \
    X(cl_int, clEnqueueUnmapMemObject, (cl_command_queue, cl_mem, void*, cl_uint, const cl_event*, cl_event*))         \
    X(cl_int, clEnqueueMarkerWithWaitList, (cl_command_queue, cl_uint, const cl_event*, cl_event*))                    \
    X(cl_int, clEnqueueBarrierWithWaitList, (cl_command_queue, cl_uint, const cl_event*, cl_event*))                   \
    X(cl_int, clEnqueueNDRangeKernel,                                                                                  \
      (cl_command_queue, cl_kernel, cl_uint, const std::size_t*, const std::size_t*, const std::size_t*, cl_uint,      \
       const cl_event*, cl_event*))                                                                                    \
    X(cl_int, clRetainEvent, (cl_event))                                                                               \
    X(cl_int, clReleaseEvent, (cl_event))                                                                              \
    X(cl_int, clWaitForEvents, (cl_uint, const cl_event*))                                                             \
    X(cl_int, clGetEventInfo, (cl_event, cl_uint, std::size_t, void*, std::size_t*))                                   \
    X(cl_int, clGetEventProfilingInfo, (cl_event, cl_uint, std::size_t, void*, std::size_t*))                          \
    X(cl_program, clCreateProgramWithSource, (cl_context, cl_uint, const char**, const std::size_t*, cl_int*))         \
    X(cl_program, clCreateProgramWithBinary,                                                                           \
      (cl_context, cl_uint, const cl_device_id*, const std::size_t*, const unsigned char**, cl_int*, cl_int*))         \
    X(cl_int, clBuildProgram, (cl_program, cl_uint, const cl_device_id*, const char*, ProgramNotify, void*))           \
    X(cl_int, clGetProgramInfo, (cl_program, cl_uint, std::size_t, void*, std::size_t*))                               \
    X(cl_int, clGetProgramBuildInfo, (cl_program, cl_device_id, cl_uint, std::size_t, void*, std::size_t*))            \
    X(cl_int, clRetainProgram, (cl_program))                                                                           \
    X(cl_int, clReleaseProgram, (cl_program))                                                                          \
    X(cl_kernel, clCreateKernel, (cl_program, const char*, cl_int*))                                                   \
    X(cl_int, clSetKernelArg, (cl_kernel, cl_uint, std::size_t, const void*))                                          \
    X(cl_int, clGetKernelInfo, (cl_kernel, cl_uint, std::size_t, void*, std::size_t*))                                 \
    X(cl_int, clGetKernelWorkGroupInfo, (cl_kernel, cl_device_id, cl_uint, std::size_t, void*, std::size_t*))          \
    X(cl_int, clRetainKernel, (cl_kernel))                                                                             \
    X(cl_int, clReleaseKernel, (cl_kernel))

/// Takes SPIR-V. Newer than OpenCL 1.2, so it may be null.
using CreateProgramWithIL = cl_program (*)(cl_context, const void*, std::size_t, cl_int*);

struct Api {
#define MERKLIZE_OPENCL_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
    MERKLIZE_OPENCL_FUNCTIONS(MERKLIZE_OPENCL_MEMBER)
#undef MERKLIZE_OPENCL_MEMBER
    CreateProgramWithIL clCreateProgramWithIL = nullptr;
};

/// Why there is no OpenCL library, or null. Opens it at the first call.
const char* why_no_library();

/// Only if why_no_library() is null.
const Api& api();

}  // namespace merklize::opencl
