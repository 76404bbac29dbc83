# Wheels for Linux with glibc 2.28 or newer: Zig's Clang (Python package ziglang) brings the C library's interfaces of
# that version and links its C++ library statically. In the environment: MERKLIZE_WHEEL_MACHINE, x86_64 or aarch64, and
# MERKLIZE_ZIG, the path of the program.
set(machine $ENV{MERKLIZE_WHEEL_MACHINE})
if(NOT machine STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_SYSTEM_PROCESSOR ${machine})
endif()
set(MERKLIZE_ZIG $ENV{MERKLIZE_ZIG})
set(CMAKE_CXX_COMPILER ${MERKLIZE_ZIG} c++ -target ${machine}-linux-gnu.2.28)
# The system's archiver may not know the other machine.
set(CMAKE_CXX_ARCHIVE_CREATE "${MERKLIZE_ZIG} ar qc <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_APPEND "${MERKLIZE_ZIG} ar q <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_FINISH "${MERKLIZE_ZIG} ranlib <TARGET>")
set(CMAKE_C_ARCHIVE_CREATE ${CMAKE_CXX_ARCHIVE_CREATE})
