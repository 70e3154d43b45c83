// Tasks of FreeRTOS on both cores that wait for what never comes, or do not run, one for each definition; with
// MENDED, it comes. It is built with the firmware, in place of its program: cmake -DIC_BOARD=rp2040
// -DIC_PROGRAM=tasks.c.
#include "FreeRTOS.h"
#include "event_groups.h"
#include "queue.h"
#include "semphr.h"
#include "task.h"

#include "rp2_board.h"

#define NVIC_ICER (*(volatile uint32_t *)0xe000e180)
#define USBCTRL_IRQ 5
#define UART0_IRQ 20
#define EXIT_OK 0x20026u

enum { LOW = 2, MIDDLE = 3, HIGH = 4, WORDS = 256, CORE_0 = 1, CORE_1 = 2, LENGTH = 3 };

static SemaphoreHandle_t display, storage, data_ready;
static QueueHandle_t commands, answers;
static volatile uint32_t sum, ended;

int main(void);

static void make(TaskFunction_t function, const char *name, UBaseType_t priority, UBaseType_t cores) {
    (void)xTaskCreateAffinitySet(function, name, WORDS, 0, priority, cores, 0);
}

__attribute__((noipa, unused)) static void compute(uint32_t turns) {
    for (uint32_t i = 0; i < turns; i++) {
        sum = sum + i;
    }
}

static void end(void) {
    ended++;
    vTaskDelete(0);
}

#if defined(MUTEX_ORDER)
__attribute__((noipa)) static void draw(SemaphoreHandle_t first, SemaphoreHandle_t second) {
    xSemaphoreTake(first, portMAX_DELAY);
    vTaskDelay(2);
    xSemaphoreTake(second, portMAX_DELAY);
    xSemaphoreGive(second);
    xSemaphoreGive(first);
    end();
}
static void one(void *argument) {
    (void)argument;
    draw(display, storage);
}
static void two(void *argument) {
    (void)argument;
#ifdef MENDED
    draw(display, storage);
#else
    draw(storage, display);
#endif
}
static void begin(void) {
    display = xSemaphoreCreateMutex();
    storage = xSemaphoreCreateMutex();
    make(one, "logger", LOW, CORE_0);
    make(two, "painter", LOW, CORE_1);
}

#elif defined(MUTEX_KEPT) // a task ends with a mutex
static void one(void *argument) {
    (void)argument;
    xSemaphoreTake(storage, portMAX_DELAY);
#ifdef MENDED
    xSemaphoreGive(storage);
#endif
    vTaskSuspend(0);
}
static void two(void *argument) {
    (void)argument;
    vTaskDelay(5);
    xSemaphoreTake(storage, portMAX_DELAY);
    end();
}
static void begin(void) {
    storage = xSemaphoreCreateMutex();
    make(one, "logger", LOW, CORE_0);
    make(two, "painter", LOW, CORE_1);
}

#elif defined(NOT_GIVEN) // nobody gives the semaphore
static void one(void *argument) {
    (void)argument;
    xSemaphoreTake(data_ready, portMAX_DELAY);
    end();
}
static void two(void *argument) {
    (void)argument;
    compute(100);
#ifdef MENDED
    xSemaphoreGive(data_ready);
#endif
    end();
}
static void begin(void) {
    data_ready = xSemaphoreCreateBinary();
    make(one, "reader", HIGH, CORE_0);
    make(two, "sampler", LOW, CORE_1);
}

#elif defined(QUEUES_FULL) // each task sends more than the other one's queue has room for
static void one(void *argument) {
    (void)argument;
    for (uint32_t i = 0; i < 2 * LENGTH + 2; i++) {
        xQueueSend(commands, &i, portMAX_DELAY);
#ifdef MENDED
        uint32_t got;
        xQueueReceive(answers, &got, portMAX_DELAY);
#endif
    }
    end();
}
static void two(void *argument) {
    (void)argument;
    for (uint32_t got;;) {
        xQueueReceive(commands, &got, portMAX_DELAY);
        xQueueSend(answers, &got, portMAX_DELAY);
    }
}
static void begin(void) {
    commands = xQueueCreate(LENGTH, sizeof(uint32_t));
    answers = xQueueCreate(LENGTH, sizeof(uint32_t));
    make(one, "client", LOW, CORE_0);
    make(two, "server", LOW, CORE_1);
}

