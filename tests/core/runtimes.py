"""Device compilers and runtimes through ctypes: NVRTC, OpenCL on CPUs, and host C++ behind the same interface."""

import ctypes
import ctypes.util
import functools
import importlib.metadata
import itertools
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from source_text import INCLUDE, ROOT


class Missing(Exception):
    """A runtime is not on this machine; the text says why."""


def packaged(package, pattern):
    """Path of the file of an installed Python package whose path matches `pattern`."""
    try:
        files = importlib.metadata.files(package) or []
    except importlib.metadata.PackageNotFoundError:
        raise Missing(f"Python package {package} is not installed") from None
    for file in files:
        if re.search(pattern, str(file)):
            return str(file.locate().resolve())
    raise Missing(f"Python package {package} has no file {pattern}")


def load(path, mode=ctypes.DEFAULT_MODE):
    try:
        return ctypes.CDLL(path, mode)
    except OSError as error:
        raise Missing(str(error)) from None


# ---- NVRTC ----------------------------------------------------------------------------------------------------------


class Nvrtc:
    """CUDA C++ -> machine code of an architecture. No GPU needed."""

    def __init__(self):
        # libnvrtc opens its builtins by name. If they are loaded already, it needs no LD_LIBRARY_PATH.
        load(packaged("nvidia-cuda-nvrtc", r"libnvrtc-builtins\.so\.[\d.]+$"), ctypes.RTLD_GLOBAL)
        self.lib = load(packaged("nvidia-cuda-nvrtc", r"libnvrtc\.so\.\d+$"))
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.lib.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        self.version = f"NVRTC {major.value}.{minor.value}"

    def compile(self, source, arch, options=()):
        """cubin bytes, log, seconds. Raises with the log if the compiler refuses. Other threads run meanwhile."""
        program = ctypes.c_void_p()
        assert self.lib.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"entry.cu", 0, None, None) == 0
        try:
            words = [f"--gpu-architecture={arch}", "--std=c++17", "--ptxas-options=-v", *options]
            start = time.perf_counter()
            code = self.lib.nvrtcCompileProgram(
                program, len(words), (ctypes.c_char_p * len(words))(*[w.encode() for w in words])
            )
            seconds = time.perf_counter() - start
            log = self._text(program, "ProgramLog").rstrip(b"\0").decode()
            if code != 0:
                raise AssertionError(f"{self.version}, {arch}: error {code}\n{log}")
            return self._text(program, "CUBIN"), log, seconds
        finally:
            self.lib.nvrtcDestroyProgram(ctypes.byref(program))

    def _text(self, program, what):
        size = ctypes.c_size_t()
        assert getattr(self.lib, f"nvrtcGet{what}Size")(program, ctypes.byref(size)) == 0
        data = ctypes.create_string_buffer(size.value)
        assert getattr(self.lib, f"nvrtcGet{what}")(program, data) == 0
        return data.raw


def kernel_facts(log):
    """kernel name -> dict(registers, stack, spills), from the output of ptxas -v."""
    facts = {}
    for part in re.split(r"Compiling entry function '", log)[1:]:
        facts[part[: part.index("'")]] = {
            "registers": int(re.search(r"Used (\d+) registers", part)[1]),
            "stack": int(re.search(r"(\d+) bytes stack frame", part)[1]),
            "spills": sum(map(int, re.findall(r"(\d+) bytes spill (?:stores|loads)", part))),
        }
    return facts


# ---- OpenCL ---------------------------------------------------------------------------------------------------------

PLATFORMS = {"pocl": "Portable Computing Language", "intel": "Intel(R) OpenCL"}

CL_PLATFORM_NAME, CL_PLATFORM_VERSION, CL_DEVICE_NAME, CL_DRIVER_VERSION = 0x0902, 0x0901, 0x102B, 0x102D
CL_DEVICE_TYPE_ALL, CL_PROGRAM_BUILD_LOG = 0xFFFFFFFF, 0x1183
CL_MEM_READ_WRITE, CL_MEM_COPY_HOST_PTR, CL_TRUE = 1, 32, 1


