# Asks a component for its requirements in a script, where there is neither a configuration nor a cache.
include(${CMAKE_CURRENT_LIST_DIR}/version.cmake)
set(CMAKE_BUILD_EARLY_EXPANSION 1)

function(idf_build_get_property variable name)
  set(${variable} ${${name}} PARENT_SCOPE)
endfunction()

macro(idf_component_register)
  cmake_parse_arguments(_ "" "KCONFIG" "SRCS;INCLUDE_DIRS;PRIV_INCLUDE_DIRS;REQUIRES;PRIV_REQUIRES;LDFRAGMENTS" ${ARGN})
  foreach(property REQUIRES PRIV_REQUIRES)
    file(APPEND ${FILE} "__component_set_property(___idf_${COMPONENT_NAME} ${property} \"${__${property}}\")\n")
  endforeach()
  file(APPEND ${FILE} "__component_set_property(___idf_${COMPONENT_NAME} __COMPONENT_REGISTERED 1)\n"
    "__component_set_property(___idf_${COMPONENT_NAME} __COMPONENT_SOURCE \"${SOURCE}\")\n")
  return()
endmacro()

function(ask)
  include(${COMPONENT_DIR}/CMakeLists.txt)
endfunction()
ask()
