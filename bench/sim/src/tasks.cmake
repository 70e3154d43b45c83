# Adds tasks.c, and meet.c for a mutex and a queue, to the firmware's build for the RP2040 (CMAKE_PROJECT_intercore_INCLUDE), with
# all that this build has made by its end.
set(folder ${CMAKE_CURRENT_LIST_DIR})
foreach(program tasks mutex queue)
  if(program STREQUAL "tasks")
    set(source ${folder}/tasks.c)
  else()
    set(source ${folder}/meet.c)
  endif()
  cmake_language(EVAL CODE "cmake_language(DEFER CALL add_executable ${program} EXCLUDE_FROM_ALL ${source})
    cmake_language(DEFER CALL target_compile_definitions ${program} PRIVATE QUEUE=$<STREQUAL:${program},queue>)
    cmake_language(DEFER CALL ic_image ${program})")
endforeach()
