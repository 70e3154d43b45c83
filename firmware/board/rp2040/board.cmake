# The RP2040 with FreeRTOS SMP on both cores, as one image for SRAM or for flash.
include(port/freertos/kernel.cmake)
enable_language(ASM)

set(IC_CODE sram CACHE STRING "Where code and constants are: sram or flash")
set(IC_XIP_CACHE on CACHE STRING "Cache in front of the flash: on or off")
set_property(CACHE IC_CODE PROPERTY STRINGS sram flash)
set_property(CACHE IC_XIP_CACHE PROPERTY STRINGS on off)
foreach(name IC_CODE IC_XIP_CACHE)
  get_property(levels CACHE ${name} PROPERTY STRINGS)
  if(NOT ${name} IN_LIST levels)
    message(FATAL_ERROR "${name} is one of ${levels}, and not ${${name}}.")
  endif()
endforeach()
include(board/rp2040/chip.cmake)
set(rp2040_image rp2/start/image_sram.c)
if(IC_CODE STREQUAL flash)
  set(rp2040_image rp2040/start/image_flash.c)
endif()

# Each function and variable has its own section, also those of the kernel, so that the linker can leave out what
# nothing uses.
add_compile_options(-ffunction-sections -fdata-sections)

ic_freertos(ThirdParty/GCC/RP2040 port/freertos_smp/v11 board/rp2040/sdk board/rp2/sdk)
# The kernel's port compiles its handler of the inter-core interrupt only if the SDK's multicore library is defined.
target_compile_definitions(freertos PUBLIC LIB_PICO_MULTICORE=1)

target_sources(intercore PRIVATE bench/registry.c port/samples_static.c)
target_include_directories(intercore PUBLIC port/freertos port/freertos_smp)
# 8192 samples take 64 KiB, a quarter of SRAM, and are enough for two series of 4000. Larger code leaves room for fewer
# samples: the code is larger by half at -O0, and by a fifth at -O3.
set(samples 8192)
if(IC_OPT STREQUAL "O0")
  set(samples 2880)
elseif(IC_OPT MATCHES "^(O3|Ofast)$")
  set(samples 6400)
endif()
if(IC_OWN OR IC_ADDED) # the user's code and data take the place of most samples
  set(samples 2048)
endif()
if(IC_OPT STREQUAL "O0")
  ic_without(outage "there is no room for it beside the code of -O0 (take another optimisation level)")
elseif(IC_OWN OR IC_ADDED)
  ic_without(outage "there is no room for it beside the user's own code")
endif()
if(IC_TRACE) # an event takes the room of two samples on each of two cores, the recorder's code that of 960 samples
  if(IC_OPT STREQUAL "O0" OR IC_ADDED)
    message(FATAL_ERROR "The RP2040 has no room for a recorder beside the code of -O0 or the user's benchmarks.")
  endif()
  math(EXPR samples "${samples} - 4 * ${IC_TRACE} - 960")
  if(IC_OWN) # the user's code and the recorder's ring buffers share the remaining room
    set(samples 1024)
  endif()
endif()
target_compile_definitions(intercore PUBLIC IC_SAMPLES_CAPACITY=${samples}U)

# This is the order in which the linker places the files. If it changes, the simulated times of functions change.
set(sources
  rp2040/rp2040_board.c rp2040/clock/rp2040_clock.c rp2040/clock/rp2040_clock.S rp2/clock/rp2_clocks.c
  rp2/instruments/rp2_conditions.c rp2040/cores/core_1_smp.c
  rp2040/cores/rp2040_cores.c rp2040/clock/rp2040_cycles.c rp2040/clock/rp2040_cycles.S rp2040/cores/rp2040_fifo.c
  rp2040/fault/rp2040_fault.c ${rp2040_image} rp2040/cores/rp2040_interrupt.c rp2040/instruments/conditions_smp.c
  rp2/cores/rp2_launch.c rp2/cores/rp2_pin.c rp2040/cores/rp2040_launch.c rp2040/cores/lock.c rp2/instruments/rp2_mark.c rp2/fault/panic.c
  rp2040/instruments/rp2040_region.c rp2040/start/entry.c rp2/start/rp2_start.c rp2040/clock/rp2040_tick.c
  rp2/console/rp2_uart.c rp2/transports.c rp2040/fault/rp2040_watchdog.c rp2/storage/rp2_storage.c
  rp2040/storage/rp2040_storage.c
  rp2/console/rp2_console.c rp2/console/rp2_usb.c)
