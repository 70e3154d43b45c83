# The RP2040 with a FreeRTOS kernel on each core: two images, made of the same objects, for SRAM. Core 1's image is
# linked first, and core 0's image contains it.
include(port/freertos/kernel.cmake)
enable_language(ASM)

set(IC_AMP ON)
set(here ${CMAKE_CURRENT_SOURCE_DIR}/board/rp2040_amp)
include(board/rp2040/chip.cmake)

# Each function and variable has its own section, also those of the kernel, so that the linker can leave out what
# nothing uses.
add_compile_options(-ffunction-sections -fdata-sections)
target_compile_options(intercore PRIVATE -ffunction-sections -fdata-sections)

ic_freertos(ThirdParty/GCC/RP2040 port/freertos_amp board/rp2040_amp board/rp2040/sdk board/rp2/sdk)

target_sources(intercore PRIVATE bench/registry_amp.c port/samples_static.c)
target_include_directories(intercore PUBLIC port/freertos port/freertos_amp)
# The striped SRAM, 256 KiB, has three parts: core 0's program, core 1's program, and the shared data, which include the
# samples. Because each core has its own code, there is no room for more samples. The larger code of -O0 leaves room for
# even fewer samples, and none for the double-precision functions.
set(core_0_bytes 136K)
set(core_1_bytes 83K)
set(shared_bytes 37K)
set(samples 2944)
if(IC_OPT STREQUAL "O0")
  set(core_0_bytes 149K)
  set(core_1_bytes 87K)
  set(shared_bytes 20K)
  set(samples 832)
  target_compile_definitions(intercore PUBLIC IC_FEWER_WORKLOADS)
  foreach(benchmark launch outage)
    ic_without(${benchmark} "there is no room for it beside the code of -O0 (take another optimisation level)")
  endforeach()
endif()
if(IC_OPT MATCHES "^(O3|Ofast)$")
  set(core_0_bytes 138K)
  set(core_1_bytes 84K)
  set(shared_bytes 34K)
  set(samples 2560)
endif()
if(IC_OWN) # the user's code and data take the place of most samples
  set(samples 640)
endif()
if(IC_TRACE) # the recorder's code is in both programs; an event takes the room of two samples, on each of two cores
  if(IC_OPT STREQUAL "O0")
    message(FATAL_ERROR "The RP2040 in AMP has no room for a recorder beside the code of -O0.")
  endif()
  set(core_0_bytes 142K)
  set(core_1_bytes 88K)
  set(shared_bytes 26K)
  math(EXPR samples "1376 - 4 * ${IC_TRACE}")
  if(IC_OWN) # the user's workload replaces our workloads, whose code is larger; its data get the room that this frees
    set(core_0_bytes 138K)
    set(shared_bytes 32K)
    set(samples 512)
  endif()
endif()
target_compile_definitions(intercore PUBLIC IC_SAMPLES_CAPACITY=${samples}U)
configure_file(${here}/memory_map.ld.in memory_map.ld @ONLY)

# This is the order in which the linker places the files. If it changes, the simulated times of functions change.
set(chip_sources
  rp2040/rp2040_board.c rp2040/clock/rp2040_clock.c rp2040/clock/rp2040_clock.S rp2/clock/rp2_clocks.c
  rp2/instruments/rp2_conditions.c rp2040/cores/rp2040_cores.c
  rp2040/clock/rp2040_cycles.c rp2040/clock/rp2040_cycles.S rp2040/fault/rp2040_fault.c rp2/start/image_sram.c
  rp2/cores/rp2_launch.c rp2/cores/rp2_pin.c rp2/instruments/rp2_mark.c rp2/fault/panic.c
  rp2040/instruments/rp2040_region.c rp2040/clock/rp2040_tick.c rp2/console/rp2_uart.c
  rp2040/fault/rp2040_watchdog.c rp2/storage/rp2_storage.c rp2040/storage/rp2040_storage.c rp2/console/rp2_console.c
  rp2/console/rp2_usb.c)
list(TRANSFORM chip_sources PREPEND board/)
ic_transports(transports freertos)
add_library(rp2040_amp STATIC
  port/freertos/console_freertos.c port/freertos/lock_freertos.c port/freertos/objects_freertos.c port/freertos/period_freertos.c
  port/freertos/time_freertos.c
  port/freertos_amp/conditions.c port/freertos_amp/entries.c port/freertos_amp/interrupt_amp.c
  port/freertos_amp/mailbox.c port/freertos_amp/port_amp.c port/freertos_amp/rendezvous.c
  port/freertos_amp/semaphore_amp.c port/freertos_amp/service.c port/launch_none.c port/loop_none.c
  ${chip_sources}
  board/rp2040_amp/amp.c board/rp2040_amp/conditions_amp.c board/rp2040_amp/transports.c
  ${transports})
ic_rp2040(rp2040_amp)
ic_trace(rp2040_amp board/rp2040/cores/rp2040_trace.c port/freertos/trace_freertos.c)
target_link_libraries(rp2040_amp PUBLIC intercore freertos)
target_link_libraries(freertos PUBLIC rp2040_amp) # the two libraries call each other
target_link_libraries(intercore PUBLIC rp2040_amp)

# All objects are linked, not only those that are referenced, because shared data must be the same in both images. The
# linker then leaves out functions that nothing uses.
function(ic_image name core)
  add_executable(${name} board/rp2040_amp/core_${core}.c
    $<TARGET_OBJECTS:intercore> $<TARGET_OBJECTS:rp2040_amp> ${ARGN})
  target_link_libraries(${name} PRIVATE intercore m)
  target_link_options(${name} PRIVATE -nostartfiles
    -L${here}/core${core} -L${here} -L${CMAKE_CURRENT_BINARY_DIR} -T ${rp2040_folder}/start/sram.ld
    -Wl,--gc-sections,--fatal-warnings,--defsym=ic_shift_code=${IC_SHIFT_CODE},--defsym=ic_shift_data=${IC_SHIFT_DATA},-Map=${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
  set(scripts ${rp2040_folder}/start/sram.ld ${here}/ram.ld ${here}/core${core}/memory.ld
    ${CMAKE_CURRENT_BINARY_DIR}/memory_map.ld)
  set_target_properties(${name} PROPERTIES LINK_DEPENDS "${scripts}")
endfunction()

ic_image(intercore-target-core1 1)
set(core_1 ${CMAKE_CURRENT_BINARY_DIR}/core1)
set(linked $<TARGET_FILE:intercore-target-core1>)
add_custom_command(OUTPUT ${core_1}.image ${core_1}.clock ${core_1}.symbols.S
  COMMAND ${CMAKE_OBJCOPY} -O binary -j .text -j .rodata -j .data ${linked} ${core_1}.image
  COMMAND ${CMAKE_OBJCOPY} -O binary -j .clock ${linked} ${core_1}.clock
  COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DIMAGE=${linked} -DOUT=${core_1}.symbols.S -P ${here}/core_1_symbols.cmake
  DEPENDS intercore-target-core1 ${here}/core_1_symbols.cmake)
set_source_files_properties(board/rp2040_amp/image_1.S PROPERTIES
  COMPILE_DEFINITIONS "IC_CORE_1_IMAGE=\"${core_1}.image\";IC_CORE_1_CLOCK=\"${core_1}.clock\""
  OBJECT_DEPENDS "${core_1}.image;${core_1}.clock")
ic_image(intercore-target 0 board/rp2040/start/entry.c board/rp2/start/rp2_start.c board/rp2040_amp/image_1.S ${core_1}.symbols.S)
list(APPEND IC_IMAGES intercore-target-core1)
