# Installs the static and the shared library, each to a fresh prefix, and builds consumers against them in each
# documented way. Run by ctest.
#   BUILD      a build of the static library;  CXX  its compiler
#   CC, NM     a C compiler, nm;  READELF  readelf
#   SHARED_CXX compiler of the shared library: another one, where there is one
#   PKG_CONFIG pkg-config; empty: not here
#   PROGRAM    whether the program is built
include(${SOURCE}/src/cmake/run.cmake)

# consume(NAME WAY CXX OPTIONS...): consumers through CMake.
function(consume name way cxx)
  run(${CMAKE_COMMAND} -S ${SOURCE}/tests/install/consumer -B ${WORK}/${name} -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${cxx}
      -D CMAKE_BUILD_TYPE=Release -D MERKLIZE_WAY=${way} ${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK}/${name})
  run(${WORK}/${name}/consumer)
  message(STATUS "${name}: built and run")
endfunction()

# consume_pc(PREFIX FLAGS...): consumers through pkg-config, as in a makefile.
function(consume_pc prefix)
  if(NOT PKG_CONFIG)
    message(STATUS "${prefix}: no pkg-config")
    return()
  endif()
  file(GLOB_RECURSE pc ${WORK}/${prefix}/*/merklize.pc)
  get_filename_component(folder ${pc} DIRECTORY)
  get_filename_component(library ${folder} DIRECTORY)
  set(find ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} ${PKG_CONFIG})
  run(${find} --exact-version=${VERSION} merklize)
  execute_process(COMMAND ${find} --cflags --libs ${ARGN} merklize OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${CC} -std=c11 -Wall -Wextra -Wpedantic -Werror ${SOURCE}/examples/c/hash_and_prove.c -o ${WORK}/${prefix}-c ${flags}
      -Wl,-rpath,${library})
  run(${WORK}/${prefix}-c ${SOURCE}/README.md)
  run(${CXX} -std=c++20 -fvisibility=hidden ${SOURCE}/tests/install/consumer/main.cpp -o ${WORK}/${prefix}-pc ${flags}
      -Wl,-rpath,${library})
  run(${WORK}/${prefix}-pc)
  message(STATUS "${prefix}: built with pkg-config and run")
endfunction()

# The program, its manual page and its completions, in their usual places. The program needs nothing from the build
# folder.
function(check_command prefix)
  foreach(file IN ITEMS bin/merklize share/man/man1/merklize.1 share/bash-completion/completions/merklize
          share/zsh/site-functions/_merklize share/fish/vendor_completions.d/merklize.fish)
    if(NOT EXISTS ${prefix}/${file})
      message(FATAL_ERROR "${file} is not installed")
    endif()
  endforeach()
  set(alone ${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH ${prefix}/bin/merklize)
  execute_process(COMMAND ${alone} --version OUTPUT_VARIABLE said)
  if(NOT said STREQUAL "merklize ${VERSION}\n")
    message(FATAL_ERROR "the program says ${said}")
  endif()
  file(WRITE ${WORK}/abc abc)
  execute_process(COMMAND ${alone} hash --no-names ${WORK}/abc OUTPUT_VARIABLE said)
  # BLAKE3 of "abc", from its test vectors' own program b3sum.
  if(NOT said STREQUAL "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85\n")
    message(FATAL_ERROR "the digest of abc is ${said}")
  endif()
  file(READ ${prefix}/share/man/man1/merklize.1 page)
  if(NOT page MATCHES "^\\.TH MERKLIZE 1")
    message(FATAL_ERROR "the manual page does not begin with .TH MERKLIZE 1")
  endif()
  message(STATUS "the program: installed and run")
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/static)
if(PROGRAM)
  check_command(${WORK}/static)
endif()
consume(find_package find_package ${CXX} -D CMAKE_PREFIX_PATH=${WORK}/static -D MERKLIZE_VERSION=${VERSION}
        -D MERKLIZE_PROGRAM=${PROGRAM})
consume(core core ${CXX} -D MERKLIZE_INCLUDE=${WORK}/static/include)
consume_pc(static --static)

# Builds the shared library again, as a part of another project, and installs it from there. Debug compiles in half the
# time of Release, and nothing else builds it.
consume(add_subdirectory add_subdirectory ${SHARED_CXX} -D MERKLIZE_SOURCE=${SOURCE} -D BUILD_SHARED_LIBS=ON -D MERKLIZE_INSTALL=ON
        -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_FLAGS_DEBUG=)
run(${CMAKE_COMMAND} --install ${WORK}/add_subdirectory --prefix ${WORK}/shared)
consume(find_package_shared find_package ${CXX} -D CMAKE_PREFIX_PATH=${WORK}/shared -D MERKLIZE_VERSION=${VERSION})
consume_pc(shared)
file(GLOB_RECURSE library ${WORK}/shared/*/libmerklize.so)
execute_process(COMMAND ${READELF} -d ${library} OUTPUT_VARIABLE said)
if(NOT said MATCHES "NODELETE")
  message(FATAL_ERROR "libmerklize.so may be unloaded below its threads")
endif()
run(${CMAKE_COMMAND} -D NM=${NM} -D LIBRARY=${library} -D HEADERS=${WORK}/shared/include/merklize/c
    -P ${SOURCE}/tests/c_api/symbols.cmake)
