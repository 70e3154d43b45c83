#include "command.h"

#include <string.h>

#include "crc32.h"

/* Length of the CRC at the end of a line: " *" and 8 hex digits */
#define TRAILER 10U

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool ic_input_push(struct ic_input *input, uint8_t byte) {
    if (byte == '\r' || byte == '\n') {
        input->text[input->length] = '\0';
        return input->length > 0 || input->too_long;
    }
    if (input->length == IC_COMMAND_MAX) {
        input->too_long = true;
        return false;
    }
    input->text[input->length++] = (char)byte;
    return false;
}

void ic_input_clear(struct ic_input *input) {
    input->length = 0;
    input->too_long = false;
}

static bool parse_hex(const char *text, size_t digits, uint32_t *value) {
    *value = 0;
    for (size_t i = 0; i < digits; i++) {
        char c = text[i];
        uint32_t digit;
        if (is_digit(c)) {
            digit = (uint32_t)(c - '0');
        } else if (c >= 'a' && c <= 'f') {
            digit = (uint32_t)(c - 'a') + 10U;
        } else if (c >= 'A' && c <= 'F') {
            digit = (uint32_t)(c - 'A') + 10U;
        } else {
            return false;
        }
        *value = *value << 4U | digit;
    }
    return true;
}

/* Removes the CRC from the line, if it has one. Any other '*' is a damaged CRC: no command contains a '*'. */
static bool check_crc(struct ic_input *line) {
    if (memchr(line->text, '*', line->length) == NULL) {
        return true;
    }
    if (line->length < TRAILER) {
        return false;
    }
    char *trailer = line->text + line->length - TRAILER;
    uint32_t told;
    if (trailer[0] != ' ' || trailer[1] != '*' || !parse_hex(trailer + 2, TRAILER - 2, &told) ||
        told != ic_crc32(line->text, (size_t)(trailer - line->text))) {
        return false;
    }
    *trailer = '\0';
    line->length -= TRAILER;
    return true;
}

bool ic_parse_u32(const char *text, uint32_t *value) {
    uint64_t number = 0;
    if (!is_digit(*text)) {
        return false;
    }
    for (; is_digit(*text); text++) {
        number = number * 10U + (uint64_t)(*text - '0');
        if (number > UINT32_MAX) {
            return false;
        }
    }
    if (*text != '\0') {
        return false;
    }
    *value = (uint32_t)number;
    return true;
}

bool ic_parse_range(const char **text, uint32_t *first, uint32_t *last) {
    char number[11]; /* ten digits and the terminating zero */
    uint32_t *bounds[2] = {first, last};
    const char *at = *text;
    size_t bound = 0;
    for (;;) {
        size_t length = 0;
        while (is_digit(at[length]) && length < sizeof number - 1) {
            number[length] = at[length];
            length++;
        }
        number[length] = '\0';
        if (bound == 1 && length == 0) {
            *last = UINT32_MAX; /* open range */
        } else if (!ic_parse_u32(number, bounds[bound])) {
            return false;
        }
        at += length;
        if (bound == 1 || *at != '-') {
            break;
        }
        at++;
        bound = 1;
    }
    if (bound == 0) {
        *last = *first;
    }
    if ((*at != ',' && *at != '\0') || *last < *first) {
        return false;
    }
    *text = *at == ',' ? at + 1 : at;
    return true;
}

static bool split(struct ic_input *line, struct ic_command *command) {
    char *at = line->text;
    command->word_count = 0;
    for (;;) {
        while (*at == ' ' || *at == '\t') {
            *at++ = '\0';
        }
        if (*at == '\0') {
            return true;
        }
        if (command->word_count == IC_WORDS_MAX) {
            return false;
        }
        command->words[command->word_count++] = at;
        while (*at != ' ' && *at != '\t' && *at != '\0') {
            at++;
        }
    }
}

static bool take_id(struct ic_command *command, struct ic_error *error) {
    size_t kept = 0;
    for (size_t i = 0; i < command->word_count; i++) {
        char *word = command->words[i];
        if (strncmp(word, "id=", 3) != 0) {
            command->words[kept++] = word;
        } else if (!ic_parse_u32(word + 3, &command->id)) {
            return ic_error_set(error, "bad-value", "the id is a number from 0 to 4294967295, not \"", word + 3, "\"");
        }
    }
    command->word_count = kept;
    return true;
}

bool ic_command_parse(struct ic_input *line, struct ic_command *command, struct ic_error *error) {
    command->id = 0;
    command->word_count = 0;
    if (line->too_long) {
        return ic_error_set(error, "too-long", "a line has at most 400 characters", "", "");
    }
    if (!check_crc(line)) {
        return ic_error_set(error, "bad-crc", "the CRC does not match: the line was damaged", "", "");
    }
    for (size_t i = 0; i < line->length; i++) {
        char c = line->text[i];
        if ((c < ' ' || c > '~') && c != '\t') {
            return ic_error_set(error, "syntax", "the line has a character that is not printable ASCII", "", "");
        }
    }
    if (!split(line, command)) {
        return ic_error_set(error, "syntax", "too many words", "", "");
    }
    return take_id(command, error);
}
