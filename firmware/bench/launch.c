/* The benchmark `launch`: from asking for the second core, or for a task on it, to its first instruction there.
 *
 * The parameter `what` selects what core 0 asks for:
 *
 *   task  a task pinned to core 1, which it creates while core 1 is idle
 *   core  core 1 itself. A task on core 1 keeps the core's state and stands by, core 0 resets the core, waits until the
 *         boot code waits for a launch, and launches it
 *
 * Two series, both from before the call:
 *
 *   launch  until the first instruction of the task, or of core 1, reads the clock
 *   call    until core 0 has returned from the call
 *
 * The parameter `cache` says what the cache between the cores and their code holds. With `warm` it holds what the
 * launch before this one needed, as far as there is room; with `cold` it is emptied right before the first reading. */
#include <stdatomic.h>

#include "benchmarks.h"
#include "port.h"
#include "port_launch.h"
#include "run.h"

enum { P_WHAT, P_CACHE, PARAMETER_COUNT };
enum what { TASK, CORE };
enum cache { WARM, COLD };

static const char *const whats[] = {"task", "core"};

static const char *cache_choice(uint32_t index) {
    return index == WARM ? "warm" : index == COLD && port_code_cache_empty() ? "cold" : NULL;
}

static const struct ic_parameter parameters[PARAMETER_COUNT] = {
    [P_WHAT] = {.name = "what", .help = "what core 0 asks for", .choices = whats, .choice_count = 2},
    [P_CACHE] = {.name = "cache", .help = "whether the cache holds the code", .choice = cache_choice},
};

static struct {
    port_task_t task; /* on core 1 */
    uint64_t first;   /* reading of its first instruction, or of core 1's */
    uint32_t core;    /* that it ran on */
    atomic_bool begun;
} scene PORT_SHARED(launch);

static void launch_task(void *arg) {
    (void)arg;
    scene.first = port_clock();
    scene.core = port_core_id();
}
PORT_ENTRY(launch_task);

static void launch_guest(void *arg) {
    (void)arg;
    atomic_store(&scene.begun, true);
    scene.first = port_core_stand_by();
    scene.core = port_core_id();
}
PORT_ENTRY(launch_guest);

static bool start(struct ic_run *run, void (*entry)(void *)) {
    struct port_task_config config = {.name = "launch", .entry = entry, .core = 1, .priority = 3};
    return port_task_start(&scene.task, &config) == PORT_OK ||
           ic_error_set(&run->error, "failed", "a task could not be started on core 1", "", "");
}

/* Lets core 1 wait for its launch. */
static bool make_core_wait(struct ic_run *run) {
    atomic_store(&scene.begun, false);
    if (!start(run, launch_guest)) {
        return false;
    }
    while (!atomic_load(&scene.begun)) {
    }
    port_core_reset();
    return true;
}

/* The first repetition warms the cache and is not recorded. */
static bool repeat(struct ic_run *run, struct ic_series *launch, struct ic_series *call) {
    bool cold = run->values[P_CACHE] == COLD;
    uint64_t before;
    uint64_t after;
    ic_run_dither(run);
    if (run->values[P_WHAT] == CORE) {
        if (!make_core_wait(run)) {
            return false;
        }
        if (cold) {
            (void)port_code_cache_empty();
        }
        before = port_clock();
        after = port_core_launch();
    } else {
        if (cold) {
            (void)port_code_cache_empty();
        }
        before = port_clock();
        bool started = start(run, launch_task);
        after = port_clock();
        if (!started) {
            return false;
        }
    }
    port_task_join(&scene.task);
    ic_run_check(run, scene.first >= before && after >= before);
    run->checks.migrated += scene.core != 1;
    if (launch != NULL) {
        ic_run_sample(run, launch, (int64_t)(scene.first - before));
        ic_run_sample(run, call, (int64_t)(after - before));
    }
    return true;
}

static bool possible(const struct ic_run *run, struct ic_error *error) {
    if (run->values[P_WHAT] == CORE && !port_core_resets()) {
        return ic_error_set(error, "unsupported",
                            "this platform cannot reset core 1 and then go on with the tasks that it had", "", "");
    }
    return port_core_count() > 1 ||
           ic_error_set(error, "unsupported", "this needs two cores, and the target has one", "", "");
}

static bool measure(struct ic_run *run) {
    struct ic_series *launch = ic_run_series(run, "launch");
    struct ic_series *call = launch == NULL ? NULL : ic_run_series(run, "call");
    bool taken = call != NULL && repeat(run, NULL, NULL);
    while (taken && ic_run_repeat(run)) {
        taken = repeat(run, launch, call);
    }
    return taken;
}

const struct ic_benchmark ic_benchmark_launch = {
    .name = "launch",
    .summary = "from asking for the second core, or for a task on it, to its first instruction there",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 100,
    .series_count = 2,
    .possible = possible,
    .measure = measure,
};
