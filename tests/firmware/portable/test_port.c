/* The port and the benchmark with which the portable code is linked for the tests. Tests set the variables that begin
 * with `given_` and read those that begin with `seen_`. */
#include <string.h>

#include "benchmark.h"
#include "command.h"
#include "line.h"
#include "port.h"
#include "region_words.h"
#include "run.h"
#include "ic_workload.h"

/* ---- cores, clocks, tasks ---- */

static uint64_t now;

uint32_t port_core_count(void) { return 2; }
uint32_t port_core_id(void) { return 0; }
uint64_t port_clock(void) { return now += 1000000; }

uint64_t port_cycles(void) { return port_clock(); }

uint64_t port_cycles_hz(void) { return port_clock_hz(); }
uint32_t port_cycles_bits(void) { return 0; }
uint64_t port_clock_hz(void) { return 1000000000; }
uint32_t port_tick_hz(void) { return 1000; }
uint32_t port_recovered_doorbells(void) { return 0; }

/* The energy mark, how often it rose, and in how many repetitions it was high and low. */
static bool mark;
uint32_t seen_mark_rises;
uint32_t seen_marked;
uint32_t seen_unmarked;

void port_mark(bool on) {
    seen_mark_rises += on && !mark;
    mark = on;
}

uint32_t seen_mark(void);
uint32_t seen_mark(void) { return mark; }
const char *port_clock_name(void) { return "counter"; }

/* Whether the platform is out of tasks. */
uint32_t given_no_tasks;

enum port_error port_task_start(port_task_t *task, const struct port_task_config *config) {
    if (given_no_tasks != 0) {
        return PORT_ERR_RESOURCE;
    }
    task->unused = 0;
    config->entry(config->arg);
    return PORT_OK;
}

void port_task_join(port_task_t *task) { (void)task; }
void port_sleep_until(uint64_t when) { now = when > now ? when : now; }
void port_sleep_ticks(uint32_t ticks) { now += (uint64_t)ticks * (port_clock_hz() / port_tick_hz()); }

/* ---- what the target is ---- */

const char *given_chip = "chip";
const char *given_key = "key";
const char *given_value = "value";

const char *port_board(void) { return "test"; }
const char *port_chip(void) { return given_chip; }

bool port_condition(uint32_t index, struct port_condition *condition) {
    *condition = (struct port_condition){given_key, given_value};
    return index == 0;
}

/* 61 lines of 64 bytes: so small that streams often wrap, and not a power of two, so that a wrong wrap shows. */
#define MEMORY_BYTES (61U * 64U)
_Alignas(64) uint8_t seen_memory[MEMORY_BYTES];

/* A region that can only be read, if it is given: not a power of two of words either, and what lies beyond the largest
 * in it is not what it should be. */
#define FLASH_WORDS 304U
_Alignas(64) uintptr_t seen_flash[FLASH_WORDS] = {REGION_WORDS_256(0U)};
uint32_t given_flash;

bool port_region(uint32_t index, struct port_region *region) {
    if (index == 0) {
        *region = (struct port_region){.name = "small", .base = seen_memory, .bytes = sizeof seen_memory};
        return true;
    }
    *region = (struct port_region){.name = "flash", .base = seen_flash, .bytes = sizeof seen_flash, .read_only = true};
    return index == 1 && given_flash != 0;
}

/* ---- console ---- */

const uint8_t *given_input;
size_t given_input_size;
/* Bytes that one read delivers at most. */
size_t given_chunk = 64;

uint8_t seen_output[1U << 20U];
size_t seen_output_size;
/* Lines that were refused because they did not fit: the caller sends nothing then. */
uint32_t seen_empty_writes;

/* The sender is silent before the last so many bytes of its input, for as long as anybody waits; 0: it never is. */
size_t given_after_silence;

