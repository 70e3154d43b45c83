// Two tasks of FreeRTOS, each pinned to a core, that meet in rounds without end: at a mutex that both want, or by a
// queue that passes 10,000 messages a second.
#include <stdint.h>

#include "FreeRTOS.h"
#include "queue.h"
#include "rp2_board.h"
#include "rounds.h"
#include "semphr.h"
#include "task.h"

enum { STACK_WORDS = 256, MEETINGS = 50, GAP = 1250 };

static SemaphoreHandle_t mutex;
static QueueHandle_t queue;
static uint32_t shared;

int main(void);

static void contend(void *core) {
    for (uint32_t hash = 1;; done((uint32_t)core, hash)) {
        for (uint32_t i = 0; i < MEETINGS; i++) {
            xSemaphoreTake(mutex, portMAX_DELAY);
            shared++;
            xSemaphoreGive(mutex);
            hash = work(hash, 200); // less would starve the other core
        }
    }
}

static void send(void *nothing) {
    (void)nothing;
    for (uint32_t hash = 1;; done(0, hash)) {
        for (uint32_t i = 0; i < MEETINGS; i++) {
            hash = work(hash, GAP); // about 100 us
            xQueueSend(queue, &hash, portMAX_DELAY);
        }
    }
}

static void receive(void *nothing) {
    (void)nothing;
    for (uint32_t sum = 0;; done(1, sum)) {
        for (uint32_t i = 0; i < MEETINGS; i++) {
            uint32_t message;
            xQueueReceive(queue, &message, portMAX_DELAY);
            sum = sum * 31u + message;
        }
    }
}

static void begin(void) {
    mutex = xSemaphoreCreateMutex();
    queue = xQueueCreate(4, sizeof(uint32_t));
    if (QUEUE) {
        xTaskCreateAffinitySet(receive, "receive", STACK_WORDS, NULL, 2, 1u << 1, NULL);
        xTaskCreateAffinitySet(send, "send", STACK_WORDS, NULL, 2, 1u << 0, NULL); // from here on core 0 is its
    } else {
        xTaskCreateAffinitySet(contend, "contend 1", STACK_WORDS, (void *)1, 2, 1u << 1, NULL);
        xTaskCreateAffinitySet(contend, "contend 0", STACK_WORDS, (void *)0, 2, 1u << 0, NULL);
    }
}

void board_end(uint32_t status) {
    (void)status;
    for (;;) {
    }
}

int main(void) { board_run(begin); }
