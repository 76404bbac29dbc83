# Installs the built library to a fresh prefix and builds the consumer against it in each of the documented ways; run by ctest.
include(${SOURCE}/cmake/run.cmake)

function(consume way)
  run(${CMAKE_COMMAND} -S ${SOURCE}/tests/install/consumer -B ${WORK}/${way} -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${CXX}
      -D CMAKE_BUILD_TYPE=Release -D MERKLIZE_WAY=${way} ${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK}/${way})
  run(${WORK}/${way}/consumer)
  message(STATUS "${way}: built and run")
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
consume(find_package -D CMAKE_PREFIX_PATH=${WORK}/prefix -D MERKLIZE_VERSION=${VERSION})
consume(core -D MERKLIZE_INCLUDE=${WORK}/prefix/include)
consume(add_subdirectory -D MERKLIZE_SOURCE=${SOURCE})  # builds the library again
