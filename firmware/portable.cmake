# The portable code, which uses only port.h of the platform. For every board, also as a component of ESP-IDF. All files in
# these folders belong to it: a benchmark, a workload or a transport is found by its file.
set(watched CONFIGURE_DEPENDS) # the next build finds a new file
if(CMAKE_SCRIPT_MODE_FILE) # ESP-IDF's, which only asks for the requirements
  set(watched "")
endif()
set(IC_PORTABLE "")
foreach(pattern core/*.c bench/*.c bench/*/*.c transport/*.c workload/*.c workload/*/*.c)
  file(GLOB found ${watched} RELATIVE ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_CURRENT_LIST_DIR}/${pattern})
  list(APPEND IC_PORTABLE ${found})
endforeach()
# The board adds its registry of benchmarks, one of these.
list(REMOVE_ITEM IC_PORTABLE bench/registry.c bench/registry_amp.c)
# The test of a port against port.h.
file(GLOB IC_PORT_TEST ${watched} RELATIVE ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_CURRENT_LIST_DIR}/port/test/*.c)

set(IC_PORTABLE_FOLDERS core bench workload workload/own transport port include)
set(IC_WARNINGS -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Werror)

# The sources of the groups of transports that a board has: ic_transports(<variable> <folder under transport/>...)
function(ic_transports variable)
  set(sources "")
  foreach(folder ${ARGN})
    file(GLOB found ${watched} RELATIVE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}
      ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/transport/${folder}/*.c)
    list(APPEND sources ${found})
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()
