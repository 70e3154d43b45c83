# This firmware as the component `intercore` of ESP-IDF. The repository's CMakeLists.txt includes this file, and so does
# the one in components/intercore. ESP-IDF first runs it in a script that asks only for the requirements; the values of
# Kconfig and of CMake's cache are not available then.
get_filename_component(firmware ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)

include(${firmware}/portable.cmake)
include(${firmware}/trace/trace.cmake)

ic_transports(transports freertos esp_idf)
set(sources ${IC_PORTABLE} bench/registry.c
  port/launch_none.c port/loop.c port/freertos/loop_freertos.c port/freertos/objects_freertos.c port/freertos/period_freertos.c
  port/freertos/time_freertos.c
  port/freertos_smp/conditions_esp_idf.c port/freertos_smp/interrupt_freertos.c port/freertos_smp/kernel_esp_idf.c
  port/freertos_smp/pin_freertos.c port/freertos_smp/port_freertos.c
  ${transports}
  board/esp32/esp32_memory.c board/esp32/esp32_storage.c board/esp32/main_loop.c board/esp32/start.c
  board/esp32/transports.c
  board/esp32/clock/esp32_counter_phase.c board/esp32/clock/esp32_clock.c board/esp32/clock/esp32_tick.c
  board/esp32/clock/frequency.c board/esp32/clock/timer_ccompare.c board/esp32/clock/timer_gptimer.c
  board/esp32/console/console.c board/esp32/cores/doorbell.c board/esp32/cores/handler.c board/esp32/cores/lock.c
  board/esp32/cores/pin.c
  board/esp32/fault/watchdog.c
  board/esp32/instruments/conditions.c board/esp32/instruments/esp32_flash.c
  board/esp32/instruments/esp32_instruments.c
  board/esp32/instruments/esp32_mark.c board/esp32/instruments/esp32_region.c)

if(CONFIG_INTERCORE_CONSOLE_USB_SERIAL_JTAG)
  list(APPEND sources board/esp32/console/console_usb.c)
else()
  list(APPEND sources board/esp32/console/console_uart.c)
endif()

if(CONFIG_INTERCORE_PROGRAM_PORT_TEST)
  list(APPEND sources board/esp32/test/program_port_test.c board/esp32/test/esp32_test_end.c ${IC_PORT_TEST})
elseif(CONFIG_INTERCORE_PROGRAM_STRESS)
  list(APPEND sources board/esp32/test/program_stress.c board/esp32/test/esp32_test_end.c port/stress.c)
elseif(CONFIG_INTERCORE_PROGRAM_TRANSPORT_STRESS)
  list(APPEND sources
    board/esp32/test/program_transport_stress.c board/esp32/test/esp32_test_end.c transport/test/transport_stress.c)
else()
  list(APPEND sources board/esp32/program_benchmark.c)
endif()
if(CONFIG_INTERCORE_TRACE)
  list(APPEND sources ${IC_TRACE_SOURCES} board/esp32/cores/esp32_trace.c port/freertos/trace_freertos.c)
endif()
list(TRANSFORM sources PREPEND ${firmware}/)

set(folders ${IC_PORTABLE_FOLDERS} port/freertos port/freertos_smp transport/freertos
  board/esp32 board/esp32/clock board/esp32/cores board/esp32/instruments board/esp32/test trace)
list(TRANSFORM folders PREPEND ${firmware}/)

# linker.lf names the component's archive, which is named after the component, as the component is after its folder.
set(fragment ${CMAKE_CURRENT_BINARY_DIR}/linker.lf)
if(NOT CMAKE_BUILD_EARLY_EXPANSION)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/linker.lf.in ${fragment} @ONLY)
endif()
set(c_library newlib) # its name before ESP-IDF 6
if(IDF_VERSION_MAJOR GREATER_EQUAL 6)
  set(c_library esp_libc)
endif()
set(required bootloader_support esp_driver_gpio esp_driver_uart esp_driver_usb_serial_jtag esp_hw_support
  esp_partition esp_pm esp_ringbuf esp_rom esp_system esp_timer freertos hal heap soc spi_flash)
idf_build_get_property(target IDF_TARGET)
if(NOT target MATCHES "^esp32(s3)?$") # RISC-V
  list(APPEND required esp_driver_gptimer riscv)
endif()
# Before ESP-IDF 6.1, hal/systimer_ll.h is in the component hal.
idf_build_get_property(idf_path IDF_PATH)
if(EXISTS ${idf_path}/components/esp_hal_systimer)
  list(APPEND required esp_hal_systimer)
endif()

idf_component_register(
  SRCS ${sources}
  INCLUDE_DIRS ${CMAKE_CURRENT_LIST_DIR}/include ${firmware}/include
  PRIV_INCLUDE_DIRS ${folders}
  PRIV_REQUIRES ${required} ${c_library}
  KCONFIG ${CMAKE_CURRENT_LIST_DIR}/Kconfig
  LDFRAGMENTS ${fragment})

