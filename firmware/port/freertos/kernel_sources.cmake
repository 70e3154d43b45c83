# Which sources a FreeRTOS kernel is built from: their digest, and whether they are those of a release.

# The digests of the releases that are known here, computed from the tags of github.com/FreeRTOS/FreeRTOS-Kernel.
set(ic_freertos_release_V11.2.0 ff265a60962f88d4)

# Sets a variable to the digest of source files, whose names are relative to a folder: SHA-256 over a line for each, as
# sha256sum prints it, in the order of their names, with ends of lines as in a repository: what carries the sources may
# have made CRLF of them, as the crate has. The first 16 digits are kept. Neither the folder's path nor any date counts.
function(ic_digest_of_files digest folder)
  set(files ${ARGN})
  list(REMOVE_DUPLICATES files)
  list(SORT files)
  set(lines "")
  foreach(file IN LISTS files)
    file(READ "${folder}/${file}" content)
    string(REPLACE "\r\n" "\n" content "${content}")
    string(SHA256 sum "${content}")
    string(APPEND lines "${sum}  ${file}\n")
  endforeach()
  string(SHA256 sum "${lines}")
  string(SUBSTRING ${sum} 0 16 sum)
  set(${digest} ${sum} PARENT_SCOPE)
endfunction()

# The digest of the kernel in a folder and of its ports for GCC, so that it is the same whatever board it is built for.
function(ic_freertos_digest digest folder)
  file(GLOB files RELATIVE "${folder}" "${folder}/*.c")
  set(patterns "${folder}/include/*.h")
  foreach(part GCC ThirdParty/GCC MemMang Common)
    list(APPEND patterns "${folder}/portable/${part}/*.[chsS]")
  endforeach()
  file(GLOB_RECURSE below RELATIVE "${folder}" ${patterns})
  ic_digest_of_files(found "${folder}" ${files} ${below})
  set(${digest} ${found} PARENT_SCOPE)
endfunction()

# What the program says of the sources: their digest, and what is known of it for a kernel that calls itself `version`.
function(ic_freertos_sources words version digest)
  set(said "not known whether modified")
  if(DEFINED ic_freertos_release_${version})
    set(said modified)
    if(digest STREQUAL ic_freertos_release_${version})
      set(said unmodified)
    endif()
  endif()
  set(${words} "${digest}, ${said}" PARENT_SCOPE)
endfunction()
