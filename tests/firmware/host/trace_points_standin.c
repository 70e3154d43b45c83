/* Stands in for Linux and the rest of the port while the recorder puts together what they tell of one core. */
#include <stdio.h>

#include "port.h"
#include "port_trace.h"
#include "ring_trace.h"
#include "trace.h"
#include "trace_cost_posix.h"
#include "trace_points_posix.h"
#include "trace_posix.h"
#include "trace_scheduler_posix.h"

#define RECORDS_MAX 4096U

static uint64_t now;
static int thread;
static struct trace_point_record records[RECORDS_MAX];
static uint32_t record_count, kept_count;
static uint32_t authors[IC_TRACE];

uint32_t port_core_id(void) { return 0; }
uint32_t port_core_count(void) { return 1; }
uint64_t port_clock(void) { return now; }
uint64_t port_cycles(void) { return now; }
uint32_t port_trace_mask(void) { return 0; }
void port_trace_unmask(uint32_t kept) { (void)kept; }
uint32_t trace_posix_author(uint32_t core, uint32_t number) { return authors[core + number % IC_TRACE]; }
void trace_posix_for_each_core(void (*call)(uint32_t core)) { call(0); }
int standin_gettid(void) { return thread; }

uint32_t trace_cost_of_record(uint32_t core) { return 640U + core; }

const char *trace_points_start(void) { return NULL; }
void trace_points_begin(void) {}
void trace_points_end(void) {}
uint32_t trace_points_count(uint32_t core) { return core + record_count; }
uint32_t trace_points_room(void) { return RECORDS_MAX; }

uint32_t trace_points_read(uint32_t core, struct trace_point_record *read, uint32_t room) {
    uint32_t count = core;
    while (count < kept_count && count < room) {
        read[count] = records[record_count - 1U - count];
        count++;
    }
    return count;
}

/* A task runs to its end when it is started. */
enum port_error port_task_start(port_task_t *task, const struct port_task_config *config) {
    (void)task;
    config->entry(config->arg);
    return PORT_OK;
}
void port_task_join(port_task_t *task) { (void)task; }

uint32_t standin_task(int id, const char *name) {
    thread = id;
    uint32_t task = ic_trace_task(name);
    trace_scheduler_know(task);
    return task;
}

void standin_begin(void) {
    record_count = 0;
    ic_trace_arm(true);
    trace_scheduler_start();
}

void standin_event(uint64_t time, uint32_t object, uint32_t author) {
    now = time;
    authors[ic_trace_count(0) % IC_TRACE] = author;
    ic_trace_put(IC_TRACE_MARK, object);
}

static struct trace_point_thread named(int id) {
    struct trace_point_thread found = {.id = id};
    snprintf(found.name, sizeof found.name, "program %d", id);
    return found;
}

void standin_switch(uint64_t time, int left, int comes, bool runs_on) {
    records[record_count++] = (struct trace_point_record){
        .time = time, .point = TRACE_POINT_SWITCH, .left = named(left), .thread = named(comes), .runs_on = runs_on};
}

void standin_waking(uint64_t time, int woken, bool in_interrupt) {
    records[record_count++] = (struct trace_point_record){
        .time = time, .point = TRACE_POINT_WAKING, .thread = {.id = woken}, .in_interrupt = in_interrupt};
}

/* Of the records the last `kept` are still there. */
void standin_keep(uint32_t kept) { kept_count = kept < record_count ? kept : record_count; }
