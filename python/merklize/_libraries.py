"""Libraries for devices that pip installed: Python knows where they lie, and the extension reads it from variables.

Looked for once, before the first use of a device other than the CPU. A variable that is set already is left alone.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys

# Below site-packages/nvidia, the newest first: of nvidia-cuda-nvrtc, and of nvidia-cuda-nvrtc-cu12.
_NVRTC = ("cu13/lib/libnvrtc.so.13", "cuda_nvrtc/lib/libnvrtc.so.12")


def prepare() -> None:
    """Set MERKLIZE_NVRTC_LIBRARY and MERKLIZE_OPENCL_LIBRARY to what is installed."""
    if "MERKLIZE_NVRTC_LIBRARY" not in os.environ and (nvrtc := _nvrtc()):
        os.environ["MERKLIZE_NVRTC_LIBRARY"] = nvrtc
    if "MERKLIZE_OPENCL_LIBRARY" not in os.environ and (opencl := _opencl()):
        os.environ["MERKLIZE_OPENCL_LIBRARY"] = opencl
    # A process has one OpenCL loader, which reads this once: SYCL's plug-in would be too late if OpenCL came first.
    if "OCL_ICD_FILENAMES" not in os.environ and (sycl := _sycl_processor()):
        os.environ["OCL_ICD_FILENAMES"] = sycl


def _nvrtc() -> str | None:
    """NVRTC of CUDA 13 for drivers that run what it makes, else of CUDA 12 if that is there."""
    spec = importlib.util.find_spec("nvidia")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    names = _NVRTC if _driver_version() >= 13000 else _NVRTC[::-1]
    paths = (os.path.join(folder, name) for name in names for folder in folders)
    return next(filter(os.path.isfile, paths), None)


def _driver_version() -> int:
    """13000 for a driver of CUDA 13.0; 0 without one."""
    version = ctypes.c_int(0)
    try:
        ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
    except (OSError, AttributeError):
        return 0
    return version.value


def _opencl() -> str | None:
    """Intel's OpenCL for processors (intel-opencl-rt), if the system has no loader that knows all of its runtimes."""
    path = os.path.join(sys.prefix, "lib", "libintelocl.so")
    return path if os.path.isfile(path) and not any(map(_loads, ("libOpenCL.so.1", "libOpenCL.so"))) else None


def _sycl_processor() -> str | None:
    """Intel's OpenCL for processors, which SYCL reaches them by, if the SYCL plug-in is there."""
    path = os.path.join(sys.prefix, "lib", "libintelocl.so")
    plugin = os.path.join(os.path.dirname(__file__), "libmerklize_sycl.so")
    return path if os.path.isfile(plugin) and os.path.isfile(path) else None


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True
