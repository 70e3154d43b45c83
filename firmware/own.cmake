# A user's workload, made of files outside this tree. This file is included after board.cmake; without IC_OWN it does
# nothing.
#
#   cmake -S firmware -B build -DIC_BOARD=rp2040 -DIC_OWN=fft -DIC_OWN_FILES=/home/me/fft.c
#
# The files are C, C++ or static libraries for the board's compiler, given by absolute paths. The target own-workload
# only compiles them, and reports errors in them.
if(NOT IC_OWN)
  return()
endif()

set(libraries ${IC_OWN_FILES})
list(FILTER libraries INCLUDE REGEX "\\.a$")
set(sources ${IC_OWN_FILES})
list(FILTER sources EXCLUDE REGEX "\\.a$")
set(in_cpp ${sources})
list(FILTER in_cpp EXCLUDE REGEX "\\.c$")
if(in_cpp)
  enable_language(CXX)
  set(CMAKE_CXX_STANDARD 20)
endif()

# The user's files are compiled with the options of this tree, but without its warnings, which are the author's choice.
# Of this tree's headers they can include those in `include`, which is searched after the user's own folders.
get_directory_property(options COMPILE_OPTIONS)
list(REMOVE_ITEM options ${IC_WARNINGS})
set(in_c_plus_plus -fno-exceptions -fno-rtti -fno-threadsafe-statics)
list(APPEND options "$<$<COMPILE_LANGUAGE:CXX>:${in_c_plus_plus}>" ${IC_OWN_FLAGS})
if(IC_AMP)
  list(APPEND options -include ${CMAKE_CURRENT_SOURCE_DIR}/port/freertos_amp/port_shared.h)
endif()

set(objects "")
set(compiled "")
if(sources)
  add_library(own-files OBJECT EXCLUDE_FROM_ALL ${sources})
  set_target_properties(own-files PROPERTIES COMPILE_OPTIONS "${options}" C_EXTENSIONS ON)
  target_include_directories(own-files PRIVATE ${IC_OWN_FOLDERS} include)
  if(IC_TRACE) # marks in the user's files are recorded
    target_compile_definitions(own-files PRIVATE IC_TRACE=${IC_TRACE})
  endif()
  set(objects $<TARGET_OBJECTS:own-files>)
  set(compiled own-files)
endif()
add_custom_target(own-workload
  COMMAND ${CMAKE_COMMAND} -DNAME=${IC_OWN} -DAMP=${IC_AMP} -DNM=${CMAKE_NM} -DOBJDUMP=${CMAKE_OBJDUMP}
    "-DFILES=$<JOIN:${objects};${libraries},|>" -P ${CMAKE_CURRENT_SOURCE_DIR}/own_check.cmake
  DEPENDS ${compiled} VERBATIM)
set(ours $<TARGET_FILE:intercore> $<TARGET_FILE:${IC_BOARD}>) # a board's library has the name of the board's folder
add_custom_target(own-names
  COMMAND ${CMAKE_COMMAND} -DNAME=${IC_OWN} -DNM=${CMAKE_NM} "-DFILES=$<JOIN:${objects};${libraries},|>"
    "-DOURS=$<JOIN:${ours},|>" -P ${CMAKE_CURRENT_SOURCE_DIR}/own_names.cmake
  DEPENDS ${compiled} intercore ${IC_BOARD} VERBATIM)

target_compile_definitions(intercore PUBLIC IC_OWN=${IC_OWN})
foreach(image ${IC_IMAGES})
  target_sources(${image} PRIVATE ${objects})
  target_link_libraries(${image} PRIVATE ${libraries} intercore)
  # Linked as C, without the C++ library, for which a small chip has no room.
  set_target_properties(${image} PROPERTIES LINKER_LANGUAGE C LINK_DEPENDS_NO_SHARED ON)
  add_dependencies(${image} own-workload own-names)
endforeach()
