/* The mark pin (port_mark()): a GPIO, CONFIG_INTERCORE_MARK_GPIO of the project's configuration. -1: none. Without such
 * a configuration (Arduino), GPIO 4: on the header of every common board, and without a function at reset. */
#ifndef ESP32_MARK_H
#define ESP32_MARK_H

/* Makes the pin an output, low. */
void esp32_mark_start(void);

/* The value of the condition `mark` */
const char *esp32_mark_text(void);

#endif
