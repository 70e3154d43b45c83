#include "esp32_clock.h"

#include <stdatomic.h>

#include "esp32_count.h"
#include "esp32_cpu.h"
#include "esp32_idf.h"
#include "kernel.h"

#define CORES 2U
_Static_assert(CONFIG_FREERTOS_NUMBER_OF_CORES == CORES, "both cores are needed: no CONFIG_FREERTOS_UNICORE");

/* ---- reading ---- */

static struct {
    uint64_t count; /* port_cycles() of this core at its last tick */
    uint64_t ahead; /* lead of this core's counter over core 0's, modulo 2^64 */
} counters[CORES];

static uint64_t hz;

uint64_t IRAM_ATTR port_clock(void) {
    uint32_t core;
    uint32_t counter;
    uint32_t state = cpu_mask_and_read(&core, &counter);
    uint64_t count = count_since(counters[core].count, counter) - counters[core].ahead;
    cpu_unmask(state);
    return count;
}

/* First waits until all previous loads and stores are complete (MEMW on Xtensa), then reads the counter. */
uint64_t IRAM_ATTR port_cycles(void) {
    uint32_t core;
    uint32_t counter;
    cpu_wait_for_memory();
    uint32_t state = cpu_mask_and_read(&core, &counter);
    uint64_t count = count_since(counters[core].count, counter);
    cpu_unmask(state);
    return count;
}

/* Saves this core's 64-bit count. Each core's tick calls it. Interrupts are masked, because a handler of a higher level
 * than the tick's may read the clock and must not see a half-written count. */
static void IRAM_ATTR note_count(void) {
    uint32_t core;
    uint32_t counter;
    uint32_t state = cpu_mask_and_read(&core, &counter);
    counters[core].count = count_since(counters[core].count, counter);
    cpu_unmask(state);
}

uint64_t IRAM_ATTR esp32_clock_of_counter(uint32_t counter) {
    uint32_t core;
    uint32_t now;
    uint32_t state = cpu_mask_and_read(&core, &now);
    uint64_t count = count_since(counters[core].count, now) - counters[core].ahead;
    cpu_unmask(state);
    return count + (uint64_t)(int64_t)(int32_t)(counter - now);
}

uint32_t IRAM_ATTR esp32_clock_to_counter(uint64_t when) {
    return (uint32_t)when + (uint32_t)counters[cpu_core()].ahead;
}

uint64_t port_clock_hz(void) { return hz; }

uint64_t port_cycles_hz(void) { return hz; }

uint32_t port_cycles_bits(void) { return CPU_COUNTER_BITS; }

const char *port_clock_name(void) { return CPU_COUNTER " of each core, aligned to core 0's"; }

/* ---- the exchange ---- */

/* In an exchange one core asks the other for its counter, which bounds the offset of their counters. All exchanges
 * together take about a millisecond. An interrupt during an exchange only makes its bounds wider; they stay correct. So
 * no interrupts are masked. On an emulator one core may stop for milliseconds while the other one asks. There the
 * exchanges go on until the bounds are within 1 µs, for at most MOST_SECONDS. */
#define EXCHANGES 2048U
#define MOST_SECONDS 2U
#define OVER UINT32_MAX

static struct {
    struct count_ahead ahead;
    uint64_t answerers_count; /* the answering core's 64-bit count, before its first answer */
    uint32_t lacking;         /* the core whose count lacks a wrap: the result of count_unwrap() */
    atomic_bool present;      /* the answering task runs, and has set answerers_count */
    atomic_uint asked;        /* number of the current exchange, from 1; or OVER */
    atomic_uint answer;       /* the answering core's counter, which always differs from the previous answer; a single
                                 word, so that all of it becomes visible at once */
} exchange;

static inline uint32_t look(const atomic_uint *word) { return atomic_load_explicit(word, memory_order_relaxed); }

static inline void show(atomic_uint *word, uint32_t value) { atomic_store_explicit(word, value, memory_order_relaxed); }

/* answer_all() and ask_all() are in IRAM and not inlined: in flash, a cache miss could come between a question and its
 * answer. */
static __attribute__((noinline)) void IRAM_ATTR answer_all(void) {
    uint32_t heard = 0;
    uint32_t last = 0;
    for (;;) {
        uint32_t asked;
        while ((asked = look(&exchange.asked)) == heard) {
        }
        uint32_t counter = cpu_counter();
        if (counter == last) {
            counter = cpu_counter();
        }
        if (asked == OVER) {
            break;
        }
        show(&exchange.answer, counter);
        last = counter;
        heard = asked;
    }
}

static __attribute__((noinline)) void IRAM_ATTR ask_all(uint64_t own_count, uint64_t answerers_count) {
    uint64_t well = hz / 1000000U;
    uint32_t begun = cpu_counter();
    uint32_t after = begun;
    uint32_t last = 0;
    uint32_t shift = 0;
    for (uint32_t number = 1;
         (number <= EXCHANGES || count_within(&exchange.ahead) > well) && after - begun < MOST_SECONDS * (uint32_t)hz;
         number++) {
        uint32_t answer;
        uint32_t before = cpu_counter();
        show(&exchange.asked, number);
        while ((answer = look(&exchange.answer)) == last) {
        }
        after = cpu_counter();
        last = answer;
        count_exchanged(&exchange.ahead, count_since(own_count, before), count_since(answerers_count, answer),
                        count_since(own_count, after));
        /* Waits a varying number of cycles, so that the next question reaches the other core's loop at another
         * instruction. */
        for (uint32_t since = cpu_counter(); cpu_counter() - since < shift;) {
        }
        shift = (shift * 5U + 3U) % 32U; /* takes every value below 32 in turn, in mixed order (Knuth, TAOCP 2,
                                            3.2.1.2) */
    }
}

