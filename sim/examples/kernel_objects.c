// Each kind of object of FreeRTOS under load, by tasks on both cores that check what they get: one for each definition
// (QUEUE, COUNTING, MUTEX, NOTIFICATIONS, EVENTS, STREAM, MESSAGES, SUSPENDED, MOVED), or all at once (ALL).
// It ends with status 0, or with the line of what does not hold. It is built with the firmware, in place of its
// program: cmake -DIC_BOARD=rp2040 -DIC_PROGRAM=kernel_objects.c.
#include "FreeRTOS.h"
#include "event_groups.h"
#include "message_buffer.h"
#include "queue.h"
#include "semphr.h"
#include "stream_buffer.h"
#include "task.h"

#include "rp2_board.h"

#ifdef ALL
#define QUEUE
#define COUNTING
#define MUTEX
#define NOTIFICATIONS
#define EVENTS
#define STREAM
#define MESSAGES
#define SUSPENDED
#define MOVED
#endif
#define EXIT_OK 0x20026u
#define EXPECT(holds) ((holds) ? (void)0 : board_end(__LINE__))
#define ARGUMENT(argument) ((uint32_t)(uintptr_t)(argument))

enum { LOW = 2, MIDDLE = 3, HIGH = 4, WORDS = 160, CORE_0 = 1, CORE_1 = 2, ANY = 3, ROUNDS = 60, TICKS = 500 };

static TaskHandle_t supervisor;
static uint32_t parts;

int main(void);

static TaskHandle_t make(TaskFunction_t function, uint32_t argument, UBaseType_t priority, UBaseType_t cores) {
    TaskHandle_t made = 0;
    EXPECT(xTaskCreateAffinitySet(function, "worker", WORDS, (void *)(uintptr_t)argument, priority, cores, &made) ==
           pdPASS);
    return made;
}

static void end_part(void) {
    xTaskNotifyGive(supervisor);
    vTaskDelete(0);
}

__attribute__((noipa, unused)) static void compute(uint32_t turns) {
    for (volatile uint32_t left = turns; left > 0; left--) {
    }
}

#ifdef QUEUE // two producers and two consumers; each number comes once
static QueueHandle_t numbers;
static volatile uint32_t sums[2];
static void produce(void *argument) {
    for (uint32_t number = 0; number < 2 * ROUNDS; number += 2) {
        const uint32_t sent = number + ARGUMENT(argument);
        EXPECT(xQueueSend(numbers, &sent, TICKS) == pdPASS);
        compute(number % 7);
    }
    end_part();
}
static void consume(void *argument) {
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t got = 0;
        EXPECT(xQueueReceive(numbers, &got, TICKS) == pdPASS);
        sums[ARGUMENT(argument)] += got;
        compute(i % 5);
    }
    end_part();
}
static void begin_queue(void) {
    numbers = xQueueCreate(3, sizeof(uint32_t));
    for (uint32_t i = 0; i < 2; i++) {
        make(produce, i, LOW, ANY);
        make(consume, i, i == 0 ? LOW : MIDDLE, i == 0 ? CORE_1 : ANY);
        parts += 2;
    }
}
static void end_queue(void) {
    EXPECT(sums[0] + sums[1] == (2 * ROUNDS - 1) * ROUNDS);
    EXPECT(uxQueueMessagesWaiting(numbers) == 0);
}
#endif

#ifdef COUNTING // no more are inside than there are permits
static SemaphoreHandle_t permits, door;
static volatile uint32_t inside;
static void enter(void *argument) {
    for (uint32_t i = 0; i < ROUNDS; i++) {
        EXPECT(xSemaphoreTake(permits, TICKS) == pdPASS);
        xSemaphoreTake(door, portMAX_DELAY);
        inside++;
        EXPECT(inside <= 2);
        xSemaphoreGive(door);
        compute(ARGUMENT(argument) + i % 4);
        xSemaphoreTake(door, portMAX_DELAY);
        inside--;
        xSemaphoreGive(door);
        xSemaphoreGive(permits);
    }
    end_part();
}
static void begin_counting(void) {
    permits = xSemaphoreCreateCounting(2, 2);
    door = xSemaphoreCreateMutex();
    for (uint32_t i = 0; i < 3; i++) {
        make(enter, i, LOW, i == 0 ? CORE_0 : ANY);
        parts++;
    }
}
#endif

