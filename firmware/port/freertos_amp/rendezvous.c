/* Start-up: core 1's image publishes its identity, and core 0's image checks that it matches its own */
#include "port_amp.h"
#include "port_freertos.h"

#define MAGIC 0x1c0a3b5dU

extern uint8_t port_amp_shared[];
extern uint8_t port_amp_shared_end[];

/* Identity of an image. The address of core 1's identity must be the same in all builds, so the linker puts it first in
 * the shared memory. */
struct identity {
    uint32_t protocol;
    uint32_t shared_bytes;
    uint32_t entries;
    uint32_t build;
};

static struct {
    struct identity identity;
    atomic_uint magic; /* written last */
} core_1 __attribute__((section(".shared_first")));

static struct identity own_identity(void) {
    return (struct identity){.protocol = PORT_AMP_PROTOCOL,
                             .shared_bytes = (uint32_t)(port_amp_shared_end - port_amp_shared),
                             .entries = port_amp_entry_count(),
                             .build = board_build()};
}

static void say_what_runs(void) {
    board_core_1_runs();
    core_1.identity = own_identity();
    atomic_store_explicit(&core_1.magic, MAGIC, memory_order_release);
}

void port_amp_start_core_1(void) {
    port_amp_service_start(say_what_runs);
    board_doorbell_start();
    vTaskStartScheduler();
    board_panic("the scheduler has not started", "", 1);
}

static void require(uint32_t here, uint32_t there, const char *what) {
    if (here != there) {
        board_panic("the two cores' images do not belong together: build and load both", what, there);
    }
}

static void require_time(TickType_t began) {
    if (xTaskGetTickCount() - began > pdMS_TO_TICKS(PORT_AMP_PATIENCE_MS)) {
        board_panic("core 1 has not come up in time", "", 1);
    }
}

void port_amp_meet(void) {
    TickType_t began = xTaskGetTickCount();
    do {
        require_time(began);
        atomic_store(&core_1.magic, 0);
    } while (!board_start_core_1());
    board_doorbell_start();
    /* Also waits for core 1's first tick: if core 1 were reset before that, nothing would notice it. */
    while (atomic_load_explicit(&core_1.magic, memory_order_acquire) != MAGIC || !port_amp_heard()) {
        require_time(began);
        vTaskDelay(1);
    }
    struct identity own = own_identity();
    require(own.protocol, core_1.identity.protocol, "protocol");
    require(own.shared_bytes, core_1.identity.shared_bytes, "shared memory");
    require(own.entries, core_1.identity.entries, "entries");
    require(own.build, core_1.identity.build, "build");
}
