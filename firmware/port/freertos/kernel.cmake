# Where the FreeRTOS kernel is: IC_FREERTOS_KERNEL, the folder with tasks.c, include/ and portable/. If it is not given,
# the environment variable FREERTOS_KERNEL_PATH names the folder; if that is not set, cargo fetches the crate that
# kernel/Cargo.lock pins. Sets IC_FREERTOS_VERSION from the kernel's own header. Sets IC_FREERTOS_SOURCES to the digest
# of its sources, and to whether they are those of a release.
include(${CMAKE_CURRENT_LIST_DIR}/kernel_sources.cmake)

set(IC_FREERTOS_KERNEL "" CACHE PATH "Folder of the FreeRTOS kernel; empty: FREERTOS_KERNEL_PATH, or by cargo")

function(ic_fetch_kernel folder)
  set(manifest "${CMAKE_CURRENT_SOURCE_DIR}/port/freertos/kernel/Cargo.toml")
  set(hint "Give the folder of the FreeRTOS kernel by -DIC_FREERTOS_KERNEL=… or in FREERTOS_KERNEL_PATH, or install "
           "cargo, which fetches it once.")
  string(CONCAT hint ${hint})
  find_program(IC_CARGO cargo)
  if(NOT IC_CARGO)
    message(FATAL_ERROR "The FreeRTOS kernel is needed, and there is no cargo to fetch it. ${hint}")
  endif()
  execute_process(COMMAND ${IC_CARGO} fetch --locked --manifest-path ${manifest}
    RESULT_VARIABLE failed ERROR_VARIABLE why OUTPUT_QUIET)
  if(failed)
    message(FATAL_ERROR "cargo could not fetch the FreeRTOS kernel: ${why}\n${hint}")
  endif()
  execute_process(COMMAND ${IC_CARGO} metadata --format-version 1 --locked --offline --manifest-path ${manifest}
    RESULT_VARIABLE failed ERROR_VARIABLE why OUTPUT_VARIABLE metadata)
  string(REGEX MATCH "\"manifest_path\":\"([^\"]*freertos-next[^\"]*)/Cargo.toml\"" found "${metadata}")
  if(failed OR NOT found)
    message(FATAL_ERROR "cargo does not say where the crate freertos-next is: ${why}\n${hint}")
  endif()
  set(${folder} "${CMAKE_MATCH_1}/FreeRTOS-Kernel" PARENT_SCOPE)
endfunction()

if(NOT IC_FREERTOS_KERNEL AND DEFINED ENV{FREERTOS_KERNEL_PATH})
  set(IC_FREERTOS_KERNEL "$ENV{FREERTOS_KERNEL_PATH}")
endif()
if(NOT IC_FREERTOS_KERNEL)
  ic_fetch_kernel(IC_FREERTOS_KERNEL)
endif()
foreach(file tasks.c list.c queue.c event_groups.c stream_buffer.c include/task.h portable/MemMang/heap_4.c)
  if(NOT EXISTS "${IC_FREERTOS_KERNEL}/${file}")
    message(FATAL_ERROR "${IC_FREERTOS_KERNEL} is not a FreeRTOS kernel: it has no ${file}. "
      "IC_FREERTOS_KERNEL (or FREERTOS_KERNEL_PATH) must name the folder that holds tasks.c, include/ and portable/.")
  endif()
endforeach()
file(STRINGS "${IC_FREERTOS_KERNEL}/include/task.h" line REGEX "define tskKERNEL_VERSION_NUMBER")
string(REGEX MATCH "\"V([0-9]+)\\.([0-9]+)\\.[^\"]*\"" found "${line}")
string(REPLACE "\"" "" IC_FREERTOS_VERSION "${found}")
if(NOT "${CMAKE_MATCH_1}.${CMAKE_MATCH_2}" VERSION_GREATER_EQUAL 11.2)
  message(FATAL_ERROR "FreeRTOS V11.2 or later is needed; ${IC_FREERTOS_KERNEL} is ${IC_FREERTOS_VERSION}.")
endif()
ic_freertos_digest(digest ${IC_FREERTOS_KERNEL})
ic_freertos_sources(IC_FREERTOS_SOURCES ${IC_FREERTOS_VERSION} ${digest})
message(STATUS "FreeRTOS kernel ${IC_FREERTOS_VERSION} in ${IC_FREERTOS_KERNEL}, sources ${IC_FREERTOS_SOURCES}")

# The kernel's assertions contain the names of its files. This option removes the folder's path from them, so that the
# image does not depend on where the kernel is. Targets that are defined later have this option, too.
add_compile_options(-fmacro-prefix-map=${IC_FREERTOS_KERNEL}/=)
target_compile_options(intercore PRIVATE -fmacro-prefix-map=${IC_FREERTOS_KERNEL}/=)

# Builds the kernel as the library `freertos`, without our warnings, with one of its own ports (a folder under
# portable/) or with one of ours (a folder of this tree). The further arguments are include folders: the folder of
# FreeRTOSConfig.h, and those of the port.
function(ic_freertos kernel_port)
  set(folder ${IC_FREERTOS_KERNEL}/portable/${kernel_port})
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${kernel_port}/port.c")
    set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${kernel_port})
  endif()
  if(NOT EXISTS "${folder}/port.c")
    message(FATAL_ERROR "This FreeRTOS kernel has no ${folder}: it is incomplete.")
  endif()
  add_library(freertos STATIC
    ${IC_FREERTOS_KERNEL}/tasks.c ${IC_FREERTOS_KERNEL}/queue.c ${IC_FREERTOS_KERNEL}/list.c
    ${IC_FREERTOS_KERNEL}/event_groups.c ${IC_FREERTOS_KERNEL}/stream_buffer.c
    ${IC_FREERTOS_KERNEL}/portable/MemMang/heap_4.c ${folder}/port.c)
  target_include_directories(freertos SYSTEM PUBLIC ${IC_FREERTOS_KERNEL}/include ${folder}/include ${folder})
  target_include_directories(freertos PUBLIC port/freertos ${ARGN})
  target_compile_options(freertos PRIVATE -w)
endfunction()
