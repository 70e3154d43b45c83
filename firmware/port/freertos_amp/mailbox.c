/* Commands from one core to the other: the mailboxes, the doorbell's handler, and the check in
 * each tick */
#include "port_amp.h"
#include "port_freertos.h"
#include "trace.h"

/* Number of commands that a mailbox can hold; must be a power of two. It is far more than can be pending, because each
 * task of a benchmark sends one command and then waits. */
#define COMMANDS 32U

struct command {
    enum port_amp_command what;
    void *object;
};

static struct {
    struct {
        atomic_uint put;   /* number of commands put in; written by the other core */
        atomic_uint taken; /* number of commands taken out; written by the mailbox's own core */
        struct command commands[COMMANDS];
    } boxes[PORT_AMP_CORES]; /* index: the receiving core */
    struct {
        atomic_uint beat;
        atomic_uint lost; /* number of lost doorbells to this core that its tick has noticed */
    } cores[PORT_AMP_CORES];
} mail PORT_SHARED(mail);

static uint32_t other_core(void) { return 1U - board_core(); }

/* ---- sending ---- */

static bool try_to_send(enum port_amp_command what, void *object) {
    uint32_t to = other_core();
    uint32_t mask = portSET_INTERRUPT_MASK_FROM_ISR();
    uint32_t put = atomic_load_explicit(&mail.boxes[to].put, memory_order_relaxed);
    bool room = put - atomic_load_explicit(&mail.boxes[to].taken, memory_order_acquire) < COMMANDS;
    if (room) {
        ic_trace(IC_TRACE_SENT, (uint32_t)what, IC_TRACE_LINK(to, put));
        mail.boxes[to].commands[put % COMMANDS] = (struct command){what, object};
        atomic_store_explicit(&mail.boxes[to].put, put + 1U, memory_order_release);
    }
    board_ring(); /* also if the mailbox is full, because an earlier doorbell may have been lost */
    portCLEAR_INTERRUPT_MASK_FROM_ISR(mask);
    return room;
}

/* If the mailbox is full, a task waits until it has room. An interrupt handler must not wait, because the other core
 * might also be waiting in a handler. */
void port_amp_send(enum port_amp_command what, void *object) {
    while (!try_to_send(what, object)) {
        if (board_in_handler()) {
            board_panic("the other core's mailbox is full, and an interrupt handler cannot wait", "", board_core());
        }
    }
}

/* ---- receiving ---- */

/* Wakes a task for a command from the other core. If that core has failed, the command may be wrong. If its doorbell
 * was lost, the command comes up to a tick late. By then the task may have noticed the event by itself and have ended;
 * its handle is then NULL. */
static void wake_from_handler(void *object, UBaseType_t index, BaseType_t *yield) {
    port_task_t *task = object;
    if (task->core != board_core()) {
        board_panic("a command for a task that this core does not have", "", board_core());
    }
    if (task->handle != NULL) {
        task->waits = 0;
        vTaskNotifyGiveIndexedFromISR(task->handle, index, yield);
    }
}

static void execute(const struct command *command, BaseType_t *yield) {
    switch (command->what) {
    case PORT_AMP_NOTIFY:
        wake_from_handler(command->object, PORT_FREERTOS_NOTIFY_TASK, yield);
        break;
    case PORT_AMP_WAKE:
        wake_from_handler(command->object, PORT_FREERTOS_NOTIFY_PLATFORM, yield);
        break;
    case PORT_AMP_CALL:
        port_amp_called(yield);
        break;
    case PORT_AMP_RING:
        port_amp_doorbell();
        break;
    case PORT_AMP_SENT:
        (void)xStreamBufferSendCompletedFromISR((StreamBufferHandle_t)command->object, yield);
        break;
    case PORT_AMP_RECEIVED:
        (void)xStreamBufferReceiveCompletedFromISR((StreamBufferHandle_t)command->object, yield);
        break;
    default:
        board_panic("an unknown command", "", (uint32_t)command->what);
    }
}

/* Executes all commands in this core's mailbox. Call it in a handler; all callers have the same interrupt priority, so
 * they do not interrupt each other. */
static void take_commands(BaseType_t *yield) {
    uint32_t own = board_core();
    uint32_t taken = atomic_load_explicit(&mail.boxes[own].taken, memory_order_relaxed);
    while (taken != atomic_load_explicit(&mail.boxes[own].put, memory_order_acquire)) {
        struct command command = mail.boxes[own].commands[taken % COMMANDS];
        ic_trace(IC_TRACE_RECEIVED, (uint32_t)command.what, IC_TRACE_LINK(own, taken));
        atomic_store_explicit(&mail.boxes[own].taken, ++taken, memory_order_release);
        execute(&command, yield);
    }
}

void port_amp_rung(void) {
    BaseType_t yield = pdFALSE;
    take_commands(&yield);
    portYIELD_FROM_ISR(yield);
}

/* ---- the tick ---- */

/* If a command has been in this core's mailbox since the previous tick or longer, its doorbell was lost. In that case
 * counts the lost doorbell, and executes the commands. */
static void recover_lost_doorbell(void) {
    static uint32_t seen_put;
    uint32_t own = board_core();
    uint32_t taken = atomic_load_explicit(&mail.boxes[own].taken, memory_order_relaxed);
    if ((int32_t)(seen_put - taken) > 0) {
        BaseType_t yield = pdFALSE;
        atomic_store_explicit(&mail.cores[own].lost,
                              atomic_load_explicit(&mail.cores[own].lost, memory_order_relaxed) + 1U,
                              memory_order_relaxed);
        take_commands(&yield);
        portYIELD_FROM_ISR(yield);
    }
    seen_put = atomic_load_explicit(&mail.boxes[own].put, memory_order_acquire);
}

bool port_amp_heard(void) { return atomic_load_explicit(&mail.cores[other_core()].beat, memory_order_relaxed) != 0; }

/* Checks at each tick that the other core's heartbeat has changed within the last PORT_AMP_SILENCE_TICKS ticks, and
 * panics otherwise. Does so only after the other core's first heartbeat. */
static void listen(void) {
    static uint32_t heard;
    static uint32_t silence;
    uint32_t beat = atomic_load_explicit(&mail.cores[other_core()].beat, memory_order_relaxed);
    if (beat != heard || heard == 0) {
        heard = beat;
        silence = 0;
    } else if (++silence >= PORT_AMP_SILENCE_TICKS) {
        board_panic(other_core() == 0 ? "core 0 has stopped" : "core 1 has stopped", "", silence);
    }
    if (board_core() == 0) {
        board_alive();
    }
}

void vApplicationTickHook(void) {
    uint32_t own = board_core();
    atomic_store_explicit(&mail.cores[own].beat,
                          (atomic_load_explicit(&mail.cores[own].beat, memory_order_relaxed) + 1U) | 1U << 31U,
                          memory_order_relaxed);
    recover_lost_doorbell();
    listen();
}

uint32_t port_recovered_doorbells(void) {
    return atomic_load_explicit(&mail.cores[0].lost, memory_order_relaxed) +
           atomic_load_explicit(&mail.cores[1].lost, memory_order_relaxed);
}
