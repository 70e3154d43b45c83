/* Tests that the kernel's objects work as port_objects.h says, between all cores. */
#include "promises.h"

#include "port_objects.h"

#define ITEMS 20U
#define ITEM_BYTES_MAX 1024U

/* The expected byte at a position of a stream. The successive items of a queue count as one stream. */
static uint8_t byte_at(uint32_t position) { return (uint8_t)(position * 31U + position / 251U); }

static void fill(uint8_t *bytes, uint32_t position, uint32_t size) {
    for (uint32_t i = 0; i < size; i++) {
        bytes[i] = byte_at(position + i);
    }
}

static bool is_filled(const uint8_t *bytes, uint32_t position, uint32_t size) {
    for (uint32_t i = 0; i < size; i++) {
        if (bytes[i] != byte_at(position + i)) {
            return false;
        }
    }
    return true;
}

/* For each core: a task on that core does one half of a test (`there`) while this task does the other half (`here`). */
static void against_each_core(void (*there)(void *), void (*here)(void *), void *arg) {
    for (uint32_t core = 0; core < port_core_count(); core++) {
        port_task_t task;
        struct port_task_config config = {.name = "other", .entry = there, .arg = arg, .core = core, .priority = 1};
        expect(port_task_start(&task, &config) == PORT_OK, "the other task of a test starts");
        here(arg);
        port_task_join(&task);
    }
}

struct handshake {
    port_sem_t asked;
    port_sem_t answered;
    uint32_t value; /* not atomic on purpose: semaphores must order the accesses */
};

static void answer_semaphores(void *arg) {
    struct handshake *handshake = arg;
    for (uint32_t i = 1; i <= ITEMS; i++) {
        expect(port_sem_take(&handshake->asked, PORT_FOREVER) == PORT_OK, "a wait without limit ends with a unit");
        handshake->value++;
        port_sem_give(&handshake->answered);
    }
}

static void ask_by_semaphores(void *arg) {
    struct handshake *handshake = arg;
    handshake->value = 0;
    for (uint32_t i = 1; i <= ITEMS; i++) {
        port_sem_give(&handshake->asked);
        expect(port_sem_take(&handshake->answered, PORT_FOREVER) == PORT_OK, "a wait without limit ends with a unit");
        expect(handshake->value == i, "what was written before a semaphore was given is seen after it is taken");
    }
}

static void a_binary_semaphore_is_given_or_not(void) {
    struct handshake handshake;
    expect(port_sem_init_binary(&handshake.asked) == PORT_OK, "a binary semaphore can be made");
    expect(port_sem_init(&handshake.answered, 0) == PORT_OK, "a semaphore can be made");
    expect(port_sem_take(&handshake.asked, 0) == PORT_ERR_TIMEOUT, "a binary semaphore is empty at first");
    for (uint32_t i = 0; i < 2; i++) {
        port_sem_give(&handshake.asked);
        port_sem_give(&handshake.asked);
        expect(port_sem_take(&handshake.asked, PORT_FOREVER) == PORT_OK, "what was given can be taken");
        expect(port_sem_take(&handshake.asked, 0) == PORT_ERR_TIMEOUT, "what was given twice can be taken once");
    }
    against_each_core(answer_semaphores, ask_by_semaphores, &handshake);
    port_sem_destroy(&handshake.asked);
    port_sem_destroy(&handshake.answered);
}

struct account {
    port_mutex_t mutex;
    uint32_t balance; /* not atomic on purpose: the mutex must exclude other users */
};

static void pay_in(void *arg) {
    struct account *account = arg;
    for (uint32_t i = 0; i < ITEMS; i++) {
        port_mutex_lock(&account->mutex);
        uint32_t balance = account->balance;
        port_yield(); /* gives the other task time to reach the same place */
        account->balance = balance + 1U;
        port_mutex_unlock(&account->mutex);
    }
}