#ifdef MUTEX // who has it inherits the priority of who waits for it
static SemaphoreHandle_t resource;
static volatile uint32_t shared;
static void share(void *argument) {
    for (uint32_t i = 0; i < ROUNDS; i++) {
        EXPECT(xSemaphoreTake(resource, TICKS) == pdPASS);
        const uint32_t before = shared;
        compute(20);
        shared = before + 1;
        xSemaphoreGive(resource);
        if (ARGUMENT(argument) == 2) {
            vTaskDelay(1);
        }
        if (i % 8 == ARGUMENT(argument) && xSemaphoreTake(resource, 0) == pdPASS) {
            xSemaphoreGive(resource);
        }
    }
    end_part();
}
static void begin_mutex(void) {
    resource = xSemaphoreCreateMutex();
    for (uint32_t i = 0; i < 3; i++) {
        make(share, i, LOW + i, i == 2 ? ANY : CORE_1);
        parts++;
    }
}
static void end_mutex(void) { EXPECT(shared == 3 * ROUNDS); }
#endif

#ifdef NOTIFICATIONS // a number goes to and fro by the value, in two slots
static TaskHandle_t players[2];
static void play(void *argument) {
    const uint32_t own = ARGUMENT(argument);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t got = 0;
        EXPECT(xTaskNotifyWaitIndexed(i & 1, 0, UINT32_MAX, &got, TICKS) == pdPASS);
        EXPECT(got == 2 * i + own);
        if (got + 1 < 2 * ROUNDS) {
            EXPECT(xTaskNotifyIndexed(players[1 - own], (i + own) & 1, got + 1, eSetValueWithoutOverwrite) == pdPASS);
        }
    }
    end_part();
}
static void begin_notifications(void) {
    for (uint32_t i = 0; i < 2; i++) {
        players[i] = make(play, i, MIDDLE, i == 0 ? CORE_0 : CORE_1);
        parts++;
    }
    xTaskNotifyIndexed(players[0], 0, 0, eSetValueWithOverwrite);
}
#endif

#ifdef EVENTS // three tasks meet in each round
static EventGroupHandle_t meeting;
static volatile uint32_t reached[3];
static void meet(void *argument) {
    const uint32_t own = ARGUMENT(argument);
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        reached[own] = i;
        compute(own * (i % 6));
        EXPECT((xEventGroupSync(meeting, 1u << own, 7, TICKS) & 7) == 7);
        for (uint32_t other = 0; other < 3; other++) {
            EXPECT(reached[other] == i);
        }
        if (own == 0) {
            EXPECT(!(xEventGroupGetBits(meeting) & 8));
            xEventGroupSetBits(meeting, 8);
        }
        EXPECT(xEventGroupWaitBits(meeting, 8, pdFALSE, pdTRUE, TICKS) & 8);
        EXPECT((xEventGroupSync(meeting, 0x10u << own, 0x70, TICKS) & 0x70) == 0x70);
        if (own == 0) {
            xEventGroupClearBits(meeting, 8);
        }
    }
    end_part();
}
static void begin_events(void) {
    meeting = xEventGroupCreate();
    for (uint32_t i = 0; i < 3; i++) {
        make(meet, i, LOW + i, i == 0 ? CORE_0 : ANY);
        parts++;
    }
}
#endif

#ifdef STREAM // bytes in order, in pieces of all lengths
static StreamBufferHandle_t bytes;
static void write_bytes(void *argument) {
    (void)argument;
    uint8_t piece[11];
    for (uint32_t at = 0, length = 1; at < 20 * ROUNDS; at += length, length = length % sizeof piece + 1) {
        for (uint32_t i = 0; i < length; i++) {
            piece[i] = (uint8_t)(at + i);
        }
        for (uint32_t sent = 0; sent < length;) {
            sent += xStreamBufferSend(bytes, piece + sent, length - sent, TICKS);
        }
    }
    end_part();
}
static void read_bytes(void *argument) {
    (void)argument;
    uint8_t piece[7];
    for (uint32_t at = 0; at < 20 * ROUNDS;) {
        const size_t got = xStreamBufferReceive(bytes, piece, sizeof piece, TICKS);
        EXPECT(got > 0);
        for (uint32_t i = 0; i < got; i++, at++) {
            EXPECT(piece[i] == (uint8_t)at);
        }
    }
    end_part();
}
static void begin_stream(void) {
    bytes = xStreamBufferCreate(16, 1);
    make(write_bytes, 0, LOW, CORE_0);
    make(read_bytes, 0, MIDDLE, CORE_1);
    parts += 2;
}
#endif

