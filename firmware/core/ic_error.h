/* The reason for a refusal: a code for programs and a sentence for people. (<error.h> is a system header.) */
#ifndef IC_ERROR_H
#define IC_ERROR_H

#include <stdbool.h>

#define IC_ERROR_TEXT_MAX 200U

struct ic_error {
    const char *code; /* one of the error codes in docs/protocol.md */
    char text[IC_ERROR_TEXT_MAX];
};

/* Sets `error` to a code and the sentence "before subject after". `subject` may be untrusted; it is cut after 60
 * characters. Always returns false, so that a function can end with `return ic_error_set(…)`. */
bool ic_error_set(struct ic_error *error, const char *code, const char *before, const char *subject, const char *after);

#endif
