#include "answer.h"

#include <string.h>

#include "line.h"
#include "port.h"
#include "summary.h"
#include "trace.h"
#include "version.h"
#include "workloads.h"

#define PROTOCOL 2
/* Maximum number of samples in one line, and maximum number of characters in one line that belong to the value of a
 * condition (a property of the target) */
#define VALUES_MAX 16U
#define PART_MAX 120U

struct ic_answer ic_answer_whole(uint32_t id) { return (struct ic_answer){.id = id, .last = UINT32_MAX}; }

/* The result of the write is ignored: if the host has closed its end of the console, the next read reports that. */
static void send_line(struct ic_line *line) {
    size_t length = ic_line_close(line);
    if (length == 0) { /* Unreachable: no line is that long. If one were, this log would explain the gap. */
        ic_line_open(line, "log");
        ic_line_integer(line, "id", 0);
        ic_line_text(line, "text", "a line did not fit and is missing");
        length = ic_line_close(line);
    }
    (void)port_console_write((const uint8_t *)line->text, length);
}

static void open_line(const struct ic_answer *answer, struct ic_line *line, const char *type) {
    ic_line_open(line, type);
    ic_line_integer(line, "id", answer->id);
    ic_line_integer(line, "i", answer->next);
}

static bool wanted(const struct ic_answer *answer) {
    return !answer->in_words && answer->next >= answer->first && answer->next <= answer->last;
}

static void close_line(struct ic_answer *answer, struct ic_line *line) {
    if (wanted(answer)) {
        send_line(line);
    }
    answer->next++;
}

static void end(struct ic_answer *answer, const char *status, const struct ic_checks *checks) {
    struct ic_line line;
    open_line(answer, &line, "end");
    ic_line_text(&line, "status", status);
    ic_line_object_open(&line, "checks");
    if (checks != NULL) {
        ic_line_integer(&line, "repetitions", checks->repetitions);
        ic_line_integer(&line, "done", checks->done);
        ic_line_integer(&line, "checked", checks->checked);
        ic_line_integer(&line, "wrong", checks->wrong);
        ic_line_integer(&line, "migrated", checks->migrated);
        ic_line_integer(&line, "preempted", (int64_t)checks->preempted);
        ic_line_integer(&line, "lost", checks->lost);
        if (checks->recovered_doorbells > 0) {
            ic_line_integer(&line, "recovered_doorbells", checks->recovered_doorbells);
        }
        if (checks->repeated_turns > 0) {
            ic_line_integer(&line, "repeated_turns", checks->repeated_turns);
        }
        if (checks->migrations_requested > 0) {
            ic_line_integer(&line, "migrations_requested", checks->migrations_requested);
            ic_line_integer(&line, "migrations_done", checks->migrations_done);
        }
    }
    ic_line_object_close(&line);
    answer->in_words = false;
    close_line(answer, &line);
}

/* ---- info ---- */

static void condition(struct ic_answer *answer, const struct port_condition *fact) {
    size_t length = strlen(fact->value);
    size_t at = 0;
    for (uint32_t part = 0; at < length || part == 0; part++) {
        size_t size = length - at < PART_MAX ? length - at : PART_MAX;
        struct ic_line line;
        open_line(answer, &line, "condition");
        ic_line_text(&line, "key", fact->key);
        ic_line_integer(&line, "part", part);
        ic_line_text_part(&line, "value", fact->value + at, size);
        close_line(answer, &line);
        at += size;
    }
}

/* Adds the bit rates that the console offers and its current rate; adds nothing if the console has no bit rate. */
static void console_rates(struct ic_line *line) {
    if (port_console_rate() == 0) {
        return;
    }
    ic_line_list_open(line, "rates");
    uint32_t rate;
    for (uint32_t i = 0; (rate = port_console_rate_choice(i)) != 0; i++) {
        ic_line_integer(line, NULL, rate);
    }
    ic_line_list_close(line);
    ic_line_integer(line, "rate", port_console_rate());
}