enum port_error port_console_read(uint8_t *buffer, size_t size, size_t *received, uint64_t deadline) {
    size_t until = given_input_size > given_after_silence ? given_input_size - given_after_silence : given_input_size;
    size_t count = size < given_chunk ? size : given_chunk;
    count = count < until ? count : until;
    *received = 0;
    if (deadline == 0) {
        return PORT_ERR_TIMEOUT; /* nobody types while a run is under way */
    }
    if (given_input_size > 0 && given_input_size == given_after_silence) {
        given_after_silence = 0;
        if (deadline != PORT_FOREVER) {
            now = deadline;
            return PORT_ERR_TIMEOUT;
        }
    }
    if (count == 0) {
        return PORT_ERR_CLOSED;
    }
    memcpy(buffer, given_input, count);
    given_input += count;
    given_input_size -= count;
    *received = count;
    return PORT_OK;
}

enum port_error port_console_write(const uint8_t *bytes, size_t size) {
    seen_empty_writes += size == 0;
    if (size > sizeof seen_output - seen_output_size) {
        return PORT_ERR_CLOSED;
    }
    memcpy(seen_output + seen_output_size, bytes, size);
    seen_output_size += size;
    return PORT_OK;
}

/* The present rate; 0 for a console without. */
uint32_t given_rate;
/* How often it was set, and after how many bytes of output it was last set. */
uint32_t seen_rate_changes;
size_t seen_output_before_rate;

uint32_t port_console_rate_choice(uint32_t index) {
    static const uint32_t choices[] = {9600, 115200, 921600};
    return given_rate != 0 && index < 3 ? choices[index] : 0;
}

uint32_t port_console_rate(void) { return given_rate; }

void port_console_set_rate(uint32_t bits_per_second) {
    given_rate = bits_per_second;
    seen_rate_changes++;
    seen_output_before_rate = seen_output_size;
}

/* ---- a benchmark with a parameter of every kind, whose samples the tests choose ---- */

const char *given_series = "number";
/* The kind of windows that are marked; its own are of kind 2. And the repetition that fails, 0: none. */
uint32_t given_marked;
uint32_t given_failure;
const int64_t *given_samples;
uint32_t given_sample_count;

static const char *const colours[] = {"red", "green", "blue"};
static const struct ic_parameter parameters[] = {
    {.name = "n", .help = "an integer", .min = 1, .max = 1000000000, .preset = 1000},
    {.name = "colour", .help = "a choice", .choices = colours, .choice_count = 3, .preset = 1},
    {.name = "cores", .help = "a limit", .min = 1, .preset = IC_PRESET_MAX, .limit = port_core_count},
};

static bool possible(const struct ic_run *run, struct ic_error *error) {
    return run->values[1] != 2 || run->values[0] < 7 || run->values[0] > 8 ||
           ic_error_set(error, "unsupported", "there is no ", colours[run->values[1]], " of 7 or 8");
}

static bool measure(struct ic_run *run) {
    struct ic_series *series = ic_run_series(run, given_series);
    if (series == NULL) {
        return false;
    }
    run->marked = given_marked;
    for (uint32_t i = 0; ic_run_repeat(run); i++) {
        ic_run_dither(run);
        ic_run_window(run, 2, true);
        *(mark ? &seen_marked : &seen_unmarked) += 1;
        ic_run_window(run, 2, false);
        if (i + 1U == given_failure) {
            return ic_error_set(&run->error, "failed", "the test wanted it", "", "");
        }
        ic_run_sample(run, series, i < given_sample_count ? given_samples[i] : 0);
        ic_run_check(run, run->values[1] != 0); /* red is wrong */
    }
    return true;
}

static const struct ic_benchmark benchmark = {.name = "trial",
                                              .summary = "for testing",
                                              .parameters = parameters,
                                              .parameter_count = 3,
                                              .samples = 3,
                                              .series_count = 1,
                                              .possible = possible,
                                              .measure = measure};
const struct ic_benchmark *const ic_benchmarks[] = {&benchmark};
const size_t ic_benchmark_count = 1;

/* ---- how large the structures are that the tests describe to ctypes ---- */

const size_t seen_size_of_input = sizeof(struct ic_input);
const size_t seen_size_of_command = sizeof(struct ic_command);
const size_t seen_size_of_error = sizeof(struct ic_error);
const size_t seen_size_of_line = sizeof(struct ic_line);
const size_t seen_size_of_text = sizeof(struct ic_text);
const size_t seen_size_of_series = sizeof(struct ic_series);
const size_t seen_size_of_settings = sizeof(struct ic_settings);
const size_t seen_size_of_workload = sizeof(struct ic_workload);
