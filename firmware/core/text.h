/* A line of text for a person, such as a row of a table, without a formatting library. */
#ifndef IC_TEXT_H
#define IC_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Characters of the longest line, without the terminating zero; longer lines are truncated */
#define IC_TEXT_MAX 120U

/* All zeros is an empty line. */
struct ic_text {
    char text[IC_TEXT_MAX + 1]; /* zero-terminated */
    size_t length;
};

/* Appends text, or a number in decimal. */
void ic_text_add(struct ic_text *line, const char *text);
void ic_text_number(struct ic_text *line, uint64_t number);

/* Append text, or a number in decimal, right-aligned so that it ends before `column`, with at least one blank before it
 * unless the line is empty. */
void ic_text_add_right(struct ic_text *line, size_t column, const char *text);
void ic_text_number_right(struct ic_text *line, size_t column, uint64_t number);

#endif
