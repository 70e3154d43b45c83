# What the two boards with this chip have in common: rp2040, with one kernel on both cores, and rp2040_amp, with a
# kernel on each core.
include(${CMAKE_CURRENT_LIST_DIR}/clock/pll.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/../rp2/bus_priority.cmake)

set(rp2040_folder ${CMAKE_CURRENT_LIST_DIR})
set(rp2_folder ${CMAKE_CURRENT_LIST_DIR}/../rp2) # what the chip has in common with the RP2350

# Gaps in memory, which move the code or data of the same program to other addresses. They show how far its times depend
# on these addresses.
set(IC_SHIFT_CODE 0 CACHE STRING "Bytes of a gap before the functions: a multiple of 2")
set(IC_SHIFT_DATA 0 CACHE STRING "Bytes of a gap before initialised variables, and before the others: a multiple of 4")

# The console over USB is compiled for size at every level of optimisation: it never runs while samples are taken, and
# SRAM is scarce.
set_source_files_properties(board/rp2/console/rp2_usb.c board/rp2/console/rp2_console.c
  PROPERTIES COMPILE_OPTIONS -Os)

# Gives a library of the chip's sources its folders of headers, and the definitions of this build.
function(ic_rp2040 library)
  foreach(folder ${rp2040_folder} ${rp2_folder})
    target_include_directories(${library} PUBLIC ${folder})
    foreach(subject clock console cores fault instruments start storage)
      target_include_directories(${library} PUBLIC ${folder}/${subject})
    endforeach()
  endforeach()
  list(JOIN IC_CODE_FLAGS " " flags)
  target_compile_definitions(${library} PRIVATE IC_CLOCK_MHZ=${IC_CLOCK_MHZ} ${bus_priority}
    IC_PLL_FBDIV=${pll_fbdiv} IC_PLL_POSTDIV1=${pll_postdiv1} IC_PLL_POSTDIV2=${pll_postdiv2}
    IC_FLAGS="-std=c11 -mcpu=cortex-m0plus -mthumb -ffunction-sections -fdata-sections ${flags}"
    IC_FREERTOS_PORT="ThirdParty/GCC/RP2040, saves the SIO divider at each switch"
    IC_FREERTOS_SOURCES="${IC_FREERTOS_SOURCES}"
    IC_COMPILER="${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}, arm-none-eabi")
endfunction()
