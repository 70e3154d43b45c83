/* The stress test of stress.h. Each counter and each index is written by one task only. */
#include "stress.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "line.h"
#include "random.h"

#define ROUND_MS 500U
#define CHILDREN 2U
#define RING 8U          /* largest number of blocks between producer and consumer */
#define BLOCK_MAX 200U   /* bytes */
#define INPUT_BYTES 256U /* bytes read at a time */

/* The test's tasks, in the order in which they are started: a task must exist before another task notifies or migrates
 * it. */
enum role { PONG, PING, CONSUMER, PRODUCER, FIRST_PRINTER, SECOND_PRINTER, SPAWNER, ROLES };

/* The printers have the highest priority, so that they read the input in time. */
#define PRINTER_PRIORITY PORT_PRIORITY_MAX
#define OTHER_PRIORITIES (PORT_PRIORITY_MAX - 1U)

enum count { CREATED, REFUSED, MOVED, NOTIFIED, PASSED, TIMEOUTS, COUNTS };
static const char *const count_names[COUNTS] = {"created", "refused", "moved", "notified", "passed", "timeouts"};

struct worker {
    port_task_t task;
    struct ic_random random;
    atomic_uint counts[COUNTS]; /* counted since the start of the test; the printers read them */
};

struct child {
    port_task_t task;
    struct ic_random random;
    bool is_running;
    uint32_t core;
    uint32_t moves;
    uint32_t moved;
    uint32_t pinned; /* how many of the `moved` moves the kernel did; 0 if it fixes a task's core at creation */
    uint32_t value;  /* the result of the child's work */
    uint32_t first;  /* the value with which its work begins */
};

struct block {
    uint32_t number;
    uint32_t size;
    uint8_t bytes[];
};

static struct worker workers[ROLES];
static struct child children[CHILDREN];
static uint64_t end; /* end of the round, on the common clock */
static uint32_t round_number;
static _Atomic(const char *) failure;

static struct {
    uint32_t value; /* deliberately not atomic, to check that notifications order the accesses */
    bool over;
} ball;

static struct {
    port_sem_t slots;
    port_sem_t items;
    struct block *blocks[RING];
    uint32_t in;
    uint32_t out;
} ring;

/* Used only by the task that has taken the semaphore `free`. */
static struct {
    port_sem_t free;
    struct ic_line line;
    uint8_t input[INPUT_BYTES];
    uint32_t lines;
    uint64_t received;
    bool finished; /* a line end was received, or the other end of the console has gone */
} console;

static atomic_bool printers_may_end;

/* ---- small things ---- */

static void expect(bool holds, const char *what) {
    if (!holds && atomic_load(&failure) == NULL) {
        atomic_store(&failure, what);
    }
}

static void count(struct worker *worker, enum count which) {
    atomic_store(&worker->counts[which], atomic_load(&worker->counts[which]) + 1U);
}

static uint64_t milliseconds(uint64_t number) { return number * port_clock_hz() / 1000U; }

static bool is_over(void) { return port_clock() >= end; }

static uint32_t any_core(struct ic_random *random) {
    uint32_t core = ic_random_below(random, port_core_count() + 1U);
    return core < port_core_count() ? core : PORT_CORE_ANY;
}

/* Called in the tasks' loops, so that tasks of lower priority also run. */
static void sleep_sometimes(struct ic_random *random) {
    if (ic_random_below(random, 16) == 0) {
        port_sleep_ticks(1 + ic_random_below(random, 3));
    }
}

/* ---- notifications ---- */

static void ping(void *arg) {
    struct worker *worker = arg;
    ball.value = 0;
    ball.over = false;
    while (!is_over()) {
        uint32_t before = ++ball.value;
        port_notify(&workers[PONG].task);
        port_notify_take();
        expect(ball.value == before + 1U, "what was written before a notification is not seen after it");
        count(worker, NOTIFIED);
        sleep_sometimes(&worker->random);
    }
    ball.over = true;
    port_notify(&workers[PONG].task);
}

static void pong(void *arg) {
    struct worker *worker = arg;
    for (uint32_t expected = 1;; expected += 2U) {
        port_notify_take();
        if (ball.over) {
            return;
        }
        expect(ball.value == expected, "a notification is lost or doubled");
        ball.value++;
        count(worker, NOTIFIED);
        port_notify(&workers[PING].task);
    }
}

/* ---- blocks of memory through semaphores ---- */

static uint8_t content(uint32_t number, uint32_t at) { return (uint8_t)(number * 31U + at * 7U); }

static struct block *make_block(struct worker *worker, uint32_t number) {
    uint32_t size = ic_random_below(&worker->random, BLOCK_MAX);
    struct block *block = stress_allocate(sizeof *block + size);
    while (block == NULL) { /* the tasks have taken all memory, until some of them end */
        count(worker, REFUSED);
        port_sleep_ticks(1);
        block = stress_allocate(sizeof *block + size);
    }
    block->number = number;
    block->size = size;
    for (uint32_t i = 0; i < size; i++) {
        block->bytes[i] = content(number, i);
    }
    return block;
}

