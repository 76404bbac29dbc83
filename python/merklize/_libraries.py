"""Libraries for devices that pip installed. Python knows their places, and the extension reads them from variables.

Looked for once, before the first use of a device other than the CPU. A variable that is set already is left alone.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys

# Below site-packages/nvidia, the newest first: of nvidia-cuda-nvrtc, and of nvidia-cuda-nvrtc-cu12.
_NVRTC = ("cu13/lib/libnvrtc.so.13", "cuda_nvrtc/lib/libnvrtc.so.12")

# Intel's OpenCL loader and the libraries that it needs and does not find beside itself, in the order of loading.
_SYCL_LOADER = ("libintlc.so.5", "libirng.so", "libimf.so", "libsvml.so", "libOpenCL.so.1")


def prepare() -> None:
    """Set MERKLIZE_NVRTC_LIBRARY and MERKLIZE_OPENCL_LIBRARY to the installed libraries."""
    # A process has one OpenCL loader, the first that is opened, and it reads its variable once. SYCL's comes with
    # Intel's runtime; the system's may not know that.
    if folder := _sycl_folder():
        os.environ.setdefault("OCL_ICD_FILENAMES", os.path.join(folder, "libintelocl.so"))
        for name in _SYCL_LOADER:
            _loads(os.path.join(folder, name))
    if "MERKLIZE_NVRTC_LIBRARY" not in os.environ and (nvrtc := _nvrtc()):
        os.environ["MERKLIZE_NVRTC_LIBRARY"] = nvrtc
    if "MERKLIZE_OPENCL_LIBRARY" not in os.environ and (opencl := _opencl()):
        os.environ["MERKLIZE_OPENCL_LIBRARY"] = opencl


def _nvrtc() -> str | None:
    """Return NVRTC of CUDA 13 if the driver runs its output, else of CUDA 12 if that is installed."""
    spec = importlib.util.find_spec("nvidia")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    names = _NVRTC if _driver_version() >= 13000 else _NVRTC[::-1]
    paths = (os.path.join(folder, name) for name in names for folder in folders)
    return next(filter(os.path.isfile, paths), None)


def _driver_version() -> int:
    """Return 13000 for a driver of CUDA 13.0; 0 without a driver."""
    version = ctypes.c_int(0)
    try:
        ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
    except (OSError, AttributeError):
        return 0
    return version.value


def _opencl() -> str | None:
    """Return Intel's OpenCL for processors (intel-opencl-rt), if the system has no loader that knows all of them."""
    path = os.path.join(sys.prefix, "lib", "libintelocl.so")
    return path if os.path.isfile(path) and not any(map(_loads, ("libOpenCL.so.1", "libOpenCL.so"))) else None


def _sycl_folder() -> str | None:
    """Return the folder of Intel's OpenCL for processors, by which SYCL reaches them, if there is a SYCL plug-in."""
    folder = os.path.join(sys.prefix, "lib")
    plugins = os.environ.get("MERKLIZE_PLUGINS_DIR") or os.path.dirname(__file__)
    files = (os.path.join(plugins, "libmerklize_sycl.so"), os.path.join(folder, "libintelocl.so"))
    return folder if all(map(os.path.isfile, files)) else None


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True
