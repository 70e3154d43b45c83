/* A program that Intercore is a part of. It does what its input says, a line at a time, and says what came of it:
 *
 *   heap SRAM2 SRAM1        the heap has so many bytes in either bank
 *   fail FIRST LAST         these allocations of what follows fail; 0 0: none
 *   partition BYTES         the data partition `intercore` is so large; 0: there is none
 *   hooks MOST              so many hooks of the tick are there
 *   start [NAME=VALUE]...   intercore_start() with these sizes ("none": INTERCORE_NONE)
 *   ask COMMAND             types it, and prints the answer, up to its last line
 *   did                     what the kernel did last: core, macro, object
 *   stop                    intercore_stop()
 *   state                   what is taken of heap, hooks and locks, what the watchdog waits for, and how many
 *                           allocations there were since the last line "fail" */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "intercore.h"
#include "standin_control.h"

#define LINE_BYTES 512U
#define TYPED_BYTES 1024U
#define ANSWER_PATIENCE_S 60

/* ---- a console, whose other end is this program's input and output ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static char typed[TYPED_BYTES];
static size_t typed_size;
static bool answered; /* the last line of an answer was printed */
static bool refuses;  /* to open */

static bool open_console(void *context) {
    (void)context;
    return !refuses;
}

/* Ends early, as it may: who calls it looks again whether it was hung up. */
static void await_briefly(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 2000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&changed, &lock, &until);
}

static size_t read_console(void *context, uint8_t *buffer, size_t size, uint32_t timeout_ms) {
    (void)context;
    pthread_mutex_lock(&lock);
    if (typed_size == 0 && timeout_ms > 0) {
        await_briefly();
    }
    size_t count = typed_size < size ? typed_size : size;
    memcpy(buffer, typed, count);
    memmove(typed, typed + count, typed_size - count);
    typed_size -= count;
    pthread_mutex_unlock(&lock);
    return count;
}

static bool write_console(void *context, const uint8_t *bytes, size_t size) {
    (void)context;
    char line[LINE_BYTES * 2U];
    size_t length = size < sizeof line - 1U ? size : sizeof line - 1U;
    memcpy(line, bytes, length);
    line[length] = '\0';
    if (standin_locks() == 0) {
        fputs("an answer while power management may change the clock\n", stderr);
    }
    pthread_mutex_lock(&lock);
    fwrite(bytes, 1, size, stdout);
    if (strstr(line, "\"type\":\"end\"") != NULL || strstr(line, "\"type\":\"error\"") != NULL) {
        answered = true;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    return true;
}

static const struct intercore_console console = {
    .name = "a test's", .open = open_console, .read = read_console, .write = write_console};

/* Waits for the last line of an answer. */
static void await_answer(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ANSWER_PATIENCE_S;
    pthread_mutex_lock(&lock);
    while (!answered) {
        if (pthread_cond_timedwait(&changed, &lock, &until) != 0) {
            fputs("no answer\n", stderr);
            exit(EXIT_FAILURE);
        }
    }
    answered = false;
    pthread_mutex_unlock(&lock);
}

/* ---- what a line says ---- */

static void ask(const char *command) {
    pthread_mutex_lock(&lock);
    typed_size = (size_t)snprintf(typed, sizeof typed, "%s\n", command);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    await_answer();
}

static uint32_t number(const char *text) {
    return strcmp(text, "none") == 0 ? INTERCORE_NONE : (uint32_t)strtoul(text, NULL, 10);
}

static void start(char *words) {
    struct intercore_config config = {.console = &console};
    const struct {
        const char *name;
        uint32_t *size;
    } sizes[] = {
        {"samples", &config.samples},
        {"region", &config.region_bytes},
        {"second_region", &config.second_region_bytes},
        {"console_stack", &config.console_stack_bytes},
        {"task_stack", &config.task_stack_bytes},
    };
    refuses = false;
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        refuses = refuses || value == NULL; /* "deaf" */
        for (size_t i = 0; value != NULL && i < sizeof sizes / sizeof sizes[0]; i++) {
            if (strncmp(sizes[i].name, word, (size_t)(value - word)) == 0 &&
                strlen(sizes[i].name) == (size_t)(value - word)) {
                *sizes[i].size = number(value + 1);
            }
        }
    }
    const char *wrong = intercore_start(&config);
    if (wrong != NULL) {
        printf("refused: %s\n", wrong);
        return;
    }
    await_answer(); /* what it says of itself */
    printf("started\n");
}

static void tell(int core, const char *macro, uint32_t object) { printf("did %d %s %u\n", core, macro, object); }

static void carry_out(char *line) {
    unsigned first;
    unsigned last;
    if (sscanf(line, "heap %u %u", &first, &last) == 2) {
        standin_heap(first, last);
    } else if (sscanf(line, "fail %u %u", &first, &last) == 2) {
        standin_heap_fail(first, last);
    } else if (sscanf(line, "hooks %u", &first) == 1) {
        standin_hooks(first);
    } else if (strncmp(line, "start", 5) == 0) {
        start(line + 5);
    } else if (strncmp(line, "ask ", 4) == 0) {
        ask(line + 4);
    } else if (sscanf(line, "partition %u", &first) == 1) {
        standin_partition(first);
    } else if (strcmp(line, "did") == 0) {
        standin_did(tell);
    } else if (strcmp(line, "stop") == 0) {
        intercore_stop();
    } else if (strcmp(line, "state") == 0) {
        printf("heap %zu hooks %u watchdog %u allocations %u running %d locks %d\n", standin_heap_used(),
               standin_hooks_in_use(), standin_watchdog_ms(), standin_heap_allocations(), intercore_is_running(),
               standin_locks());
    } else {
        fprintf(stderr, "what is %s?\n", line);
        exit(EXIT_FAILURE);
    }
}

int main(void) {
    char line[LINE_BYTES];
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        carry_out(line);
        fflush(stdout);
    }
    return EXIT_SUCCESS;
}
