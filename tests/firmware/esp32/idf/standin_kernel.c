/* ESP-IDF's FreeRTOS for both cores, as far as Intercore uses it in a session, over POSIX threads.
 *
 * Tasks are threads, of which each core lets one run: the one of the highest priority that is ready and may be there,
 * chosen where ESP-IDF's kernel chooses (vTaskSwitchContext). A core's idle task is one of them. What would interrupt a
 * thread does so where it next reads a clock, unmasks interrupts or leaves the kernel. The tick is core 0's alone, and
 * equals do not take turns by it. A thread that is no task, such as the program's own, is on no core, and never waits
 * for one.
 *
 * ESP-IDF's trace macros stand where that kernel has them, with what it gives them, under the names that it has there
 * (components/freertos/FreeRTOS-Kernel, V10.5.1: tasks.c here, queue.c in standin_queue.c). Beside each, what was done
 * is noted. */
#include "standin_kernel.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "esp32_cpu.h"
#include "standin.h"

#define CONTROL_BLOCK_BYTES 352U
#define TASKS_MAX 32U
#define SYSTICK_INTR_ID (-1)
#define NEVER UINT64_MAX

/* ---- what FreeRTOS.h has where nobody defines it before ---- */

#ifndef traceTASK_CREATE
#define traceTASK_CREATE(pxNewTCB)
#define traceTASK_DELETE(pxTaskToDelete)
#define traceTASK_SWITCHED_IN()
#define traceTASK_SWITCHED_OUT()
#define traceMOVED_TASK_TO_READY_STATE(pxTCB)
#define traceTASK_DELAY()
#define traceTASK_DELAY_UNTIL(when)
#define traceTASK_SUSPEND(pxTaskToSuspend)
#define traceTASK_INCREMENT_TICK(xTickCount)
#define traceTASK_NOTIFY(uxIndexToNotify)
#define traceTASK_NOTIFY_TAKE(uxIndexToWait)
#define traceTASK_NOTIFY_TAKE_BLOCK(uxIndexToWait)
#define traceISR_ENTER(_n_)
#define traceISR_EXIT()
#define traceISR_EXIT_TO_SCHEDULER()
#endif

/* ---- tasks, as tasks.c has them ---- */

typedef struct {
    UBaseType_t uxNumberOfItems;
} List_t;

typedef struct {
    List_t *pxContainer;
} ListItem_t;
#define listLIST_ITEM_CONTAINER(pxListItem) ((pxListItem)->pxContainer)

typedef struct standin_task {
    ListItem_t xStateListItem; /* in a list of those that are ready, or in none */
    UBaseType_t uxPriority;
    char pcTaskName[16];
    UBaseType_t uxTaskNumber;
    BaseType_t xCoreID; /* that it is pinned to, or tskNO_AFFINITY */

    pthread_t thread;
    TaskFunction_t run;
    void *arg;
    void *stack;
    BaseType_t core; /* that it is on, or was on last */
    uint64_t turn;   /* of those that are ready, who has been so longest has the lowest */
    uint64_t wake;   /* cycles; NEVER if it does not wait for time */
    uint32_t notified[configTASK_NOTIFICATION_ARRAY_ENTRIES];
    int awaits;          /* index of the notification that it waits for; -1 */
    const void *awaited; /* object that it waits for; NULL */
    bool suspended;
    bool deleted;
} TCB_t;
_Static_assert(sizeof(TCB_t) <= CONTROL_BLOCK_BYTES, "it lies in the heap's block");

static List_t pxReadyTasksLists[configMAX_PRIORITIES];
static TCB_t *pxCurrentTCBs[configNUMBER_OF_CORES];

static TCB_t idle[configNUMBER_OF_CORES];
static TCB_t *tasks[TASKS_MAX];
static uint64_t turns;
static bool asked_for[configNUMBER_OF_CORES]; /* the cross-core interrupt */
static bool wants_switch[configNUMBER_OF_CORES];
static TickType_t xTickCount;

