/* A line of text for a person, such as a row of a table, put together without a formatting library. */
#ifndef IC_TEXT_H
#define IC_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Longest line, without its end; the rest of a longer one is cut off. */
#define IC_TEXT_MAX 120U

/* All zero is an empty line. */
struct ic_text {
    char text[IC_TEXT_MAX + 1]; /* with a terminating zero */
    size_t length;
};

/* Adds text, or a number in decimal, at the end. */
void ic_text_add(struct ic_text *line, const char *text);
void ic_text_number(struct ic_text *line, uint64_t number);

/* The same, so that it ends in front of `column`: blanks before it, one at least if the line has anything. */
void ic_text_add_right(struct ic_text *line, size_t column, const char *text);
void ic_text_number_right(struct ic_text *line, size_t column, uint64_t number);

#endif