class OpenCL:
    """The first device of an OpenCL platform, with one in-order queue."""

    is_cpp = False
    group_size = 8

    def __init__(self, which):
        name = PLATFORMS[which]
        self.lib, platform = self._find(name, which)
        device, context, queue = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        self._check(
            self.lib.clGetDeviceIDs(platform, ctypes.c_uint64(CL_DEVICE_TYPE_ALL), 1, ctypes.byref(device), None)
        )
        error = ctypes.c_int()
        for function in ("clCreateContext", "clCreateCommandQueue", "clCreateBuffer", "clCreateProgramWithSource",
                         "clCreateKernel"):  # fmt: skip
            getattr(self.lib, function).restype = ctypes.c_void_p
        context.value = self.lib.clCreateContext(None, 1, ctypes.byref(device), None, None, ctypes.byref(error))
        self._check(error.value)
        queue.value = self.lib.clCreateCommandQueue(context, device, ctypes.c_uint64(0), ctypes.byref(error))
        self._check(error.value)
        self.device, self.context, self.queue = device, context, queue
        version = self._info(self.lib.clGetPlatformInfo, platform, CL_PLATFORM_VERSION)
        driver = self._info(self.lib.clGetDeviceInfo, device, CL_DRIVER_VERSION)
        self.name = f"{name}, {version} / {self._info(self.lib.clGetDeviceInfo, device, CL_DEVICE_NAME)}, {driver}"

    def _find(self, name, which):
        """(library, platform) of the system's ICD loader, or of the Python package if it is Intel's runtime."""
        reasons = []
        for library in ["loader"] + (["package"] if which == "intel" else []):
            try:
                if library == "loader":
                    lib = load(ctypes.util.find_library("OpenCL") or "libOpenCL.so.1")
                else:
                    lib = load(packaged("intel-opencl-rt", r"libintelocl\.so$"))
            except Missing as missing:
                reasons.append(str(missing))
                continue
            count = ctypes.c_uint(0)
            lib.clGetPlatformIDs(0, None, ctypes.byref(count))
            platforms = (ctypes.c_void_p * count.value)()
            if count.value:
                self._check(lib.clGetPlatformIDs(count, platforms, None))
            for platform in map(ctypes.c_void_p, platforms):
                if self._info(lib.clGetPlatformInfo, platform, CL_PLATFORM_NAME) == name:
                    return lib, platform
            reasons.append(f"{lib._name} has {count.value} platforms, none is {name}")
        raise Missing("; ".join(reasons))

    @staticmethod
    def _check(code):
        if code != 0:
            raise RuntimeError(f"OpenCL error {code}")

    @staticmethod
    def _info(function, handle, what):
        text = ctypes.create_string_buffer(1024)
        OpenCL._check(function(handle, what, ctypes.c_size_t(1024), text, None))
        return text.value.decode().strip()

    def build(self, source, options):
        """Program of OpenCL C text. Raises with the build log if the compiler refuses it."""
        text = source.encode()
        error = ctypes.c_int()
        program = ctypes.c_void_p(
            self.lib.clCreateProgramWithSource(
                self.context, 1, (ctypes.c_char_p * 1)(text), (ctypes.c_size_t * 1)(len(text)), ctypes.byref(error)
            )
        )
        self._check(error.value)
        code = self.lib.clBuildProgram(program, 1, ctypes.byref(self.device), options.encode(), None, None)
        size = ctypes.c_size_t()
        info = self.lib.clGetProgramBuildInfo
        self._check(info(program, self.device, CL_PROGRAM_BUILD_LOG, ctypes.c_size_t(0), None, ctypes.byref(size)))
        log = ctypes.create_string_buffer(size.value + 1)
        self._check(info(program, self.device, CL_PROGRAM_BUILD_LOG, size, log, None))
        if code != 0:
            raise AssertionError(f"{self.name}: build error {code}\n{log.value.decode()}")
        return program

    def launch(self, program, kernel_name, items, group, *args):
        """Runs a kernel on `items` items in groups of `group`, and waits.

        args  numpy array: a buffer, copied to the device and back (the same array is the same buffer); None: no buffer;
              numpy scalar or bytes: a value
        """
        error = ctypes.c_int()
        kernel = ctypes.c_void_p(self.lib.clCreateKernel(program, kernel_name.encode(), ctypes.byref(error)))
        self._check(error.value)
        buffers = {}
        for index, arg in enumerate(args):
            if isinstance(arg, np.ndarray):
                assert arg.flags.c_contiguous
                assert arg.flags.writeable
                if id(arg) not in buffers:
                    flags = ctypes.c_uint64(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR)
                    size, data = ctypes.c_size_t(arg.nbytes), ctypes.c_void_p(arg.ctypes.data)
                    handle = self.lib.clCreateBuffer(self.context, flags, size, data, ctypes.byref(error))
                    self._check(error.value)
                    buffers[id(arg)] = (ctypes.c_void_p(handle), arg)
                data = bytes(buffers[id(arg)][0])
            elif arg is None:
                data = bytes(8)
            else:
                data = arg if isinstance(arg, bytes) else arg.tobytes()
            code = self.lib.clSetKernelArg(kernel, index, ctypes.c_size_t(len(data)), data)
            assert code == 0, f"{kernel_name}: argument {index} of {len(data)} bytes: OpenCL error {code}"
        shape = [(ctypes.c_size_t * 1)(n) for n in (items, group)]
        self._check(self.lib.clEnqueueNDRangeKernel(self.queue, kernel, 1, None, *shape, 0, None, None))
        for handle, arg in buffers.values():
            self._check(
                self.lib.clEnqueueReadBuffer(
                    self.queue, handle, CL_TRUE, ctypes.c_size_t(0), ctypes.c_size_t(arg.nbytes),
                    ctypes.c_void_p(arg.ctypes.data), 0, None, None))  # fmt: skip
            self.lib.clReleaseMemObject(handle)
        self.lib.clReleaseKernel(kernel)


