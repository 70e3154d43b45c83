/* Tests that notifications and semaphores are counted and order memory. */
#include "promises.h"

void port_test_answer(void *arg) {
    struct echo *echo = arg;
    for (uint32_t i = 0; i < echo->rounds; i++) {
        port_notify_take();
        echo->last_seen++;
        port_notify(echo->asker);
    }
}

static void notifications_are_counted_and_order_memory(void) {
    for (uint32_t core = 0; core < port_core_count(); core++) {
        struct echo echo = {.asker = port_task_self(), .rounds = 1000};
        port_task_t task;
        struct port_task_config config = {
            .name = "echo", .entry = port_test_answer, .arg = &echo, .core = core, .priority = 1};
        expect(port_task_start(&task, &config) == PORT_OK, "the echo task starts");
        for (uint32_t i = 1; i < echo.rounds; i++) {
            port_notify(&task);
            port_notify_take();
            expect(echo.last_seen == i, "what was written before a notification is seen after it");
        }
        port_notify(&task);
        port_task_join(&task);
        port_notify_take(); /* the count must be kept, although no task waited when it was incremented */
        expect(echo.last_seen == echo.rounds, "no notification is lost");
    }
}

static void semaphores_count_and_time_out(void) {
    port_sem_t sem;
    expect(port_sem_init(&sem, 2) == PORT_OK, "a semaphore can be made");
    expect(port_sem_take(&sem, PORT_FOREVER) == PORT_OK, "the first of two is there");
    expect(port_sem_take(&sem, 0) == PORT_OK, "the second of two is there");
    uint64_t deadline = port_clock() + milliseconds(20);
    expect(port_sem_take(&sem, deadline) == PORT_ERR_TIMEOUT, "the third is not");
    expect(port_clock() >= deadline, "a wait does not end before its deadline");
    port_sem_give(&sem);
    expect(port_sem_take(&sem, port_clock() + milliseconds(1000)) == PORT_OK, "what was given can be taken");
    port_sem_destroy(&sem);
}

static void notifications_are_counted(void) {
    expect(port_notify_count() == 0, "nobody has notified this task");
    port_notify(port_task_self());
    port_notify(port_task_self());
    expect(port_notify_count() == 2, "notifications are counted");
    port_notify_take();
    expect(port_notify_count() == 1, "to take one takes one");
    port_notify_take();
    expect(port_notify_count() == 0, "to take the last leaves none");
}

void port_test_waking(void) {
    notifications_are_counted_and_order_memory();
    semaphores_count_and_time_out();
    notifications_are_counted();
}
