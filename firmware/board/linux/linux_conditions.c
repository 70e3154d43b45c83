#include "linux_conditions.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "counter_posix.h"
#include "port.h"
#include "port_posix.h"
#include "trace_scheduler_posix.h"

#define VALUE_MAX 256U
#define CONDITIONS_MAX 48U

#if defined(__x86_64__)
#define ATOMIC "one instruction: lock xadd, lock cmpxchg"
#else
#define ATOMIC "what the compiler makes of C11's atomics"
#endif

static struct port_condition conditions[CONDITIONS_MAX];
static char values[CONDITIONS_MAX][VALUE_MAX];
static uint32_t condition_count;

static void add(const char *key, const char *value) {
    if (condition_count == CONDITIONS_MAX) {
        return;
    }
    char *copy = values[condition_count];
    snprintf(copy, VALUE_MAX, "%s", value[0] != '\0' ? value : "unknown");
    conditions[condition_count++] = (struct port_condition){key, copy};
}

static void add_number(const char *key, unsigned long long value) {
    char text[24];
    snprintf(text, sizeof text, "%llu", value);
    add(key, text);
}

static void cut_line_end(char *line) {
    char *end = strchr(line, '\n');
    if (end != NULL) {
        *end = '\0';
    }
}

/* Adds the size of a cache as a condition (a property of the machine, stored with each run); 0 if the C library cannot
 * tell. */
static void add_cache(const char *key, int name) {
    long bytes = sysconf(name);
    add_number(key, bytes > 0 ? (unsigned long long)bytes : 0);
}

/* Reads the first line of a file into `line`, without the line end. `line` is empty if there is no such file or
 * line. */
static void read_first_line(const char *path, char *line, size_t size) {
    line[0] = '\0';
    FILE *file = fopen(path, "re");
    if (file != NULL) {
        if (fgets(line, (int)size, file) == NULL) {
            line[0] = '\0';
        }
        fclose(file);
    }
    cut_line_end(line);
}

static void add_file(const char *key, const char *path) {
    char line[VALUE_MAX];
    read_first_line(path, line, sizeof line);
    add(key, line);
}

/* Reads the value of the first "key : value" line of /proc/cpuinfo with this key. `value` is empty if there is no such
 * line. */
static void read_cpuinfo(const char *key, char *value, size_t size) {
    char line[4096]; /* large: the line `flags` can be very long */
    value[0] = '\0';
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (file == NULL) {
        return;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) == 0 && colon != NULL) {
            cut_line_end(line);
            snprintf(value, size, "%s", colon + 1 + strspn(colon + 1, " "));
            break;
        }
    }
    fclose(file);
}

static const char *virtualisation(void) {
    char flags[4096];
    read_cpuinfo("flags", flags, sizeof flags);
    if (flags[0] == '\0') {
        return "unknown";
    }
    return strstr(flags, " hypervisor") != NULL ? "virtual machine" : "none seen";
}

/* Adds the frequency governor as a condition: `none` on most virtual machines, where nothing controls the frequency. */
static void add_governor(void) {
    char governor[VALUE_MAX];
    read_first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor, sizeof governor);
    add("cpu.governor", governor[0] != '\0' ? governor : "none");
}

static void add_kernel(void) {
    struct utsname name;
    char text[VALUE_MAX];
    if (uname(&name) == 0) {
        snprintf(text, sizeof text, "%s %s %s", name.sysname, name.release, name.version);
        add("os.kernel", text);
        add("cpu.architecture", name.machine);
    }
}

static void add_counter_uncertainty(void) {
    char text[24];
    snprintf(text, sizeof text, "%u ppm", (unsigned)counter_posix_uncertainty_ppm());
    add("cpu.cycle_counter_uncertainty", text);
}

