# Adds tasks.c to the firmware's build for the RP2040 (CMAKE_PROJECT_intercore_INCLUDE), with all that this build has made by its end.
set(tasks ${CMAKE_CURRENT_LIST_DIR}/tasks.c)
cmake_language(DEFER CALL add_executable tasks EXCLUDE_FROM_ALL ${tasks})
cmake_language(DEFER CALL ic_image tasks)
