/* Configuration of FreeRTOS's RP2040 port if each core has its own kernel (port/freertos_amp/FreeRTOSConfig.h) */
#ifndef RP2040_AMP_KERNEL_CONFIG_H
#define RP2040_AMP_KERNEL_CONFIG_H

/* Each kernel runs on one core only, so the kernel's port need not support the SDK's locks (pico_sync) and timed waits
 * (pico_time). */
#define configSUPPORT_PICO_SYNC_INTEROP 0
#define configSUPPORT_PICO_TIME_INTEROP 0

/* The kernel's RP2040 port finds the highest ready priority without a special instruction: a Cortex-M0+ has no CLZ. */
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 0

/* The main stack, which interrupts use, is reset when the scheduler starts, because main() does not resume. */
#define configRESET_STACK_POINTER 1

/* Bytes of the heap (heap_4) of each of the two kernels: enough for about five tasks at once with stacks of 2 KiB, or
 * for fewer tasks and a message of 8 KiB */
#define configTOTAL_HEAP_SIZE 16384

#endif
