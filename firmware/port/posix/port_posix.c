/* port.h on POSIX threads. POSIX has no functions for affinity and for the number of a core; that code is for Linux
 * only. */
#include "port_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "counter_posix.h"
#include "lock_posix.h"
#include "port.h"
#include "port_objects.h"
#include "trace_posix.h"
#include "turns_posix.h"

#define NS_PER_S 1000000000ULL
/* Rate of the nominal tick, for code that sleeps for kernel ticks: 1 kHz, as on the boards. Linux itself wakes sleeping
 * tasks without a periodic tick. */
#define TICK_HZ 1000U
/* SCHED_FIFO priorities 10 (console) to 18 (highest task). They are above the priorities of other real-time programs of
 * a PC (rtkit's 1 to 5), and below the kernel threads that serve the timers (50 and more). */
#define FIFO_BASE 10

static uint32_t core_count;
static int cpu_of_core[PORT_CORES_MAX];
static bool realtime;
static bool time_slicing;
static uint64_t began;
static port_task_t console_task;
static __thread port_task_t *self;

/* ---- cores ---- */

uint32_t port_core_count(void) { return core_count; }

uint32_t port_core_id(void) {
    int cpu = sched_getcpu();
    for (uint32_t core = 0; core < core_count; core++) {
        if (cpu_of_core[core] == cpu) {
            return core;
        }
    }
    return PORT_CORE_ANY; /* the process's affinity was changed from outside after start-up */
}

int port_posix_cpu(uint32_t core) { return cpu_of_core[core]; }

void port_posix_cpu_set(uint32_t core, cpu_set_t *set) {
    CPU_ZERO(set);
    for (uint32_t i = 0; i < core_count; i++) {
        if (core == i || core == PORT_CORE_ANY) {
            CPU_SET((size_t)cpu_of_core[i], set);
        }
    }
}

/* ---- clocks ---- */

uint64_t port_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t port_clock_hz(void) { return NS_PER_S; }

uint32_t port_tick_hz(void) { return TICK_HZ; }

const char *port_clock_name(void) { return "CLOCK_MONOTONIC"; }

/* ---- tasks ---- */

static void *run_task(void *arg) {
    self = arg;
    atomic_store(&self->id, (int)gettid());
    bool takes_turns = self->takes_turns && turns_posix_begin();
    if (self->takes_turns && !takes_turns) { /* no timer is left, so the system's own time slices are used, which are
                                                long */
        struct sched_param param;
        (void)sched_getparam(0, &param);
        (void)sched_setscheduler(0, SCHED_RR, &param);
    }
    trace_posix_begins(self);
    self->entry(self->arg);
    trace_posix_ends(self);
    if (takes_turns) {
        turns_posix_end();
    }
    return NULL;
}

static enum port_error start_thread(port_task_t *task, const struct port_task_config *config) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) {
        return PORT_ERR_RESOURCE;
    }
    cpu_set_t set;
    port_posix_cpu_set(config->core, &set);
    int failed = pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
    if (failed == 0 && config->stack_bytes > 0) {
        size_t usual;
        (void)pthread_attr_getstacksize(&attributes, &usual);
        failed = pthread_attr_setstacksize(&attributes, usual + config->stack_bytes);
    }
    if (failed == 0 && realtime) {
        struct sched_param param = {.sched_priority = FIFO_BASE + (int)config->priority};
        /* These three calls cannot fail, because their arguments are valid. */
        (void)pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
        (void)pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
        (void)pthread_attr_setschedparam(&attributes, &param);
    }
    if (failed == 0) {
        failed = pthread_create(&task->thread, &attributes, run_task, task);
    }
    pthread_attr_destroy(&attributes);
    return failed == 0 ? PORT_OK : PORT_ERR_RESOURCE;
}

enum port_error port_task_start(port_task_t *task, const struct port_task_config *config) {
    task->entry = config->entry;
    task->arg = config->arg;
    task->takes_turns = realtime && time_slicing;
    atomic_store(&task->id, 0);
    atomic_store_explicit(&task->suspended, false, memory_order_relaxed);
    if (sem_init(&task->notifications, 0, 0) != 0 || sem_init(&task->resumed, 0, 0) != 0) {
        return PORT_ERR_RESOURCE;
    }
    trace_posix_created(task, config->name);
    enum port_error error = start_thread(task, config);
    if (error != PORT_OK) {
        sem_destroy(&task->notifications);
        sem_destroy(&task->resumed);
    }
    return error;
}

