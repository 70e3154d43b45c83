/* The mark pin (port_mark()) is high during a measurement. The project's configuration selects the GPIO by
 * CONFIG_INTERCORE_MARK_GPIO; -1 means no pin. Without such a configuration (Arduino) it is GPIO 4, which is on the
 * header of every common board and has no function at reset. */
#ifndef ESP32_MARK_H
#define ESP32_MARK_H

/* Makes the mark pin an output, which is low at first. */
void esp32_mark_start(void);

/* The value of the condition `mark` */
const char *esp32_mark_text(void);

#endif
