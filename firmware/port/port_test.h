/* A test of any port against port.h, called from the console task of a board */
#ifndef PORT_TEST_H
#define PORT_TEST_H

/* Runs all tests. Returns NULL, or a description of the first failure. Takes less than a second. */
const char *port_test(void);

#endif
