/* Users' workloads: checks that several cores compute the same as one, and that a workload writes only its own units.
 *
 * If the user supplies no check, the console task computes the units again while no other task runs. If the units are
 * in a buffer, they are checked one by one and then erased, so that the next window (timed stretch of work) has to
 * write them again; the guard words (canaries) before and after the buffer must not change. A workload without a buffer
 * returns a sum, which does not show which unit is wrong: the unit is searched for afterwards.
 *
 * The first error of each kind is reported in a series with one value, the number of a unit. Without an error the
 * series does not exist.
 *
 *   differs     the unit that had another value on several cores, or at another time on one core
 *   beyond      the unit that writes outside its own place in the buffer
 *   around      the first unit of a window, or of a core's part of it, in which something else wrote around the buffer
 *   depends     the unit whose value depends on the units before it
 *   unexpected  the unit that is wrong according to the user's check */
#include "own.h"

#include <string.h>

#include "samples.h"

#define ERASED 0xa5U
#define CANARY 0xc0a1c0a1U
/* FNV-1a of 32 bits: draft-eastlake-fnv. */
#define FNV_BASIS 2166136261U
#define FNV_PRIME 16777619U

enum finding { DIFFERS, BEYOND, AROUND, DEPENDS, UNEXPECTED, FINDINGS };
static const char *const findings[FINDINGS] = {"differs", "beyond", "around", "depends", "unexpected"};
static bool told[FINDINGS];
static bool sought; /* the unit that makes a sum wrong has been searched for */

static void tell(const struct intercore_workload *own, enum finding finding, uint32_t unit) {
    struct ic_series *series = told[finding] ? NULL : ic_samples_open(findings[finding], IC_SERIES_PLAIN, 1);
    told[finding] = true;
    if (series != NULL) {
        series->unit = IC_UNIT_COUNT;
        (void)ic_samples_add(series, unit % own->units);
    }
}

/* ---- the buffer ---- */

static uint8_t *unit_at(const struct intercore_workload *own, uint32_t unit) {
    return (uint8_t *)own->output + (size_t)(unit % own->units) * own->unit_bytes;
}

static uint32_t digest_of(const struct intercore_workload *own, uint32_t unit) {
    const uint8_t *bytes = unit_at(own, unit);
    uint32_t digest = FNV_BASIS;
    for (uint32_t i = 0; i < own->unit_bytes; i++) {
        digest = (digest ^ bytes[i]) * FNV_PRIME;
    }
    return digest;
}

static void erase(const struct intercore_workload *own, uint32_t unit) {
    memset(unit_at(own, unit), ERASED, own->unit_bytes);
}

/* Changes all bytes of a unit, whatever their values are. A second call restores the unit. */
static void disguise(const struct intercore_workload *own, uint32_t unit) {
    uint8_t *bytes = unit_at(own, unit);
    for (uint32_t i = 0; i < own->unit_bytes; i++) {
        bytes[i] ^= ERASED;
    }
}

static uint32_t *canary(const struct intercore_workload *own, uint32_t index) {
    uint8_t *behind = (uint8_t *)own->output + (size_t)own->units * own->unit_bytes;
    uint32_t *begin = (uint32_t *)own->output - INTERCORE_CANARIES;
    return index < INTERCORE_CANARIES ? begin + index : (uint32_t *)(void *)behind + (index - INTERCORE_CANARIES);
}

/* Whether the guard words are unchanged since the last call. Restores them. */
static bool canaries_live(const struct intercore_workload *own) {
    bool live = true;
    for (uint32_t i = 0; i < 2U * INTERCORE_CANARIES; i++) {
        live = live && *canary(own, i) == (CANARY ^ i);
        *canary(own, i) = CANARY ^ i;
    }
    return live;
}

/* ---- checks ---- */

/* Computes one unit again. Returns whether that leaves the units before and after it, and the guard words,
 * unchanged. */
static bool compute_again(const struct intercore_workload *own, uint32_t unit) {
    uint32_t before = unit + own->units - 1U;
    uint32_t behind = unit + 1U;
    if (own->units == 1U) {
        (void)own->workload.work(unit, 1);
        return canaries_live(own);
    }
    disguise(own, behind); /* otherwise, writing its correct result again would go unnoticed */
    uint32_t digests[2] = {digest_of(own, before), digest_of(own, behind)};
    (void)own->workload.work(unit, 1);
    bool same = digest_of(own, before) == digests[0] && digest_of(own, behind) == digests[1];
    disguise(own, behind);
    return canaries_live(own) && same;
}

static bool unit_is_right(const struct intercore_workload *own, uint32_t unit) {
    if (own->is_right != NULL) {
        bool right = own->is_right(unit % own->units);
        if (!right) {
            tell(own, UNEXPECTED, unit);
        }
        return right;
    }
    uint32_t given = digest_of(own, unit);
    erase(own, unit);
    if (!compute_again(own, unit)) {
        tell(own, BEYOND, unit);
        return false;
    }
    if (digest_of(own, unit) != given) {
        tell(own, DIFFERS, unit);
        return false;
    }
    return true;
}

/* Called if the guard words have changed: finds the unit that changes them (BEYOND). If no unit does, reports
 * AROUND. */
