/* The part of the benchmark `message` that runs in the console task: it starts the other tasks, and takes the
 * samples. */
#include "message.h"

/* ---- a repetition ---- */

static bool has_reported(const struct load_task *load) { return !load->started || reached(&load->reported); }

static uint32_t load_count(void) {
    return (ic_message.load_from.started ? 1U : 0U) + (ic_message.load_to.started ? 1U : 0U);
}

static void take_reports(uint32_t count) {
    struct vigil vigil = ic_message_begin_vigil();
    while (count > 0 && !over()) {
        if (port_sem_take(&ic_message.done, port_clock() + ic_message.patience) == PORT_OK) {
            count--;
        } else {
            ic_message_keep_vigil(&vigil);
        }
    }
}

/* Takes a turn: `messages` messages are sent and received or, if `sends` is false, the time of as many messages passes.
 * Returns false if the run ended before that. */
static bool take_turn(uint32_t messages, bool full) {
    ic_message.full = full;
    ic_message.turn++;
    ic_message.messages = messages;
    ic_message.target = ic_message.next_sent + (ic_message.sends ? messages + (ic_message.counts ? 1U : 0U) : 0U);
    port_sem_give(&ic_message.sender.go);
    take_reports((ic_message.sends ? 2U : 1U) + load_count());
    return !over() && reached(&ic_message.sender.reported) &&
           (!ic_message.sends || reached(&ic_message.receiver.reported)) && has_reported(&ic_message.load_from) &&
           has_reported(&ic_message.load_to);
}

/* Counts the iterations of each load while messages come, and for the same time without messages. */
static void take_counts(const struct all_series *series) {
    struct ic_run *run = ic_message.run;
    const struct load_task *loads[LOADS] = {&ic_message.load_from, &ic_message.load_to};
    uint32_t turns[LOADS];
    if (!take_turn(run->values[P_MESSAGES], false)) {
        return;
    }
    for (uint32_t i = 0; i < LOADS; i++) {
        turns[i] = loads[i]->turns;
    }
    ic_message.sends = false;
    bool taken = take_turn(run->values[P_MESSAGES], false);
    ic_message.sends = true;
    for (uint32_t i = 0; taken && i < load_count(); i++) {
        ic_run_sample(run, series->turns[i], turns[i]);
        ic_run_sample(run, series->idle_turns[i], loads[i]->turns);
        ic_run_sample(run, series->block[i], (int64_t)loads[i]->block);
    }
    if (taken) {
        ic_run_sample(run, series->length, (int64_t)ic_message.length);
    }
}

static void take_sample(const struct all_series *series) {
    struct ic_run *run = ic_message.run;
    if (ic_message.counts) {
        take_counts(series);
    } else if (ic_message.streams) {
        if (take_turn(run->values[P_MESSAGES], false)) {
            ic_run_sample(run, series->window, (int64_t)(ic_message.arrival.at - ic_message.before));
        }
    } else if (take_turn(1, true)) {
        ic_run_sample(run, series->latency, (int64_t)(ic_message.arrival.at - ic_message.before));
        ic_run_sample(run, series->send, (int64_t)(ic_message.after - ic_message.before));
    }
}

/* The messages before the samples warm caches and are not recorded. A message after the samples shows whether any
 * earlier message was left in the transport. */
static void take_samples(const struct all_series *series) {
    struct ic_run *run = ic_message.run;
    bool goes_on = take_turn(ic_message.streams || ic_message.counts ? run->values[P_MESSAGES] : 1U, true);
    while (goes_on && ic_run_repeat(run)) {
        take_sample(series);
        goes_on = !over();
    }
    if (goes_on) {
        (void)take_turn(1, true);
    }
}

/* Reports a count of errors as a series with one sample, if the count is not 0. */
static void tell(const char *name, uint32_t count) {
    struct ic_series *series = count > 0 ? ic_samples_open(name, IC_SERIES_PLAIN, 1) : NULL;
    if (series != NULL) {
        series->unit = IC_UNIT_COUNT;
        (void)ic_samples_add(series, count);
    }
}

/* The transport's reason (a sentence) for a failure; NULL if it gives none */
static const char *trouble(void) {
    return ic_message_transport->trouble != NULL ? ic_message_transport->trouble() : NULL;
}

/* Reports the errors of messages at the end of a run. Returns false, with run->error set, if the run ended early and
 * either the transport gives a reason, or no message was wrong or missing. */
static bool conclude(void) {
    const char *why = ic_message.stalled ? trouble() : NULL;
    if (why != NULL) {
        return ic_error_set(&ic_message.run->error, "failed", ic_message_transport->name, ": ", why);
    }
    struct ic_checks *checks = &ic_message.run->checks;
    struct found *found = &ic_message.found;
    found->missing += ic_message.target - ic_message.next;
    tell("missing", found->missing);
    tell("repeated", found->repeated);
    tell("disordered", found->disordered);
    tell("corrupted", found->corrupted);
    uint32_t wrong = found->missing + found->repeated + found->disordered + found->corrupted;
    checks->checked += found->checked;
    checks->wrong += wrong;
    return wrong > 0 || !ic_message.stalled ||
           ic_error_set(&ic_message.run->error, "failed", "a task did not run for seconds: does ", "something else",
                        " use these cores?");
}

