# Writes the code of a page to a file, or runs a program of it.
#   -D PAGE=docs/c.md -D OUT=SOURCE -D BEFORE=HEADER    writes the page's pieces of C or C++, each as a function. The
#   header declares
#                                                       their names
#   -D PAGE=README.md -D OUT=SOURCE                     writes the page's program in C++
#   -D PAGE=README.md -D PROGRAM=FILE                   runs that program, by EMULATOR if given. It must print the
#                                                       output on the page
cmake_minimum_required(VERSION 3.18...3.31)
file(READ ${PAGE} page)
string(REPLACE ";" "<semicolon>" page "${page}")  # lists end at them
if(BEFORE)
  get_filename_component(language ${OUT} LAST_EXT)
  string(SUBSTRING ${language} 1 -1 language)
  string(REGEX MATCHALL "```${language}\n[^`]*```" pieces "${page}")
  set(text "#include \"${BEFORE}\"\n")
  set(number 0)
  foreach(piece IN LISTS pieces)
    string(REGEX REPLACE "```${language}\n([^`]*)```" "\\1" piece "${piece}")
    string(APPEND text "void piece_${number}(void)<semicolon>\nvoid piece_${number}(void) {\n${piece}}\n")
    math(EXPR number "${number} + 1")
  endforeach()
  if(number EQUAL 0)
    message(FATAL_ERROR "${PAGE} has no pieces of ${language}")
  endif()
else()
  string(REGEX MATCH "```cpp\n([^`]*)```" _ "${page}")
  set(text "${CMAKE_MATCH_1}")
endif()
string(REPLACE "<semicolon>" ";" text "${text}")
if(OUT)
  file(WRITE ${OUT} "${text}")
else()
  string(REGEX MATCH "puts[^/]*// ([0-9a-f]+)" _ "${text}")
  execute_process(COMMAND ${EMULATOR} ${PROGRAM} OUTPUT_VARIABLE said RESULT_VARIABLE code)
  if(NOT code EQUAL 0 OR NOT said STREQUAL "${CMAKE_MATCH_1}\n")
    message(FATAL_ERROR "the program of ${PAGE} ends with ${code} and says ${said}, not ${CMAKE_MATCH_1}")
  endif()
endif()
