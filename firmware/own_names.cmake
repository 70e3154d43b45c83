# Reports names in a user's workload that are already taken, before the workload is linked. Otherwise the workload could
# replace a function of the C library that Intercore calls. Run with cmake -P. NAME is the workload's name, FILES are
# its objects and libraries, and OURS are those of the program, both with | between them. NM is the target's nm.
cmake_minimum_required(VERSION 3.22)
foreach(side FILES OURS)
  string(REPLACE "|" ";" ${side} "${${side}}")
endforeach()

function(names variable pattern)
  execute_process(COMMAND ${NM} ${ARGN} OUTPUT_VARIABLE symbols ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL " ${pattern} [A-Za-z0-9_]+" found "${symbols}")
  list(TRANSFORM found REPLACE "^ . " "")
  list(REMOVE_DUPLICATES found)
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

names(theirs "[TDBRC]" ${FILES})
names(ours "[TDBRCU]" ${OURS})
list(APPEND ours main)
set(taken "")
foreach(name IN LISTS theirs)
  if(name IN_LIST ours AND NOT name STREQUAL "intercore_workload_${NAME}")
    list(APPEND taken ${name})
  endif()
endforeach()
if(taken)
  list(JOIN taken ", " taken)
  message(FATAL_ERROR "the files of the workload ${NAME} define ${taken}, and the program has that already or takes it from "
    "the C library: call it otherwise, or declare it static")
endif()
