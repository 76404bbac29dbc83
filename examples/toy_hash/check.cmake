# Adds the toy hash to a copy of the sources, with only the files that docs/add-a-hash.md names. Then builds the library
# and its tests and runs the suites that take every hash of the list. The same copy gets the toy job of
# examples/toy_job and the toy function of examples/toy_function, and their tests. ctest runs this; a second run builds
# only what changed.
#
# With ONLY_PATCHES nothing is built: the patches apply, and the scripts take what they make.
#
#   cmake -D SOURCE=... -D WORK=... -D GENERATOR=... -D CXX=... -D ISAS=scalar,avx2 -D
#   OPENCL=system,/path/libintelocl.so -P check.cmake
include(${SOURCE}/src/cmake/run.cmake)

set(copy ${WORK}/source)
# changed_by(PATCH LIST): the files that a patch changes.
function(changed_by patch list)
  file(STRINGS ${patch} names REGEX "^[+][+][+] b/")
  list(TRANSFORM names REPLACE "^[+][+][+] b/" "")
  set(${list} ${names} PARENT_SCOPE)
endfunction()
# The job: a patch of at most six files, and a test.
set(job_patch ${SOURCE}/examples/toy_job/toy_job.patch)
changed_by(${job_patch} changed)
list(LENGTH changed files)
if(files GREATER 6)
  message(FATAL_ERROR "a job touches at most 6 files, the toy job ${files}: ${changed}")
endif()
# The function: a patch of files whose folders docs/add-a-function.md names, and a test.
set(function_patch ${SOURCE}/examples/toy_function/toy_function.patch)
changed_by(${function_patch} of_function)
file(READ ${SOURCE}/docs/add-a-function.md guide)
foreach(name IN LISTS of_function)
  get_filename_component(folder ${name} DIRECTORY)
  string(FIND "${guide}" "`${folder}/" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "docs/add-a-function.md does not name ${folder}/, where the toy function changes ${name}")
  endif()
endforeach()
list(APPEND changed ${of_function})
file(REMOVE_RECURSE ${WORK}/patched)
foreach(name IN LISTS changed)
  get_filename_component(folder ${name} DIRECTORY)
  file(COPY ${SOURCE}/${name} DESTINATION ${WORK}/patched/${folder})
endforeach()
foreach(patch IN ITEMS ${job_patch} ${function_patch})
  run(${CMAKE_COMMAND} -E env GIT_CEILING_DIRECTORIES=${WORK} git -C ${WORK}/patched apply ${patch})
endforeach()
file(READ ${SOURCE}/tests/CMakeLists.txt tests_list)
string(REPLACE "add_executable(merklize-tests\n" "add_executable(merklize-tests\n  conformance/toy_job.cpp\n  conformance/toy_function.cpp\n" tests_list
       "${tests_list}")
set(run_on_isas vectors merge leaves tree toy_job)
set(run_on_host kernel_text proof tree_builder tree_file toy_function)
set(run_on_devices vectors leaves every_kernel toy_job)
file(WRITE ${WORK}/patched/tests/CMakeLists.txt "${tests_list}")
list(APPEND changed tests/CMakeLists.txt)

# Copies keep their times, so that unchanged files are not built again.
foreach(name IN LISTS changed)
  list(APPEND excluded REGEX "/${name}$" EXCLUDE)
endforeach()
foreach(part IN ITEMS CMakeLists.txt README.md docs include src tests examples scripts python/bindings python/merklize
                      rust/merklize/src rust/merklize-sys/src web/index.d.ts web/js)
  get_filename_component(folder ${part} DIRECTORY)
  file(COPY ${SOURCE}/${part} DESTINATION ${copy}/${folder} PATTERN toy_hash EXCLUDE PATTERN toy_job EXCLUDE
       PATTERN toy_function EXCLUDE PATTERN __pycache__ EXCLUDE REGEX "/core/hashes.h$" EXCLUDE ${excluded})
endforeach()
foreach(name IN LISTS changed)
  run(${CMAKE_COMMAND} -E copy_if_different ${WORK}/patched/${name} ${copy}/${name})
endforeach()
file(COPY ${SOURCE}/examples/toy_job/tests ${SOURCE}/examples/toy_function/tests DESTINATION ${copy})