void ic_answer_info(struct ic_answer *answer) {
    struct ic_line line;
    open_line(answer, &line, "hello");
    ic_line_integer(&line, "protocol", PROTOCOL);
    ic_line_text(&line, "firmware", IC_VERSION);
    ic_line_text(&line, "board", port_board());
    ic_line_text(&line, "chip", port_chip());
    ic_line_integer(&line, "cores", port_core_count());
    ic_line_text(&line, "clock", port_clock_name());
    ic_line_integer(&line, "hz", (int64_t)port_clock_hz());
    ic_line_integer(&line, "tick_hz", port_tick_hz());
    console_rates(&line);
    close_line(answer, &line);
    struct port_condition fact;
    for (uint32_t i = 0; port_condition(i, &fact); i++) {
        condition(answer, &fact);
    }
    end(answer, "ok", NULL);
}

/* ---- list and help ---- */

static void parameter(struct ic_answer *answer, const struct ic_benchmark *benchmark, size_t index) {
    const struct ic_parameter *parameter = ic_benchmark_parameter(benchmark, index);
    struct ic_line line;
    open_line(answer, &line, "parameter");
    ic_line_text(&line, "benchmark", benchmark->name);
    ic_line_text(&line, "name", parameter->name);
    const char *choice = ic_parameter_choice(parameter, 0);
    if (choice != NULL) {
        ic_line_text(&line, "kind", "choice");
        ic_line_list_open(&line, "choices");
        for (uint32_t i = 0; choice != NULL; choice = ic_parameter_choice(parameter, ++i)) {
            ic_line_text(&line, NULL, choice);
        }
        ic_line_list_close(&line);
        ic_line_text(&line, "default", ic_parameter_choice(parameter, ic_benchmark_default(benchmark, index)));
    } else {
        ic_line_text(&line, "kind", "integer");
        ic_line_integer(&line, "min", parameter->min);
        ic_line_integer(&line, "max", ic_benchmark_max(benchmark, index));
        ic_line_integer(&line, "default", ic_benchmark_default(benchmark, index));
    }
    ic_line_text(&line, "help", parameter->help);
    close_line(answer, &line);
}

void ic_answer_list(struct ic_answer *answer) {
    for (size_t i = 0; i < ic_benchmark_count; i++) {
        struct ic_line line;
        open_line(answer, &line, "benchmark");
        ic_line_text(&line, "name", ic_benchmarks[i]->name);
        ic_line_text(&line, "summary", ic_benchmarks[i]->summary);
        if (ic_benchmarks[i]->refused != NULL) {
            ic_line_text(&line, "refused", ic_benchmarks[i]->refused);
            close_line(answer, &line);
            continue;
        }
        close_line(answer, &line);
        for (size_t k = 0; ic_benchmark_parameter(ic_benchmarks[i], k) != NULL; k++) {
            parameter(answer, ic_benchmarks[i], k);
        }
    }
    end(answer, "ok", NULL);
}

static void help_line(struct ic_answer *answer, const char *text, const char *detail) {
    struct ic_line line;
    open_line(answer, &line, "log");
    ic_line_text(&line, "text", text);
    ic_line_text(&line, "detail", detail);
    close_line(answer, &line);
}

void ic_answer_help(struct ic_answer *answer) {
    help_line(answer, "info", "the target: chip, cores, clocks, compiler, kernel");
    help_line(answer, "list", "benchmarks and their parameters with ranges and defaults");
    help_line(answer, "run BENCHMARK name=value", "measures; name=a,b,c measures each value; the others have defaults");
    help_line(answer, "show BENCHMARK name=value", "measures, prints a table; resend 0 0- sends the samples");
    help_line(answer, "check BENCHMARK name=value", "lists the settings that cannot be measured, and why");
#ifdef IC_TRACE
    help_line(answer, "record BENCHMARK name=value", "measures with the recorder on; answers like run");
    help_line(answer, "trace", "the last recording: the events of each core");
#endif
    help_line(answer, "abort", "ends a run after the current repetition");
    help_line(answer, "rate BITS", "sets the console's bit rate, to one that info lists");
    help_line(answer, "resend ID LINES", "repeats lines of the last answer, e.g. resend 0 3-12,40-");
    for (size_t i = 0; i < ic_benchmark_count; i++) {
        help_line(answer, ic_benchmarks[i]->name, ic_benchmarks[i]->summary);
    }
#if IC_OWN_MAX > 0
    for (uint32_t i = IC_WORKLOADS_HERE; i < IC_WORKLOAD_COUNT && ic_workload_names[i] != NULL; i++) {
        help_line(answer, ic_workload_names[i],
                  "your workload: speedup workload=, contention workload=, memory other=");
    }
#endif
    end(answer, "ok", NULL);
}

