/* What the firmware uses of ESP-IDF 5.5 for an ESP32, as far as a compiler must know it. Sizes of what is allocated
 * statically are those of ESP-IDF, where a pointer has 32 bits. Each header of ESP-IDF that a file includes is this.
 *
 * standin.c carries a part of it out over POSIX threads, for programs on this machine. */
#ifndef STANDIN_H
#define STANDIN_H

#pragma GCC system_header

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- sdkconfig.h, of the project's own defaults ---- */

#define CONFIG_IDF_TARGET "esp32"
#define CONFIG_IDF_TARGET_ESP32 1
#define CONFIG_FREERTOS_NUMBER_OF_CORES 2
#define CONFIG_FREERTOS_HZ 1000
#define CONFIG_FREERTOS_SYSTICK_USES_CCOUNT 1
#define CONFIG_FREERTOS_CORETIMER_0 1
#define CONFIG_FREERTOS_ISR_STACKSIZE 1536
#define CONFIG_FREERTOS_TASK_NOTIFICATION_ARRAY_ENTRIES 3
#define CONFIG_PM_ENABLE 1
#define CONFIG_ESP_TASK_WDT_EN 1
#define CONFIG_ESP_TASK_WDT_INIT 1
#define CONFIG_ESP_TASK_WDT_TIMEOUT_S 5
#define CONFIG_ESP_TASK_WDT_CHECK_IDLE_TASK_CPU0 1
#define CONFIG_ESP_TASK_WDT_CHECK_IDLE_TASK_CPU1 1
#define CONFIG_ESPTOOLPY_FLASHFREQ "80m"
#define CONFIG_BOOTLOADER_OFFSET_IN_FLASH 0x1000
#define CONFIG_COMPILER_OPTIMIZATION_PERF 1
#define ESP_IDF_VERSION_MAJOR 5
#ifndef _NEWLIB_VERSION
#define _NEWLIB_VERSION "4.3.0"
#endif

/* ---- errors, attributes, the chip ---- */

typedef int esp_err_t;
#define ESP_OK 0
#define ESP_ERR_NO_MEM 0x101
#define ESP_ERR_INVALID_STATE 0x103
#define IRAM_ATTR
#define RTC_NOINIT_ATTR __attribute__((section(".rtc_noinit")))

#define SOC_DRAM_LOW 0x3FFAE000
#define SOC_DIRAM_DRAM_LOW 0x3FFE0000
#define SOC_DIRAM_DRAM_HIGH 0x40000000

#define XCHAL_NUM_INTERRUPTS 32
#define XCHAL_TIMER1_INTERRUPT 15
#define ETS_INTERNAL_TIMER1_INTR_SOURCE (-2)
#define ESP_INTR_FLAG_LEVEL1 2
#define ESP_INTR_FLAG_LEVEL3 8
typedef struct intr_handle_data_t *intr_handle_t;
esp_err_t esp_intr_alloc(int source, int flags, void (*handler)(void *), void *arg, intr_handle_t *handle);
esp_err_t esp_intr_free(intr_handle_t handle);
esp_err_t esp_ipc_call_blocking(uint32_t core, void (*function)(void *), void *arg);
void crosscore_int_ll_trigger_interrupt(int core);
bool esp_cpu_compare_and_set(volatile uint32_t *address, uint32_t expected, uint32_t wanted);
#define DPORT_PRO_CPU_INTR_FROM_CPU_0_MAP_REG 0
#define DPORT_APP_CPU_INTR_FROM_CPU_1_MAP_REG 4
uint32_t DPORT_REG_READ(uint32_t address);
void esp_crosscore_int_send_yield(int core);

typedef struct {
    uint64_t pin_bit_mask;
    int mode;
    int intr_type;
} gpio_config_t;
#define GPIO_MODE_OUTPUT 2
#define GPIO_MODE_INPUT_OUTPUT 3
#define GPIO_INTR_ANYEDGE 3
#define GPIO_IS_VALID_OUTPUT_GPIO(pin) ((pin) < 34)
#define GPIO_OUT_REG 0x3FF44004
#define GPIO_OUT_W1TS_REG 0x3FF44008
#define GPIO_OUT_W1TC_REG 0x3FF4400C
esp_err_t gpio_config(const gpio_config_t *config);
esp_err_t gpio_install_isr_service(int flags);
void gpio_uninstall_isr_service(void);
esp_err_t gpio_isr_handler_add(int pin, void (*handler)(void *), void *arg);
esp_err_t gpio_isr_handler_remove(int pin);
esp_err_t gpio_intr_disable(int pin);
uint32_t REG_READ(uint32_t address);
void REG_WRITE(uint32_t address, uint32_t value);

