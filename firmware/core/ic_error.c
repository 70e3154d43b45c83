#include "ic_error.h"

#include <string.h>

#define SUBJECT_MAX 60U

static char *append(char *end, const char *limit, const char *text, size_t most) {
    for (size_t i = 0; text[i] != '\0' && i < most && end < limit; i++) {
        *end++ = text[i];
    }
    return end;
}

bool ic_error_set(struct ic_error *error, const char *code, const char *before, const char *subject,
                  const char *after) {
    char *end = error->text;
    const char *limit = error->text + IC_ERROR_TEXT_MAX - 1;
    error->code = code;
    end = append(end, limit, before, IC_ERROR_TEXT_MAX);
    end = append(end, limit, subject, SUBJECT_MAX);
    end = append(end, limit, after, IC_ERROR_TEXT_MAX);
    *end = '\0';
    return false;
}