static void check_block(const struct block *block, uint32_t number) {
    bool right = block->number == number && block->size < BLOCK_MAX;
    for (uint32_t i = 0; right && i < block->size; i++) {
        right = block->bytes[i] == content(number, i);
    }
    expect(right, "a block is lost, doubled or not what was put into it");
}

/* Takes the semaphore. The first attempt has a random time limit, so that timeouts are tested as well. */
static void take(struct worker *worker, port_sem_t *sem) {
    uint64_t patience = milliseconds(ic_random_below(&worker->random, 4));
    while (port_sem_take(sem, port_clock() + patience) != PORT_OK) {
        count(worker, TIMEOUTS);
        patience = milliseconds(20);
    }
}

static void put(struct block *block) {
    ring.blocks[ring.in++ % RING] = block;
    port_sem_give(&ring.items);
}

static void produce(void *arg) {
    struct worker *worker = arg;
    for (uint32_t number = 0; !is_over(); number++) {
        struct block *block = make_block(worker, number);
        take(worker, &ring.slots);
        put(block);
        count(worker, PASSED);
        sleep_sometimes(&worker->random);
    }
    take(worker, &ring.slots);
    put(NULL); /* NULL: no more blocks follow */
}

static void consume(void *arg) {
    struct worker *worker = arg;
    for (uint32_t number = 0;; number++) {
        take(worker, &ring.items);
        struct block *block = ring.blocks[ring.out++ % RING];
        port_sem_give(&ring.slots);
        if (block == NULL) {
            return;
        }
        check_block(block, number);
        stress_free(block);
        count(worker, PASSED);
        sleep_sometimes(&worker->random);
    }
}

/* ---- creation, end, migration ---- */

static uint32_t worked_on(uint32_t value) {
    for (uint32_t i = 0; i < 100; i++) {
        value = value * 1664525U + 1013904223U; /* Numerical Recipes' generator */
    }
    return value;
}

static void live(void *arg) {
    struct child *child = arg;
    expect(child->core == PORT_CORE_ANY || port_core_id() == child->core, "a pinned task is on another core");
    uint32_t value = child->first;
    child->pinned = 0;
    for (child->moved = 0; child->moved < child->moves; child->moved++) {
        uint32_t core = ic_random_below(&child->random, port_core_count());
        if (port_task_pin(port_task_self(), core) == PORT_OK) {
            expect(port_core_id() == core, "a task that moved itself is not there");
            child->pinned++;
        }
        value = worked_on(value);
        sleep_sometimes(&child->random);
    }
    child->value = value;
}

static void spawn(struct worker *spawner, struct child *child) {
    child->random.state = ic_random_next(&spawner->random);
    child->core = any_core(&spawner->random);
    child->moves = ic_random_below(&spawner->random, 8);
    child->first = (uint32_t)child->random.state;
    struct port_task_config config = {.name = "child",
                                      .entry = live,
                                      .arg = child,
                                      .core = child->core,
                                      .priority = 1U + ic_random_below(&spawner->random, OTHER_PRIORITIES)};
    child->is_running = port_task_start(&child->task, &config) == PORT_OK;
    count(spawner, child->is_running ? CREATED : REFUSED);
}

static void reap(struct worker *spawner, struct child *child) {
    port_task_join(&child->task);
    child->is_running = false;
    uint32_t expected = child->first;
    for (uint32_t i = 0; i < child->moves; i++) {
        expected = worked_on(expected);
    }
    for (uint32_t i = 0; i < child->pinned; i++) {
        count(spawner, MOVED);
    }
    expect(child->moved == child->moves && child->value == expected, "a task has not done its work");
}

/* The spawner also migrates the other tasks. It is joined before them, so that they still exist whenever it migrates
 * one. */
static void spawn_and_move(void *arg) {
    struct worker *worker = arg;
    while (!is_over()) {
        struct child *child = &children[ic_random_below(&worker->random, CHILDREN)];
        if (child->is_running) {
            reap(worker, child);
        } else {
            spawn(worker, child);
        }
        port_task_t *other = &workers[ic_random_below(&worker->random, SPAWNER)].task;
        if (port_task_pin(other, any_core(&worker->random)) == PORT_OK) {
            count(worker, MOVED);
        }
        sleep_sometimes(&worker->random);
    }
    for (uint32_t i = 0; i < CHILDREN; i++) {
        if (children[i].is_running) {
            reap(worker, &children[i]);
        }
    }
}

/* ---- the console ---- */

static void take_input(void) {
    size_t received;
    enum port_error error;
    while ((error = port_console_read(console.input, sizeof console.input, &received, 0)) == PORT_OK) {
        for (size_t i = 0; i < received; i++) {
            if (console.input[i] == '\n') {
                console.finished = true;
            } else {
                expect(console.input[i] == STRESS_INPUT(console.received), "an input byte is lost, doubled or damaged");
                console.received++;
            }
        }
    }
    console.finished = console.finished || error == PORT_ERR_CLOSED;
}

