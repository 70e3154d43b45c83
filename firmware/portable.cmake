# The portable code, which uses nothing of the platform but port.h. Every board compiles it, also in the component of
# ESP-IDF. All files in these folders belong to it: to add a benchmark, a workload or a transport, add its file.
set(watched CONFIGURE_DEPENDS) # a new file is found by the next build
if(CMAKE_SCRIPT_MODE_FILE) # ESP-IDF asks for requirements in script mode, which forbids CONFIGURE_DEPENDS
  set(watched "")
endif()
set(IC_PORTABLE "")
foreach(pattern core/*.c bench/*.c bench/*/*.c transport/*.c workload/*.c workload/*/*.c)
  file(GLOB found ${watched} RELATIVE ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_CURRENT_LIST_DIR}/${pattern})
  list(APPEND IC_PORTABLE ${found})
endforeach()
# The board adds one of the two registries of benchmarks.
list(REMOVE_ITEM IC_PORTABLE bench/registry.c bench/registry_amp.c)
# The test of a port against the rules of port.h
file(GLOB IC_PORT_TEST ${watched} RELATIVE ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_CURRENT_LIST_DIR}/port/test/*.c)

set(IC_PORTABLE_FOLDERS core bench workload workload/own transport port include)
set(IC_WARNINGS -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Werror)

# ic_transports(<variable> <folder under transport/>...) sets <variable> to the sources of these groups of transports.
function(ic_transports variable)
  set(sources "")
  foreach(folder ${ARGN})
    file(GLOB found ${watched} RELATIVE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}
      ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/transport/${folder}/*.c)
    list(APPEND sources ${found})
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# ic_without(<benchmark> <reason>) leaves a benchmark out of the program, which refuses it with this reason, the end of a
# sentence.
function(ic_without benchmark reason)
  get_target_property(sources intercore SOURCES)
  list(FILTER sources EXCLUDE REGEX "^bench/${benchmark}[./]")
  set_property(TARGET intercore PROPERTY SOURCES ${sources})
  target_compile_definitions(intercore PRIVATE "IC_WITHOUT_${benchmark}=IC_LEFT_OUT(\"${benchmark}\", \"${reason}\")")
endfunction()