typedef struct {
    uint16_t revision;
} esp_chip_info_t;
void esp_chip_info(esp_chip_info_t *info);
int esp_clk_cpu_freq(void);
int esp_clk_apb_freq(void);
int esp_clk_xtal_freq(void);
int64_t esp_timer_get_time(void);
const char *esp_get_idf_version(void);
typedef enum {
    ESP_RST_POWERON = 1,
    ESP_RST_EXT,
    ESP_RST_SW,
    ESP_RST_PANIC,
    ESP_RST_INT_WDT,
    ESP_RST_TASK_WDT,
    ESP_RST_WDT,
    ESP_RST_BROWNOUT = 9,
    ESP_RST_USB = 11,
    ESP_RST_JTAG
} esp_reset_reason_t;
esp_reset_reason_t esp_reset_reason(void);
#define ESP_IMAGE_HEADER_MAGIC 0xE9
typedef struct {
    uint8_t magic, segment_count, spi_mode, spi_speed;
} esp_image_header_t;
typedef struct {
    uint32_t size;
} esp_partition_t;
#define ESP_PARTITION_TYPE_DATA 1
#define ESP_PARTITION_SUBTYPE_ANY 0xff
const esp_partition_t *esp_partition_find_first(int type, int subtype, const char *label);
esp_err_t esp_partition_erase_range(const esp_partition_t *partition, size_t offset, size_t size);
esp_err_t esp_partition_write(const esp_partition_t *partition, size_t offset, const void *bytes, size_t size);
esp_err_t esp_partition_read(const esp_partition_t *partition, size_t offset, void *bytes, size_t size);
esp_err_t esp_flash_read(void *chip, void *buffer, uint32_t address, uint32_t length);
esp_err_t esp_flash_read_id(void *chip, uint32_t *id);
esp_err_t esp_flash_get_physical_size(void *chip, uint32_t *bytes);

typedef void (*esp_freertos_tick_cb_t)(void);
esp_err_t esp_register_freertos_tick_hook_for_cpu(esp_freertos_tick_cb_t hook, unsigned core);
void esp_deregister_freertos_tick_hook_for_cpu(esp_freertos_tick_cb_t hook, unsigned core);

typedef struct {
    uint32_t timeout_ms, idle_core_mask;
    bool trigger_panic;
} esp_task_wdt_config_t;
esp_err_t esp_task_wdt_reconfigure(const esp_task_wdt_config_t *config);
esp_err_t esp_task_wdt_status(void *task);

/* ---- the heap ---- */

#define MALLOC_CAP_8BIT (1U << 2U)
#define MALLOC_CAP_SPIRAM (1U << 10U)
#define MALLOC_CAP_INTERNAL (1U << 11U)
void *heap_caps_aligned_alloc(size_t alignment, size_t bytes, uint32_t caps);
void heap_caps_free(void *block);
size_t heap_caps_get_free_size(uint32_t caps);
size_t heap_caps_get_largest_free_block(uint32_t caps);
size_t heap_caps_get_total_size(uint32_t caps);
void *pvPortMalloc(size_t bytes);
void vPortFree(void *block);

/* ---- the kernel ---- */