/* Sets the calling core's 64-bit count to the current value of its 32-bit counter. Both cores do so at about the same
 * time, so the difference of their counts is wrong by at most one wrap (count_unwrap()). */
static void IRAM_ATTR begin_count(void) {
    uint32_t core;
    uint32_t counter;
    uint32_t state = cpu_mask_and_read(&core, &counter);
    counters[core].count = counter;
    cpu_unmask(state);
}

static void IRAM_ATTR add_wrap(void) {
    uint32_t core;
    uint32_t counter;
    uint32_t state = cpu_mask_and_read(&core, &counter);
    counters[core].count = count_since(counters[core].count, counter) + (uint64_t)COUNT_WRAP;
    cpu_unmask(state);
}

/* Suspends the calling task; the task that created it then deletes it. */
static void end(void) {
    for (;;) {
        vTaskSuspend(NULL);
    }
}

static void answer(void *arg) {
    (void)arg;
    begin_count();
    exchange.answerers_count = port_cycles();
    atomic_store(&exchange.present, true);
    answer_all();
    if (atomic_load(&exchange.asked) == OVER && exchange.lacking == 1) {
        add_wrap();
    }
    end();
}

static void ask(void *arg) {
    (void)arg;
    begin_count();
    while (!atomic_load(&exchange.present)) {
    }
    ask_all(port_cycles(), exchange.answerers_count);
    exchange.lacking = count_is_known(&exchange.ahead) ? count_unwrap(&exchange.ahead) : CORES;
    atomic_store(&exchange.asked, OVER);
    if (exchange.lacking == 0) {
        add_wrap();
    }
    end();
}

#define STACK_BYTES 2048U

static bool start(TaskFunction_t run, const char *name, TaskHandle_t *task, BaseType_t core) {
    return xTaskCreatePinnedToCore(run, name, STACK_BYTES, NULL, configMAX_PRIORITIES - 1U, task, core) == pdPASS;
}

static const char *align(void) {
    TaskHandle_t answerer;
    TaskHandle_t asker;
    exchange.ahead = COUNT_AHEAD_UNKNOWN;
    exchange.lacking = CORES;
    atomic_store(&exchange.present, false);
    atomic_store(&exchange.asked, 0);
    atomic_store(&exchange.answer, 0);
    if (!start(answer, "answer", &answerer, 1)) {
        return "there is no memory for the tasks that align the cores' counters";
    }
    bool asked = start(ask, "ask", &asker, 0);
    if (asked) {
        kernel_delete_ended(asker);
    } else {
        atomic_store(&exchange.asked, OVER); /* the answering task still waits for a question, and would occupy its
                                                core for ever */
    }
    kernel_delete_ended(answerer);
    if (!asked) {
        return "there is no memory for the tasks that align the cores' counters";
    }
    if (!count_is_known(&exchange.ahead)) {
        return "the cores' counters do not run from one clock";
    }
    counters[1].ahead = (uint64_t)count_middle(&exchange.ahead);
    return NULL;
}

/* ---- against esp_timer ---- */

#define COMPARED_US 20000U

static int32_t ppm;

/* Waits for esp_timer to begin another microsecond. Returns the clock at that moment, and stores esp_timer's new value
 * in `us`. */
static uint64_t read_at_edge(int64_t *us) {
    int64_t last = esp_timer_get_time();
    uint64_t now;
    do {
        *us = esp_timer_get_time();
        now = port_clock();
    } while (*us == last);
    return now;
}

static void compare(void) {
    int64_t begun_us;
    uint64_t begun = read_at_edge(&begun_us);
    while (esp_timer_get_time() - begun_us < COMPARED_US) {
    }
    int64_t ended_us;
    uint64_t ended = read_at_edge(&ended_us);
    ppm = count_ppm(ended - begun, (uint64_t)(ended_us - begun_us), hz);
}

/* ---- start ---- */

/* Registers note_count() with the ticks of both cores. If one registration fails, neither stays. */
static bool hook_ticks(void) {
    if (esp_register_freertos_tick_hook_for_cpu(note_count, 0) != ESP_OK) {
        return false;
    }
    if (esp_register_freertos_tick_hook_for_cpu(note_count, 1) != ESP_OK) {
        esp_deregister_freertos_tick_hook_for_cpu(note_count, 0);
        return false;
    }
    return true;
}

const char *esp32_clock_start(void) {
    hz = (uint64_t)esp_clk_cpu_freq();
    if (!hook_ticks()) {
        return "no hook of the tick is left for the clock: other components have all of them";
    }
    const char *wrong = align();
    if (wrong != NULL) {
        esp32_clock_stop();
        return wrong;
    }
    compare();
    return NULL;
}

void esp32_clock_stop(void) {
    esp_deregister_freertos_tick_hook_for_cpu(note_count, 0);
    esp_deregister_freertos_tick_hook_for_cpu(note_count, 1);
}

uint32_t esp32_clock_uncertainty(void) { return (uint32_t)count_within(&exchange.ahead); }

int64_t esp32_clock_ahead(void) { return count_middle(&exchange.ahead); }

int32_t esp32_clock_ppm(void) { return ppm; }
