/* One line of output: a JSON object with its CRC-32 (docs/protocol.md). Numbers are decimal integers, written without a
 * formatting library. */
#ifndef IC_LINE_H
#define IC_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum length of a line in characters, without its CR LF */
#define IC_LINE_MAX 480U

struct ic_line {
    char text[IC_LINE_MAX + 2]; /* with room for CR LF */
    size_t length;
    bool overflow;  /* something did not fit: ic_line_close() returns 0 */
    bool separator; /* the next member needs a comma before it */
};

/* Begins an object with the member "type". */
void ic_line_open(struct ic_line *line, const char *type);

/* Adds a member. Text may hold any bytes; those that are not printable ASCII become '?'. */
void ic_line_text(struct ic_line *line, const char *key, const char *value);
void ic_line_text_part(struct ic_line *line, const char *key, const char *value, size_t length);
void ic_line_integer(struct ic_line *line, const char *key, int64_t value);

/* Opens a member that is a list or an object; members added before the matching close go into it. Items of a list have
 * the key NULL. */
void ic_line_list_open(struct ic_line *line, const char *key);
void ic_line_list_close(struct ic_line *line);
void ic_line_object_open(struct ic_line *line, const char *key);
void ic_line_object_close(struct ic_line *line);

/* Ends the object and adds CRC and CR LF. Returns the total length, or 0 if the line exceeds IC_LINE_MAX. */
size_t ic_line_close(struct ic_line *line);

#endif