#elif defined(STACK) // a large array on the stack of a task
__attribute__((noipa)) static void parse(void) {
#ifdef MENDED
    volatile uint8_t line[16];
#else
    volatile uint8_t line[4 * WORDS];
#endif
    for (uint32_t i = 0; i < sizeof line; i += 4) {
        line[i] = (uint8_t)i;
    }
    sum = sum + line[8];
}
static void one(void *argument) {
    (void)argument;
    parse();
    end();
}
static void begin(void) { make(one, "parser", LOW, CORE_1); }

#elif defined(STARVED) // a task that never waits keeps one of lower priority off its core
static void one(void *argument) {
    (void)argument;
    for (;;) {
        compute(1000);
#ifdef MENDED
        vTaskDelay(1);
#endif
    }
}
static void two(void *argument) {
    (void)argument;
    for (;;) {
        compute(100);
        vTaskDelay(5);
    }
}
static void begin(void) {
    make(two, "logger", LOW, CORE_1);
    make(one, "control", HIGH, CORE_1);
}

#elif defined(                                                                                                         \
    INVERSION) // a binary semaphore as a lock: whoever has it is not raised to the priority of those that wait for it
static void one(void *argument) {
    (void)argument;
    xSemaphoreTake(storage, portMAX_DELAY);
    compute(100000);
    xSemaphoreGive(storage);
    end();
}
static void two(void *argument) {
    (void)argument;
    vTaskDelay(1);
    for (;;) {
        compute(1000);
    }
}
static void three(void *argument) {
    (void)argument;
    vTaskDelay(1);
    xSemaphoreTake(storage, portMAX_DELAY);
    xSemaphoreGive(storage);
    end();
}
static void begin(void) {
#ifdef MENDED
    storage = xSemaphoreCreateMutex();
    make(one, "low", LOW, CORE_1);
    make(three, "high", HIGH, CORE_1);
    (void)two;
#else
    storage = xSemaphoreCreateBinary();
    xSemaphoreGive(storage);
    make(one, "low", LOW, CORE_1);
    make(two, "middle", MIDDLE, CORE_1);
    make(three, "high", HIGH, CORE_1);
#endif
}

#elif defined(EVENT_BIT) // another bit is set than the one that is waited for
static EventGroupHandle_t states;
static void one(void *argument) {
    (void)argument;
    xEventGroupWaitBits(states, 1u << 2, pdTRUE, pdTRUE, portMAX_DELAY);
    end();
}
static void two(void *argument) {
    (void)argument;
#ifdef MENDED
    xEventGroupSetBits(states, 1u << 2);
#else
    xEventGroupSetBits(states, 1u << 1);
#endif
    end();
}
static void begin(void) {
    states = xEventGroupCreate();
    make(one, "reader", LOW, CORE_0);
    make(two, "sensor", LOW, CORE_1);
}

#elif defined(NOTIFIED) // a task waits for a notification that goes to another one
static TaskHandle_t waiting, other;
static void one(void *argument) {
    (void)argument;
    ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    end();
}
static void two(void *argument) {
    (void)argument;
    ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    xTaskNotifyGive(other);
    end();
}
static void begin(void) {
    xTaskCreateAffinitySet(one, "consumer", WORDS, 0, LOW, CORE_0, &waiting);
    xTaskCreateAffinitySet(two, "producer", WORDS, 0, LOW, CORE_1, &other);
#ifdef MENDED
    xTaskNotifyGive(other);
    other = waiting;
#endif
}
#endif

static void run(void) {
    NVIC_ICER = 1u << UART0_IRQ | 1u << USBCTRL_IRQ; // no input from outside
    begin();
    vTaskDelete(0);
}

int main(void) { board_run(run); }

void board_end(uint32_t status) {
    const uint32_t block[2] = {EXIT_OK, status};
    register uint32_t r0 __asm__("r0") = 0x20; // semihosting: SYS_EXIT_EXTENDED
    register const uint32_t *r1 __asm__("r1") = block;
    __asm__ volatile("bkpt 0xab" ::"r"(r0), "r"(r1) : "memory");
    for (;;) {
    }
}