/* ---- check ---- */

void ic_answer_impossible(struct ic_answer *answer, uint32_t setting, const struct ic_error *error) {
    struct ic_line line;
    open_line(answer, &line, "impossible");
    ic_line_integer(&line, "setting", setting);
    ic_line_text(&line, "code", error->code);
    ic_line_text(&line, "text", error->text);
    close_line(answer, &line);
}

void ic_answer_checked(struct ic_answer *answer) { end(answer, "ok", NULL); }

/* ---- run ---- */

void ic_answer_begin(struct ic_answer *answer, const struct ic_run *run) {
    struct ic_line line;
    open_line(answer, &line, "begin");
    ic_line_text(&line, "benchmark", run->benchmark->name);
    close_line(answer, &line);
    const struct ic_parameter *parameter;
    for (size_t i = 0; (parameter = ic_benchmark_parameter(run->benchmark, i)) != NULL; i++) {
        open_line(answer, &line, "factor");
        ic_line_text(&line, "name", parameter->name);
        const char *choice = ic_parameter_choice(parameter, run->values[i]);
        if (choice != NULL) {
            ic_line_text(&line, "value", choice);
        } else {
            ic_line_integer(&line, "value", run->values[i]);
        }
        close_line(answer, &line);
    }
}

static const char *const units[] = {
    [IC_UNIT_TICK] = "tick",
    [IC_UNIT_MOMENT] = "moment",
    [IC_UNIT_COUNT] = "count",
    [IC_UNIT_CORE] = "core",
};

static void samples(struct ic_answer *answer, const struct ic_series *series) {
    for (uint32_t index = 0; index < series->count; index += VALUES_MAX) {
        if (!wanted(answer)) {
            answer->next++; /* do not format lines that will not be sent: there may be thousands */
            continue;
        }
        struct ic_line line;
        open_line(answer, &line, "samples");
        ic_line_text(&line, "series", series->name);
        ic_line_text(&line, "unit", units[series->unit]);
        ic_line_integer(&line, "index", index);
        ic_line_list_open(&line, "values");
        for (uint32_t i = index; i < series->count && i - index < VALUES_MAX; i++) {
            ic_line_integer(&line, NULL, series->ticks[i]);
        }
        ic_line_list_close(&line);
        close_line(answer, &line);
    }
}

static const char *status_of(const struct ic_run *run) {
    const struct ic_checks *checks = &run->checks;
    if (checks->wrong > 0 || checks->migrated > 0 || checks->lost > 0 ||
        checks->migrations_done < checks->migrations_requested) {
        return "failed";
    }
    return run->aborted ? "aborted" : "ok";
}

static bool tell_line(const struct ic_run *run, uint32_t index, struct ic_text *line) {
    return run->benchmark->tell != NULL ? run->benchmark->tell(run, index, line) : ic_summary_tell(run, index, line);
}

/* Sends the result table for a person, in unnumbered `log` lines. Does so only if the command had no id and all lines
 * of the answer are being sent. */
static void tell(const struct ic_answer *answer, const struct ic_run *run) {
    if (answer->id != 0 || answer->first != 0 || answer->last != UINT32_MAX) {
        return;
    }
    struct ic_text text = {.length = 0};
    for (uint32_t i = 0; tell_line(run, i, &text); i++) {
        struct ic_line line;
        ic_line_open(&line, "log");
        ic_line_integer(&line, "id", answer->id);
        ic_line_text(&line, "text", text.text);
        send_line(&line);
        text = (struct ic_text){.length = 0};
    }
}

