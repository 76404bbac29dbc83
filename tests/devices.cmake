# Devices. The drivers' own tests go through the C table, the conformance suite through the library with MERKLIZE_DEVICE
# set. What is not on this machine is skipped, or fails with MERKLIZE_REQUIRE_RUNTIMES=1.
set(kernel_cache MERKLIZE_CACHE_DIR=${PROJECT_BINARY_DIR}/../kernel-cache)  # shared with the Python tests
function(merklize_device_program name)
  add_executable(${name} check.cpp ${ARGN})
  target_link_libraries(${name} PRIVATE merklize::internal test-support)
endfunction()
# merklize_driver_tests(BACKEND OWN...): drivers/*.cpp on a backend, whose fixture.hpp has the differences, and the
# backend's own tests.
function(merklize_driver_tests backend)
  list(TRANSFORM ARGN PREPEND drivers/${backend}/ OUTPUT_VARIABLE own)
  merklize_device_program(test-${backend} drivers/memory.cpp drivers/programs.cpp drivers/streams.cpp ${own})
  target_include_directories(test-${backend} PRIVATE drivers/${backend})
endfunction()
merklize_driver_tests(opencl failures.cpp processes.cpp programs.cpp)
merklize_driver_tests(cuda blocks.cpp contexts.cpp field.cpp graphs.cpp images.cpp processes.cpp)
merklize_device_program(test-cuda-compile drivers/cuda/compile.cpp drivers/cuda/compile_hashes.cpp)

# Debian's PoCL through the system's loader, and Intel's CPU runtime from a Python package.
set(MERKLIZE_INTEL_OPENCL "$ENV{MERKLIZE_INTEL_OPENCL}" CACHE FILEPATH "libintelocl.so of the package intel-opencl-rt, for tests")
# merklize_opencl_tests(name label environment suites...): suites, and the driver's own tests if `driver` is one of
# them.
function(merklize_opencl_tests runtime label environment)
  foreach(suite IN LISTS ARGN)
    separate_arguments(words UNIX_COMMAND ${suite})
    list(GET words 0 first)
    if(first STREQUAL "driver")
      add_test(NAME driver.opencl.${runtime} COMMAND test-opencl)
    else()
      set_property(GLOBAL APPEND PROPERTY merklize_run ${words})
      add_test(NAME ${first}.opencl.${runtime} COMMAND merklize-tests ${words})
    endif()
    set_property(TEST ${first}.opencl.${runtime} PROPERTY ENVIRONMENT ${environment})
    if(NOT first STREQUAL "driver")
      set_property(TEST ${first}.opencl.${runtime} APPEND PROPERTY ENVIRONMENT MERKLIZE_DEVICE=opencl:0 ${kernel_cache})
    endif()
    list(APPEND names ${first}.opencl.${runtime})
  endforeach()
  set_tests_properties(${names} PROPERTIES SKIP_RETURN_CODE 77 LABELS "opencl;${runtime};${label}"
    COST 100)  # first, because these compile and take longest
endfunction()
# All suites run on Intel's runtime, which compiles them in four minutes of processor time (label more). On PoCL, which
# takes minutes for a suite, `make test` runs what a runtime can break: memory, streams, programs, and trees of BLAKE3;
# all other suites and trees run each night. `policies` is for GPUs, and every_kernel takes PoCL more than ten
# minutes; tests/core has their kernels.
set(pocl_cache ${CMAKE_CURRENT_BINARY_DIR}/pocl-cache)
merklize_opencl_tests(system quick POCL_CACHE_DIR=${pocl_cache} driver memory_limit tree misuse)
merklize_opencl_tests(system night POCL_CACHE_DIR=${pocl_cache} async staging "blake3 hash_each" "rescue merge" "poseidon2 commitment"
  "extend weighted_sums constraints" tiles xmss "sha256 leaves" "tree_policies tree proof" files "concurrency cancel")
set_property(TEST tree.opencl.system APPEND PROPERTY ENVIRONMENT MERKLIZE_TEST_HASHES=blake3)
# PoCL's kernels are compiled into a folder of their own, which is looked at in the end.
get_property(of_pocl DIRECTORY PROPERTY TESTS)
list(FILTER of_pocl INCLUDE REGEX "\\.opencl\\.system$")
set_tests_properties(${of_pocl} PROPERTIES FIXTURES_REQUIRED pocl_cache)
add_test(NAME pocl_cache COMMAND ${CMAKE_COMMAND} -E rm -rf ${pocl_cache})
add_test(NAME local_memory.pocl COMMAND ${CMAKE_COMMAND} -D CACHE=${pocl_cache} -D READELF=${CMAKE_READELF}
         -P ${CMAKE_CURRENT_SOURCE_DIR}/drivers/opencl/local_memory.cmake)