typedef int BaseType_t;
typedef unsigned UBaseType_t;
typedef uint32_t TickType_t;
typedef uint8_t StackType_t;
typedef struct standin_task *TaskHandle_t;
typedef struct standin_semaphore *SemaphoreHandle_t;
typedef struct standin_queue *QueueHandle_t;
typedef struct standin_events *EventGroupHandle_t;
typedef struct standin_stream *StreamBufferHandle_t;
typedef StreamBufferHandle_t MessageBufferHandle_t;
typedef struct standin_ring *RingbufHandle_t;
typedef void (*TaskFunction_t)(void *);
typedef uint32_t EventBits_t;
typedef enum { eRunning, eReady, eBlocked, eSuspended, eDeleted } eTaskState;
typedef enum { eNoAction, eSetBits, eIncrement, eSetValueWithOverwrite, eSetValueWithoutOverwrite } eNotifyAction;
#define configSTACK_DEPTH_TYPE uint32_t
#define configNUMBER_OF_CORES 2
#define configMESSAGE_BUFFER_LENGTH_TYPE size_t
#define configTICK_RATE_HZ 1000U
#define configMAX_PRIORITIES 25U
#define configTASK_NOTIFICATION_ARRAY_ENTRIES 3
#define configUSE_PREEMPTION 1
#define configUSE_TIME_SLICING 1
#define configUSE_TIMERS 1
#define configCHECK_FOR_STACK_OVERFLOW 2
#define tskKERNEL_VERSION_NUMBER "V10.5.1"
#define tskIDLE_PRIORITY 0U
#define tskNO_AFFINITY 0x7FFFFFFF
#define portMAX_DELAY UINT32_MAX
#define pdTRUE 1
#define pdFALSE 0
#define pdPASS 1
#define pdMS_TO_TICKS(ms) ((TickType_t)(ms))

typedef struct {
    uint32_t owner, count;
} portMUX_TYPE;
#define portMUX_INITIALIZER_UNLOCKED {0xB33FFFFFU, 0}
void taskENTER_CRITICAL(portMUX_TYPE *lock);
void taskEXIT_CRITICAL(portMUX_TYPE *lock);
UBaseType_t portSET_INTERRUPT_MASK_FROM_ISR(void);
void portCLEAR_INTERRUPT_MASK_FROM_ISR(UBaseType_t mask);
void portYIELD_FROM_ISR(BaseType_t wanted);
void portYIELD_CORE(BaseType_t core);
void taskYIELD(void);
BaseType_t portGET_CORE_ID(void);

/* In words of the chip. */
typedef struct {
    uintptr_t content[21];
} StaticQueue_t;
typedef StaticQueue_t StaticSemaphore_t;
typedef struct {
    uintptr_t content[10];
} StaticStreamBuffer_t;
typedef StaticStreamBuffer_t StaticMessageBuffer_t;
typedef struct {
    uintptr_t content[28];
} StaticRingbuffer_t;

BaseType_t xTaskCreatePinnedToCore(TaskFunction_t run, const char *name, uint32_t bytes, void *arg,
                                   UBaseType_t priority, TaskHandle_t *task, BaseType_t core);
void vTaskDelete(TaskHandle_t task);
void vTaskSuspend(TaskHandle_t task);
void vTaskResume(TaskHandle_t task);
void vTaskDelay(TickType_t ticks);
BaseType_t xTaskDelayUntil(TickType_t *last, TickType_t ticks);
TickType_t xTaskGetTickCount(void);
eTaskState eTaskGetState(TaskHandle_t task);
TaskHandle_t xTaskGetCurrentTaskHandleForCore(BaseType_t core);
UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task);
UBaseType_t uxTaskPriorityGet(TaskHandle_t task);
void vTaskPrioritySet(TaskHandle_t task, UBaseType_t priority);
BaseType_t xTaskNotifyGiveIndexed(TaskHandle_t task, UBaseType_t index);
BaseType_t xTaskNotifyIndexed(TaskHandle_t task, UBaseType_t index, uint32_t value, eNotifyAction action);
void vTaskNotifyGiveIndexedFromISR(TaskHandle_t task, UBaseType_t index, BaseType_t *yield);
uint32_t ulTaskNotifyTakeIndexed(UBaseType_t index, BaseType_t clear, TickType_t ticks);
uint32_t ulTaskNotifyValueClearIndexed(TaskHandle_t task, UBaseType_t index, uint32_t bits);
BaseType_t xTaskNotifyWaitIndexed(UBaseType_t index, uint32_t before, uint32_t after, uint32_t *value,
                                  TickType_t ticks);

