#include "trace_points_posix.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "port.h"
#include "port_posix.h"
#include "trace.h"

/* Bytes that a record takes in the ring buffer, at least, usually and at most: its header, the time, and the 36 to 68
 * bytes of the trace point */
#define RECORD_MIN 48U
#define RECORD_USUAL 96U
#define RECORD_MAX 512U
#define FORMAT_MAX 4096U
#define FOLDER "/sys/kernel/tracing"

/* Bit of common_flags: the event happened in a hardware interrupt (TRACE_FLAG_HARDIRQ in Linux's
 * include/linux/trace_events.h) */
#define IN_INTERRUPT 0x08U
/* Bits of prev_state of which one is set if the thread waits or ends (TASK_REPORT in include/linux/sched.h) */
#define WAITS 0xffU

/* Position of a value in a trace point's record. Linux states the position in the trace point's file `format`, together
 * with the value's size, which must be `size`. */
struct field {
    const char *name;
    uint32_t size;
    uint32_t offset;
};

enum { LEFT_NAME, LEFT_ID, LEFT_STATE, COMES_NAME, COMES_ID, FIELDS_OF_SWITCH };
enum { FLAGS, WOKEN_ID, FIELDS_OF_WAKING };
static struct field of_switch[FIELDS_OF_SWITCH] = {{"prev_comm", TRACE_POINTS_NAME_MAX, 0},
                                                   {"prev_pid", sizeof(int), 0},
                                                   {"prev_state", sizeof(long), 0},
                                                   {"next_comm", TRACE_POINTS_NAME_MAX, 0},
                                                   {"next_pid", sizeof(int), 0}};
static struct field of_waking[FIELDS_OF_WAKING] = {{"common_flags", sizeof(uint8_t), 0}, {"pid", sizeof(int), 0}};
static struct field of_waking_new[FIELDS_OF_WAKING] = {{"common_flags", sizeof(uint8_t), 0}, {"pid", sizeof(int), 0}};

static struct {
    const char *name;
    struct field *fields;
    uint32_t field_count;
    uint32_t bytes; /* least size of a record that has all fields */
    uint64_t id;
} points[TRACE_POINTS] = {
    {"sched_switch", of_switch, FIELDS_OF_SWITCH, 0, 0},
    {"sched_waking", of_waking, FIELDS_OF_WAKING, 0, 0},
    {"sched_wakeup_new", of_waking_new, FIELDS_OF_WAKING, 0, 0},
};

static struct ring {
    int files[TRACE_POINTS];
    struct perf_event_mmap_page *page; /* followed by the ring buffer */
    uint64_t head;                     /* data_head when recording began */
    uint64_t before;                   /* number of records before recording began */
    uint64_t count;                    /* number of records since then */
} rings[PORT_CORES_MAX];

static size_t page_bytes;
static size_t ring_bytes; /* a power of two */
static char why_not[160];

/* ---- formats ---- */

static const char *reason(void) {
    return strerror(errno); // NOLINT(concurrency-mt-unsafe): no other thread runs yet
}

static bool read_file(const char *point, const char *file, char *text, size_t size) {
    char path[96];
    snprintf(path, sizeof path, FOLDER "/events/sched/%s/%s", point, file);
    FILE *opened = fopen(path, "re");
    size_t length = 0;
    if (opened != NULL) {
        length = fread(text, 1, size - 1U, opened);
        fclose(opened);
    }
    if (length == 0) {
        snprintf(why_not, sizeof why_not, "%s: %s", path, reason());
    }
    text[length] = '\0';
    return length > 0;
}

/* The number after a word; UINT32_MAX if the word is missing */
static uint32_t number_behind(const char *text, const char *word) {
    const char *found = strstr(text, word);
    return found != NULL ? (uint32_t)strtoul(found + strlen(word), NULL, 10) : UINT32_MAX;
}

/* Finds a field in a trace point's format. A line there is "field:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;"; an
 * array's name is followed by its length, as "[16]". */
static bool find_field(const char *format, struct field *field) {
    size_t length = strlen(field->name);
    for (const char *at = strstr(format, field->name); at != NULL; at = strstr(at + 1, field->name)) {
        bool whole = at > format && at[-1] == ' ' && (at[length] == ';' || at[length] == '[');
        if (whole) {
            field->offset = number_behind(at, "offset:");
            return number_behind(at, "size:") == field->size && field->offset < FORMAT_MAX;
        }
    }
    return false;
}