static void find_writer(const struct intercore_workload *own, uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count && !told[BEYOND]; i++) {
        if (!compute_again(own, first + i)) {
            tell(own, BEYOND, first + i);
        }
        erase(own, first + i);
    }
    if (!told[BEYOND]) {
        tell(own, AROUND, first);
    }
}

static bool units_are_right(const struct intercore_workload *own, uint32_t first, uint32_t count) {
    bool live = canaries_live(own);
    bool right = true;
    for (uint32_t i = 0; i < count; i++) {
        right = unit_is_right(own, first + i) && right;
        erase(own, first + i);
    }
    if (!live) {
        find_writer(own, first, count);
    }
    return live && right;
}

void intercore_prepare(const struct intercore_workload *own) {
    memset(told, 0, sizeof told);
    sought = false;
    if (own->unit_bytes > 0) {
        for (uint32_t unit = 0; unit < own->units; unit++) {
            erase(own, unit);
        }
        (void)canaries_live(own);
    }
    if (own->prepare != NULL) {
        own->prepare();
    }
}

/* work() returns 0 for a workload with a buffer. So the expected checksum is 0 if the buffer is right, else 1. */
uint32_t intercore_expected(const struct intercore_workload *own, uint32_t first, uint32_t count) {
    if (own->unit_bytes > 0) {
        return units_are_right(own, first, count) ? 0 : 1;
    }
    if (own->expected != NULL) {
        return own->expected(first, count);
    }
    uint32_t part = count / 3U; /* not where two cores would split the units */
    return own->workload.work(first, part) + own->workload.work(first + part, count - part);
}

/* ---- finding the wrong unit of a sum ---- */

/* Whether `end` units from `first` on, computed together, give the correct sum: that of the user's expected() or,
 * without it, the sum of the units computed one by one. Before the call `*sum` is the one-by-one sum of the first
 * `from` units; after it, of all `end` units. */
static bool adds_up(const struct intercore_workload *own, uint32_t first, uint32_t from, uint32_t end, uint32_t *sum) {
    if (own->expected != NULL) {
        return own->workload.work(first, end) == own->expected(first, end);
    }
    for (uint32_t i = from; i < end; i++) {
        *sum += own->workload.work(first + i, 1);
    }
    return own->workload.work(first, end) == *sum;
}

bool ic_own_seek(uint32_t workload, uint32_t first, uint32_t count) {
    const struct intercore_workload *own = ic_own(workload);
    uint32_t right = 0; /* the first `right` units give the correct sum */
    uint32_t wrong = count;
    uint32_t sum = 0;
    uint32_t whole = 0;
    if (own == NULL || own->unit_bytes > 0 || sought) {
        return false;
    }
    sought = true;
    if (adds_up(own, first, 0, count, &whole)) {
        return true;
    }
    while (wrong - right > 1U) {
        uint32_t middle = right + (wrong - right) / 2U;
        uint32_t further = sum;
        if (adds_up(own, first, right, middle, &further)) {
            right = middle;
            sum = further;
        } else {
            wrong = middle;
        }
    }
    tell(own, own->expected != NULL ? UNEXPECTED : DEPENDS, first + right);
    return false;
}

void ic_own_differs(uint32_t workload, uint32_t unit) { tell(ic_own(workload), DIFFERS, unit); }

/* ---- the list ---- */

const struct intercore_workload *ic_own(uint32_t workload) {
#if IC_OWN_MAX > 0
    if (workload >= IC_WORKLOADS_HERE) {
        return (const struct intercore_workload *)(const void *)ic_workloads[workload]; /* its first member */
    }
#endif
    (void)workload;
    return NULL;
}

uint32_t ic_own_units(uint32_t workload) {
    const struct intercore_workload *own = ic_own(workload);
    return own != NULL ? own->units : UINT32_MAX;
}

#if IC_ADDED_MAX > 0
#include "transport.h"

#define NAME_MAX 16U

static char names[IC_ADDED_MAX][sizeof IC_OWN_PREFIX + NAME_MAX];
static uint32_t added;

static bool is_name(const char *name) {
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    return length > 0 && length <= NAME_MAX && name[length] == '\0';
}

static bool is_taken(const char *listed) {
    for (uint32_t i = 0; i < added; i++) {
        if (strcmp(names[i], listed) == 0) {
            return true;
        }
    }
    return false;
}

const char *intercore_add_workload(const char *name, const struct intercore_workload *own) {
    if (added == IC_ADDED_MAX) {
        return "there is no room for another workload";
    }
    if (!is_name(name)) {
        return "the name of a workload is at most 16 lower-case letters, digits, _ and -";
    }
    char *listed = names[added];
    memcpy(listed, IC_OWN_PREFIX, sizeof IC_OWN_PREFIX - 1U);
    memcpy(listed + sizeof IC_OWN_PREFIX - 1U, name, strlen(name) + 1U);
    if (is_taken(listed)) {
        return "a workload of that name exists already";
    }
    if (own->units == 0) {
        return "the workload does not state its number of units";
    }
    ic_workload_names[IC_WORKLOADS_HERE + added] = listed;
    ic_workloads[IC_WORKLOADS_HERE + added] = &own->workload;
    added++;
    return NULL;
}
#endif
