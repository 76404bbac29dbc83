# Looks at what PoCL compiled for the tests before this one: each thread must have the local memory of its group alone.
# CACHE: PoCL's folder; READELF: the program
#
# PoCL makes local memory an argument of the kernel where the kernel itself names it. Where the compiler moved its
# address into a function that it does not inline, the memory stays one variable of the program, and groups that run at
# once overwrite each other's nodes. So functions that take local memory are MKZ_BODY, which is always inlined
# (include/merklize/core/port.h).
cmake_minimum_required(VERSION 3.18...3.31)

file(GLOB_RECURSE libraries ${CACHE}/*.so)
list(LENGTH libraries count)
if(count EQUAL 0)
  message("skipped: PoCL compiled nothing")
endif()
foreach(library IN LISTS libraries)
  execute_process(COMMAND ${READELF} --sections --wide ${library} OUTPUT_VARIABLE sections COMMAND_ERROR_IS_FATAL ANY)
  if(sections MATCHES "\\.bss ")
    get_filename_component(kernel ${library} NAME_WE)
    message(SEND_ERROR "${kernel}: groups that run at once share its local memory (${library})")
  endif()
endforeach()
message("${count} kernels")
