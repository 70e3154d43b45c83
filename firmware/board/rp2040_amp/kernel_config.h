/* Settings for the kernel's RP2040 port, with a kernel on each core (port/freertos_amp/FreeRTOSConfig.h) */
#ifndef RP2040_AMP_KERNEL_CONFIG_H
#define RP2040_AMP_KERNEL_CONFIG_H

/* This kernel knows no other core, so nothing uses the SDK's locks and times. */
#define configSUPPORT_PICO_SYNC_INTEROP 0
#define configSUPPORT_PICO_TIME_INTEROP 0

/* The kernel's RP2040 port finds the highest ready priority without a special instruction: a Cortex-M0+ has no CLZ. */
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 0

/* The main stack, which interrupts use, is reset when the scheduler starts: main() does not resume. */
#define configRESET_STACK_POINTER 1

/* heap_4 of each of the two kernels: enough for about five tasks at once with stacks of 2 KiB, or for fewer tasks and a
 * message of 8 KiB */
#define configTOTAL_HEAP_SIZE 16384

#endif
