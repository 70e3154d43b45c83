# The STM32H745 on a NUCLEO-H745ZI-Q, with a FreeRTOS kernel on each core: two images of the same sources, one for each
# bank of the flash. IC_CORE says for which core to build. Building core 0's image, intercore-target, also builds core
# 1's, intercore-target-core1.
include(port/freertos/kernel.cmake)
enable_language(ASM)

set(here ${CMAKE_CURRENT_SOURCE_DIR}/board/stm32h745)
set(memory ${here}/memory)
set(IC_AMP ON)
set(IC_CORE 0 CACHE STRING "Whose image: 0, the Cortex-M7, or 1, the Cortex-M4")
set(IC_M7_MHZ 400 CACHE STRING "Clock of the Cortex-M7: 480, 400, 240, 120 or 60")
set(IC_M4_MHZ 200 CACHE STRING "Clock of the Cortex-M4 and of the buses: 240, 200, 120, 60 or 50")
set(IC_SUPPLY smps CACHE STRING "What the board supplies the core by: smps, or ldo after it has been rewired")
set(IC_VOS "" CACHE STRING "Voltage scale: 0 to 3; empty: 1, or 0 where the clocks need it")
set(IC_ICACHE on CACHE STRING "Instruction cache of the Cortex-M7: on or off")
set(IC_DCACHE on CACHE STRING "Data cache of the Cortex-M7: on or off")
set(IC_SHARED d2 CACHE STRING "Where the memory that both cores use is: d1 (AXI SRAM), d2 (SRAM2) or d3 (SRAM4)")
include(${here}/clock/clock_plan.cmake)
foreach(choice "IC_CORE;0;1" "IC_ICACHE;on;off" "IC_DCACHE;on;off" "IC_SHARED;d1;d2;d3")
  list(POP_FRONT choice name)
  if(NOT "${${name}}" IN_LIST choice)
    list(JOIN choice " or " choice)
    message(FATAL_ERROR "${name} is ${choice}, and not ${${name}}.")
  endif()
endforeach()
string(COMPARE EQUAL ${IC_SUPPLY} ldo ldo)
string(COMPARE EQUAL ${IC_ICACHE} on icache)
string(COMPARE EQUAL ${IC_DCACHE} on dcache)
if(ldo)
  set(supply_cr3 0x2)
else()
  set(supply_cr3 0x4)
endif()
list(JOIN IC_CODE_FLAGS " " flags)

# Each function and variable has its own section, also those of the kernel, so that the linker can leave out what
# nothing uses.
add_compile_options(-ffunction-sections -fdata-sections)
target_compile_options(intercore PRIVATE -ffunction-sections -fdata-sections)

# This port is for revision r0p1 of the Cortex-M7, which has erratum 837070. It also works on all other revisions.
set(kernel_port GCC/ARM_CM7/r0p1)
if(IC_CORE EQUAL 1)
  set(kernel_port GCC/ARM_CM4F)
endif()
ic_freertos(${kernel_port} port/freertos_amp board/stm32h745)
set(factors IC_CORE=${IC_CORE} IC_M7_MHZ=${IC_M7_MHZ} IC_M4_MHZ=${IC_M4_MHZ})
target_compile_definitions(freertos PUBLIC ${factors})

target_sources(intercore PRIVATE bench/registry_amp.c port/samples_static.c)
target_include_directories(intercore PUBLIC port/freertos port/freertos_amp)
target_compile_definitions(intercore PUBLIC IC_SAMPLES_CAPACITY=16384U)

# The linker places the files in this order.
set(sources
  cores/stm32h745_amp.c console/stm32h745_baud.c stm32h745_board.c clock/stm32h745_clock.c clock/stm32h745_clock_plan.c
  clock/stm32h745_clocks.c instruments/stm32h745_conditions.c clock/stm32h745_cycles.c start/entry.S
  cores/stm32h745_irq.c fault/stm32h745_led.c cores/stm32h745_lock.c instruments/stm32h745_mark.c
  cores/stm32h745_pin.c memory/stm32h745_mpu.c memory/stm32h745_mpu_table.c memory/stm32h745_storage.c fault/panic.c instruments/region.c
  start/stm32h745_start.c
  clock/stm32h745_tick.c clock/stm32h745_timer.c transports.c console/stm32h745_uart.c console/uart_raw.c
  start/stm32h745_vectors.c fault/stm32h745_watchdog.c)
