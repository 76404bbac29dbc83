#pragma once

#include <cstddef>
#include <cstdint>

// The part of NVIDIA's driver interface and of NVRTC that merklize uses. It is declared here, so that building needs no
// toolkit and no header of theirs; both libraries are opened at run time. Names are the vendor's; the numbers are part
// of a stable binary interface (CUDA 12.0 and later).
namespace merklize::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphNode = struct CUgraphNode_st*;
using CUuserObject = struct CUuserObject_st*;

enum : CUresult {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_ECC_UNCORRECTABLE = 214,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
    CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906,
};

enum CUdevice_attribute : int {
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
};

enum CUpointer_attribute : int {
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
    CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
};

enum CUfunction_attribute : int { CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0 };

enum CUjit_option : int { CU_JIT_ERROR_LOG_BUFFER = 5, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6 };

enum CUstreamCaptureStatus : int { CU_STREAM_CAPTURE_STATUS_NONE = 0 };
enum CUstreamCaptureMode : int { CU_STREAM_CAPTURE_MODE_RELAXED = 2 };

inline constexpr unsigned CU_USER_OBJECT_NO_DESTRUCTOR_SYNC = 1;
inline constexpr unsigned CU_GRAPH_USER_OBJECT_MOVE = 1;
inline constexpr unsigned CU_MEMORYTYPE_HOST = 1;
inline constexpr unsigned CU_MEMORYTYPE_DEVICE = 2;
inline constexpr unsigned CU_STREAM_NON_BLOCKING = 1;
inline constexpr unsigned CU_EVENT_DISABLE_TIMING = 2;
inline constexpr unsigned CU_MEMHOSTALLOC_PORTABLE = 1;

struct CUDA_MEMCPY2D {
    std::size_t srcXInBytes = 0, srcY = 0;
    unsigned srcMemoryType = 0;
    const void* srcHost = nullptr;
    CUdeviceptr srcDevice = 0;
    void* srcArray = nullptr;
    std::size_t srcPitch = 0;
    std::size_t dstXInBytes = 0, dstY = 0;
    unsigned dstMemoryType = 0;
    void* dstHost = nullptr;
    CUdeviceptr dstDevice = 0;
    void* dstArray = nullptr;
    std::size_t dstPitch = 0;
    std::size_t WidthInBytes = 0, Height = 0;
};

inline constexpr std::uintptr_t CU_STREAM_PER_THREAD = 2;  // a handle whose stream is the calling thread's own

