/* From received bytes to the words of a command (docs/protocol.md). Everything here takes untrusted input. */
#ifndef IC_COMMAND_H
#define IC_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ic_error.h"

/* Longest line accepted, without its end. */
#define IC_COMMAND_MAX 400U
/* Words in a line, the command itself included. */
#define IC_WORDS_MAX 32U

/* Collects bytes into lines. All zero is the valid initial state. */
struct ic_input {
    char text[IC_COMMAND_MAX + 1];
    size_t length;
    bool too_long; /* the line has outgrown the buffer; the rest of it is dropped */
};

/* Takes one byte. Returns true when it ends a line that is not empty: `text` is that line, with a terminating zero, or
 * `too_long` is set. ic_input_clear() makes room for the next one. */
bool ic_input_push(struct ic_input *input, uint8_t byte);
void ic_input_clear(struct ic_input *input);

struct ic_command {
    uint32_t id; /* 0 if none was given */
    size_t word_count;
    char *words[IC_WORDS_MAX]; /* the command and its arguments, without id= and CRC; they point into the line */
};

/* Splits a complete line in place, after checking its CRC if it has one. On false, `error` says why not, and
 * command->id is the id if it could be trusted. */
bool ic_command_parse(struct ic_input *line, struct ic_command *command, struct ic_error *error);

/* Reads a decimal number without sign, of digits only. False if there is none, something follows, or it exceeds 32
 * bits. */
bool ic_parse_u32(const char *text, uint32_t *value);

/* Line numbers of `resend`. Takes one range off the front of *text ("7", "3-12" or "40-"), and the comma behind it.
 * False at the end of the text or if it is not a range; then **text is not zero. */
bool ic_parse_range(const char **text, uint32_t *first, uint32_t *last);

#endif