static void a_mutex_can_be_tried(void) {
    port_mutex_t mutex;
    expect(port_mutex_init(&mutex) == PORT_OK, "a mutex can be made");
    expect(port_mutex_try_lock(&mutex), "a mutex that nobody has can be locked without waiting");
    expect(!port_mutex_try_lock(&mutex), "a mutex cannot be locked twice");
    port_mutex_unlock(&mutex);
    port_mutex_lock(&mutex);
    expect(!port_mutex_try_lock(&mutex), "a locked mutex cannot be locked");
    port_mutex_unlock(&mutex);
    expect(port_mutex_try_lock(&mutex), "an unlocked mutex can be locked");
    port_mutex_unlock(&mutex);
    port_mutex_destroy(&mutex);
}

static void a_mutex_excludes(void) {
    struct account account = {.balance = 0};
    expect(port_mutex_init(&account.mutex) == PORT_OK, "a mutex can be made");
    against_each_core(pay_in, pay_in, &account);
    expect(account.balance == 2U * ITEMS * port_core_count(), "a mutex keeps its users apart");
    port_mutex_destroy(&account.mutex);
}

struct belt {
    port_queue_t queue;
    uint32_t item_bytes;
    uint8_t sent[ITEM_BYTES_MAX];
    uint8_t received[ITEM_BYTES_MAX];
};

static void send_items(void *arg) {
    struct belt *belt = arg;
    for (uint32_t i = 0; i < ITEMS; i++) {
        fill(belt->sent, i * belt->item_bytes, belt->item_bytes);
        port_queue_send(&belt->queue, belt->sent);
        belt->sent[0]++; /* changes the original: the queue must hold a copy */
    }
}

static void receive_items(void *arg) {
    struct belt *belt = arg;
    for (uint32_t i = 0; i < ITEMS; i++) {
        port_queue_receive(&belt->queue, belt->received);
        expect(is_filled(belt->received, i * belt->item_bytes, belt->item_bytes),
               "a queue keeps items and their order");
    }
}

static void queues_pass_items_in_order(void) {
    static const uint32_t lengths[] = {1, 3, 8};
    static const uint32_t sizes[] = {1, 5, 64, ITEM_BYTES_MAX};
    static struct belt belt;
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t length = lengths[i % 3];
        belt.item_bytes = sizes[i / 3];
        expect(port_queue_init(&belt.queue, length, belt.item_bytes) == PORT_OK, "a queue can be made");
        for (uint32_t k = 0; k < length; k++) {
            port_queue_send(&belt.queue, belt.sent); /* would wait for ever if there were less room */
        }
        for (uint32_t k = 0; k < length; k++) {
            port_queue_receive(&belt.queue, belt.received);
        }
        against_each_core(send_items, receive_items, &belt);
        against_each_core(receive_items, send_items, &belt);
        port_queue_destroy(&belt.queue);
    }
}

struct flags {
    port_events_t events;
    uint32_t value; /* not atomic on purpose: events must order the accesses */
};

static void answer_events(void *arg) {
    struct flags *flags = arg;
    for (uint32_t i = 0; i < ITEMS; i++) {
        port_events_wait(&flags->events, 0x11);
        flags->value++;
        port_events_set(&flags->events, 0x80);
    }
}

static void ask_by_events(void *arg) {
    struct flags *flags = arg;
    flags->value = 0;
    for (uint32_t i = 1; i <= ITEMS; i++) {
        port_events_set(&flags->events, i % 2 == 0 ? 0x01 : 0x10);
        port_events_wait(&flags->events, 0x80);
        expect(flags->value == i, "what was written before an event was set is seen by who waited for it");
    }
}

static void an_event_group_has_bits_of_its_own(void) {
    struct flags flags;
    expect(port_events_init(&flags.events) == PORT_OK, "an event group can be made");
    expect(port_events_get(&flags.events) == 0, "an event group is made without bits");
    port_events_set(&flags.events, 0x07);
    port_events_wait(&flags.events, 0x02); /* would wait for ever if its bit had been cleared before */
    expect(port_events_get(&flags.events) == 0x05, "a wait clears the bits that it was for, and no others");
    port_events_wait(&flags.events, 0x05);
    expect(port_events_get(&flags.events) == 0, "a wait clears all bits that it was for");
    against_each_core(answer_events, ask_by_events, &flags);
    port_events_destroy(&flags.events);
}

