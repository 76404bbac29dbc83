# merklize_by_room(TARGET): the sources of a room (a folder) are one translation unit, since most of the time of a build
# goes to headers that they share. Sources with options of their own stay alone. With -D MERKLIZE_BY_ROOM=OFF each
# source is compiled by itself.
option(MERKLIZE_BY_ROOM "Compile the sources of a folder together" ON)
function(merklize_by_room target)
  if(NOT MERKLIZE_BY_ROOM)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(room "${source}" DIRECTORY)
    string(REPLACE "${CMAKE_CURRENT_BINARY_DIR}" "made" room "${room}")  # the same name in every build folder
    string(MAKE_C_IDENTIFIER "${room}" room)
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP room${room})
  endforeach()
endfunction()
