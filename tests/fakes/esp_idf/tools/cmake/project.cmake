# Stands for ESP-IDF's build system: the part of it that Intercore's component and whoever uses it meet. It finds
# components where ESP-IDF does and names them after their folders, has the real component manager solve and fetch, asks
# each component first in a script and then in the build, refuses requirements that nobody is called, and gives a
# component the header files of what it requires and no others. Sources that need the chip are read by the preprocessor;
# the rest is compiled for this machine, and POSIX threads stand for the chip (components.cmake).
include(${CMAKE_CURRENT_LIST_DIR}/version.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/components.cmake)
set(ESP_PLATFORM 1)

set(idf_path ${CMAKE_CURRENT_LIST_DIR}/../..)
get_filename_component(idf_path ${idf_path} ABSOLUTE)

# Those of ESP-IDF 5.5 that Intercore asks for, or a program may.
set(idf_components app_update bootloader_support driver efuse esp_common esp_driver_gpio esp_driver_uart
  esp_driver_usb_serial_jtag esp_event esp_hw_support esp_partition esp_pm esp_ringbuf esp_rom esp_system esp_timer esp_wifi
  freertos hal heap log newlib nvs_flash soc spi_flash xtensa)

function(idf_build_set_property name value)
  set_property(GLOBAL PROPERTY idf_build_${name} "${value}")
endfunction()

function(idf_build_get_property variable name)
  get_property(value GLOBAL PROPERTY idf_build_${name})
  set(${variable} "${value}" PARENT_SCOPE)
endfunction()

function(idf_component_set_property name property value)
  set_property(GLOBAL PROPERTY idf_component_${name}_${property} "${value}")
endfunction()

function(idf_component_get_property variable name property)
  get_property(value GLOBAL PROPERTY idf_component_${name}_${property})
  set(${variable} "${value}" PARENT_SCOPE)
endfunction()

# What the files with requirements are made of; `target` is ___idf_<name>.
function(__component_set_property target property value)
  string(REGEX REPLACE "^___idf_" "" name ${target})
  idf_component_set_property(${name} ${property} "${value}")
endfunction()

# A component in a folder. Of two that have one name the first stays: the project's own come first.
function(idf_build_component folder source)
  get_filename_component(name ${folder} NAME)
  get_property(known GLOBAL PROPERTY idf_components)
  if(NOT name IN_LIST known)
    set_property(GLOBAL APPEND PROPERTY idf_components ${name})
    idf_component_set_property(${name} COMPONENT_DIR ${folder})
    idf_component_set_property(${name} COMPONENT_LIB __idf_${name})
    idf_component_set_property(${name} __COMPONENT_SOURCE ${source})
  endif()
endfunction()

function(find_components source)
  foreach(folder ${ARGN})
    get_filename_component(folder ${folder} ABSOLUTE)
    if(EXISTS ${folder}/CMakeLists.txt)
      idf_build_component(${folder} ${source})
      continue()
    endif()
    file(GLOB inside ${folder}/*)
    foreach(one ${inside})
      if(EXISTS ${one}/CMakeLists.txt)
        idf_build_component(${one} ${source})
      endif()
    endforeach()
  endforeach()
endfunction()

# As ESP-IDF 6.1 calls it, if STANDIN_MANAGER is the Python that has it.
function(manage step)
  execute_process(
    COMMAND $ENV{STANDIN_MANAGER} -m idf_component_manager.prepare_components --project_dir=${CMAKE_SOURCE_DIR}
      --lock_path=${CMAKE_SOURCE_DIR}/dependencies.lock --interface_version=5 ${step} --build_dir=${CMAKE_BINARY_DIR} ${ARGN}
    RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT status EQUAL 0 OR said MATCHES "WARNING")
    message(FATAL_ERROR "the component manager, ${step}: ${said}")
  endif()
endfunction()

function(fetch_components)
  get_property(known GLOBAL PROPERTY idf_components)
  set(list "components:\n")
  foreach(name ${known})
    idf_component_get_property(folder ${name} COMPONENT_DIR)
    idf_component_get_property(source ${name} __COMPONENT_SOURCE)
    string(APPEND list "  - name: \"${name}\"\n    path: \"${folder}\"\n    source: \"${source}\"\n")
  endforeach()
  file(WRITE ${CMAKE_BINARY_DIR}/local_components.yml ${list})
  set(managed ${CMAKE_BINARY_DIR}/managed_components.cmake)
  manage(prepare_dependencies --local_components_list_file=${CMAKE_BINARY_DIR}/local_components.yml
    --managed_components_list_file=${managed})
  include(${managed})
endfunction()

function(ask_for_requirements managed)
  set(file ${CMAKE_BINARY_DIR}/component_requires.temp.cmake)
  file(WRITE ${file} "")
  get_property(known GLOBAL PROPERTY idf_components)
  foreach(name ${known})
    idf_component_get_property(folder ${name} COMPONENT_DIR)
    idf_component_get_property(source ${name} __COMPONENT_SOURCE)
    execute_process(
      COMMAND ${CMAKE_COMMAND} -DESP_PLATFORM=1 -DIDF_PATH=${idf_path} -DIDF_TARGET=${IDF_TARGET}
        -DCOMPONENT_NAME=${name} -DCOMPONENT_DIR=${folder} -DSOURCE=${source} -DFILE=${file}
        -P ${idf_path}/tools/cmake/requirements.cmake
      RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "${folder}/CMakeLists.txt asked for its requirements in a script: ${said}")
    endif()
  endforeach()
  if(managed)
    manage(inject_requirements --component_requires_file=${file})
  endif()
  include(${file})
endfunction()

function(check_requirements)
  get_property(known GLOBAL PROPERTY idf_components)
  foreach(name ${known})
    idf_component_get_property(public ${name} REQUIRES)
    idf_component_get_property(private ${name} PRIV_REQUIRES)
    foreach(required ${public} ${private})
      if(NOT required IN_LIST known AND NOT required IN_LIST idf_components)
        message(FATAL_ERROR "Failed to resolve component '${required}' required by component '${name}': unknown name.")
      endif()
    endforeach()
  endforeach()
endfunction()

macro(project name)
  _project(${name} C)
  idf_build_set_property(IDF_PATH ${idf_path})
  idf_build_set_property(COMPILE_OPTIONS "")
  idf_build_set_property(C_COMPILE_OPTIONS "")
  set(IDF_TARGET esp32)
  idf_build_set_property(IDF_TARGET ${IDF_TARGET})
  set(CONFIG_SOC_CPU_CORES_NUM 2)
  find_components(project_components ${CMAKE_SOURCE_DIR}/main ${CMAKE_SOURCE_DIR}/components)
  find_components(project_extra_components ${EXTRA_COMPONENT_DIRS})
  set(managed FALSE)
  if(DEFINED ENV{STANDIN_MANAGER})
    set(managed TRUE)
    fetch_components()
  endif()
  ask_for_requirements(${managed})
  check_requirements()
  add_components(${name})
endmacro()