/* The kernel's lock; who has it is not interrupted. */
static pthread_mutex_t kernel = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static _Thread_local TCB_t *self; /* NULL of a thread that is no task */
static _Thread_local uint32_t masked;

void standin_enter(void) {
    masked++;
    pthread_mutex_lock(&kernel);
}

void standin_leave(void) {
    pthread_mutex_unlock(&kernel);
    masked--;
    standin_take_interrupts();
}

BaseType_t portGET_CORE_ID(void) { return self != NULL ? self->core : 0; }

/* ---- who runs ---- */

static bool is_ready(const TCB_t *task) { return task->xStateListItem.pxContainer != NULL; }

static bool may_run(const TCB_t *task, BaseType_t core) {
    return is_ready(task) && task != pxCurrentTCBs[1 - core] &&
           (task->xCoreID == core || task->xCoreID == tskNO_AFFINITY);
}

static TCB_t *choose(BaseType_t core) {
    TCB_t *best = &idle[core];
    for (uint32_t i = 0; i < TASKS_MAX; i++) {
        TCB_t *task = tasks[i];
        if (task != NULL && may_run(task, core) &&
            (task->uxPriority > best->uxPriority ||
             (task->uxPriority == best->uxPriority && task->turn < best->turn))) {
            best = task;
        }
    }
    return best;
}

static void vTaskSwitchContext(void) {
    BaseType_t xCurCoreID = portGET_CORE_ID();
    standin_note("TASK_SWITCHED_OUT", pxCurrentTCBs[xCurCoreID]->uxTaskNumber);
    traceTASK_SWITCHED_OUT();
    pxCurrentTCBs[xCurCoreID]->turn = ++turns;
    pxCurrentTCBs[xCurCoreID] = choose(xCurCoreID);
    pxCurrentTCBs[xCurCoreID]->core = xCurCoreID;
    standin_note("TASK_SWITCHED_IN", pxCurrentTCBs[xCurCoreID]->uxTaskNumber);
    traceTASK_SWITCHED_IN();
    pthread_cond_broadcast(&changed);
}

/* With the kernel locked, until the task has a core. It is locked then, too; a task that is deleted ends here. */
static void await_core(void) {
    while (pxCurrentTCBs[0] != self && pxCurrentTCBs[1] != self) {
        if (self->deleted) {
            pthread_mutex_unlock(&kernel);
            pthread_exit(NULL);
        }
        pthread_cond_wait(&changed, &kernel);
    }
}

static void give_way(void) {
    vTaskSwitchContext();
    await_core();
}

/* Adds a task to those that are ready. */
static void prvAddTaskToReadyList(TCB_t *pxTCB) {
    standin_note("MOVED_TASK_TO_READY_STATE", pxTCB->uxTaskNumber);
    traceMOVED_TASK_TO_READY_STATE(pxTCB);
    pxTCB->xStateListItem.pxContainer = &pxReadyTasksLists[pxTCB->uxPriority];
    pxTCB->turn = ++turns;
    pxTCB->wake = NEVER;
    pxTCB->awaits = -1;
    pxTCB->awaited = NULL;
}

static bool outranks(const TCB_t *task, BaseType_t core) {
    return (task->xCoreID == core || task->xCoreID == tskNO_AFFINITY) &&
           task->uxPriority > pxCurrentTCBs[core]->uxPriority;
}

/* Whether this core is to choose again; if not, the other one is asked to where it should. */
static bool taskIS_YIELD_REQUIRED(const TCB_t *task) {
    BaseType_t own = portGET_CORE_ID();
    if (self != NULL && outranks(task, own)) {
        return true;
    }
    for (BaseType_t core = 0; core < configNUMBER_OF_CORES; core++) {
        if ((self == NULL || core != own) && outranks(task, core)) {
            esp_crosscore_int_send_yield(core);
            return false;
        }
    }
    return false;
}