void ic_answer_result(struct ic_answer *answer, const struct ic_run *run) {
    const struct ic_series *series;
    for (size_t i = 0; (series = ic_samples_series(i)) != NULL; i++) {
        struct ic_line line;
        open_line(answer, &line, "series");
        ic_line_text(&line, "name", series->name);
        ic_line_text(&line, "unit", units[series->unit]);
        bool common = series->clock == IC_CLOCK_COMMON;
        ic_line_text(&line, "clock", common ? "common" : "counter");
        ic_line_integer(&line, "hz", (int64_t)(common ? port_clock_hz() : port_cycles_hz()));
        ic_line_integer(&line, "count", series->count);
        close_line(answer, &line);
    }
    for (size_t i = 0; (series = ic_samples_series(i)) != NULL; i++) {
        samples(answer, series);
    }
    tell(answer, run);
    end(answer, status_of(run), &run->checks);
}

/* ---- trace ---- */

#ifdef IC_TRACE
/* Maximum number of trace events in a line: the three numbers of an event have up to 20, 10 and 10 digits */
#define EVENTS_MAX 8U

static void ring(struct ic_answer *answer, uint32_t core) {
    uint32_t count = ic_trace_count(core);
    struct ic_line line;
    open_line(answer, &line, "ring");
    ic_line_integer(&line, "core", core);
    ic_line_integer(&line, "hz", (int64_t)port_clock_hz());
    ic_line_integer(&line, "recorded", count);
    ic_line_integer(&line, "kept", count - ic_trace_first(core));
    ic_line_list_open(&line, "costs");
    for (uint32_t i = 0; i < IC_TRACE_COSTS; i++) {
        ic_line_integer(&line, NULL, ic_trace_costs(core)[i]);
    }
    ic_line_list_close(&line);
    if (ic_trace_others_cost(core) != 0) {
        ic_line_integer(&line, "scheduler_cost", ic_trace_others_cost(core));
    }
    close_line(answer, &line);
}

static void ring_names(struct ic_answer *answer, uint32_t core) {
    for (uint32_t i = 0; i < IC_TRACE_NAMES; i++) {
        const char *text = ic_trace_name(core, i);
        if (text == NULL) {
            continue;
        }
        struct ic_line line;
        open_line(answer, &line, "name");
        ic_line_integer(&line, "number", core * IC_TRACE_NAMES + i);
        ic_line_text(&line, "text", text);
        close_line(answer, &line);
    }
}

static void ring_events(struct ic_answer *answer, uint32_t core) {
    uint32_t count = ic_trace_count(core);
    for (uint32_t number = ic_trace_first(core); number < count; number += EVENTS_MAX) {
        if (!wanted(answer)) {
            answer->next++;
            continue;
        }
        struct ic_line line;
        open_line(answer, &line, "events");
        ic_line_integer(&line, "core", core);
        ic_line_integer(&line, "index", number);
        ic_line_list_open(&line, "values");
        for (uint32_t i = number; i < count && i - number < EVENTS_MAX; i++) {
            const struct ic_trace_event *event = ic_trace_event(core, i);
            ic_line_integer(&line, NULL, (int64_t)event->time);
            ic_line_integer(&line, NULL, event->what);
            ic_line_integer(&line, NULL, event->object);
        }
        ic_line_list_close(&line);
        close_line(answer, &line);
    }
}

void ic_answer_trace(struct ic_answer *answer) {
    for (uint32_t core = 0; core < port_core_count(); core++) {
        ring(answer, core);
        ring_names(answer, core);
        ring_events(answer, core);
    }
    end(answer, "ok", NULL);
}
#endif

/* ---- lines without a number ---- */

void ic_answer_progress(const struct ic_run *run) {
    struct ic_line line;
    ic_line_open(&line, "progress");
    ic_line_integer(&line, "id", run->id);
    ic_line_integer(&line, "done", run->checks.done);
    ic_line_integer(&line, "of", run->checks.repetitions);
    send_line(&line);
}

void ic_answer_rate(uint32_t id, uint32_t rate) {
    struct ic_line line;
    ic_line_open(&line, "rate");
    ic_line_integer(&line, "id", id);
    ic_line_integer(&line, "rate", rate);
    send_line(&line);
}

void ic_answer_error(uint32_t id, const struct ic_error *error) {
    struct ic_line line;
    ic_line_open(&line, "error");
    ic_line_integer(&line, "id", id);
    ic_line_text(&line, "code", error->code);
    ic_line_text(&line, "text", error->text);
    send_line(&line);
}