# ---- the script has ended above; from here on only the build reads this file ----

set(IC_OPT O2 CACHE STRING "Optimisation level of this component: O0, O1, O2, O3, Os or Ofast")
set(levels O0 O1 O2 O3 Os Ofast)
set_property(CACHE IC_OPT PROPERTY STRINGS ${levels})
if(NOT IC_OPT IN_LIST levels)
  message(FATAL_ERROR "IC_OPT is one of ${levels}, and not ${IC_OPT}.")
endif()
if(NOT CONFIG_SOC_CPU_CORES_NUM GREATER 1)
  message(FATAL_ERROR "Intercore is about two cores, and the ${IDF_TARGET} has one for programs.")
endif()
if(CONFIG_FREERTOS_UNICORE)
  message(FATAL_ERROR "Intercore is about two cores: switch CONFIG_FREERTOS_UNICORE off.")
endif()

# ESP-IDF's headers do not pass all of our warnings, so they are included as system headers.
foreach(component ${required} ${c_library})
  idf_component_get_property(library ${component} COMPONENT_LIB)
  target_include_directories(${COMPONENT_LIB} SYSTEM PRIVATE
    $<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>)
endforeach()

# These flags come after the project's own, so our optimisation level wins. The dialect is gnu11, which ESP-IDF's
# headers need.
set(code_flags -std=gnu11 -${IC_OPT})
target_compile_options(${COMPONENT_LIB} PRIVATE ${code_flags} ${IC_WARNINGS})

# For the condition `compiler.flags`: the flags that affect the generated code, including the project's own, but without
# those that name folders.
idf_build_get_property(flags COMPILE_OPTIONS)
idf_build_get_property(c_flags C_COMPILE_OPTIONS)
separate_arguments(arguments UNIX_COMMAND "${CMAKE_C_FLAGS}")
foreach(argument ${arguments}) # ESP-IDF keeps the toolchain's flags in a file
  if(argument MATCHES "^@(.+)$" AND EXISTS "${CMAKE_MATCH_1}")
    file(STRINGS "${CMAKE_MATCH_1}" lines)
    separate_arguments(lines UNIX_COMMAND "${lines}")
    list(APPEND arguments ${lines})
  endif()
endforeach()
list(APPEND arguments ${flags} ${c_flags})
list(FILTER arguments INCLUDE REGEX "^-[fm]")
list(FILTER arguments EXCLUDE REGEX "prefix-map|diagnostics|[$]<")
list(REMOVE_DUPLICATES arguments)
list(JOIN code_flags " " shown)
list(JOIN arguments " " more)

target_compile_definitions(${COMPONENT_LIB} PRIVATE IC_FLAGS="${shown} ${more}")

# The recorder. The kernel's component is compiled with a header in front that defines its trace macros. Our folders
# come after all of its own, so that they hide none of its headers. The kernel and the recorder call each other.
if(CONFIG_INTERCORE_TRACE)
  set(recorder IC_TRACE=${CONFIG_INTERCORE_TRACE_EVENTS})
  target_compile_definitions(${COMPONENT_LIB} PRIVATE ${recorder})
  set(benchmarks ${IC_PORTABLE})
  list(FILTER benchmarks INCLUDE REGEX "^bench/")
  list(TRANSFORM benchmarks PREPEND ${firmware}/)
  set_source_files_properties(${benchmarks} PROPERTIES COMPILE_OPTIONS "-include;${firmware}/trace/traced.h")
  idf_component_get_property(kernel_library freertos COMPONENT_LIB)
  target_compile_definitions(${kernel_library} PRIVATE $<$<COMPILE_LANGUAGE:C>:${recorder}>)
  foreach(option "-include \"${firmware}/port/freertos_smp/trace_esp_idf.h\""
      "-idirafter \"${firmware}/port/freertos\"" "-idirafter \"${firmware}/core\"")
    target_compile_options(${kernel_library} PRIVATE "$<$<COMPILE_LANGUAGE:C>:SHELL:${option}>")
  endforeach()
  target_link_libraries(${kernel_library} PRIVATE ${COMPONENT_LIB})
  target_link_libraries(${COMPONENT_LIB} INTERFACE -Wl,--wrap=esp_crosscore_int_send_yield)
endif()

# The kernel is ESP-IDF's own. The digests of its releases are not known here.
include(${firmware}/port/freertos/kernel_sources.cmake)
idf_component_get_property(kernel freertos COMPONENT_DIR)
file(GLOB_RECURSE kernel_files RELATIVE "${kernel}" "${kernel}/*.[chsS]")
ic_digest_of_files(kernel_digest "${kernel}" ${kernel_files})
ic_freertos_sources(kernel_sources IDF ${kernel_digest})
target_compile_definitions(${COMPONENT_LIB} PRIVATE IC_FREERTOS_SOURCES="${kernel_sources}")