/* ---- tasks ---- */

static bool start_task(port_task_t *task, void (*entry)(void *), void *arg, uint32_t core, enum priority priority) {
    struct port_task_config config = {
        .name = "message", .entry = entry, .arg = arg, .core = core, .priority = (uint32_t)priority};
    return port_task_start(task, &config) == PORT_OK;
}

static bool fails(const char *what) {
    return ic_error_set(&ic_message.run->error, "failed", "the platform has no memory left for ", what, "");
}

/* Starts the task of an end (sender or receiver). The sender must be started first. */
static bool start_end(struct party *party, void (*entry)(void *), enum priority priority) {
    bool sends = party == &ic_message.sender;
    struct party *other = sends ? &ic_message.receiver : &ic_message.sender;
    party->core = sends ? ic_message.setup.from : ic_message.setup.to;
    party->end = (struct ic_transport_end){.setup = &ic_message.setup,
                                           .role = sends ? IC_TRANSPORT_SENDER : IC_TRANSPORT_RECEIVER,
                                           .over = &ic_message.over,
                                           .other = &other->task};
    party->opened = false;
    atomic_store(&party->dismissed, false);
    party->migrated = false;
    if (port_sem_init(&party->go, 0) != PORT_OK) {
        return fails("a semaphore");
    }
    if (!start_task(&party->task, entry, party, party->core, priority)) {
        port_sem_destroy(&party->go);
        return fails("a task");
    }
    (void)port_sem_take(&ic_message.done, PORT_FOREVER); /* until the task has opened its end */
    return true;
}

static void dismiss_end(struct party *party) {
    atomic_store(&party->dismissed, true);
    port_sem_give(&party->go);
    port_task_join(&party->task);
    port_sem_destroy(&party->go);
    ic_message.run->checks.migrated += party->migrated;
}

static bool start_load(struct load_task *load, uint32_t core) {
    atomic_store(&load->dismissed, false);
    load->value = 1;
    load->started = start_task(&load->task, ic_message_run_load, load, core, PRIORITY_LOAD);
    return load->started || fails("a task");
}

static void dismiss_load(struct load_task *load) {
    if (load->started) {
        atomic_store(&load->dismissed, true);
        port_notify(&load->task);
        port_task_join(&load->task);
    }
}

/* If both ends are on one core there is one load, whichever end the parameter `load` names. With measure=overhead each
 * core has a load; with idle=spin core `to` has one. */
static bool start_loads_asked_for(void) {
    uint32_t asked = ic_message.counts  ? LOAD_FROM | LOAD_TO
                     : ic_message.awake ? ic_message.run->values[P_LOAD] | LOAD_TO
                                        : ic_message.run->values[P_LOAD];
    ic_message.load_from.started = false;
    ic_message.load_to.started = false;
    if (!ic_message.apart) {
        return asked == 0 || start_load(&ic_message.load_from, ic_message.setup.from);
    }
    return ((asked & LOAD_FROM) == 0 || start_load(&ic_message.load_from, ic_message.setup.from)) &&
           ((asked & LOAD_TO) == 0 || start_load(&ic_message.load_to, ic_message.setup.to));
}

static bool measure_with_loads(const struct all_series *series) {
    bool started = start_loads_asked_for();
    if (started) {
        take_samples(series);
    }
    dismiss_load(&ic_message.load_from);
    dismiss_load(&ic_message.load_to);
    return started;
}

static bool opened(const struct party *party) {
    if (!party->fits) {
        return fails("a message");
    }
    const char *why = party->opened ? NULL : trouble();
    if (why != NULL) {
        return ic_error_set(&ic_message.run->error, "failed", ic_message_transport->name, ": ", why);
    }
    return party->opened || ic_error_set(&ic_message.run->error, "failed", "the platform has no resource left for the ",
                                         ic_message_transport->name, "");
}

static bool measure_with_tasks(const struct all_series *series) {
    if (!start_end(&ic_message.sender, ic_message_run_sender, PRIORITY_SENDER)) {
        return false;
    }
    if (opened(&ic_message.sender) && start_end(&ic_message.receiver, ic_message_run_receiver, PRIORITY_RECEIVER)) {
        bool taken = opened(&ic_message.receiver) && measure_with_loads(series);
        ic_message.stalled = over();
        atomic_store(&ic_message.over, true);
        dismiss_end(&ic_message.sender);
        dismiss_end(&ic_message.receiver);
        ic_message.run->checks.preempted +=
            ic_message.receiver.preempted + (ic_message.apart ? ic_message.sender.preempted : 0);
        return taken && conclude();
    }
    atomic_store(&ic_message.over, true);
    dismiss_end(&ic_message.sender);
    return false;
}

bool ic_message_take(const struct all_series *series) {
    if (port_sem_init(&ic_message.done, 0) != PORT_OK) {
        return fails("a semaphore");
    }
    if (port_sem_init(&ic_message.release, 0) != PORT_OK) {
        port_sem_destroy(&ic_message.done);
        return fails("a semaphore");
    }
    bool taken = measure_with_tasks(series);
    port_sem_destroy(&ic_message.release);
    port_sem_destroy(&ic_message.done);
    return taken;
}