static void ready(TCB_t *task) {
    prvAddTaskToReadyList(task);
    if (taskIS_YIELD_REQUIRED(task)) {
        give_way();
    }
}

/* The task waits: whoever knows for what has said so. */
static void block(void) {
    self->xStateListItem.pxContainer = NULL;
    give_way();
}

/* ---- interrupts ---- */

uint32_t cpu_mask(void) { return masked++; }

void cpu_unmask(uint32_t state) {
    masked = state;
    standin_take_interrupts();
}

UBaseType_t portSET_INTERRUPT_MASK_FROM_ISR(void) { return cpu_mask(); }

void portCLEAR_INTERRUPT_MASK_FROM_ISR(UBaseType_t mask) { cpu_unmask(mask); }

void standin_interrupt(int core) {
    asked_for[core] = true;
    pthread_cond_broadcast(&changed);
}

void standin_cross_core_isr(void *arg) {
    (void)arg;
    wants_switch[portGET_CORE_ID()] = true; /* portYIELD_FROM_ISR(), of another component */
}

static bool tick_is_due(BaseType_t core) { return core == 0 && xTaskGetTickCount() > xTickCount; }

static void xTaskIncrementTick(void) {
    standin_note("TASK_INCREMENT_TICK", xTickCount);
    traceTASK_INCREMENT_TICK(xTickCount);
    xTickCount = xTaskGetTickCount();
    for (uint32_t i = 0; i < TASKS_MAX; i++) {
        if (tasks[i] != NULL && !is_ready(tasks[i]) && tasks[i]->wake <= standin_cycles()) {
            prvAddTaskToReadyList(tasks[i]);
            wants_switch[0] = taskIS_YIELD_REQUIRED(tasks[i]) || wants_switch[0];
        }
    }
}

static void xPortSysTickHandler(void) {
    standin_note("ISR_ENTER", (uint32_t)SYSTICK_INTR_ID);
    traceISR_ENTER(SYSTICK_INTR_ID);
    xTaskIncrementTick();
    standin_note("ISR_EXIT", (uint32_t)SYSTICK_INTR_ID);
    if (wants_switch[0]) {
        traceISR_EXIT_TO_SCHEDULER();
    } else {
        traceISR_EXIT();
    }
}

static void take_one(BaseType_t core) {
    if (asked_for[core]) {
        asked_for[core] = false;
        standin_call_handler(core);
    } else {
        xPortSysTickHandler();
    }
    if (wants_switch[core]) {
        wants_switch[core] = false;
        give_way();
    }
}

void standin_take_interrupts(void) {
    if (self == NULL || masked > 0) {
        return;
    }
    masked++;
    pthread_mutex_lock(&kernel);
    while (asked_for[self->core] || tick_is_due(self->core)) {
        take_one(self->core);
    }
    pthread_mutex_unlock(&kernel);
    masked--;
}

void taskENTER_CRITICAL(portMUX_TYPE *lock) {
    masked++;
    while (__atomic_exchange_n(&lock->count, 1U, __ATOMIC_ACQUIRE) != 0) {
    }
}

void taskEXIT_CRITICAL(portMUX_TYPE *lock) {
    __atomic_store_n(&lock->count, 0U, __ATOMIC_RELEASE);
    masked--;
    standin_take_interrupts();
}

/* ---- the idle tasks ---- */

/* The first moment up to which a task sleeps, while no core has anything to do. */
static uint64_t next_wake(void) {
    uint64_t next = NEVER;
    bool all_idle = pxCurrentTCBs[0] == &idle[0] && pxCurrentTCBs[1] == &idle[1] && !asked_for[0] && !asked_for[1];
    for (uint32_t i = 0; i < TASKS_MAX && all_idle; i++) {
        next = tasks[i] != NULL && tasks[i]->wake < next ? tasks[i]->wake : next;
    }
    return next;
}

