/* What the firmware is linked with and no test calls: each says its name, and ends the program. Here without ESP-IDF's
 * declarations, which these are not like. */
#include <stdio.h>
#include <stdlib.h>

// clang-format off
#define ABSENT(name)                                                                                                   \
    void name(void);                                                                                                   \
    void name(void) {                                                                                                  \
        fputs("stand-in: there is no " #name "\n", stderr);                                                            \
        abort();                                                                                                       \
    }

ABSENT(ccompare_is_pending)
ABSENT(ccompare_set_1)
ABSENT(crosscore_int_ll_trigger_interrupt)
ABSENT(esp_cpu_compare_and_set)
ABSENT(esp_intr_alloc)
ABSENT(esp_intr_free)
ABSENT(esp_ipc_call_blocking)
ABSENT(gpio_install_isr_service)
ABSENT(gpio_intr_disable)
ABSENT(gpio_isr_handler_add)
ABSENT(gpio_isr_handler_remove)
ABSENT(gpio_uninstall_isr_service)
ABSENT(portYIELD_CORE)
ABSENT(portYIELD_FROM_ISR)
ABSENT(uart_driver_delete)
ABSENT(uart_driver_install)
ABSENT(uart_get_buffered_data_len)
ABSENT(uart_is_driver_installed)
ABSENT(uart_param_config)
ABSENT(uart_read_bytes)
ABSENT(uart_set_baudrate)
ABSENT(uart_wait_tx_done)
ABSENT(uart_write_bytes)
ABSENT(ulTaskNotifyValueClearIndexed)
ABSENT(uxTaskGetStackHighWaterMark)
ABSENT(uxTaskPriorityGet)
ABSENT(vEventGroupDelete)
ABSENT(vQueueDelete)
ABSENT(vRingbufferReturnItem)
ABSENT(vStreamBufferDelete)
ABSENT(vTaskNotifyGiveIndexedFromISR)
ABSENT(vTaskPrioritySet)
ABSENT(vTaskResume)
ABSENT(xEventGroupCreate)
ABSENT(xEventGroupGetBits)
ABSENT(xEventGroupSetBits)
ABSENT(xEventGroupWaitBits)
ABSENT(xMessageBufferCreateStatic)
ABSENT(xMessageBufferReceive)
ABSENT(xMessageBufferSend)
ABSENT(xQueueCreate)
ABSENT(xQueueCreateStatic)
ABSENT(xQueueReceive)
ABSENT(xQueueSend)
ABSENT(xRingbufferCreateStatic)
ABSENT(xRingbufferReceive)
ABSENT(xRingbufferSend)
ABSENT(xRingbufferSendAcquire)
ABSENT(xRingbufferSendComplete)
ABSENT(xSemaphoreCreateMutex)
ABSENT(xStreamBufferCreate)
ABSENT(xStreamBufferCreateStatic)
ABSENT(xStreamBufferReceive)
ABSENT(xStreamBufferSend)
ABSENT(xTaskNotifyIndexed)
ABSENT(xTaskNotifyWaitIndexed)
// clang-format on
