/* Answers to commands: numbered lines that can be produced again, all or some, until the next answer begins. */
#ifndef IC_ANSWER_H
#define IC_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "ic_error.h"
#include "run.h"

/* Which of the numbered lines are to be sent. */
struct ic_answer {
    uint32_t id;
    uint32_t next; /* number of the next line */
    uint32_t first;
    uint32_t last;
    bool in_words; /* for a person: of a run, its words and its end; all other lines when they are asked for again */
};

/* An answer of which all lines are sent. */
struct ic_answer ic_answer_whole(uint32_t id);

void ic_answer_info(struct ic_answer *answer);
void ic_answer_list(struct ic_answer *answer);
void ic_answer_help(struct ic_answer *answer);

/* The line that a setting is impossible, given its number among those of the command, and the line that ends them. */
void ic_answer_impossible(struct ic_answer *answer, uint32_t setting, const struct ic_error *error);
void ic_answer_checked(struct ic_answer *answer);

/* The lines that precede a measurement, and those that follow it. */
void ic_answer_begin(struct ic_answer *answer, const struct ic_run *run);
void ic_answer_result(struct ic_answer *answer, const struct ic_run *run);

#ifdef IC_TRACE
/* What was recorded last (trace.h). */
void ic_answer_trace(struct ic_answer *answer);
#endif

/* Lines without a number. */
void ic_answer_progress(const struct ic_run *run);
void ic_answer_rate(uint32_t id, uint32_t rate);
void ic_answer_error(uint32_t id, const struct ic_error *error);

#endif
