/* A function of your own as a workload of Intercore: this header is all that your file includes of it.
 *
 * Your work is a number of units: blocks of a checksum, rows of a product, transforms. A core is given some of them,
 * and several cores are given some each, at the same time. Your function is one of two:
 *
 *   uint32_t crc(uint32_t first, uint32_t count)   returns a sum over the units `first` to `first + count - 1`: of any
 *                                                  parts that together are these units the sums add up to the same
 *   void fft(uint32_t first, uint32_t count)       writes these units of a buffer, each by itself, and nothing else
 *
 * and a line at the end of the file declares it, by the name of the file:
 *
 *   INTERCORE_WORKLOAD(crc, .units = 1024)
 *
 *   INTERCORE_OUTPUT(spectrum, int16_t, 4, 2048);  before it: spectrum.unit[0] to [3], of 2048 numbers each
 *   INTERCORE_WORKLOAD_TO(fft, spectrum)
 *
 * Numbers of units go on from one window to the next, so that a stream finds no warm cache: take them modulo yours. A
 * window has as many as you have at most.
 *
 * It runs in several tasks at once and has a kilobyte of their stack: what it needs more lies in static memory. What
 * tasks of several cores use is declared by PORT_SHARED, in C and in C++:
 *
 *   static uint16_t table[256] PORT_SHARED(table);   zero at first; no name is used twice
 *
 * It means nothing where one kernel has both cores. Where each has a kernel and a program of its own, what is not
 * declared so is there twice, and a file that has such state is refused. Constants need no word. */
#ifndef INTERCORE_WORKLOAD_H
#define INTERCORE_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ic_workload.h"

#ifdef __cplusplus
#define INTERCORE_C extern "C"
#else
#define INTERCORE_C extern
#endif

#ifndef PORT_SHARED
#define PORT_SHARED(name)
#endif

/* What is said of a workload, in this order; all but the first and the second may be left out. */
struct intercore_workload {
    /* Made by the macros below. */
    struct ic_workload workload;
    /* How many there are that differ: no window has more. Known where there is a buffer. */
    uint32_t units;
    /* The buffer and the bytes of a unit of it; made by INTERCORE_WORKLOAD_TO. */
    void *output;
    uint32_t unit_bytes;
    /* Does what must not be timed, such as filling what is read, before each measurement. */
    void (*prepare)(void);
    /* The sum that must come, found in another way. Without it the sum of two parts is compared with that of the whole:
     * on one core, and so what several cores give with what one gives. */
    uint32_t (*expected)(uint32_t first, uint32_t count);
    /* Whether a unit of the buffer, below `units`, holds what it must. Without it the unit is computed again, by itself
     * and on one core, and compared. */
    bool (*is_right)(uint32_t unit);
};

/* Words before and behind a buffer that nobody may write to. */
#define INTERCORE_CANARIES 4U

/* A buffer for `count` units of `each` items of a type. */
#define INTERCORE_OUTPUT(name, type, count, each)                                                                      \
    static struct {                                                                                                    \
        uint32_t before[INTERCORE_CANARIES];                                                                           \
        type unit[count][each];                                                                                        \
        uint32_t behind[INTERCORE_CANARIES];                                                                           \
    } name PORT_SHARED(name)

/* Declare a function by its name; further members of the struct may follow: `.prepare = fill`. */
#define INTERCORE_WORKLOAD(name, ...) INTERCORE_DECLARED(name, name, __VA_ARGS__)
#define INTERCORE_WORKLOAD_TO(name, buffer, ...)                                                                       \
    static uint32_t name##_to_buffer(uint32_t first, uint32_t count) {                                                 \
        name(first, count);                                                                                            \
        return 0;                                                                                                      \
    }                                                                                                                  \
    INTERCORE_DECLARED(name, name##_to_buffer, .units = sizeof(buffer).unit / sizeof(buffer).unit[0],                  \
                       .output = (buffer).unit, .unit_bytes = sizeof(buffer).unit[0], __VA_ARGS__)

#define INTERCORE_DECLARED(name, entry, ...)                                                                           \
    INTERCORE_C const struct intercore_workload intercore_workload_##name;                                             \
    static void name##_is_prepared(void) { intercore_prepare(&intercore_workload_##name); }                            \
    static uint32_t name##_is_expected(uint32_t first, uint32_t count) {                                               \
        return intercore_expected(&intercore_workload_##name, first, count);                                           \
    }                                                                                                                  \
    const struct intercore_workload intercore_workload_##name = {                                                      \
        .workload = {.prepare = name##_is_prepared, .work = (entry), .expected = name##_is_expected}, __VA_ARGS__};

/* What the macros call. */
INTERCORE_C void intercore_prepare(const struct intercore_workload *own);
INTERCORE_C uint32_t intercore_expected(const struct intercore_workload *own, uint32_t first, uint32_t count);

/* For a program that is not built from the desk: adds a workload that some file of it declares, before Intercore
 * starts. It is listed as own:NAME. Returns NULL, or in a sentence why it is not added: there is no room, the name is
 * not made of at most 16 lower-case letters, digits, _ and -, or is taken, or it has no units.
 *
 *   extern const struct intercore_workload intercore_workload_fft;
 *   intercore_add_workload("fft", &intercore_workload_fft); */
INTERCORE_C const char *intercore_add_workload(const char *name, const struct intercore_workload *own);

/* Adds a transport of one's own likewise (transport.h): the benchmark message measures it by its name. Returns NULL, or
 * in a sentence why it is not added: there is no room, the name is not made of lower-case letters, digits and -, or is
 * taken, or a function is missing that every transport has. */
struct ic_transport;
INTERCORE_C const char *intercore_add_transport(const struct ic_transport *transport);

#endif
