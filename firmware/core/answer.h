/* Answers to commands. The lines of an answer are numbered. Until the next answer begins, all or some of its lines can
 * be generated again. */
#ifndef IC_ANSWER_H
#define IC_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "ic_error.h"
#include "run.h"

/* The numbered lines to send */
struct ic_answer {
    uint32_t id;
    uint32_t next; /* number of the next line */
    uint32_t first;
    uint32_t last;
    bool in_words; /* command `show`: send only the run's table and the line `end`; `resend` still sends all lines */
};

/* An answer that sends all lines */
struct ic_answer ic_answer_whole(uint32_t id);

void ic_answer_info(struct ic_answer *answer);
void ic_answer_list(struct ic_answer *answer);
void ic_answer_help(struct ic_answer *answer);

/* ic_answer_impossible() sends the line `impossible` for a setting; `setting` is its index among the settings of the
 * command `check`. ic_answer_checked() ends the answer to `check`. */
void ic_answer_impossible(struct ic_answer *answer, uint32_t setting, const struct ic_error *error);
void ic_answer_checked(struct ic_answer *answer);

/* Send the lines before a measurement, and the lines after it. */
void ic_answer_begin(struct ic_answer *answer, const struct ic_run *run);
void ic_answer_result(struct ic_answer *answer, const struct ic_run *run);

#ifdef IC_TRACE
/* Sends the last recording (trace.h). */
void ic_answer_trace(struct ic_answer *answer);
#endif

/* Send lines without a number. */
void ic_answer_progress(const struct ic_run *run);
void ic_answer_rate(uint32_t id, uint32_t rate);
void ic_answer_error(uint32_t id, const struct ic_error *error);

#endif