void port_task_join(port_task_t *task) {
    pthread_join(task->thread, NULL);
    sem_destroy(&task->notifications);
    sem_destroy(&task->resumed);
}

/* In /proc/self/task/ID/stat the state follows the thread's name, which is in parentheses (proc(5)). State S is an
 * interruptible sleep. */
bool port_task_waits(const port_task_t *task) {
    char path[sizeof "/proc/self/task/-2147483648/stat"];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", atomic_load(&task->id));
    FILE *file = fopen(path, "re");
    if (file == NULL) { /* not begun yet */
        return false;
    }
    char line[256];
    const char *name_end = fgets(line, sizeof line, file) != NULL ? strrchr(line, ')') : NULL;
    fclose(file);
    return name_end != NULL && strncmp(name_end, ") S", 3) == 0;
}

port_task_t *port_task_self(void) { return self; }

/* Applies to tasks that are started later. With SCHED_FIFO and without time slicing, a thread runs until it waits or
 * yields. With SCHED_OTHER, Linux always slices time. */
void port_time_slicing(bool on) { time_slicing = on; }

void port_yield(void) { sched_yield(); }

uint64_t port_preemptions(void) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (uint64_t)usage.ru_nivcsw;
}

/* ---- wake-ups ---- */

void port_notify(port_task_t *task) { sem_post(&task->notifications); }

void port_notify_take(void) {
    while (sem_wait(&self->notifications) != 0) {
        /* EINTR: a debugger or a stop signal; the wait continues */
    }
}

uint32_t port_notify_count(void) {
    int count = 0;
    (void)sem_getvalue(&self->notifications, &count); /* fails only for an invalid semaphore */
    return count > 0 ? (uint32_t)count : 0;
}

static enum port_error init_semaphore(port_sem_t *sem, uint32_t initial, bool binary) {
    sem->binary = binary;
    atomic_init(&sem->given, false);
    return sem_init(&sem->count, 0, initial) == 0 ? PORT_OK : PORT_ERR_RESOURCE;
}

enum port_error port_sem_init(port_sem_t *sem, uint32_t initial) { return init_semaphore(sem, initial, false); }

enum port_error port_sem_init_binary(port_sem_t *sem) { return init_semaphore(sem, 0, true); }

void port_sem_destroy(port_sem_t *sem) { sem_destroy(&sem->count); }

void port_sem_give(port_sem_t *sem) {
    if (!sem->binary || !atomic_exchange(&sem->given, true)) {
        sem_post(&sem->count);
    }
}

static struct timespec timespec_of(uint64_t when) {
    return (struct timespec){.tv_sec = (time_t)(when / NS_PER_S), .tv_nsec = (long)(when % NS_PER_S)};
}

enum port_error port_sem_take(port_sem_t *sem, uint64_t deadline) {
    struct timespec limit = timespec_of(deadline);
    for (;;) {
        int failed =
            deadline == PORT_FOREVER ? sem_wait(&sem->count) : sem_clockwait(&sem->count, CLOCK_MONOTONIC, &limit);
        if (failed == 0) {
            if (sem->binary) { /* the exchange also makes visible what the giving task wrote before */
                (void)atomic_exchange(&sem->given, false);
            }
            return PORT_OK;
        }
        if (errno == ETIMEDOUT) {
            return PORT_ERR_TIMEOUT;
        }
    }
}

/* ---- waiting ---- */

static atomic_uint handled; /* orders memory between handlers and whoever has slept, as on a chip */

void port_posix_handled(void) { atomic_fetch_add(&handled, 1); }

void port_sleep_until(uint64_t when) {
    struct timespec limit = timespec_of(when);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &limit, NULL) == EINTR) {
    }
    (void)atomic_load(&handled);
}

void port_sleep_ticks(uint32_t ticks) { port_sleep_until(port_tick_edge() + ticks * (NS_PER_S / TICK_HZ)); }

/* ---- console ---- */

