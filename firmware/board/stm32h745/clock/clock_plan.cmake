# Checks the chosen clocks by the rules of stm32h745_clock_plan.h. That header has the sources of the rules, and checks
# them again when it is compiled. If the user does not ask for a certain voltage, IC_VOS is empty; it then becomes VOS1,
# or VOS0 if the clocks need it.
#
# This file can also be run alone: `cmake -DIC_M7_MHZ=… -DIC_M4_MHZ=… -DIC_SUPPLY=… -DIC_VOS=… -P clock_plan.cmake`.
cmake_minimum_required(VERSION 3.22)
foreach(choice "IC_M7_MHZ;480;400;240;120;60" "IC_M4_MHZ;240;200;120;60;50" "IC_SUPPLY;smps;ldo" "IC_VOS;;0;1;2;3")
  list(POP_FRONT choice name)
  if(NOT "${${name}}" IN_LIST choice)
    list(JOIN choice ", " choice)
    message(FATAL_ERROR "${name} is one of ${choice}, and not ${${name}}.")
  endif()
endforeach()

set(pair "IC_M7_MHZ=${IC_M7_MHZ} and IC_M4_MHZ=${IC_M4_MHZ}")
math(EXPR ratio "${IC_M7_MHZ} / ${IC_M4_MHZ}")
math(EXPR product "${ratio} * ${IC_M4_MHZ}")
if(NOT product EQUAL IC_M7_MHZ OR NOT ratio MATCHES "^[1248]$")
  message(FATAL_ERROR "${pair} cannot be had together: "
    "the Cortex-M4's clock is the Cortex-M7's, divided by 1, 2, 4 or 8.")
endif()
if("${IC_VOS}" STREQUAL "")
  if(IC_M7_MHZ GREATER 400 OR IC_M4_MHZ GREATER 200)
    set(IC_VOS 0)
  else()
    set(IC_VOS 1)
  endif()
endif()
set(core_most 480 400 300 200)
set(bus_most 240 200 150 100)
list(GET core_most ${IC_VOS} core_most)
list(GET bus_most ${IC_VOS} bus_most)
if(IC_M7_MHZ GREATER core_most OR IC_M4_MHZ GREATER bus_most)
  message(FATAL_ERROR "${pair} are too much for VOS${IC_VOS}, which allows ${core_most} and ${bus_most} MHz.")
endif()
if(IC_VOS EQUAL 0 AND NOT IC_SUPPLY STREQUAL ldo)
  message(FATAL_ERROR "${pair} need VOS0, which is for a core that the LDO supplies. A NUCLEO-H745ZI-Q supplies it by "
    "the SMPS, and VOS0 would put some 1.5 V on it, above its absolute maximum of 1.4 V. The most there is 400 and "
    "200 MHz; IC_SUPPLY=ldo is for a board that has been rewired (docs/stm32h745.md).")
endif()