list(TRANSFORM sources PREPEND board/stm32h745/)
ic_transports(transports freertos)
add_library(stm32h745 STATIC
  port/freertos/console_freertos.c port/freertos/lock_freertos.c port/freertos/objects_freertos.c port/freertos/period_freertos.c
  port/freertos/time_freertos.c
  port/freertos_amp/conditions.c port/freertos_amp/entries.c port/freertos_amp/interrupt_amp.c
  port/freertos_amp/mailbox.c port/freertos_amp/port_amp.c port/freertos_amp/rendezvous.c
  port/freertos_amp/semaphore_amp.c port/freertos_amp/service.c port/launch_none.c port/loop_none.c
  ${sources}
  ${transports})
target_include_directories(stm32h745 PUBLIC ${here} ${here}/clock ${here}/console ${here}/cores ${here}/fault
  ${here}/instruments ${here}/memory ${here}/start)
# The build options as numbers, and as text for the conditions. Core 0 checks that both images have the same IC_BUILD
# (board_build()).
target_compile_definitions(stm32h745 PUBLIC ${factors} IC_VOS=${IC_VOS} IC_SUPPLY=${ldo} IC_SUPPLY_CR3=${supply_cr3}
  IC_ICACHE=${icache} IC_DCACHE=${dcache})
target_compile_definitions(stm32h745 PRIVATE
  IC_SUPPLY_TEXT="${IC_SUPPLY}" IC_ICACHE_TEXT="${IC_ICACHE}" IC_DCACHE_TEXT="${IC_DCACHE}"
  IC_SHARED_TEXT="${IC_SHARED}"
  IC_BUILD="${flags} ${IC_M7_MHZ} ${IC_M4_MHZ} ${IC_SUPPLY} ${IC_VOS} ${IC_SHARED}"
  IC_FLAGS="-std=c11 ${IC_CPU_FLAGS} -ffunction-sections -fdata-sections ${flags}"
  IC_FREERTOS_PORT="${kernel_port}" IC_FREERTOS_SOURCES="${IC_FREERTOS_SOURCES}"
  IC_COMPILER="${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}, arm-none-eabi")
target_link_libraries(stm32h745 PUBLIC intercore freertos)
target_link_libraries(freertos PUBLIC stm32h745) # the two libraries call each other
target_link_libraries(intercore PUBLIC stm32h745)

# All objects are linked, not only those that are referenced, because shared data must be the same in both images. The
# linker then leaves out functions that nothing uses.
add_executable(intercore-target board/stm32h745/main.c $<TARGET_OBJECTS:intercore> $<TARGET_OBJECTS:stm32h745>)
target_link_libraries(intercore-target PRIVATE intercore m)
target_link_options(intercore-target PRIVATE -nostartfiles -L${memory}/core${IC_CORE} -L${memory}/${IC_SHARED}
  -L${memory} -T ${memory}/program.ld
  -Wl,--gc-sections,--fatal-warnings,-Map=${CMAKE_CURRENT_BINARY_DIR}/intercore-target.map)
set_target_properties(intercore-target PROPERTIES LINK_DEPENDS
  "${memory}/program.ld;${memory}/memory.ld;${memory}/core${IC_CORE}/core.ld;${memory}/${IC_SHARED}/shared.ld")

if(IC_CORE EQUAL 0)
  include(ExternalProject)
  set(core_1 ${CMAKE_CURRENT_BINARY_DIR}/core1)
  set(same "")
  foreach(name IC_BOARD IC_OPT IC_M7_MHZ IC_M4_MHZ IC_SUPPLY IC_VOS IC_ICACHE IC_DCACHE IC_SHARED IC_FREERTOS_KERNEL)
    list(APPEND same -D${name}=${${name}})
  endforeach()
  ExternalProject_Add(core_1 SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR} BINARY_DIR ${core_1} LIST_SEPARATOR |
    CMAKE_ARGS -DIC_CORE=1 ${same} ${IC_OWN_ARGUMENTS}
    BUILD_COMMAND ${CMAKE_COMMAND} --build ${core_1} --target intercore-target --parallel
    COMMAND ${CMAKE_COMMAND} -E copy_if_different ${core_1}/intercore-target
      ${CMAKE_CURRENT_BINARY_DIR}/intercore-target-core1
    BUILD_ALWAYS TRUE INSTALL_COMMAND "")
  add_dependencies(intercore-target core_1)
endif()
