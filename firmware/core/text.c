#include "text.h"

#include <string.h>

/* Number of digits of UINT64_MAX, plus the terminating zero */
#define DECIMAL_SIZE 21U

static void put(struct ic_text *line, char c) {
    if (line->length < IC_TEXT_MAX) {
        line->text[line->length++] = c;
        line->text[line->length] = '\0';
    }
}

void ic_text_add(struct ic_text *line, const char *text) {
    for (size_t i = 0; text[i] != '\0'; i++) {
        put(line, text[i]);
    }
}

void ic_text_add_right(struct ic_text *line, size_t column, const char *text) {
    size_t width = strlen(text);
    if (line->length > 0) {
        put(line, ' ');
    }
    while (line->length + width < column && line->length < IC_TEXT_MAX) {
        put(line, ' ');
    }
    ic_text_add(line, text);
}

/* Writes the number in decimal, right-aligned in `text`, and returns a pointer to its first digit. */
static const char *decimal(uint64_t number, char text[DECIMAL_SIZE]) {
    char *first = text + DECIMAL_SIZE - 1;
    *first = '\0';
    do {
        *--first = (char)('0' + number % 10U);
        number /= 10U;
    } while (number != 0);
    return first;
}

void ic_text_number(struct ic_text *line, uint64_t number) {
    char text[DECIMAL_SIZE];
    ic_text_add(line, decimal(number, text));
}

void ic_text_number_right(struct ic_text *line, size_t column, uint64_t number) {
    char text[DECIMAL_SIZE];
    ic_text_add_right(line, column, decimal(number, text));
}
