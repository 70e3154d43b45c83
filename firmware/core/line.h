/* One line of output: a JSON object, closed by its CRC-32 (docs/protocol.md). Writes decimal integers only, so that no
 * formatting library is needed on the chip. */
#ifndef IC_LINE_H
#define IC_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest line without its CR LF. */
#define IC_LINE_MAX 480U

struct ic_line {
    char text[IC_LINE_MAX + 2]; /* CR LF */
    size_t length;
    bool overflow;  /* something did not fit: ic_line_close() will refuse */
    bool separator; /* the next member needs a comma before it */
};

/* Starts an object with the member "type". */
void ic_line_open(struct ic_line *line, const char *type);

/* Adds a member. Text may hold any bytes; those that are not printable ASCII become '?'. */
void ic_line_text(struct ic_line *line, const char *key, const char *value);
void ic_line_text_part(struct ic_line *line, const char *key, const char *value, size_t length);
void ic_line_integer(struct ic_line *line, const char *key, int64_t value);

/* Opens a member that is a list or an object; what is added until the matching close goes into it. In a list, the key
 * of each item is NULL. */
void ic_line_list_open(struct ic_line *line, const char *key);
void ic_line_list_close(struct ic_line *line);
void ic_line_object_open(struct ic_line *line, const char *key);
void ic_line_object_close(struct ic_line *line);

/* Ends the object, adds CRC and CR LF. Returns the length of the whole, or 0 if it did not fit in IC_LINE_MAX. */
size_t ic_line_close(struct ic_line *line);

#endif
