# The texts of the portable core inside the library, which hands them to device compilers at run time
# (src/programs/kernel_text.hpp).
#
#   include(embed_core.cmake), merklize_embed_core(target)    adds the generated source to the target
#   cmake -D ROOT=... -D FILES=a,b -D OUTPUT=... -P embed_core.cmake    writes it; done when a header changes

if(NOT CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  function(merklize_embed_core target)
    get_filename_component(root ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../include/merklize ABSOLUTE)
    set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed_core.cmake)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/kernel_sources.cpp)
    file(GLOB_RECURSE files RELATIVE ${root} CONFIGURE_DEPENDS ${root}/core/*.h)
    set(paths ${files})
    list(TRANSFORM paths PREPEND ${root}/)
    list(JOIN files "," names) # in the command, so that a header that comes or goes is a change, too
    add_custom_command(OUTPUT ${output} DEPENDS ${paths} ${script} VERBATIM COMMENT "Embedding the core's text"
      COMMAND ${CMAKE_COMMAND} -D ROOT=${root} -D FILES=${names} -D OUTPUT=${output} -P ${script})
    target_sources(${target} PRIVATE ${output})
  endfunction()
  return()
endif()

cmake_minimum_required(VERSION 3.18...3.31)

set(limit 16000) # bytes of a string literal: compilers take 16 KB at least
set(arrays "")
set(table "")
string(REPLACE "," ";" FILES "${FILES}")
foreach(file IN LISTS FILES)
  file(READ ${ROOT}/${file} text)
  string(FIND "${text}" ")mkz\"" delimiter)
  if(NOT delimiter EQUAL -1)
    message(FATAL_ERROR "${file}: contains the end of a raw string literal")
  endif()
  string(MAKE_C_IDENTIFIER "${file}" name)
  string(APPEND arrays "constexpr std::string_view ${name}[] = {\n")
  string(LENGTH "${text}" length)
  while(length GREATER limit) # cut after the last line that fits
    string(SUBSTRING "${text}" 0 ${limit} piece)
    string(FIND "${piece}" "\n" end REVERSE)
    if(end EQUAL -1)
      message(FATAL_ERROR "${file}: a line of more than ${limit} bytes")
    endif()
    math(EXPR end "${end} + 1")
    string(SUBSTRING "${text}" 0 ${end} piece)
    string(SUBSTRING "${text}" ${end} -1 text)
    string(APPEND arrays "R\"mkz(${piece})mkz\",\n")
    string(LENGTH "${text}" length)
  endwhile()
  string(APPEND arrays "R\"mkz(${text})mkz\",\n};\n")
  string(APPEND table "    {\"${file}\", ${name}},\n")
endforeach()

file(WRITE ${OUTPUT} "// Made by src/cmake/embed_core.cmake from include/merklize.
#include \"programs/kernel_text.hpp\"

namespace merklize::runtime {
namespace {

${arrays}
constexpr KernelSource sources[] = {
${table}};

}  // namespace

std::span<const KernelSource> kernel_sources() noexcept { return sources; }

}  // namespace merklize::runtime
")
