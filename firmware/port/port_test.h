/* A test of any port against port.h, to be called from the console task of a board. */
#ifndef PORT_TEST_H
#define PORT_TEST_H

/* Runs all tests; NULL if the port keeps every promise, otherwise the first one that it broke. Takes below a second. */
const char *port_test(void);

#endif
