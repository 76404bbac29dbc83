# Fails if an object has weak or unique symbols, because the linker may use their code or data for other objects. Run by
# ctest.
#   NM       nm
#   OBJECTS  the objects
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${NM} -C --defined-only ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  # This symbol is a function of the C++ runtime, whose code is the same in all objects.
  string(REGEX REPLACE "[^\n]* DW\\.ref\\.__gxx_personality_v0\n" "" symbols "${symbols}")
  string(REGEX MATCHALL "[^\n]* [WVuC] [^\n]*" shared "${symbols}")
  if(shared)
    list(JOIN shared "\n" shared)
    message(SEND_ERROR "${object} has symbols that others may be given:\n${shared}")
  endif()
endforeach()
