# Which sources a FreeRTOS kernel is built from: their digest, and whether they are those of a release.

# The digests of the releases that are known here, computed from the tags of github.com/FreeRTOS/FreeRTOS-Kernel.
set(ic_freertos_release_V11.2.0 ff265a60962f88d4)

# Sets a variable to the digest of source files, whose names are relative to a folder. The digest is the SHA-256 of a
# text with one line for each file, as sha256sum prints it, ordered by the files' names; its first 16 digits are kept.
# Line ends are counted as LF, because a package of the sources may have changed them to CRLF, as the crate
# freertos-next has. The digest depends neither on the folder's path nor on a date.
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

# The digest of the kernel in a folder, including its ports for GCC, so that it is the same for every board.
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

# The text that the firmware reports about the kernel's sources: their digest, and whether they are those of the release
# `version`, which the kernel's own header states.
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