#define STREAM_ROOM 64U
#define STREAM_CHUNKS 200U

/* Bytes of the i-th send or receive: from 1 to more than the stream has room for */
static uint32_t chunk(uint32_t i, uint32_t step) { return 1U + i * step % (STREAM_ROOM + 9U); }

struct channel {
    port_stream_t stream;
    uint32_t total;
};

static void send_stream(void *arg) {
    struct channel *channel = arg;
    uint8_t bytes[STREAM_ROOM + 9U];
    for (uint32_t i = 0, position = 0; position < channel->total; i++) {
        uint32_t left = channel->total - position;
        uint32_t size = chunk(i, 7) < left ? chunk(i, 7) : left;
        fill(bytes, position, size);
        port_stream_send(&channel->stream, bytes, size);
        position += size;
    }
}

static void receive_stream(void *arg) {
    struct channel *channel = arg;
    uint8_t bytes[STREAM_ROOM + 9U];
    for (uint32_t i = 0, position = 0; position < channel->total; i++) {
        uint32_t left = channel->total - position;
        uint32_t size = chunk(i, 11) < left ? chunk(i, 11) : left;
        port_stream_receive(&channel->stream, bytes, size);
        expect(is_filled(bytes, position, size), "a stream keeps bytes and their order");
        position += size;
    }
}

static void streams_pass_bytes_in_order(void) {
    struct channel channel = {.total = STREAM_ROOM};
    expect(port_stream_init(&channel.stream, STREAM_ROOM) == PORT_OK, "a stream can be made");
    send_stream(&channel); /* would wait for ever if there were less room */
    receive_stream(&channel);
    channel.total = STREAM_CHUNKS * STREAM_ROOM / 2U;
    against_each_core(send_stream, receive_stream, &channel);
    against_each_core(receive_stream, send_stream, &channel);
    port_stream_destroy(&channel.stream);
}

static void memory_is_ours_and_comes_back(void) {
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t size = 1U + i * 13U % 1000U;
        uint8_t *one = port_allocate(size);
        uint8_t *other = port_allocate(size);
        expect(one != NULL && other != NULL, "memory that was freed can be allocated again");
        if (one != NULL && other != NULL) {
            expect((uintptr_t)one % 4U == 0 && (uintptr_t)other % 4U == 0, "allocated memory is aligned");
            fill(one, 0, size);
            fill(other, size, size);
            expect(is_filled(one, 0, size) && is_filled(other, size, size), "allocated blocks are apart");
        }
        port_free(one);
        port_free(other);
    }
}

static void objects_come_and_go(void) {
    for (uint32_t i = 0; i < 100; i++) {
        port_mutex_t mutex;
        port_queue_t queue;
        port_events_t events;
        port_stream_t stream;
        bool made = port_mutex_init(&mutex) == PORT_OK && port_queue_init(&queue, 8, 1024) == PORT_OK &&
                    port_events_init(&events) == PORT_OK && port_stream_init(&stream, 4096) == PORT_OK;
        expect(made, "what destroyed objects were made of can be used again");
        if (!made) {
            return;
        }
        port_stream_destroy(&stream);
        port_events_destroy(&events);
        port_queue_destroy(&queue);
        port_mutex_destroy(&mutex);
    }
}

void port_test_objects(void) {
    a_binary_semaphore_is_given_or_not();
    a_mutex_can_be_tried();
    a_mutex_excludes();
    queues_pass_items_in_order();
    an_event_group_has_bits_of_its_own();
    streams_pass_bytes_in_order();
    memory_is_ours_and_comes_back();
    objects_come_and_go();
}
