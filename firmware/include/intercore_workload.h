/* Makes your function a workload of Intercore. Include only this header.
 *
 * Your work is a number of units, such as blocks of a checksum, rows of a product, or transforms. Intercore divides the
 * units between cores, which compute them at the same time. Your function has one of two forms:
 *
 *   uint32_t crc(uint32_t first, uint32_t count)   returns a sum over the units `first` to `first + count - 1`. The
 *                                                  sums of any parts must add up to the sum of the whole.
 *   void fft(uint32_t first, uint32_t count)       writes these units of a buffer, each independently of the others,
 *                                                  and writes nothing else
 *
 * A line at the end of the file declares the function, under the name of the file:
 *
 *   INTERCORE_WORKLOAD(crc, .units = 1024)
 *
 * or, for the second form, two lines. The first declares the buffer, before the function, with spectrum.unit[0] to [3]
 * of 2048 numbers each:
 *
 *   INTERCORE_OUTPUT(spectrum, int16_t, 4, 2048);
 *   INTERCORE_WORKLOAD_TO(fft, spectrum)
 *
 * A window (one timed stretch of work) has at most as many units as the workload. The next window continues with the
 * next unit numbers, so that it finds no warm cache: take the numbers modulo your number of units.
 *
 * Your function runs in several tasks at once, and has a kilobyte of stack: put larger data into static memory. Declare
 * data that tasks on several cores share with PORT_SHARED, in C and in C++:
 *
 *   static uint16_t table[256] PORT_SHARED(table);   zero at first; each name may be used once
 *
 * PORT_SHARED has no effect if one kernel runs on both cores. If each core has its own kernel and image, variables
 * without PORT_SHARED exist twice, and a file with such variables is refused. Constants do not need PORT_SHARED. */
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

/* Description of a workload. Only the first two members are required. */
struct intercore_workload {
    /* Set by the macros below */
    struct ic_workload workload;
    /* Number of units in the whole work. A timed window has at most that many units, but unit numbers may exceed it.
     * INTERCORE_WORKLOAD_TO sets it from the buffer. */
    uint32_t units;
    /* The output buffer, and the size of one unit of it in bytes. Set by INTERCORE_WORKLOAD_TO. */
    void *output;
    uint32_t unit_bytes;
    /* Called before each measurement, for what must not be timed, such as filling the input. */
    void (*prepare)(void);
    /* Returns the correct sum over the units, computed in another way. If NULL, each window is checked as follows: it
     * is computed again on one core, in two parts that differ from the parts of the measurement, and the sums are
     * compared. */
    uint32_t (*expected)(uint32_t first, uint32_t count);
    /* Returns whether a unit of the buffer is correct; `unit` is below `units`. If NULL, the unit is computed again,
     * alone and on one core, and the two results are compared. */
    bool (*is_right)(uint32_t unit);
};

/* Number of guard words before and after an output buffer, which show whether the function writes outside the buffer */
#define INTERCORE_CANARIES 4U

/* Declares an output buffer for `count` units, each of which has `each` items of a type */
#define INTERCORE_OUTPUT(name, type, count, each)                                                                      \
    static struct {                                                                                                    \
        uint32_t before[INTERCORE_CANARIES];                                                                           \
        type unit[count][each];                                                                                        \
        uint32_t behind[INTERCORE_CANARIES];                                                                           \
    } name PORT_SHARED(name)

/* Declare a function as a workload. More members of struct intercore_workload may follow: `.prepare = fill`. */
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

/* Used by the macros */
INTERCORE_C void intercore_prepare(const struct intercore_workload *own);
INTERCORE_C uint32_t intercore_expected(const struct intercore_workload *own, uint32_t first, uint32_t count);

/* For firmware that the tool on the host does not build: registers a workload that one of the firmware's files
 * declares. Call it before Intercore starts. The workload is listed as own:NAME. Returns NULL, or a sentence with the
 * reason for a refusal: there is no room; the name is taken; the name is longer than 16 characters or has characters
 * other than lower-case letters, digits, _ and -; or the workload has no units.
 *
 *   extern const struct intercore_workload intercore_workload_fft;
 *   intercore_add_workload("fft", &intercore_workload_fft); */
INTERCORE_C const char *intercore_add_workload(const char *name, const struct intercore_workload *own);

/* Registers a transport of your firmware, a way to move messages between cores (transport.h), in the same way. The
 * benchmark `message` measures the transport under its own name. Returns NULL, or a sentence with the reason for a
 * refusal: there is no room; the name is taken; the name has characters other than lower-case letters, digits and -; or
 * a required member is missing. */
struct ic_transport;
INTERCORE_C const char *intercore_add_transport(const struct ic_transport *transport);

#endif