static void add_regions(void) {
    char text[VALUE_MAX] = "";
    size_t length = 0;
    struct port_region region;
    for (uint32_t i = 0; port_region(i, &region) && length < sizeof text; i++) {
        if (i == 0) {
            add_number("memory.ram_bytes", region.bytes);
        }
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s %zu", i > 0 ? ", " : "", region.name,
                                   region.bytes);
    }
    if (length < sizeof text) {
        snprintf(text + length, sizeof text - length, " bytes");
    }
    add("memory.regions", text);
    add_number("memory.word_bytes", sizeof(uintptr_t));
    add("memory.flash", "none, a table in ram stands in for it");
}

/* Adds conditions that say what replaces the kernel objects of an RTOS on Linux (port_objects.h). */
static void add_objects(void) {
    add("object.notification", "POSIX semaphore of the thread");
    add("object.semaphore", "POSIX semaphore; a binary one with a flag before it");
    add("object.mutex", port_posix_inherits_priority() ? "POSIX mutex, PTHREAD_PRIO_INHERIT"
                                                       : "POSIX mutex; the system has no priority inheritance");
    add("object.queue", "ring in memory, POSIX mutex and two condition variables");
    add("object.events", "bits in memory, POSIX mutex and condition variable");
    add("object.stream", "pipe");
    add("object.memory", "malloc of the C library");
}

void linux_conditions_start(void) {
    add_kernel();
    add("cpu.virtualisation", virtualisation());
    add_governor();
    add("cpu.wake_latency_us", port_posix_wake_latency());
    add_number("cpu.online", (unsigned long long)sysconf(_SC_NPROCESSORS_ONLN));
    add("cpu.of_cores", port_posix_cpus());
    add_file("cpu.smt_active", "/sys/devices/system/cpu/smt/active");
    add_cache("cpu.cache.l2_bytes", _SC_LEVEL2_CACHE_SIZE);
    add_cache("cpu.cache.l3_bytes", _SC_LEVEL3_CACHE_SIZE);
    add("clock.counter", counter_posix_name());
    add_number("clock.counter_bits", port_cycles_bits());
    add_number("cpu.cycle_counter_hz", port_cycles_hz());
    add_counter_uncertainty();
    add_file("os.load_at_start", "/proc/loadavg");
    add("scheduler.policy", port_posix_policy());
    add_number("scheduler.timeslice_ms", port_posix_turn_ms());
    add_file("scheduler.rt_runtime_us", "/proc/sys/kernel/sched_rt_runtime_us");
    add_objects();
    add("interrupt.timer", "timer_create(CLOCK_MONOTONIC) to a signal handler in a thread on the core");
    add("interrupt.doorbell", "pthread_kill() to a signal handler in a thread on the core");
    add("main_loop", "none: a task of the benchmark's own stands in");
    add("mark", "none");
    add("compiler", IC_COMPILER);
    add("compiler.flags", IC_FLAGS);
    add("critical_section", port_posix_inherits_priority() ? "one recursive POSIX mutex, PTHREAD_PRIO_INHERIT"
                                                           : "one recursive POSIX mutex");
    add("spinlock", "pthread_spin_lock");
    add("atomic", ATOMIC);
    add_regions();
#ifdef IC_TRACE
    char text[VALUE_MAX];
    snprintf(text, sizeof text, "%u events of each core; off unless `record` measures", IC_TRACE);
    add("recorder", text);
    const char *why_not = trace_scheduler_why_not();
    snprintf(text, sizeof text, "%s%s", why_not == NULL ? "seen" : "not seen: ", why_not == NULL ? "" : why_not);
    add("recorder.scheduler", text);
#endif
}

bool port_condition(uint32_t index, struct port_condition *condition) {
    if (index >= condition_count) {
        return false;
    }
    *condition = conditions[index];
    return true;
}

const char *port_board(void) { return "linux"; }

const char *port_chip(void) {
    static char model[128];
    if (model[0] == '\0') {
        read_cpuinfo("model name", model, sizeof model);
        if (model[0] == '\0') { /* Arm kernels name no model */
            snprintf(model, sizeof model, "unknown CPU");
        }
    }
    return model;
}