// F(field, symbol, parameters): each symbol is the exported name of one fixed signature, so that a driver which gives
// an unsuffixed name a new signature changes nothing here.
#define MKZ_CUDA_FUNCTIONS(F)                                                                                       \
    F(cuInit, "cuInit", (unsigned flags))                                                                           \
    F(cuDriverGetVersion, "cuDriverGetVersion", (int* version))                                                     \
    F(cuGetErrorName, "cuGetErrorName", (CUresult result, const char** name))                                       \
    F(cuGetErrorString, "cuGetErrorString", (CUresult result, const char** text))                                   \
    F(cuDeviceGetCount, "cuDeviceGetCount", (int* count))                                                           \
    F(cuDeviceGet, "cuDeviceGet", (CUdevice * device, int ordinal))                                                 \
    F(cuDeviceGetName, "cuDeviceGetName", (char* name, int size, CUdevice device))                                  \
    F(cuDeviceTotalMem, "cuDeviceTotalMem_v2", (std::size_t* bytes, CUdevice device))                               \
    F(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int* value, CUdevice_attribute attribute, CUdevice device))    \
    F(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext * context, CUdevice device))                 \
    F(cuCtxGetCurrent, "cuCtxGetCurrent", (CUcontext * context))                                                    \
    F(cuCtxPushCurrent, "cuCtxPushCurrent_v2", (CUcontext context))                                                 \
    F(cuCtxPopCurrent, "cuCtxPopCurrent_v2", (CUcontext * context))                                                 \
    F(cuCtxSynchronize, "cuCtxSynchronize", ())                                                                     \
    F(cuMemGetInfo, "cuMemGetInfo_v2", (std::size_t* free, std::size_t* total))                                     \
    F(cuMemAlloc, "cuMemAlloc_v2", (CUdeviceptr * pointer, std::size_t bytes))                                      \
    F(cuMemFree, "cuMemFree_v2", (CUdeviceptr pointer))                                                             \
    F(cuMemHostAlloc, "cuMemHostAlloc", (void** pointer, std::size_t bytes, unsigned flags))                        \
    F(cuMemFreeHost, "cuMemFreeHost", (void* pointer))                                                              \
    F(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (CUdeviceptr to, const void* from, std::size_t bytes, CUstream s)) \
    F(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void* to, CUdeviceptr from, std::size_t bytes, CUstream s))       \
    F(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream s)) \
    F(cuMemcpy2DAsync, "cuMemcpy2DAsync_v2", (const CUDA_MEMCPY2D* copy, CUstream s))                               \
    F(cuPointerGetAttributes, "cuPointerGetAttributes",                                                             \
      (unsigned n, CUpointer_attribute* attributes, void** values, CUdeviceptr p))                                  \
    F(cuStreamCreate, "cuStreamCreate", (CUstream * stream, unsigned flags))                                        \
    F(cuStreamDestroy, "cuStreamDestroy_v2", (CUstream stream))                                                     \
    F(cuStreamQuery, "cuStreamQuery", (CUstream stream))                                                            \
    F(cuStreamWaitEvent, "cuStreamWaitEvent", (CUstream stream, CUevent event, unsigned flags))                     \
    F(cuStreamIsCapturing, "cuStreamIsCapturing", (CUstream stream, CUstreamCaptureStatus * status))                \
    F(cuThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode", (CUstreamCaptureMode * mode))         \
    F(cuEventCreate, "cuEventCreate", (CUevent * event, unsigned flags))                                            \
    F(cuEventDestroy, "cuEventDestroy_v2", (CUevent event))                                                         \
    F(cuEventRecord, "cuEventRecord", (CUevent event, CUstream stream))                                             \
    F(cuEventQuery, "cuEventQuery", (CUevent event))                                                                \
    F(cuEventElapsedTime, "cuEventElapsedTime", (float* milliseconds, CUevent start, CUevent end))                  \
    F(cuModuleLoadDataEx, "cuModuleLoadDataEx",                                                                     \
      (CUmodule * module, const void* image, unsigned n, CUjit_option* options, void** values))                     \
    F(cuModuleUnload, "cuModuleUnload", (CUmodule module))                                                          \
    F(cuModuleGetFunction, "cuModuleGetFunction", (CUfunction * function, CUmodule module, const char* name))       \
    F(cuFuncGetAttribute, "cuFuncGetAttribute", (int* value, CUfunction_attribute attribute, CUfunction function))  \
    F(cuLaunchKernel, "cuLaunchKernel",                                                                             \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,  \
       unsigned block_z, unsigned shared_bytes, CUstream stream, void** arguments, void** extra))

// May be missing: the first two are null before CUDA 12.4 and 13.1.
#define MKZ_CUDA_OPTIONAL_FUNCTIONS(F)                                                                \
    F(cuFuncGetParamInfo, "cuFuncGetParamInfo",                                                       \
      (CUfunction function, std::size_t index, std::size_t* offset, std::size_t* bytes))              \
    F(cuFuncGetParamCount, "cuFuncGetParamCount", (CUfunction function, std::size_t* n))              \
    F(cuStreamGetCaptureInfo, "cuStreamGetCaptureInfo_v2",                                            \
      (CUstream stream, CUstreamCaptureStatus * status, std::uint64_t* id, CUgraph* graph,            \
       const CUgraphNode** dependencies, std::size_t* n_dependencies))                                \
    F(cuUserObjectCreate, "cuUserObjectCreate",                                                       \
      (CUuserObject * object, void* pointer, void (*destroy)(void*), unsigned count, unsigned flags)) \
    F(cuUserObjectRelease, "cuUserObjectRelease", (CUuserObject object, unsigned count))              \
    F(cuGraphRetainUserObject, "cuGraphRetainUserObject",                                             \
      (CUgraph graph, CUuserObject object, unsigned count, unsigned flags))

#define MKZ_CUDA_FIELD(field, symbol, parameters) CUresult(*field) parameters = nullptr;
struct DriverApi {
    MKZ_CUDA_FUNCTIONS(MKZ_CUDA_FIELD)
    MKZ_CUDA_OPTIONAL_FUNCTIONS(MKZ_CUDA_FIELD)
};

using nvrtcResult = int;
using nvrtcProgram = struct _nvrtcProgram*;

inline constexpr nvrtcResult NVRTC_SUCCESS = 0;

#define MKZ_NVRTC_FUNCTIONS(F)                                                                                       \
    F(nvrtcVersion, "nvrtcVersion", (int* major, int* minor))                                                        \
    F(nvrtcGetNumSupportedArchs, "nvrtcGetNumSupportedArchs", (int* n))                                              \
    F(nvrtcGetSupportedArchs, "nvrtcGetSupportedArchs", (int* archs))                                                \
    F(nvrtcCreateProgram, "nvrtcCreateProgram",                                                                      \
      (nvrtcProgram * program, const char* text, const char* name, int n_headers, const char* const* headers,        \
       const char* const* names))                                                                                    \
    F(nvrtcDestroyProgram, "nvrtcDestroyProgram", (nvrtcProgram * program))                                          \
    F(nvrtcCompileProgram, "nvrtcCompileProgram", (nvrtcProgram program, int n_options, const char* const* options)) \
    F(nvrtcGetProgramLogSize, "nvrtcGetProgramLogSize", (nvrtcProgram program, std::size_t* bytes))                  \
    F(nvrtcGetProgramLog, "nvrtcGetProgramLog", (nvrtcProgram program, char* log))                                   \
    F(nvrtcGetCUBINSize, "nvrtcGetCUBINSize", (nvrtcProgram program, std::size_t* bytes))                            \
    F(nvrtcGetCUBIN, "nvrtcGetCUBIN", (nvrtcProgram program, char* image))                                           \
    F(nvrtcGetPTXSize, "nvrtcGetPTXSize", (nvrtcProgram program, std::size_t* bytes))                                \
    F(nvrtcGetPTX, "nvrtcGetPTX", (nvrtcProgram program, char* image))

#define MKZ_NVRTC_FIELD(field, symbol, parameters) nvrtcResult(*field) parameters = nullptr;
struct NvrtcApi {
    MKZ_NVRTC_FUNCTIONS(MKZ_NVRTC_FIELD)
};

}  // namespace merklize::cuda
