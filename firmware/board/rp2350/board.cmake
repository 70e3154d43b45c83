# The RP2350 with FreeRTOS SMP on its two RISC-V cores, as one image for SRAM or for flash.
include(port/freertos/kernel.cmake)
enable_language(ASM)
include(board/rp2350/clock/pll.cmake)
include(board/rp2/bus_priority.cmake)

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
# Gaps in memory, which move the code or data of the same program to other addresses. They show how far its times depend
# on these addresses.
set(IC_SHIFT_CODE 0 CACHE STRING "Bytes of a gap before the functions: a multiple of 2")
set(IC_SHIFT_DATA 0 CACHE STRING "Bytes of a gap before initialised variables, and before the others: a multiple of 4")

# Each function and variable has its own section, also those of the kernel, so that the linker can leave out what
# nothing uses.
add_compile_options(-ffunction-sections -fdata-sections)

ic_freertos(port/freertos_smp/hazard3 port/freertos_smp/v11 board/rp2350/sdk board/rp2/sdk)
target_sources(freertos PRIVATE port/freertos_smp/hazard3/portASM.S)
target_compile_definitions(freertos PRIVATE configCPU_CLOCK_HZ=${IC_CLOCK_MHZ}000000U)

target_sources(intercore PRIVATE bench/registry.c port/samples_static.c)
target_include_directories(intercore PUBLIC port/freertos port/freertos_smp)
# 8192 samples, as on the RP2040: enough for two series of 4000
set(samples 8192)
target_compile_definitions(intercore PUBLIC IC_SAMPLES_CAPACITY=${samples}U)

set(image rp2/start/image_sram.c)
if(IC_CODE STREQUAL flash)
  set(image rp2350/start/image_flash.c)
endif()
# This is the order in which the linker places the files. If it changes, the simulated times of functions change.
set(sources
  rp2350/rp2350_board.c rp2350/clock/rp2350_clock.c rp2350/clock/rp2350_clock.S rp2/clock/rp2_clocks.c
  rp2/instruments/rp2_conditions.c rp2350/cores/core_1.c rp2350/cores/rp2350_cores.c rp2350/cores/rp2350_fifo.c
  ${image} rp2350/cores/rp2350_interrupt.c rp2350/instruments/conditions_smp.c rp2/cores/rp2_launch.c rp2/cores/rp2_pin.c
  rp2350/cores/lock.c rp2/instruments/rp2_mark.c rp2/fault/panic.c rp2350/instruments/rp2350_region.c
  rp2/storage/rp2_storage.c rp2350/storage/rp2350_storage.c
  rp2350/start/entry.c rp2/start/rp2_start.c rp2350/clock/rp2350_tick.c rp2/console/rp2_uart.c
  rp2/transports.c rp2350/fault/rp2350_watchdog.c rp2/console/rp2_console.c rp2/console/rp2_usb.c)
list(TRANSFORM sources PREPEND board/)
ic_transports(transports freertos rp2)
add_library(rp2350 STATIC
  port/freertos_smp/conditions_v11.c port/freertos_smp/interrupt_freertos.c port/freertos_smp/pin_freertos.c
  port/freertos/console_freertos.c port/freertos/lock_freertos.c port/freertos/objects_freertos.c
  port/freertos/period_freertos.c port/freertos/time_freertos.c port/freertos_smp/port_freertos.c
  port/freertos_smp/kernel_v11.c port/launch_none.c port/loop_none.c
  ${sources}
  ${transports})
foreach(folder board/rp2350 board/rp2)
  target_include_directories(rp2350 PUBLIC ${folder})
  foreach(subject clock console cores fault instruments start storage)
    target_include_directories(rp2350 PUBLIC ${folder}/${subject})
  endforeach()
endforeach()
list(JOIN IC_CODE_FLAGS " " flags)
string(COMPARE EQUAL ${IC_XIP_CACHE} on cached)
target_compile_definitions(rp2350 PRIVATE IC_CLOCK_MHZ=${IC_CLOCK_MHZ} ${bus_priority} IC_XIP_CACHE=${cached}
  IC_PLL_FBDIV=${pll_fbdiv} IC_PLL_POSTDIV1=${pll_postdiv1} IC_PLL_POSTDIV2=${pll_postdiv2}
  IC_FLAGS="-std=c11 ${CMAKE_C_FLAGS} -ffunction-sections -fdata-sections ${flags}"
  IC_FREERTOS_PORT="Intercore's own, for Hazard3"
  IC_FREERTOS_SOURCES="${IC_FREERTOS_SOURCES}"
  IC_COMPILER="${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}, riscv64-unknown-elf")
target_link_libraries(rp2350 PUBLIC intercore freertos)
target_link_libraries(freertos PUBLIC rp2350) # the two libraries call each other
target_link_libraries(intercore PUBLIC rp2350)

set(scripts ${CMAKE_CURRENT_SOURCE_DIR}/board/rp2350/start)
function(ic_image name)
  target_link_libraries(${name} PRIVATE intercore m)
  target_link_options(${name} PRIVATE -nostartfiles -L${scripts} -T ${scripts}/${IC_CODE}.ld
    -Wl,--gc-sections,--no-warn-rwx-segments,--fatal-warnings,--defsym=ic_shift_code=${IC_SHIFT_CODE},--defsym=ic_shift_data=${IC_SHIFT_DATA},-Map=${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
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

foreach(test port-test stress transport-stress)
  string(REPLACE - _ file ${test})
  add_executable(intercore-${test} EXCLUDE_FROM_ALL
    board/rp2/test/${file}_main.c board/rp2/test/rp2_test_end.c)
  target_include_directories(intercore-${test} PRIVATE board/rp2/test)
  ic_image(intercore-${test})
endforeach()
target_sources(intercore-port-test PRIVATE ${IC_PORT_TEST})
target_sources(intercore-stress PRIVATE port/stress.c port/freertos/stress_freertos.c)
target_sources(intercore-transport-stress PRIVATE transport/test/transport_stress.c)