#ifdef MESSAGES
static MessageBufferHandle_t messages;
static void write_messages(void *argument) {
    (void)argument;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const uint32_t words[3] = {i, ~i, i * i};
        const size_t length = 4 * (i % 3 + 1);
        EXPECT(xMessageBufferSend(messages, words, length, TICKS) == length);
    }
    end_part();
}
static void read_messages(void *argument) {
    (void)argument;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t words[3] = {0, ~i, i * i};
        EXPECT(xMessageBufferReceive(messages, words, sizeof words, TICKS) == 4 * (i % 3 + 1));
        EXPECT(words[0] == i && words[1] == ~i && words[2] == i * i);
    }
    end_part();
}
static void begin_messages(void) {
    messages = xMessageBufferCreate(48);
    make(write_messages, 0, MIDDLE, ANY);
    make(read_messages, 0, LOW, CORE_0);
    parts += 2;
}
#endif

#ifdef SUSPENDED // a task that suspends itself, and is resumed by one on the other core
static TaskHandle_t sleeper;
static volatile uint32_t resumed;
static void sleep_and_count(void *argument) {
    (void)argument;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        vTaskSuspend(0);
        resumed++;
    }
    end_part();
}
static void resume_it(void *argument) {
    (void)argument;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        while (eTaskGetState(sleeper) != eSuspended) {
            taskYIELD();
        }
        vTaskResume(sleeper);
        while (resumed <= i) {
        }
    }
    end_part();
}
static void begin_suspended(void) {
    sleeper = make(sleep_and_count, 0, HIGH, CORE_1);
    make(resume_it, 0, LOW, CORE_0);
    parts += 2;
}
#endif

#ifdef MOVED // a task is given the other core while it computes; tasks come and go
static volatile uint32_t computed;
static void compute_long(void *argument) {
    (void)argument;
    while (computed < ROUNDS) {
        compute(50);
        taskENTER_CRITICAL();
        computed++;
        taskEXIT_CRITICAL();
        vTaskDelay(1);
    }
    end_part();
}
static void come_and_go(void *argument) {
    compute(ARGUMENT(argument));
    vTaskDelete(0);
}
static void move_it(void *argument) {
    (void)argument;
    const TaskHandle_t moved = make(compute_long, 0, LOW, CORE_0);
    for (uint32_t i = 0; computed < ROUNDS - 2; i++) {
        vTaskCoreAffinitySet(moved, i % 2 == 0 ? CORE_1 : CORE_0);
        if (i % 4 == 0) {
            make(come_and_go, i % 9, LOW, ANY);
        }
        vTaskDelay(1);
    }
    end_part();
}
static void begin_moved(void) {
    make(move_it, 0, HIGH, ANY);
    parts += 2;
}
#endif

static void run(void) {
    supervisor = xTaskGetCurrentTaskHandle();
#ifdef QUEUE
    begin_queue();
#endif
#ifdef COUNTING
    begin_counting();
#endif
#ifdef MUTEX
    begin_mutex();
#endif
#ifdef NOTIFICATIONS
    begin_notifications();
#endif
#ifdef EVENTS
    begin_events();
#endif
#ifdef STREAM
    begin_stream();
#endif
#ifdef MESSAGES
    begin_messages();
#endif
#ifdef SUSPENDED
    begin_suspended();
#endif
#ifdef MOVED
    begin_moved();
#endif
    while (parts > 0) {
        parts -= ulTaskNotifyTake(pdFALSE, portMAX_DELAY) > 0 ? 1 : 0;
    }
#ifdef QUEUE
    end_queue();
#endif
#ifdef MUTEX
    end_mutex();
#endif
    board_end(0);
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