set_tests_properties(pocl_cache PROPERTIES FIXTURES_SETUP pocl_cache)
set_tests_properties(local_memory.pocl PROPERTIES FIXTURES_CLEANUP pocl_cache SKIP_REGULAR_EXPRESSION "^skipped" LABELS opencl)
if(MERKLIZE_INTEL_OPENCL)
  merklize_opencl_tests(intel more MERKLIZE_OPENCL_LIBRARY=${MERKLIZE_INTEL_OPENCL} driver "buffers every_kernel" async memory_limit
    staging "blake3 hash_each" "rescue merge" "poseidon2 commitment" "extend weighted_sums constraints" tiles xmss "sha256 leaves"
    "tree proof tree_builder tree_file" tree_policies files "concurrency cancel" "misuse overlaps extreme_sizes")
  # The CPU and a device share one job; and both runtimes at once do, through the loader, at night with the jobs that
  # PoCL compiles for long.
  file(GLOB icds /etc/OpenCL/vendors/*.icd)
  file(COPY ${icds} DESTINATION ${CMAKE_CURRENT_BINARY_DIR}/icds)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/icds/merklize-intel.icd "${MERKLIZE_INTEL_OPENCL}\n")
  function(merklize_several_tests name label environment)
    add_test(NAME several.${name} COMMAND merklize-tests several ${ARGN})
    set_tests_properties(several.${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS "opencl;${label}"
      ENVIRONMENT "${environment};${kernel_cache}")
  endfunction()
  set(loader OCL_ICD_VENDORS=${CMAKE_CURRENT_BINARY_DIR}/icds/)
  merklize_several_tests(beside more "MERKLIZE_DEVICE=cpu,opencl:0;MERKLIZE_OPENCL_LIBRARY=${MERKLIZE_INTEL_OPENCL}" blake3 hash_each merge
    extend weighted_sums constraints tiles xmss tree files)
  merklize_several_tests(opencl more "MERKLIZE_DEVICE=opencl:all;${loader}" tree files)
  merklize_several_tests(all_jobs night "MERKLIZE_DEVICE=opencl:all;${loader}" blake3 hash_each merge extend weighted_sums constraints tiles xmss)
endif()

# merklize_cuda_test(name devices command...), skipped where there is no NVIDIA GPU.
function(merklize_cuda_test name devices)
  add_test(NAME ${name}.cuda COMMAND ${ARGN})
  set_tests_properties(${name}.cuda PROPERTIES SKIP_RETURN_CODE 77 LABELS cuda ENVIRONMENT
    "MERKLIZE_DEVICE=${devices};MERKLIZE_REQUIRE_RUNTIMES=;${kernel_cache}")
endfunction()
merklize_cuda_test(suites cuda:0 merklize-tests async memory_limit buffers policies every_kernel staging blake3 hash_each rescue merge sha256 leaves tree commitment extend weighted_sums constraints tiles xmss
  tree_policies proof tree_builder tree_file files concurrency cancel misuse overlaps extreme_sizes)
merklize_cuda_test(several cuda:all merklize-tests several blake3 hash_each merge extend weighted_sums constraints tiles xmss tree files)
# Every kernel once under NVIDIA's checkers.
find_program(MERKLIZE_COMPUTE_SANITIZER compute-sanitizer PATHS /usr/local/cuda/bin)
if(MERKLIZE_COMPUTE_SANITIZER)
  foreach(tool IN ITEMS memcheck racecheck initcheck)
    merklize_cuda_test(${tool} cuda:0 ${MERKLIZE_COMPUTE_SANITIZER} --tool ${tool} --error-exitcode 9
      $<TARGET_FILE:merklize-tests> every_kernel)
  endforeach()
endif()
# If the library has machine code, a GPU needs no compiler.
if(MERKLIZE_CUDA_FATBINS)
  merklize_cuda_test(fatbins cuda:0 merklize-tests fatbins blake3)
  set_property(TEST fatbins.cuda APPEND PROPERTY ENVIRONMENT MERKLIZE_NVRTC_LIBRARY=/nowhere MERKLIZE_CACHE_DIR=)
endif()
# The SYCL plug-in on Intel's device for processors.
if(MERKLIZE_BUILD_SYCL)
  merklize_driver_tests(sycl queues.cpp)
  target_link_libraries(test-sycl PRIVATE merklize-sycl-runtime)
  add_dependencies(test-sycl merklize_sycl)
  set(plugins MERKLIZE_PLUGINS_DIR=$<TARGET_FILE_DIR:merklize_sycl>)
  add_test(NAME driver.sycl COMMAND test-sycl)
  set_property(TEST driver.sycl PROPERTY ENVIRONMENT ${plugins})
  # What the plug-in and its runtime can break, with one hash; and each night all kernels, which are the text that
  # Intel's OpenCL runs.
  function(merklize_sycl_test name label environment)
    add_test(NAME ${name}.sycl COMMAND merklize-tests ${ARGN})
    set_tests_properties(${name}.sycl PROPERTIES SKIP_RETURN_CODE 77 LABELS "sycl;${label}"
      ENVIRONMENT "MERKLIZE_DEVICE=sycl:0;${kernel_cache};${plugins};${environment}")
  endfunction()
  merklize_sycl_test(runtime long MERKLIZE_TEST_HASHES=blake3 memory_limit buffers staging tree proof concurrency cancel misuse overlaps)
  foreach(suite IN ITEMS memory_limit "buffers staging" "tree proof" async "extend weighted_sums constraints" tiles xmss
          "blake3 hash_each" "rescue merge" "sha256 leaves" "tree_builder tree_file" files)
    separate_arguments(words UNIX_COMMAND ${suite})
    list(GET words 0 first)
    merklize_sycl_test(${first} night "" ${words})
  endforeach()
  set_tests_properties(driver.sycl PROPERTIES SKIP_RETURN_CODE 77 LABELS sycl)
endif()

add_test(NAME driver.cuda COMMAND test-cuda)
add_test(NAME compile.cuda COMMAND test-cuda-compile cuda-compile)
add_test(NAME kernels.cuda COMMAND test-cuda-compile cuda-kernels)
set_tests_properties(driver.cuda compile.cuda kernels.cuda PROPERTIES SKIP_RETURN_CODE 77 LABELS cuda)
set_property(TEST compile.cuda APPEND PROPERTY LABELS more)  # NVRTC is one of the runtimes
set_property(TEST kernels.cuda APPEND PROPERTY LABELS night)  # tests/core has most of these programs
