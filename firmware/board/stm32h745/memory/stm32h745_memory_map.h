/* The memory map (RM 2.3.2, "Memory map and register boundary addresses"; flash: RM table 14). Sizes are in bytes. The
 * linker scripts repeat these values (memory.ld), and tests/firmware/stm32h745 compares the two.
 *
 * Each of the domains D1, D2 and D3 has a window: memory that both cores see at the same address and that the Cortex-M7
 * does not cache. A window ends with a memory region for benchmarks. The window of the domain that IC_SHARED names
 * begins with the data that the two images share (section .shared). */
#ifndef STM32H745_MEMORY_MAP_H
#define STM32H745_MEMORY_MAP_H

#define MEMORY_FLASH_BANK_1 0x08000000U /* the Cortex-M7's image */
#define MEMORY_FLASH_BANK_2 0x08100000U /* the Cortex-M4's image */
#define MEMORY_FLASH_BANK_BYTES 0x100000U
/* The last sector of bank 2, which benchmarks erase and program */
#define MEMORY_FLASH_STORAGE 0x081e0000U
#define MEMORY_FLASH_STORAGE_BYTES 0x20000U

#define MEMORY_DTCM 0x20000000U /* private memory of the Cortex-M7, for its main stack */
#define MEMORY_DTCM_BYTES 0x20000U

/* AXI SRAM, 512 KiB. The lower half has private data of the Cortex-M7, cached if its D-cache is on. The upper half is
 * the uncached window of D1. */
#define MEMORY_AXI_SRAM 0x24000000U
#define MEMORY_AXI_SRAM_BYTES 0x80000U
#define MEMORY_D1_WINDOW 0x24040000U
#define MEMORY_D1_WINDOW_BYTES 0x40000U

/* SRAM1, 128 KiB, has private data of the Cortex-M4, which accesses SRAM1 over its code bus at the second address.
 * SRAM2 is the uncached window of D2. SRAM3 is not used. */
#define MEMORY_SRAM1 0x30000000U
#define MEMORY_SRAM1_CODE_BUS 0x10000000U
#define MEMORY_SRAM1_BYTES 0x20000U
#define MEMORY_D2_WINDOW 0x30020000U
#define MEMORY_D2_WINDOW_BYTES 0x20000U

/* SRAM4, 64 KiB, is the uncached window of D3. */
#define MEMORY_D3_WINDOW 0x38000000U
#define MEMORY_D3_WINDOW_BYTES 0x10000U

/* Sizes of the memory regions that benchmarks access, at the ends of the windows. The regions of D1 and D2 are larger
 * than the Cortex-M7's D-cache (16 KiB). */
#define MEMORY_D1_REGION_BYTES 65536
#define MEMORY_D2_REGION_BYTES 65536
#define MEMORY_D3_REGION_BYTES 16384
/* Size of the memory region `flash`, which is among the constants of the Cortex-M7's image */
#define MEMORY_FLASH_REGION_BYTES 65536

#endif