static bool find_points(void) {
    for (uint32_t point = 0; point < TRACE_POINTS; point++) {
        const char *name = points[point].name;
        char text[FORMAT_MAX];
        if (!read_file(name, "id", text, sizeof text)) {
            return false;
        }
        points[point].id = strtoull(text, NULL, 10);
        if (!read_file(name, "format", text, sizeof text)) {
            return false;
        }
        for (uint32_t i = 0; i < points[point].field_count; i++) {
            struct field *field = &points[point].fields[i];
            if (!find_field(text, field)) {
                snprintf(why_not, sizeof why_not, "%s of this Linux has no %s of %u bytes", name, field->name,
                         field->size);
                return false;
            }
            uint32_t end = field->offset + field->size;
            points[point].bytes = end > points[point].bytes ? end : points[point].bytes;
        }
    }
    return true;
}

/* ---- the rings ---- */

/* Here Linux writes the ring buffer backwards, from its end to its beginning, and overwrites the oldest records. So the
 * reader begins at the newest record, and only the oldest may be incomplete. */
static int open_point(uint32_t core, enum trace_point point) {
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_TRACEPOINT,
        .size = sizeof attributes,
        .config = points[point].id,
        .sample_period = 1,
        .sample_type = (uint64_t)PERF_SAMPLE_TIME | (uint64_t)PERF_SAMPLE_RAW,
        .disabled = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC, /* port_clock() */
        .write_backward = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, -1, port_posix_cpu(core), -1, PERF_FLAG_FD_CLOEXEC);
}

static bool open_ring(uint32_t core) {
    struct ring *ring = &rings[core];
    for (uint32_t point = 0; point < TRACE_POINTS; point++) {
        ring->files[point] = open_point(core, point);
        if (ring->files[point] < 0) {
            snprintf(why_not, sizeof why_not, "perf_event_open: %s", reason());
            return false;
        }
    }
    void *page = mmap(NULL, page_bytes + ring_bytes, PROT_READ, MAP_SHARED, ring->files[0], 0);
    bool shared = page != MAP_FAILED;
    ring->page = shared ? page : NULL;
    for (uint32_t point = 1; point < TRACE_POINTS && shared; point++) {
        shared = ioctl(ring->files[point], PERF_EVENT_IOC_SET_OUTPUT, ring->files[0]) == 0;
    }
    if (!shared) {
        snprintf(why_not, sizeof why_not, "a ring of perf_event_open: %s", reason());
    }
    return shared;
}

static void close_ring(uint32_t core) {
    struct ring *ring = &rings[core];
    for (uint32_t point = 0; point < TRACE_POINTS; point++) {
        if (ring->files[point] >= 0) {
            close(ring->files[point]);
        }
    }
    if (ring->page != NULL) {
        munmap(ring->page, page_bytes + ring_bytes);
    }
}

const char *trace_points_start(void) {
    page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    for (ring_bytes = page_bytes; ring_bytes < (size_t)IC_TRACE * RECORD_USUAL; ring_bytes *= 2U) {
    }
    if (!find_points()) {
        return why_not;
    }
    bool open = true;
    for (uint32_t core = 0; core < port_core_count(); core++) {
        rings[core] = (struct ring){.files = {-1, -1, -1}};
        open = open && open_ring(core);
    }
    for (uint32_t core = 0; core < port_core_count() && !open; core++) {
        close_ring(core);
    }
    return open ? NULL : why_not;
}

static uint64_t counted(const struct ring *ring) {
    uint64_t all = 0;
    for (uint32_t point = 0; point < TRACE_POINTS; point++) {
        uint64_t count = 0;
        if (read(ring->files[point], &count, sizeof count) == (ssize_t)sizeof count) {
            all += count;
        }
    }
    return all;
}

static uint64_t head_of(const struct ring *ring) { return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE); }

static void control(uint32_t core, unsigned long request) {
    for (uint32_t point = 0; point < TRACE_POINTS; point++) {
        (void)ioctl(rings[core].files[point], request, 0);
    }
}

