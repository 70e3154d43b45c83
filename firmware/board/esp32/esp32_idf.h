/* ESP-IDF's own headers that the board's files need. They are included here because they do not pass all of our
 * warnings. */
#ifndef ESP32_IDF_H
#define ESP32_IDF_H

#pragma GCC system_header

/* Must come first, because some of the other headers include only a part of it. */
#include "freertos/FreeRTOS.h"

#include "driver/gpio.h"
#include "esp_attr.h"
#include "esp_cpu.h"
#include "esp_freertos_hooks.h"
#include "esp_heap_caps.h"
#include "esp_intr_alloc.h"
#include "esp_ipc.h"
#include "esp_private/esp_clk.h"
#include "esp_timer.h"
#include "hal/crosscore_int_ll.h"
#include "sdkconfig.h"
#include "soc/gpio_reg.h"
#include "soc/soc.h"

#ifdef CONFIG_IDF_TARGET_ESP32
#include "soc/dport_reg.h"
#else
#include "soc/interrupt_core0_reg.h"
#include "soc/interrupt_core1_reg.h"
#include "soc/interrupts.h"
#endif

#ifdef __riscv
#include "driver/gptimer.h"
#include "hal/interrupt_clic_ll.h"
#include "riscv/interrupt.h"
#endif

#ifdef CONFIG_FREERTOS_SYSTICK_USES_SYSTIMER
#include "esp_private/systimer.h"
#include "hal/systimer_ll.h"
#endif

#endif
