#include "waiting.h"

#include "transport.h"

static bool wait_for_other(void *arg) {
    struct ic_transport_end *end = arg;
    if (!end->setup->polling && !ic_transport_over(end)) {
        end->wait(end);
    }
    return !ic_transport_over(end);
}

static void wake_other(void *arg) {
    struct ic_transport_end *end = arg;
    end->wake(end);
}

struct ic_waiting ic_waiting_of(struct ic_transport_end *end) {
    bool sleeps = !end->setup->polling;
    return (struct ic_waiting){
        .wait = wait_for_other, .wake = sleeps ? wake_other : NULL, .arg = end, .sleeps = sleeps};
}
