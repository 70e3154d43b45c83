/* Tests of port_launch.h */
#include "promises.h"

#include "port_interrupt.h"
#include "port_launch.h"

#define LAUNCHES 3U

static port_task_t guest;
static port_task_t other;
static struct echo echo;
static atomic_bool begun;
static atomic_uint rung;
static uint64_t first;
static uint32_t left;

/* Many values at once, so that registers have to keep some of them over the reset */
static void stand_by(void *arg) {
    const uint32_t *seeds = arg;
    uint32_t a = seeds[0];
    uint32_t b = a * 3U;
    uint32_t c = b ^ a;
    uint32_t d = c + b;
    uint32_t e = d * 5U;
    atomic_store(&begun, true);
    first = port_core_stand_by();
    left = a + b + c + d + e;
}

static bool launches(uint32_t seed) {
    struct port_task_config config = {.name = "guest", .entry = stand_by, .arg = &seed, .core = 1, .priority = 3};
    atomic_store(&begun, false);
    if (port_task_start(&guest, &config) != PORT_OK) {
        return false;
    }
    while (!atomic_load(&begun)) {
    }
    port_core_reset();
    uint64_t before = port_clock();
    uint64_t after = port_core_launch();
    port_task_join(&guest);
    uint32_t c = seed * 3U ^ seed;
    uint32_t d = c + seed * 3U;
    return before < first && first < after + milliseconds(1) && left == seed + seed * 3U + c + d + d * 5U;
}

static void ring(void *arg) {
    (void)arg;
    atomic_store(&rung, atomic_load(&rung) + 1U);
}

/* Whether a task on core 1 is woken, and its doorbell answered */
static bool core_1_goes_on(void) {
    echo = (struct echo){.asker = port_task_self(), .rounds = 2};
    struct port_task_config config = {
        .name = "echo", .entry = port_test_answer, .arg = &echo, .core = 1, .priority = 3};
    if (port_task_start(&other, &config) != PORT_OK || port_doorbell_open(1, ring, NULL) != PORT_OK) {
        return false;
    }
    for (uint32_t i = 0; i < echo.rounds; i++) {
        port_notify(&other);
        port_notify_take();
    }
    port_task_join(&other);
    uint32_t before = atomic_load(&rung);
    port_doorbell_ring(1);
    port_sleep_ticks(2);
    port_doorbell_close(1);
    return atomic_load(&rung) == before + 1U;
}

void port_test_launch(void) {
    for (uint32_t i = 0; port_core_resets() && i < LAUNCHES; i++) {
        expect(launches(0x9e3779b1U * (i + 1U)), "core 1 goes on after its reset where it stood by");
        expect(core_1_goes_on(), "core 1 has its interrupts and its kernel after a reset");
    }
    bool cached = port_code_cache_empty();
    expect(port_code_cache_empty() == cached, "there is a cache of code, or there is none");
}