list(TRANSFORM sources PREPEND board/)
ic_transports(transports freertos rp2)
add_library(rp2040 STATIC
  port/freertos_smp/conditions_v11.c port/freertos_smp/interrupt_freertos.c port/freertos_smp/pin_freertos.c
  port/freertos/console_freertos.c port/freertos/lock_freertos.c port/freertos/objects_freertos.c port/freertos/period_freertos.c
  port/freertos/time_freertos.c port/freertos_smp/port_freertos.c port/freertos_smp/kernel_v11.c port/loop_none.c
  ${sources}
  ${transports})
ic_rp2040(rp2040)
ic_trace(rp2040 board/rp2040/cores/rp2040_trace.c port/freertos/trace_freertos.c)
target_link_libraries(rp2040 PUBLIC intercore freertos)
target_link_libraries(freertos PUBLIC rp2040) # the two libraries call each other
target_link_libraries(intercore PUBLIC rp2040)

# The second-stage boot loader becomes a source file of its own, with its checksum appended.
if(IC_CODE STREQUAL flash)
  add_library(boot2 OBJECT board/rp2040/start/boot2.S)
  string(COMPARE EQUAL ${IC_XIP_CACHE} on cached)
  target_compile_definitions(boot2 PRIVATE IC_XIP_CACHE=${cached})
  set(made ${CMAKE_CURRENT_BINARY_DIR}/boot2)
  add_custom_command(OUTPUT ${made}.checked.S
    COMMAND ${CMAKE_OBJCOPY} -O binary -j .text $<TARGET_OBJECTS:boot2> ${made}.bin
    COMMAND ${CMAKE_COMMAND} -DBINARY=${made}.bin -DOUT=${made}.checked.S
      -P ${CMAKE_CURRENT_SOURCE_DIR}/board/rp2040/start/boot2.cmake
    DEPENDS boot2 $<TARGET_OBJECTS:boot2> board/rp2040/start/boot2.cmake)
  target_sources(rp2040 PRIVATE ${made}.checked.S)
endif()

set(scripts ${rp2040_folder}/start)
function(ic_image name)
  target_link_libraries(${name} PRIVATE intercore m)
  if(IC_TRACE)
    target_link_options(${name} PRIVATE -Wl,--wrap=vYieldCore)
  endif()
  target_link_options(${name} PRIVATE -nostartfiles -L${scripts} -T ${scripts}/${IC_CODE}.ld
    -Wl,--gc-sections,--fatal-warnings,--defsym=ic_shift_code=${IC_SHIFT_CODE},--defsym=ic_shift_data=${IC_SHIFT_DATA},-Map=${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
  set_target_properties(${name} PROPERTIES
    LINK_DEPENDS "${scripts}/${IC_CODE}.ld;${scripts}/memory.ld;${scripts}/ram.ld")
endfunction()

set(IC_PROGRAM board/rp2/main.c CACHE STRING "Files of the program, with one that has main()")
if(NOT IC_PROGRAM STREQUAL board/rp2/main.c) # not our program: its author chooses the warnings
  set_source_files_properties(${IC_PROGRAM} PROPERTIES COMPILE_OPTIONS -w)
endif()
if(IC_PROGRAM MATCHES "[.](cc|cpp|cxx)(;|$)")
  enable_language(CXX)
  set(CMAKE_CXX_STANDARD 20)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions;-fno-rtti;-fno-threadsafe-statics>")
endif()
add_executable(intercore-target ${IC_PROGRAM})
set_target_properties(intercore-target PROPERTIES LINKER_LANGUAGE C)
ic_image(intercore-target)

add_executable(intercore-port-test EXCLUDE_FROM_ALL
  board/rp2/test/port_test_main.c board/rp2/test/rp2_test_end.c ${IC_PORT_TEST})
target_include_directories(intercore-port-test PRIVATE board/rp2/test)
ic_image(intercore-port-test)

add_executable(intercore-stress EXCLUDE_FROM_ALL
  board/rp2/test/stress_main.c board/rp2/test/rp2_test_end.c port/stress.c port/freertos/stress_freertos.c)
target_include_directories(intercore-stress PRIVATE board/rp2/test)
ic_image(intercore-stress)

add_executable(intercore-transport-stress EXCLUDE_FROM_ALL
  board/rp2/test/transport_stress_main.c board/rp2/test/rp2_test_end.c transport/test/transport_stress.c)
target_include_directories(intercore-transport-stress PRIVATE board/rp2/test)
ic_image(intercore-transport-stress)
