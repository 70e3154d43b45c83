/* Answers to commands. The lines of an answer are numbered. Until the next answer begins, all or some of its lines can
 * be generated again, for the command `resend`. */
#ifndef IC_ANSWER_H
#define IC_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "ic_error.h"
#include "run.h"

/* An answer, and which of its numbered lines to send: from `first` to `last` */
struct ic_answer {
    uint32_t id;
    uint32_t next; /* number of the next line */
    uint32_t first;
    uint32_t last;
    bool in_words; /* command `show`: send only the run's table and the line `end`; `resend` still sends all lines */
};

/* Returns an answer of which all lines are to be sent. */
struct ic_answer ic_answer_whole(uint32_t id);

void ic_answer_info(struct ic_answer *answer);
void ic_answer_list(struct ic_answer *answer);
void ic_answer_help(struct ic_answer *answer);

/* ic_answer_impossible() sends the line `impossible` for a setting (a combination of parameter values) that cannot be
 * measured; `setting` is its index among the settings of the command `check`. ic_answer_checked() ends the answer to
 * `check`. */
void ic_answer_impossible(struct ic_answer *answer, uint32_t setting, const struct ic_error *error);
void ic_answer_checked(struct ic_answer *answer);

/* Send the lines of an answer to `run` that come before the measurement, and the lines that come after it. */
void ic_answer_begin(struct ic_answer *answer, const struct ic_run *run);
void ic_answer_result(struct ic_answer *answer, const struct ic_run *run);

#ifdef IC_TRACE
/* Sends the most recent recording of trace events (trace.h). */
void ic_answer_trace(struct ic_answer *answer);
#endif

/* Send a line without a number: the progress of a run, a change of the bit rate, or an error. */
void ic_answer_progress(const struct ic_run *run);
void ic_answer_rate(uint32_t id, uint32_t rate);
void ic_answer_error(uint32_t id, const struct ic_error *error);

#endif
