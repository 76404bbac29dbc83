# merklize_lanes(TARGET SET OPTIONS...): the CPU's kernels of one instruction set, backends/cpu/lanes_SET.cpp compiled
# with these options, a source and a table (lanes_SET_FAMILY) for each family of hashes. So a changed hash compiles only
# its family again.
#
# A family is the hashes of core/hashes.h whose names begin with its name; the rest are `others`. `parts` are the units
# of core/parts.h; `extension` has no hash, but the passes of extensions. isa.cpp joins the tables of the families that
# lanes/families.inc lists.
set(folder ${CMAKE_CURRENT_BINARY_DIR}/lanes)
set(list ${PROJECT_SOURCE_DIR}/include/merklize/core/hashes.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
file(STRINGS ${list} units REGEX "^#include \"hashes/")

set(MERKLIZE_LANE_FAMILIES "")
foreach(family IN ITEMS blake3 eidos keccak poseidon2 poseidon rp sha256 "")
  set(members ${units})
  list(FILTER members INCLUDE REGEX "\"hashes/${family}")
  list(REMOVE_ITEM units ${members})
  if(family STREQUAL "")
    set(family others)
  endif()
  if(members)
    list(TRANSFORM members REPLACE "\"hashes/" "\"merklize/core/hashes/")
    list(JOIN members "\n" members)
    file(CONFIGURE OUTPUT ${folder}/${family}.h CONTENT "${members}\n" @ONLY)
    list(APPEND MERKLIZE_LANE_FAMILIES ${family})
  endif()
endforeach()
list(APPEND MERKLIZE_LANE_FAMILIES parts)
file(CONFIGURE OUTPUT ${folder}/parts.h CONTENT "#include \"merklize/core/parts.h\"\n" @ONLY)
list(APPEND MERKLIZE_LANE_FAMILIES extension)
file(CONFIGURE OUTPUT ${folder}/extension.h CONTENT "#define LANES_HAVE_EXTENSION\n" @ONLY)
list(TRANSFORM MERKLIZE_LANE_FAMILIES REPLACE "(.+)" "LANES_FAMILY(\\1)" OUTPUT_VARIABLE lines)
list(JOIN lines "\n" lines)
file(CONFIGURE OUTPUT ${folder}/families.inc CONTENT "${lines}\n" @ONLY)

function(merklize_lanes target set)
  if(NOT set IN_LIST MERKLIZE_LANES_BUILT)
    return()
  endif()
  string(TOUPPER ${set} name)
  target_compile_definitions(${target} PRIVATE LANES_HAVE_${name})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
  foreach(family IN LISTS MERKLIZE_LANE_FAMILIES)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/lanes/lanes_${set}_${family}.cpp)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"#define LANES_FAMILY ${family}
#define LANES_HASHES \"lanes/${family}.h\"
#include \"backends/cpu/lanes_${set}.cpp\"  // NOLINT(bugprone-suspicious-include): one text for each family
")
    target_sources(${target} PRIVATE ${source})
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${ARGN}")
  endforeach()
endfunction()
