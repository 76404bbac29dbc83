# Fails if an object has code or data that the linker may take for others: weak and unique symbols; run by ctest.
#   NM       nm
#   OBJECTS  the objects
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${NM} -C --defined-only ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  # The address of the C++ runtime's own function is the same for all.
  string(REGEX REPLACE "[^\n]* DW\\.ref\\.__gxx_personality_v0\n" "" symbols "${symbols}")
  string(REGEX MATCHALL "[^\n]* [WVuC] [^\n]*" shared "${symbols}")
  if(shared)
    list(JOIN shared "\n" shared)
    message(SEND_ERROR "${object} has symbols that others may be given:\n${shared}")
  endif()
endforeach()