SemaphoreHandle_t xSemaphoreCreateBinaryStatic(StaticSemaphore_t *memory);
SemaphoreHandle_t xSemaphoreCreateCountingStatic(UBaseType_t most, UBaseType_t initial, StaticSemaphore_t *memory);
SemaphoreHandle_t xSemaphoreCreateMutex(void);
void vSemaphoreDelete(SemaphoreHandle_t semaphore);
BaseType_t xSemaphoreGive(SemaphoreHandle_t semaphore);
BaseType_t xSemaphoreTake(SemaphoreHandle_t semaphore, TickType_t ticks);
QueueHandle_t xQueueCreate(UBaseType_t length, UBaseType_t bytes);
QueueHandle_t xQueueCreateStatic(UBaseType_t length, UBaseType_t bytes, uint8_t *storage, StaticQueue_t *memory);
void vQueueDelete(QueueHandle_t queue);
BaseType_t xQueueSend(QueueHandle_t queue, const void *item, TickType_t ticks);
BaseType_t xQueueReceive(QueueHandle_t queue, void *item, TickType_t ticks);
EventGroupHandle_t xEventGroupCreate(void);
void vEventGroupDelete(EventGroupHandle_t group);
EventBits_t xEventGroupSetBits(EventGroupHandle_t group, EventBits_t bits);
EventBits_t xEventGroupGetBits(EventGroupHandle_t group);
EventBits_t xEventGroupWaitBits(EventGroupHandle_t group, EventBits_t bits, BaseType_t clear, BaseType_t all,
                                TickType_t ticks);
StreamBufferHandle_t xStreamBufferCreate(size_t bytes, size_t trigger);
StreamBufferHandle_t xStreamBufferCreateStatic(size_t bytes, size_t trigger, uint8_t *storage,
                                               StaticStreamBuffer_t *memory);
void vStreamBufferDelete(StreamBufferHandle_t stream);
size_t xStreamBufferSend(StreamBufferHandle_t stream, const void *bytes, size_t size, TickType_t ticks);
size_t xStreamBufferReceive(StreamBufferHandle_t stream, void *bytes, size_t size, TickType_t ticks);
size_t xStreamBufferSpacesAvailable(StreamBufferHandle_t stream);
MessageBufferHandle_t xMessageBufferCreateStatic(size_t bytes, uint8_t *storage, StaticMessageBuffer_t *memory);
size_t xMessageBufferSend(MessageBufferHandle_t buffer, const void *bytes, size_t size, TickType_t ticks);
size_t xMessageBufferReceive(MessageBufferHandle_t buffer, void *bytes, size_t size, TickType_t ticks);
#define RINGBUF_TYPE_NOSPLIT 0
RingbufHandle_t xRingbufferCreateStatic(size_t bytes, int type, uint8_t *storage, StaticRingbuffer_t *memory);
BaseType_t xRingbufferSend(RingbufHandle_t ring, const void *item, size_t size, TickType_t ticks);
BaseType_t xRingbufferSendAcquire(RingbufHandle_t ring, void **item, size_t size, TickType_t ticks);
BaseType_t xRingbufferSendComplete(RingbufHandle_t ring, void *item);
void *xRingbufferReceive(RingbufHandle_t ring, size_t *size, TickType_t ticks);
void vRingbufferReturnItem(RingbufHandle_t ring, void *item);

/* ---- the UART's driver ---- */

#define UART_NUM_0 0
#define UART_DATA_8_BITS 3
#define UART_PARITY_DISABLE 0
#define UART_STOP_BITS_1 1
#define UART_HW_FLOWCTRL_DISABLE 0
#define UART_SCLK_DEFAULT 4
typedef struct {
    int baud_rate, data_bits, parity, stop_bits, flow_ctrl, source_clk;
} uart_config_t;
typedef struct {
    enum { UART_DATA, UART_BREAK } type;
} uart_event_t;
bool uart_is_driver_installed(int port);
esp_err_t uart_driver_install(int port, int rx, int tx, int events, QueueHandle_t *queue, int flags);
esp_err_t uart_driver_delete(int port);
esp_err_t uart_param_config(int port, const uart_config_t *config);
esp_err_t uart_get_buffered_data_len(int port, size_t *size);
int uart_read_bytes(int port, void *buffer, uint32_t size, TickType_t ticks);
int uart_write_bytes(int port, const void *bytes, size_t size);
esp_err_t uart_wait_tx_done(int port, TickType_t ticks);
esp_err_t uart_set_baudrate(int port, uint32_t rate);

#endif
