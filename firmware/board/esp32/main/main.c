#include <stdio.h>

#include "intercore.h"

void app_main(void);

/* ESP-IDF's main task ends when this function returns; Intercore's task continues. */
void app_main(void) {
    const char *failure = intercore_start(NULL);
    if (failure != NULL) {
        printf("Intercore has not started: %s\n", failure);
    }
}
