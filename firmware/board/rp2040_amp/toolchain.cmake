include(${CMAKE_CURRENT_LIST_DIR}/../rp2040/toolchain.cmake)
