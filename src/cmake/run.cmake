# run(COMMAND ...): for scripts; a command that fails ends them with its line and all that it printed.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "${line}\nfailed (${status}):\n${out}")
  endif()
endfunction()
