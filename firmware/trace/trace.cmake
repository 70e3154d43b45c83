# The recorder (core/trace.h). A board that can record includes this file after it has defined its libraries, and calls
# ic_trace(<library> <source>...). The sources implement port_trace.h, and record the events of the kernel and the
# board.
set(IC_TRACE_SOURCES trace/names.c trace/recording.c trace/ring.c trace/traced.c trace/traced_transport.c)

function(ic_trace library)
  set(IC_TRACED ON PARENT_SCOPE)
  if(NOT IC_TRACE)
    return()
  endif()
  target_sources(intercore PRIVATE ${IC_TRACE_SOURCES})
  target_include_directories(intercore PUBLIC trace)
  target_compile_definitions(intercore PUBLIC IC_TRACE=${IC_TRACE})
  target_sources(${library} PRIVATE ${ARGN})
  set(benchmarks ${IC_PORTABLE})
  list(FILTER benchmarks INCLUDE REGEX "^bench/")
  set_source_files_properties(${benchmarks} PROPERTIES
    COMPILE_OPTIONS "-include;${CMAKE_CURRENT_SOURCE_DIR}/trace/traced.h")
endfunction()
