# Debian's gcc-riscv64-unknown-elf with picolibc, for the Hazard3 cores.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR riscv32)
set(CMAKE_C_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_CXX_COMPILER riscv64-unknown-elf-g++)
set(CMAKE_ASM_COMPILER riscv64-unknown-elf-gcc)
# CMake's own test programs are not linked, because they have no start-up code.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

# The cores' extensions (DS 3.8.9, MISA) as far as the compiler knows them: GCC 14 is the first with Zcb and Zcmp, and
# GCC 12.2 with Zbs ends with an internal error at the constant 2048.
set(rp2350_isa rv32imac_zicsr_zifencei_zba_zbb)
execute_process(COMMAND ${CMAKE_C_COMPILER} -dumpversion OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
if(version VERSION_GREATER_EQUAL 13)
  string(APPEND rp2350_isa _zbs)
endif()
string(APPEND rp2350_isa _zbkb)
if(version VERSION_GREATER_EQUAL 14)
  string(APPEND rp2350_isa _zcb_zcmp)
endif()
# The cores do not support accesses that are not aligned (DS 3.8.4.1).
set(rp2350_flags "-march=${rp2350_isa} -mabi=ilp32 -mstrict-align --specs=picolibc.specs")
set(CMAKE_C_FLAGS_INIT "${rp2350_flags}")
set(CMAKE_CXX_FLAGS_INIT "${rp2350_flags}")
set(CMAKE_ASM_FLAGS_INIT "${rp2350_flags}")
# Debian has the libraries only for the standard extensions.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-march=rv32imac")
# The default one is made for size: its memcpy moves a byte at a time, where newlib-nano's for the Pico moves words.
if(EXISTS /usr/lib/picolibc/riscv64-unknown-elf/lib/release)
  string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " --picolibc-buildtype=release")
  string(APPEND CMAKE_C_FLAGS_INIT " -DCHIP_LIBRARY_FOR_SPEED")
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
