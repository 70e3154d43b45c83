/* libFuzzer target for the console: for any input bytes, every output line must be well formed.
 *
 * It links the portable core with the port and the benchmark below. In this port a task runs to its end inside the call
 * that starts it, and the console's input ends after the fuzzer's bytes. The benchmark has every kind of parameter. */
#include <stdlib.h>
#include <string.h>

#include "benchmark.h"
#include "console.h"
#include "crc32.h"
#include "line.h"
#include "port.h"
#include "run.h"

static const uint8_t *bytes;
static size_t left;
static uint64_t now;

/* ---- the port ---- */

uint32_t port_core_count(void) { return 2; }
uint32_t port_core_id(void) { return 0; }
uint64_t port_clock(void) { return now += 1000000; }

uint64_t port_cycles(void) { return port_clock(); }

uint64_t port_cycles_hz(void) { return port_clock_hz(); }
uint32_t port_cycles_bits(void) { return 0; }
uint64_t port_clock_hz(void) { return 1000000000; }
uint32_t port_tick_hz(void) { return 1000; }
uint32_t port_recovered_doorbells(void) { return 0; }
void port_mark(bool on) { (void)on; }
const char *port_clock_name(void) { return "counter"; }
const char *port_board(void) { return "fuzz"; }
const char *port_chip(void) { return "quotes \" backslashes \\ and \x01\xff"; }

enum port_error port_task_start(port_task_t *task, const struct port_task_config *config) {
    task->unused = 0;
    config->entry(config->arg);
    return PORT_OK;
}
void port_task_join(port_task_t *task) { (void)task; }

static const uint32_t rates[] = {9600, 115200, 921600};
static uint32_t rate = 115200;
uint32_t port_console_rate_choice(uint32_t index) { return index < 3 ? rates[index] : 0; }
uint32_t port_console_rate(void) { return rate; }
void port_console_set_rate(uint32_t bits_per_second) { rate = bits_per_second; }

void port_sleep_until(uint64_t when) { now = when > now ? when : now; }
void port_sleep_ticks(uint32_t ticks) { now += (uint64_t)ticks * (port_clock_hz() / port_tick_hz()); }

/* Returns only a few bytes at a time, so that lines are split at all places. */
enum port_error port_console_read(uint8_t *buffer, size_t size, size_t *received, uint64_t deadline) {
    (void)deadline;
    size_t count = left < 7 ? left : 7;
    count = count < size ? count : size;
    if (count > 0) {
        memcpy(buffer, bytes, count);
    }
    bytes += count;
    left -= count;
    *received = count;
    return count > 0 ? PORT_OK : PORT_ERR_CLOSED;
}

static void require(bool holds) {
    if (!holds) {
        abort();
    }
}

/* Whether braces and brackets match, and all characters are printable ASCII */
static bool is_balanced(const char *text, size_t length) {
    int depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < ' ' || text[i] > '~') {
            return false;
        }
        if (in_string && text[i] == '\\') {
            i++;
        } else if (text[i] == '"') {
            in_string = !in_string;
        } else if (!in_string) {
            depth += text[i] == '{' || text[i] == '[';
            depth -= text[i] == '}' || text[i] == ']';
        }
    }
    return depth == 0 && !in_string;
}

enum port_error port_console_write(const uint8_t *line, size_t size) {
    const char *text = (const char *)line;
    require(size > 12 && size <= IC_LINE_MAX + 2 && text[size - 2] == '\r' && text[size - 1] == '\n');
    size_t length = size - 12; /* without the end of each line: " *", 8 digits, CR LF */
    require(text[0] == '{' && text[length - 1] == '}' && text[length] == ' ' && text[length + 1] == '*');
    char digits[9] = {0};
    memcpy(digits, text + length + 2, 8);
    require(strtoul(digits, NULL, 16) == ic_crc32(text, length));
    require(is_balanced(text, length));
    return PORT_OK;
}

bool port_condition(uint32_t index, struct port_condition *condition) {
    static char long_value[500];
    memset(long_value, 'x', sizeof long_value - 1);
    *condition = index == 0 ? (struct port_condition){"long", long_value} : (struct port_condition){"empty", ""};
    return index < 2;
}

/* ---- the benchmark ---- */

static const char *const colours[] = {"red", "green", "blue"};
static const struct ic_parameter parameters[] = {
    {.name = "n", .help = "an integer", .min = 1, .max = 1000000000, .preset = 1000},
    {.name = "colour", .help = "a choice", .choices = colours, .choice_count = 3, .preset = 1},
    {.name = "cores", .help = "a limit", .min = 1, .preset = IC_PRESET_MAX, .limit = port_core_count},
};

static bool possible(const struct ic_run *run, struct ic_error *error) {
    return run->values[1] != 2 || ic_error_set(error, "unsupported", "there is no ", colours[run->values[1]], "");
}

static bool measure(struct ic_run *run) {
    require(run->values[1] != 2);
    struct ic_series *series = ic_run_series(run, "number");
    if (series == NULL) {
        return false;
    }
    while (ic_run_repeat(run)) {
        ic_run_dither(run);
        require(run->values[0] >= 1 && run->values[0] <= 1000000000);
        require(run->values[1] < 3 && run->values[2] >= 1 && run->values[2] <= 2);
        ic_run_sample(run, series, -(int64_t)ic_random_next(&run->random));
        ic_run_check(run, run->values[1] != 0);
    }
    return true;
}

static const struct ic_benchmark benchmark = {.name = "fuzz",
                                              .summary = "for fuzzing",
                                              .parameters = parameters,
                                              .parameter_count = 3,
                                              .samples = 3,
                                              .series_count = 1,
                                              .possible = possible,
                                              .measure = measure};
const struct ic_benchmark *const ic_benchmarks[] = {&benchmark};
const size_t ic_benchmark_count = 1;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bytes = data;
    left = size;
    now = 0;
    rate = 115200;
    ic_console_serve();
    return 0;
}