# 1. the core header, 2. the line in the list, 3. the vectors, 4. the plain reference.
file(COPY ${SOURCE}/examples/toy_hash/include ${SOURCE}/examples/toy_hash/tests DESTINATION ${copy})
file(READ ${SOURCE}/include/merklize/core/hashes.h list)
string(REPLACE "/* clang-format on */" "#include \"hashes/toy.h\"\n/* clang-format on */" list "${list}")
file(CONFIGURE OUTPUT ${copy}/include/merklize/core/hashes.h CONTENT "${list}" @ONLY)

# What scripts write for the function, as its page says, and that all languages have it by one name.
foreach(script IN ITEMS check_abi.py\ --write generate_rust_bindings.py surfaces.py check_words.py check_imports.py)
  separate_arguments(words UNIX_COMMAND "${script}")
  run(${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 python3 ${copy}/scripts/${words})
endforeach()
file(READ ${copy}/rust/merklize-sys/src/bindings.rs text)
if(NOT text MATCHES "merklize_xor_of")
  message(FATAL_ERROR "rust/merklize-sys/src/bindings.rs does not have the toy function")
endif()
set(c_tests names extremes)
set(c_numbers OFF ON)
foreach(test only_numbers IN ZIP_LISTS c_tests c_numbers)
  run(${CMAKE_COMMAND} -D HEADERS=${copy}/include/merklize/c -D ONLY_NUMBERS=${only_numbers} -D SOURCE=${copy}/tests/c_api/${test}.c
      -P ${copy}/tests/c_api/called.cmake)
endforeach()

if(ONLY_PATCHES)
  return()
endif()

# With a little optimizing, because compiling takes most of the time and nearly every source walks the list. Of the
# tests only the suites below are built, and of instruction sets the widest and the scalar one: a hash is one text for
# all lanes, whose words the suites of the other sets test.
set(build ${copy}/build/release)
set(suites ${run_on_isas} ${run_on_host} ${run_on_devices})
list(JOIN suites "," suites)
run(${CMAKE_COMMAND} -S ${copy} -B ${build} -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_BUILD_TYPE=Debug
    -D CMAKE_CXX_FLAGS_DEBUG=-O1 -D MERKLIZE_LANES=widest -D MERKLIZE_INSTALL=OFF -D MERKLIZE_TEST_SUITES=${suites} --log-level=WARNING)
run(${CMAKE_COMMAND} --build ${build} --target merklize-tests test-cuda-compile)

set(tests ${build}/tests/merklize-tests)
# suites(what environment words...): a missing device is skipped (77). The project's own tests take the other hashes.
function(suites what environment)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env MERKLIZE_TEST_HASHES=blake3,rp64_256_v3,toy ${environment} ${tests} ${ARGN}
                  RESULT_VARIABLE result)
  if(result EQUAL 77)
    message(STATUS "${what}: skipped")
  elseif(NOT result EQUAL 0)
    message(FATAL_ERROR "${what}: the suites ${ARGN} fail with the toy hash")
  else()
    message(STATUS "${what}: ok")
  endif()
endfunction()

string(REPLACE "," ";" ISAS "${ISAS}")
foreach(isa IN LISTS ISAS)
  suites(${isa} MERKLIZE_CPU_ISA=${isa} ${run_on_isas})
endforeach()
suites(host MERKLIZE_DEVICE=cpu ${run_on_host})
string(REPLACE "," ";" OPENCL "${OPENCL}")
foreach(library IN LISTS OPENCL)
  set(environment MERKLIZE_DEVICE=opencl:0 MERKLIZE_CACHE_DIR=${CACHE})
  if(NOT library STREQUAL "system")
    list(APPEND environment MERKLIZE_OPENCL_LIBRARY=${library})
  endif()
  suites("OpenCL ${library}" "${environment}" ${run_on_devices})
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -E env MERKLIZE_TEST_HASHES=toy ${build}/tests/test-cuda-compile RESULT_VARIABLE result)
if(NOT result EQUAL 0 AND NOT result EQUAL 77)
  message(FATAL_ERROR "NVRTC does not compile the kernels of the toy hash")
endif()
