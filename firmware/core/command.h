/* Turns received bytes into the words of a command (docs/protocol.md). All input is untrusted. */
#ifndef IC_COMMAND_H
#define IC_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ic_error.h"

/* Maximum length of a line in characters, without its line end */
#define IC_COMMAND_MAX 400U
/* Maximum number of words in a line, including the command */
#define IC_WORDS_MAX 32U

/* Collects bytes into lines. All zeros is the valid initial state. */
struct ic_input {
    char text[IC_COMMAND_MAX + 1];
    size_t length;
    bool too_long; /* the line exceeds the buffer; the rest of it is dropped */
};

/* Adds one byte. Returns true at the end of a non-empty line: then `text` is that line, zero-terminated, or `too_long`
 * is set. Call ic_input_clear() before the next line. */
bool ic_input_push(struct ic_input *input, uint8_t byte);
void ic_input_clear(struct ic_input *input);

struct ic_command {
    uint32_t id; /* 0 if none was given */
    size_t word_count;
    char *words[IC_WORDS_MAX]; /* the command and the words after it, without id= and CRC; pointers into the line */
};

/* Checks the CRC of a complete line, if it has one, and splits the line into words in place. On failure returns false,
 * with `error` set; command->id is then the id if one was read before the failure, else 0. */
bool ic_command_parse(struct ic_input *line, struct ic_command *command, struct ic_error *error);

/* Parses an unsigned decimal number of digits only. Returns false if there is no number, if anything follows it, or if
 * it exceeds 32 bits. */
bool ic_parse_u32(const char *text, uint32_t *value);

/* Parses the next range of line numbers ("7", "3-12" or "40-") after `resend`, and moves *text past the range and the
 * comma after it. Returns false at the end of the text, where **text is zero, and on a syntax error, where **text is
 * not zero. */
bool ic_parse_range(const char **text, uint32_t *first, uint32_t *last);

#endif
