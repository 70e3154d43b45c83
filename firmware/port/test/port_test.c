/* Tests a port (an implementation of port.h) against the rules of port.h, on any target. */
#include "port_test.h"

#include "promises.h"

const char *port_test_failure;

bool port_test_has_condition(const char *key, const char *value) {
    struct port_condition condition;
    for (uint32_t i = 0; port_condition(i, &condition); i++) {
        if (strcmp(condition.key, key) == 0 && strcmp(condition.value, value) == 0) {
            return true;
        }
    }
    return false;
}

static bool holds_its_words(const struct port_region *region) {
    const uintptr_t *words = region->base;
    for (size_t i = 0; i < region->bytes / sizeof *words; i++) {
        if (words[i] != (uintptr_t)i * PORT_REGION_STEP) {
            return false;
        }
    }
    return true;
}

static void regions_are_as_they_say(void) {
    struct port_region region;
    expect(port_region(0, &region) && !region.read_only, "there is a memory region that can be written");
    bool read_only = false;
    for (uint32_t i = 0; port_region(i, &region); i++) {
        expect(region.bytes > 0 && region.bytes % 64 == 0, "a region's size is a multiple of 64");
        expect((uintptr_t)region.base % 64 == 0, "a region is aligned to 64 bytes");
        expect(region.read_only || !read_only, "regions that can be written come first");
        expect(!region.read_only || holds_its_words(&region), "a region that can only be read holds its words");
        read_only = region.read_only;
    }
}

static void facts_are_complete(void) {
    struct port_condition condition;
    bool has_mark = false;
    for (uint32_t i = 0; port_condition(i, &condition); i++) {
        expect(condition.key[0] != '\0' && condition.value[0] != '\0', "a condition has a key and a value");
        has_mark = has_mark || strcmp(condition.key, "mark") == 0;
    }
    expect(has_mark, "a condition names the pin of the energy mark, or says that there is none");
    expect(strlen(port_board()) > 0 && strlen(port_chip()) > 0, "board and chip have names");
    expect(strlen(port_clock_name()) > 0, "the clock has a name");
    expect(port_core_id() == 0, "the console task runs on core 0");
}

const char *port_test(void) {
    port_test_failure = NULL;
    port_test_tasks();
    port_test_waking();
    port_test_objects();
    port_test_time();
    port_test_locks();
    port_test_interrupts();
    port_test_launch();
    regions_are_as_they_say();
    facts_are_complete();
    return port_test_failure;
}