static void *run_idle(void *task) {
    self = task;
    for (;;) {
        standin_enter();
        await_core();
        while (!asked_for[self->core] && !(self->core == 0 && next_wake() != NEVER)) {
            pthread_cond_wait(&changed, &kernel);
            await_core();
        }
        if (!asked_for[self->core]) {
            standin_let_go_by(next_wake());
        }
        standin_leave(); /* here it is interrupted */
    }
    return NULL;
}

static void put_in(TCB_t *pxNewTCB) {
    (void)pxNewTCB;
    standin_note("TASK_CREATE", 0);
    traceTASK_CREATE(pxNewTCB);
}

/* With the kernel locked. */
static void start_kernel(void) {
    static bool started;
    static const char names[configNUMBER_OF_CORES][16] = {"IDLE0", "IDLE1"};
    if (started) {
        return;
    }
    started = true;
    for (BaseType_t core = 0; core < configNUMBER_OF_CORES; core++) {
        idle[core] = (TCB_t){.xCoreID = core, .core = core, .wake = NEVER, .awaits = -1};
        memcpy(idle[core].pcTaskName, names[core], sizeof names[core]);
        put_in(&idle[core]);
        idle[core].xStateListItem.pxContainer = &pxReadyTasksLists[0];
        pxCurrentTCBs[core] = &idle[core];
        standin_check(pthread_create(&idle[core].thread, NULL, run_idle, &idle[core]) == 0, "no thread");
    }
}

/* ---- tasks: task.h ---- */

static void *run_task(void *task) {
    self = task;
    standin_enter();
    await_core();
    standin_leave();
    self->run(self->arg);
    standin_check(false, "a task has returned");
    return NULL;
}

static TCB_t **place_of(const TCB_t *task) {
    uint32_t i = 0;
    for (; i < TASKS_MAX && tasks[i] != task; i++) {
    }
    standin_check(i < TASKS_MAX, "no such task, or too many");
    return &tasks[i];
}

BaseType_t xTaskCreatePinnedToCore(TaskFunction_t run, const char *name, uint32_t bytes, void *arg,
                                   UBaseType_t priority, TaskHandle_t *task, BaseType_t core) {
    standin_check(priority < configMAX_PRIORITIES, "no such priority");
    void *stack = pvPortMalloc(bytes);
    TCB_t *made = stack != NULL ? pvPortMalloc(CONTROL_BLOCK_BYTES) : NULL;
    if (made == NULL) {
        vPortFree(stack);
        return !pdPASS;
    }
    *made = (TCB_t){.uxPriority = priority, .xCoreID = core, .run = run, .arg = arg, .stack = stack};
    strncpy(made->pcTaskName, name, sizeof made->pcTaskName - 1U);
    *task = made;
    standin_enter();
    start_kernel();
    *place_of(NULL) = made;
    put_in(made);
    standin_check(pthread_create(&made->thread, NULL, run_task, made) == 0, "no thread");
    ready(made);
    standin_leave();
    return pdPASS;
}

void vTaskSuspend(TaskHandle_t pxTCB) {
    standin_check(pxTCB == NULL, "a task suspends itself only");
    pxTCB = self;
    standin_enter();
    standin_note("TASK_SUSPEND", pxTCB->uxTaskNumber);
    traceTASK_SUSPEND(pxTCB);
    pxTCB->suspended = true;
    block();
    standin_check(false, "nobody resumes a task");
}

eTaskState eTaskGetState(TaskHandle_t task) {
    standin_enter();
    eTaskState state = task->suspended ? eSuspended : is_ready(task) ? eReady : eBlocked;
    standin_leave();
    return state;
}

TaskHandle_t xTaskGetCurrentTaskHandleForCore(BaseType_t core) {
    standin_enter();
    TCB_t *current = pxCurrentTCBs[core];
    standin_leave();
    return current;
}

