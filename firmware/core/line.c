#include "line.h"

#include <string.h>

#include "crc32.h"

/* Length of the CRC at the end of a line: " *" and 8 hex digits */
#define TRAILER 10U
/* Number of digits of UINT64_MAX */
#define DIGITS_MAX 20U

static void put(struct ic_line *line, char c) {
    if (line->length >= IC_LINE_MAX - TRAILER) {
        line->overflow = true;
        return;
    }
    line->text[line->length++] = c;
}

static void put_string(struct ic_line *line, const char *text, size_t length) {
    put(line, '"');
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (c == '"' || c == '\\') {
            put(line, '\\');
        }
        put(line, c >= ' ' && c <= '~' ? c : '?');
    }
    put(line, '"');
}

static void put_key(struct ic_line *line, const char *key) {
    if (line->separator) {
        put(line, ',');
    }
    line->separator = true;
    if (key != NULL) {
        put_string(line, key, strlen(key));
        put(line, ':');
    }
}

void ic_line_open(struct ic_line *line, const char *type) {
    line->length = 0;
    line->overflow = false;
    line->separator = false;
    put(line, '{');
    ic_line_text(line, "type", type);
}

void ic_line_text(struct ic_line *line, const char *key, const char *value) {
    ic_line_text_part(line, key, value, strlen(value));
}

void ic_line_text_part(struct ic_line *line, const char *key, const char *value, size_t length) {
    put_key(line, key);
    put_string(line, value, length);
}

void ic_line_integer(struct ic_line *line, const char *key, int64_t value) {
    char digits[DIGITS_MAX];
    size_t count = 0;
    /* In unsigned arithmetic: INT64_MIN has no positive counterpart. */
    uint64_t magnitude = value < 0 ? 0U - (uint64_t)value : (uint64_t)value;
    do {
        digits[count++] = (char)('0' + magnitude % 10U);
        magnitude /= 10U;
    } while (magnitude != 0);

    put_key(line, key);
    if (value < 0) {
        put(line, '-');
    }
    while (count > 0) {
        put(line, digits[--count]);
    }
}

static void open_nested(struct ic_line *line, const char *key, char bracket) {
    put_key(line, key);
    put(line, bracket);
    line->separator = false;
}

static void close_nested(struct ic_line *line, char bracket) {
    put(line, bracket);
    line->separator = true;
}

void ic_line_list_open(struct ic_line *line, const char *key) { open_nested(line, key, '['); }
void ic_line_list_close(struct ic_line *line) { close_nested(line, ']'); }
void ic_line_object_open(struct ic_line *line, const char *key) { open_nested(line, key, '{'); }
void ic_line_object_close(struct ic_line *line) { close_nested(line, '}'); }

size_t ic_line_close(struct ic_line *line) {
    static const char hex[] = "0123456789abcdef";
    put(line, '}');
    if (line->overflow) {
        return 0;
    }
    uint32_t crc = ic_crc32(line->text, line->length);
    char *end = line->text + line->length;
    *end++ = ' ';
    *end++ = '*';
    for (int shift = 28; shift >= 0; shift -= 4) {
        *end++ = hex[(crc >> (uint32_t)shift) & 15U];
    }
    *end++ = '\r';
    *end++ = '\n';
    line->length = (size_t)(end - line->text);
    return line->length;
}
