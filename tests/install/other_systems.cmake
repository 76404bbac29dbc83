# Checks that a build for another system ends with one sentence, before a compiler is looked for. Run by ctest.
#   SOURCE: the project   WORK: a folder
cmake_minimum_required(VERSION 3.18...3.31)

file(MAKE_DIRECTORY ${WORK})
file(WRITE ${WORK}/windows.cmake "set(CMAKE_SYSTEM_NAME Windows)\n")
foreach(system IN ITEMS -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_SYSTEM_NAME=Darwin -DCMAKE_TOOLCHAIN_FILE=${WORK}/windows.cmake)
  file(REMOVE_RECURSE ${WORK}/build)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build ${system} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(status EQUAL 0 OR NOT said MATCHES "merklize runs on Linux; on macOS and Windows use a container" OR said MATCHES "compiler")
    message(SEND_ERROR "${system} gives ${status}:\n${said}")
  endif()
endforeach()