void vTaskDelete(TaskHandle_t pxTCB) {
    standin_enter();
    standin_check(pxTCB != NULL && pxTCB->suspended && pxCurrentTCBs[pxTCB->core] != pxTCB,
                  "who has ended is deleted by who has started it");
    standin_note("TASK_DELETE", pxTCB->uxTaskNumber);
    traceTASK_DELETE(pxTCB);
    *place_of(pxTCB) = NULL;
    pxTCB->deleted = true;
    pthread_cond_broadcast(&changed);
    standin_leave();
    standin_check(pthread_join(pxTCB->thread, NULL) == 0, "no such thread");
    vPortFree(pxTCB->stack);
    vPortFree(pxTCB);
}

void taskYIELD(void) {
    standin_enter();
    give_way();
    standin_leave();
}

void vTaskDelay(TickType_t ticks) {
    if (self == NULL) {
        usleep(50);
        return;
    }
    standin_enter();
    standin_note("TASK_DELAY", self->uxTaskNumber);
    traceTASK_DELAY();
    self->wake = (standin_cycles() / STANDIN_TICK_CYCLES + ticks) * STANDIN_TICK_CYCLES;
    block();
    standin_leave();
}

BaseType_t xTaskDelayUntil(TickType_t *last, TickType_t ticks) {
    standin_enter();
    uint64_t now = standin_cycles() / STANDIN_TICK_CYCLES;
    int32_t left = (int32_t)(*last + ticks - (TickType_t)now);
    *last += ticks;
    if (left > 0) {
        standin_note("TASK_DELAY_UNTIL", self->uxTaskNumber);
        traceTASK_DELAY_UNTIL(*last);
        self->wake = (now + (uint64_t)left) * STANDIN_TICK_CYCLES;
        block();
    }
    standin_leave();
    return left > 0 ? pdTRUE : pdFALSE;
}

BaseType_t xTaskNotifyGiveIndexed(TaskHandle_t task, UBaseType_t uxIndexToNotify) {
    standin_enter();
    TCB_t *pxTCB = task;
    pxTCB->notified[uxIndexToNotify]++;
    standin_note("TASK_NOTIFY", pxTCB->uxTaskNumber);
    traceTASK_NOTIFY(uxIndexToNotify);
    if (pxTCB->awaits == (int)uxIndexToNotify) {
        ready(pxTCB);
    }
    standin_leave();
    return pdPASS;
}

uint32_t ulTaskNotifyTakeIndexed(UBaseType_t uxIndexToWait, BaseType_t clear, TickType_t ticks) {
    standin_check(clear == pdFALSE && ticks == portMAX_DELAY, "one at a time, without a limit");
    standin_enter();
    if (self->notified[uxIndexToWait] == 0) {
        self->awaits = (int)uxIndexToWait;
        standin_note("TASK_NOTIFY_TAKE_BLOCK", self->uxTaskNumber);
        traceTASK_NOTIFY_TAKE_BLOCK(uxIndexToWait);
        block();
    }
    standin_note("TASK_NOTIFY_TAKE", self->uxTaskNumber);
    traceTASK_NOTIFY_TAKE(uxIndexToWait);
    uint32_t count = self->notified[uxIndexToWait];
    self->notified[uxIndexToWait] -= count > 0 ? 1U : 0U;
    standin_leave();
    return count;
}

/* ---- for objects ---- */

bool standin_is_task(void) { return self != NULL; }

void standin_await(const void *object) {
    if (self == NULL) {
        pthread_cond_wait(&changed, &kernel);
        return;
    }
    self->awaited = object;
    block();
}

void standin_wake(const void *object) {
    TCB_t *first = NULL;
    for (uint32_t i = 0; i < TASKS_MAX; i++) {
        if (tasks[i] != NULL && tasks[i]->awaited == object &&
            (first == NULL || tasks[i]->uxPriority > first->uxPriority)) {
            first = tasks[i];
        }
    }
    pthread_cond_broadcast(&changed); /* who is no task */
    if (first != NULL) {
        ready(first);
    }
}