static void say(const char *type) {
    struct ic_line *line = &console.line;
    const char *failed = atomic_load(&failure);
    ic_line_open(line, type);
    ic_line_integer(line, "line", console.lines++);
    ic_line_integer(line, "round", round_number);
    ic_line_integer(line, "core", port_core_id());
    ic_line_integer(line, "received", (int64_t)console.received);
    for (uint32_t which = 0; which < COUNTS; which++) {
        uint32_t sum = 0;
        for (uint32_t role = 0; role < ROLES; role++) {
            sum += atomic_load(&workers[role].counts[which]);
        }
        ic_line_integer(line, count_names[which], sum);
    }
    ic_line_integer(line, "free", (int64_t)stress_memory_free());
    ic_line_integer(line, "stack", stress_stack_left());
    ic_line_text(line, "failure", failed == NULL ? "" : failed);
    expect(port_console_write((const uint8_t *)line->text, ic_line_close(line)) == PORT_OK, "output has nowhere to go");
}

static void print(void *arg) {
    struct worker *worker = arg;
    while (!atomic_load(&printers_may_end)) {
        (void)port_sem_take(&console.free, PORT_FOREVER);
        take_input();
        say("state");
        port_sem_give(&console.free);
        port_sleep_ticks(ic_random_below(&worker->random, 4));
    }
}

/* ---- rounds ---- */

static void (*const entries[ROLES])(void *) = {pong, ping, consume, produce, print, print, spawn_and_move};
static const char *const names[ROLES] = {"pong", "ping", "consume", "produce", "print", "print", "spawn"};

static bool start_worker(enum role role) {
    struct worker *worker = &workers[role];
    bool prints = role == FIRST_PRINTER || role == SECOND_PRINTER;
    worker->random.state = (uint64_t)round_number << 32U | role;
    struct port_task_config config = {.name = names[role],
                                      .entry = entries[role],
                                      .arg = worker,
                                      .core = any_core(&worker->random),
                                      .priority = prints ? PRINTER_PRIORITY
                                                         : 1U + ic_random_below(&worker->random, OTHER_PRIORITIES)};
    return port_task_start(&worker->task, &config) == PORT_OK;
}

static void join_workers(void) {
    port_task_join(&workers[SPAWNER].task);
    for (enum role role = PONG; role < FIRST_PRINTER; role++) {
        port_task_join(&workers[role].task);
    }
    atomic_store(&printers_may_end, true);
    port_task_join(&workers[FIRST_PRINTER].task);
    port_task_join(&workers[SECOND_PRINTER].task);
}

/* What one task of each pair has sent, the other task must have received. */
static void balance(void) {
    expect(atomic_load(&workers[PING].counts[NOTIFIED]) == atomic_load(&workers[PONG].counts[NOTIFIED]),
           "there are not as many notifications back as there");
    expect(atomic_load(&workers[PRODUCER].counts[PASSED]) == atomic_load(&workers[CONSUMER].counts[PASSED]),
           "not all blocks have arrived");
    for (uint32_t i = 0; i < RING; i++) {
        expect(port_sem_take(&ring.slots, 0) == PORT_OK, "a semaphore has lost a unit");
    }
    expect(port_sem_take(&ring.slots, 0) == PORT_ERR_TIMEOUT, "a semaphore has a unit too many");
    expect(port_sem_take(&ring.items, 0) == PORT_ERR_TIMEOUT, "a semaphore has a unit too many");
}

static bool make_ring(void) {
    ring.in = 0;
    ring.out = 0;
    return port_sem_init(&ring.slots, RING) == PORT_OK && port_sem_init(&ring.items, 0) == PORT_OK;
}

static void run_round(void) {
    size_t free_before = stress_memory_free();
    atomic_store(&printers_may_end, false);
    bool ready = make_ring();
    end = port_clock() + milliseconds(ROUND_MS);
    for (enum role role = PONG; role < ROLES && ready; role++) {
        ready = start_worker(role);
    }
    expect(ready, "there is not enough memory to begin a round");
    if (ready) {
        join_workers();
        balance();
        port_sem_destroy(&ring.slots);
        port_sem_destroy(&ring.items);
        expect(stress_memory_free() == free_before, "memory has not been given back");
        take_input();
        say("round");
    }
}

static void raise_rate(void) {
    uint32_t rate;
    for (uint32_t i = 0; (rate = port_console_rate_choice(i)) != 0 && rate <= STRESS_RATE_MAX; i++) {
        port_console_set_rate(rate);
    }
}

const char *stress_run(void) {
    if (port_sem_init(&console.free, 1) != PORT_OK) {
        return "there is no memory for a semaphore";
    }
    raise_rate();
    stress_free(stress_allocate(1)); /* some heaps initialise themselves at their first use */
    say("start");
    while (!console.finished && atomic_load(&failure) == NULL) {
        run_round();
        round_number++;
    }
    say("finish");
    return atomic_load(&failure);
}
