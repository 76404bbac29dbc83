# Checks by nm that a library exports the functions that the headers of C declare, no others of C, and of C++ public
# names alone. Run by ctest and by check.cmake.
#   NM       nm
#   LIBRARY  libmerklize.so or libmerklize.a
#   HEADERS  the folder merklize/c
# A static library has more symbols, so only its functions of C are compared.
cmake_minimum_required(VERSION 3.18...3.31)

# compare(WHAT LIST OTHER): fails with the names that are in LIST, but not in OTHER.
function(compare what list other)
  set(more ${${list}})
  list(REMOVE_ITEM more ${${other}})
  if(more)
    list(JOIN more "\n  " more)
    message(SEND_ERROR "${what}:\n  ${more}")
  endif()
endfunction()

file(GLOB headers ${HEADERS}/*.h)
set(text "")
foreach(header IN LISTS headers)
  file(READ ${header} read)
  string(APPEND text "${read}")
endforeach()
string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
string(REGEX MATCHALL "MERKLIZE_C_API[^;(]*[ *](merklize_[a-z0-9_]+)\\(" declared "${text}")
list(TRANSFORM declared REPLACE ".*[ *](merklize_[a-z0-9_]+)\\(" "\\1")

set(dynamic "")
if(NOT LIBRARY MATCHES "\\.a$")
  set(dynamic --dynamic)
endif()
execute_process(COMMAND ${NM} ${dynamic} --defined-only --extern-only --format=posix ${LIBRARY}
                OUTPUT_VARIABLE lines RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "nm of ${LIBRARY} failed")
endif()
string(REGEX MATCHALL "(^|\n)merklize_[a-z0-9_]+ T" exported "${lines}")
list(TRANSFORM exported REPLACE "\n?([^ ]+) T" "\\1")
compare("exported by ${LIBRARY}, but not declared in ${HEADERS}" exported declared)
compare("declared in ${HEADERS}, but not exported by ${LIBRARY}" declared exported)

if(dynamic)
  # Members, functions, type information, its name and virtual tables of merklize::vN.
  string(REGEX MATCHALL "(^|\n)[^ \n]+ [A-Za-z]" others "${lines}")
  list(TRANSFORM others REPLACE "\n?([^ ]+) ." "\\1")
  list(FILTER others EXCLUDE REGEX "^merklize_|^_Z(T[ISV])?(N[KRO]*)?8merklize[0-9]v[0-9]")
  if(others)
    list(JOIN others "\n  " others)
    message(SEND_ERROR "exported by ${LIBRARY}, but not public:\n  ${others}")
  endif()
  if(NOT lines MATCHES "_ZTIN8merklize[0-9]v[0-9]+5ErrorE" OR NOT lines MATCHES "_ZN8merklize[0-9]v[0-9]+4hashE")
    message(SEND_ERROR "${LIBRARY} exports no merklize::Error or no merklize::hash()")
  endif()
endif()
