# Checks that a test calls every function that returns a status.
#   HEADERS       the folder merklize/c
#   SOURCE        the test
#   ONLY_NUMBERS  only those functions that take a number, or a struct that has some
cmake_minimum_required(VERSION 3.18...3.31)

file(READ ${SOURCE} calls)
file(GLOB headers ${HEADERS}/*.h)
set(functions 0)
foreach(header IN LISTS headers)
  file(READ ${header} text)
  string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  string(REGEX MATCHALL "MERKLIZE_C_API merklize_status merklize_[a-z0-9_]+\\([^)]*\\)" declared "${text}")
  foreach(one IN LISTS declared)
    string(REGEX REPLACE ".* (merklize_[a-z0-9_]+)\\(.*" "\\1" name "${one}")
    string(REGEX REPLACE "[^(]*(\\(.*)" "\\1" arguments "${one}")
    if(NOT ONLY_NUMBERS OR arguments MATCHES "[(, ](size_t|u?int[0-9]*(_t)?|merklize_(view|output|hash_id|rule)) [a-z]" OR
       arguments MATCHES "merklize_([a-z_0-9]*form|mode|input|matrix|[a-z_]*options|policy|expect|file_range|poseidon2?) \\*")
      math(EXPR functions "${functions} + 1")
      if(NOT calls MATCHES "${name}[(,]")
        message(SEND_ERROR "${name} is not in ${SOURCE}")
      endif()
    endif()
  endforeach()
endforeach()
if(functions LESS 100)
  message(SEND_ERROR "only ${functions} functions are found in ${HEADERS}")
endif()
message(STATUS "${functions} functions")