/* Waits until standard input has data or has ended. If the deadline has passed, only checks, without waiting. */
static bool input_ready(uint64_t deadline) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    for (;;) {
        struct timespec left = {0, 0};
        uint64_t now = port_clock();
        if (deadline > now && deadline != PORT_FOREVER) {
            left = timespec_of(deadline - now);
        }
        int ready = ppoll(&input, 1, deadline == PORT_FOREVER ? NULL : &left, NULL);
        if (ready >= 0) {
            return ready > 0;
        }
        if (errno != EINTR) {
            return true; /* let read() report the error */
        }
    }
}

enum port_error port_console_read(uint8_t *buffer, size_t size, size_t *received, uint64_t deadline) {
    *received = 0;
    if (!input_ready(deadline)) {
        return PORT_ERR_TIMEOUT;
    }
    for (;;) {
        ssize_t count = read(STDIN_FILENO, buffer, size);
        if (count > 0) {
            *received = (size_t)count;
            return PORT_OK;
        }
        if (count == 0 || errno != EINTR) {
            return PORT_ERR_CLOSED;
        }
    }
}

enum port_error port_console_write(const uint8_t *bytes, size_t size) {
    while (size > 0) {
        ssize_t count = write(STDOUT_FILENO, bytes, size);
        if (count >= 0) {
            bytes += count;
            size -= (size_t)count;
        } else if (errno == EAGAIN) { /* the terminal is non-blocking, but this function must block */
            struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
            (void)poll(&output, 1, -1);
        } else if (errno != EINTR) {
            return PORT_ERR_CLOSED;
        }
    }
    return PORT_OK;
}

/* Standard input and output have no bit rate. */
uint32_t port_console_rate_choice(uint32_t index) {
    (void)index;
    return 0;
}

uint32_t port_console_rate(void) { return 0; }

void port_console_set_rate(uint32_t bits_per_second) { (void)bits_per_second; }

/* ---- start-up ---- */

static bool awake;

/* Asks Linux to keep the processors out of sleep states that take long to leave (Documentation/power/pm_qos_interface),
 * as cyclictest does. The request is valid while the file is open, so the file stays open until the process ends. */
static void keep_awake(void) {
    int file = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
    int32_t latency_us = 0;
    awake = file >= 0 && write(file, &latency_us, sizeof latency_us) == (ssize_t)sizeof latency_us;
    if (file >= 0 && !awake) {
        close(file);
    }
}

static bool find_cores(void) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return false;
    }
    for (int cpu = 0; cpu < CPU_SETSIZE && core_count < PORT_CORES_MAX; cpu++) {
        if (CPU_ISSET((size_t)cpu, &allowed)) {
            cpu_of_core[core_count++] = cpu;
        }
    }
    return core_count > 0;
}

bool port_posix_start(void) {
    began = port_clock();
    if (!find_cores() || sem_init(&console_task.notifications, 0, 0) != 0 ||
        sem_init(&console_task.resumed, 0, 0) != 0 || !lock_posix_start() || !trace_posix_start()) {
        return false;
    }
    self = &console_task;
    console_task.thread = pthread_self();
    atomic_store(&console_task.id, (int)gettid());

    cpu_set_t first;
    port_posix_cpu_set(0, &first);
    if (sched_setaffinity(0, sizeof first, &first) != 0) {
        return false;
    }
    struct sched_param param = {.sched_priority = FIFO_BASE};
    realtime = IC_REALTIME && sched_setscheduler(0, SCHED_FIFO, &param) == 0;
    keep_awake();
    counter_posix_start();
    return true;
}

const char *port_posix_cpus(void) {
    static char text[PORT_CORES_MAX * 5U];
    size_t length = 0;
    for (uint32_t core = 0; core < core_count; core++) {
        length += (size_t)snprintf(text + length, sizeof text - length, core > 0 ? ",%d" : "%d", cpu_of_core[core]);
    }
    return text;
}

uint32_t port_recovered_doorbells(void) { return 0; }

/* There is no mark pin. */
void port_mark(bool on) { (void)on; }

uint64_t port_posix_began(void) { return began; }

uint32_t port_posix_turn_ms(void) { return realtime ? TURNS_POSIX_MS : 0; }

const char *port_posix_policy(void) { return realtime ? "SCHED_FIFO" : "SCHED_OTHER"; }

const char *port_posix_wake_latency(void) { return awake ? "0" : "not set"; }