# ---- Host C++ -------------------------------------------------------------------------------------------------------


class HostCpp:
    """g++ with the interface of OpenCL: a kernel is a function that is called once for each item; a group has one item.

    Undefined behaviour traps, so a process that dies here has met some.
    """

    is_cpp = True
    group_size = 1

    def __init__(self):
        self.compiler = shutil.which("g++")
        if not self.compiler:
            raise Missing("g++ is not installed")
        self.folder = tempfile.TemporaryDirectory(prefix="merklize-host-")
        version = subprocess.run([self.compiler, "--version"], capture_output=True, text=True, check=True).stdout
        self.name = f"host C++, {version.splitlines()[0]}"
        self.count = 0

    def compile(self, text):
        """Shared library of C++ text; raises with the messages if the compiler refuses it."""
        self.count += 1
        source = Path(self.folder.name) / f"{self.count}.cpp"
        source.write_text(text)
        library = source.with_suffix(".so")
        words = ["-std=c++20", "-O1", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined",
                 "-fsanitize-undefined-trap-on-error", f"-I{INCLUDE}"]  # fmt: skip
        done = subprocess.run([self.compiler, *words, source, "-o", library], capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{self.name}:\n{done.stderr}")
        return library

    def build(self, text, options):
        """The entry points as plain functions. Takes the #define lines `text` begins with, and the headers."""
        lines = itertools.takewhile(lambda line: line.startswith("#define"), text.splitlines())
        shell = (ROOT / "tests" / "core" / "host_entry.cpp").read_text()
        return ctypes.CDLL(str(self.compile("\n".join([*lines, shell]))))

    def launch(self, program, kernel_name, items, group, *args):
        values = []
        for arg in args:
            if isinstance(arg, np.ndarray):
                values.append(ctypes.c_void_p(arg.ctypes.data))
            elif isinstance(arg, bytes):
                values.append(structure(len(arg)).from_buffer_copy(arg))
            elif arg is None:
                values.append(ctypes.c_void_p())
            else:
                values.append((ctypes.c_uint32 if arg.dtype == np.uint32 else ctypes.c_uint64)(int(arg)))
        kernel = getattr(program, kernel_name)
        for index in range(items):
            program.set_item(ctypes.c_uint64(index))
            kernel(*values)


@functools.cache
def structure(size):
    """A type for arguments of `size` bytes by value, too large for registers."""
    return type("Value", (ctypes.Structure,), {"_fields_": [("words", ctypes.c_uint64 * (size // 8))]})
