# Machine code of CUDA devices inside the library (src/programs/fatbins.hpp): nvcc compiles each program for all
# architectures.
#
#   include(embed_fatbins.cmake), merklize_fatbin_programs(), merklize_embed_fatbins(target)    adds the generated
#   source to the target cmake -D TOOL=... -D NVCC=... -D ARCHITECTURES=... -D HASHES=... -D FOLDER=... -P
#   embed_fatbins.cmake    makes FOLDER/fatbins.cpp

if(NOT CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  # The programs are texts of this very library: a program made of its sources writes them. Where there are tests they
  # build it, too, since nvcc is rare.
  function(merklize_fatbin_programs)
    add_executable(merklize-fatbin-programs
      ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/write_fatbin_programs.cpp backends/tuning.cpp
      hashes/given.cpp hashes/hashes.cpp host/digest.cpp host/forks.cpp host/names.cpp
      programs/fatbins.cpp programs/kernel_text.cpp programs/no_fatbins.cpp programs/tuned_variants.cpp programs/variant.cpp
      ${CMAKE_CURRENT_BINARY_DIR}/kernel_sources.cpp)
    target_compile_features(merklize-fatbin-programs PRIVATE cxx_std_20)
    target_include_directories(merklize-fatbin-programs PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  endfunction()

  function(merklize_embed_fatbins target)
    find_program(MERKLIZE_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin REQUIRED)
    set(MERKLIZE_FATBIN_ARCHITECTURES "75,80,90,100" CACHE STRING
        "Compute capabilities with machine code of their own; later ones get PTX of the last")
    set(MERKLIZE_FATBIN_HASHES "" CACHE STRING "Hashes whose kernels are compiled ahead of time, separated by commas; empty: all")
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/fatbins)
    set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed_fatbins.cmake)
    add_custom_command(OUTPUT ${folder}/fatbins.cpp DEPENDS merklize-fatbin-programs ${script} VERBATIM
      COMMENT "Compiling CUDA kernels with nvcc (many minutes)"
      COMMAND ${CMAKE_COMMAND} -D TOOL=$<TARGET_FILE:merklize-fatbin-programs> -D NVCC=${MERKLIZE_NVCC}
              -D ARCHITECTURES=${MERKLIZE_FATBIN_ARCHITECTURES} -D HASHES=${MERKLIZE_FATBIN_HASHES} -D FOLDER=${folder}
              -P ${script})
    target_sources(${target} PRIVATE ${folder}/fatbins.cpp)
  endfunction()
  return()
endif()

cmake_minimum_required(VERSION 3.18...3.31)

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
string(REPLACE "," ";" ARCHITECTURES "${ARCHITECTURES}")
string(REPLACE "," ";" HASHES "${HASHES}")
run(${TOOL} ${FOLDER} ${HASHES})
foreach(architecture IN LISTS ARCHITECTURES)
  list(APPEND generate -gencode arch=compute_${architecture},code=sm_${architecture})
endforeach()
list(GET ARCHITECTURES -1 last)
list(APPEND generate -gencode arch=compute_${last},code=compute_${last})
file(STRINGS ${FOLDER}/names names)
set(data "")
set(table "")
set(i 0)
foreach(name IN LISTS names)
  # As NVRTC is told (src/backends/cuda/nvrtc.cpp); --threads: architectures side by side.
  run(${NVCC} -fatbin --std=c++17 --threads 0 ${generate} -o ${FOLDER}/${i}.fatbin ${FOLDER}/${i}.cu)
  string(APPEND data ".balign 16\nmkz_fatbin_${i}: .incbin \"${FOLDER}/${i}.fatbin\"\nmkz_fatbin_${i}_end:\n")
  string(APPEND symbols "extern const std::byte mkz_fatbin_${i}[], mkz_fatbin_${i}_end[];\n")
  string(APPEND table "    {\"${name}\", {mkz_fatbin_${i}, mkz_fatbin_${i}_end}},\n")
  math(EXPR i "${i} + 1")
endforeach()

file(WRITE ${FOLDER}/fatbins.cpp "// Made by src/cmake/embed_fatbins.cmake.
#include \"programs/fatbins.hpp\"

asm(R\"mkz(
.pushsection .rodata
${data}.popsection
)mkz\");

extern \"C\" {
${symbols}}

namespace merklize::runtime {

std::span<const Fatbin> fatbins() noexcept {
    static const Fatbin all[] = {
${table}    };
    return all;
}

}  // namespace merklize::runtime
")