static void control_all(unsigned long request) {
    for (uint32_t core = 0; core < port_core_count(); core++) {
        control(core, request);
    }
}

uint64_t trace_points_switch(uint32_t core, bool on) {
    control(core, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE);
    return counted(&rings[core]);
}

void trace_points_begin(void) {
    for (uint32_t core = 0; core < port_core_count(); core++) {
        rings[core].head = head_of(&rings[core]);
        rings[core].before = counted(&rings[core]);
    }
    control_all(PERF_EVENT_IOC_ENABLE);
}

void trace_points_end(void) {
    control_all(PERF_EVENT_IOC_DISABLE);
    for (uint32_t core = 0; core < port_core_count(); core++) {
        rings[core].count = counted(&rings[core]) - rings[core].before;
    }
}

uint32_t trace_points_count(uint32_t core) { return (uint32_t)rings[core].count; }

uint32_t trace_points_room(void) { return (uint32_t)(ring_bytes / RECORD_MIN); }

/* ---- records ---- */

static void copy(const struct ring *ring, uint64_t from, void *to, size_t size) {
    const unsigned char *bytes = (const unsigned char *)ring->page + page_bytes;
    size_t at = (size_t)(from & (ring_bytes - 1U));
    size_t first = size < ring_bytes - at ? size : ring_bytes - at;
    memcpy(to, bytes + at, first);
    memcpy((unsigned char *)to + first, bytes, size - first);
}

static const unsigned char *field_of(enum trace_point point, uint32_t field, const unsigned char *raw) {
    return raw + points[point].fields[field].offset;
}

static int number_of(enum trace_point point, uint32_t field, const unsigned char *raw) {
    int number;
    memcpy(&number, field_of(point, field, raw), sizeof number);
    return number;
}

static void name_of(uint32_t field, const unsigned char *raw, char *name) {
    memcpy(name, field_of(TRACE_POINT_SWITCH, field, raw), TRACE_POINTS_NAME_MAX);
    name[TRACE_POINTS_NAME_MAX - 1U] = '\0';
}

/* Reads the data of a trace point, which begin with the trace point's number. */
static bool read_point(const unsigned char *raw, uint32_t size, struct trace_point_record *record) {
    uint16_t id;
    memcpy(&id, raw, sizeof id);
    uint32_t point = 0;
    while (point < TRACE_POINTS && points[point].id != id) {
        point++;
    }
    if (point == TRACE_POINTS || size < points[point].bytes) {
        return false;
    }
    record->point = point;
    if (point == TRACE_POINT_SWITCH) {
        long state;
        memcpy(&state, field_of(point, LEFT_STATE, raw), sizeof state);
        record->runs_on = ((unsigned long)state & WAITS) == 0;
        record->left.id = number_of(point, LEFT_ID, raw);
        record->thread.id = number_of(point, COMES_ID, raw);
        name_of(LEFT_NAME, raw, record->left.name);
        name_of(COMES_NAME, raw, record->thread.name);
    } else {
        record->thread.id = number_of(point, WOKEN_ID, raw);
        record->in_interrupt = (*field_of(point, FLAGS, raw) & IN_INTERRUPT) != 0;
    }
    return true;
}

uint32_t trace_points_read(uint32_t core, struct trace_point_record *records, uint32_t room) {
    const struct ring *ring = &rings[core];
    uint64_t head = head_of(ring);
    uint64_t end = ring->head - head < ring_bytes ? ring->head : head + ring_bytes;
    uint32_t count = 0;
    struct perf_event_header header;
    for (uint64_t at = head; end - at >= sizeof header && count < room; at += header.size) {
        struct {
            struct perf_event_header header;
            uint64_t time;
            uint32_t size;
            unsigned char raw[RECORD_MAX];
        } record;
        copy(ring, at, &header, sizeof header);
        if (header.size < sizeof header || header.size > end - at) {
            break; /* the oldest record, of which only a part is left */
        }
        copy(ring, at, &record, header.size < sizeof record ? header.size : sizeof record);
        if (header.type == PERF_RECORD_SAMPLE && record.size <= sizeof record.raw) {
            records[count] = (struct trace_point_record){.time = record.time};
            count += read_point(record.raw, record.size, &records[count]);
        }
    }
    return count;
}
